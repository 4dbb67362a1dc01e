// The same bytes of each of many traces, of one length or of many.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "io/varying_files.hpp"
#include "sill/io/survey/reading_blocks.hpp"
#include "sill/store/forwarding_store.hpp"
#include "sill/store/meter_store.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "support/any_number.hpp"

namespace sill {
namespace {

using test::any_number;
using test::any_varying_file;
using test::Bytes;
using test::VaryingFile;

segy::TraceTable table_of(const VaryingFile& made, const Bytes& bytes) {
  const std::int64_t end_byte = std::ssize(bytes) - 3200 * made.trailers;
  return {stretches_of(made, made.shapes.size()), std::ssize(made.shapes), end_byte, segy::bytes_of(made.format)};
}

// A store whose links are followed by a request an item, if they are at all.
class Plain : public ForwardingStore {
 public:
  explicit Plain(std::unique_ptr<Store> inner) : ForwardingStore(std::move(inner)) {}
  void submit_linked(std::span<LinkedRead> reads) override { Store::submit_linked(reads); }
  [[nodiscard]] bool follows_links() const override { return follows; }

  bool follows = false;
};

// Stretches of 1 to `longest` traces of one shape.
VaryingFile in_stretches(std::uint64_t seed, std::int64_t longest) {
  VaryingFile made = any_varying_file(seed);
  if (made.shapes.size() > 20) made.shapes.resize(20);
  std::mt19937_64 random(seed);
  std::vector<segy::TraceShape> shapes;
  for (const segy::TraceShape& shape : made.shapes)
    shapes.insert(shapes.end(), 1 + random() % static_cast<std::uint64_t>(longest), shape);
  made.shapes = std::move(shapes);
  return made;
}

TEST(TraceParts, AreWhatTheFileHoldsThere) {
  EXPECT_TRUE(rc::check([&] {
    const test::TemporaryFolder folder;
    const std::string path = folder / "file";
    const VaryingFile made = in_stretches(any_number<std::uint64_t>(0, 1U << 30U), any_number<std::int64_t>(1, 60));
    const Bytes bytes = bytes_of(made);
    test::make_file(path, bytes);
    const segy::TraceTable table = table_of(made, bytes);
    const std::int64_t first = any_number<std::int64_t>(0, table.traces());
    const ItemRange traces{first, any_number<std::int64_t>(0, table.traces() - first)};
    const std::int64_t header_bytes = 240 * (traces.empty() ? 1 : table.min_headers(traces));
    const std::int64_t offset = any_number<std::int64_t>(0, header_bytes - 1);
    const ByteRange part{offset, any_number<std::int64_t>(1, header_bytes - offset)};
    Bytes expected;
    for (std::int64_t i = 0; i < traces.count; ++i) {
      const auto at = bytes.begin() + table.bytes_of({traces.first + i, 1}).offset + part.offset;
      expected.insert(expected.end(), at, at + part.length);
    }
    Plain plain(open_posix(path, OpenMode::read));
    for (const bool follows : {false, true}) {
      plain.follows = follows;
      Bytes parts(expected.size());
      read_trace_parts(plain, table, traces, part, parts.data());
      RC_ASSERT(parts == expected);
    }
    Bytes parts(expected.size());
    read_trace_parts(*open_posix(path, OpenMode::read), table, traces, part, parts.data());
    RC_ASSERT(parts == expected);
  }));
}

TEST(TraceParts, OfManyLengthsAreAskedOfTheStoreInFewLinkedReads) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "file";
  VaryingFile made;
  for (std::int64_t i = 0; i < 1000; ++i) made.shapes.push_back({1 + i % 7, 1});
  const Bytes bytes = bytes_of(made);
  test::make_file(path, bytes);
  Meter meter;
  const auto store = metered(open_posix(path, OpenMode::read), meter);
  Bytes parts(4000);
  read_trace_parts(*store, table_of(made, bytes), {0, 1000}, {20, 4}, parts.data());
  EXPECT_LE(meter.read_requests, 8);
  EXPECT_EQ(meter.read_bytes, 4000);
}

}  // namespace
}  // namespace sill
