// The same bytes of each of many traces, of one length or of many.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <memory>

#include "io/varying_files.hpp"
#include "sill/io/trace_parts.hpp"
#include "sill/store/meter_store.hpp"
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

TEST(TraceParts, AreWhatTheFileHoldsThere) {
  EXPECT_TRUE(rc::check([&] {
    const test::TemporaryFolder folder;
    const std::string path = folder / "file";
    const VaryingFile made = any_varying_file(any_number<std::uint64_t>(0, 1U << 30U));
    const Bytes bytes = bytes_of(made);
    test::make_file(path, bytes);
    const segy::TraceTable table = table_of(made, bytes);
    const std::int64_t first = any_number<std::int64_t>(0, table.traces());
    const ItemRange traces{first, any_number<std::int64_t>(0, table.traces() - first)};
    const std::int64_t offset = any_number<std::int64_t>(0, 239);
    const ByteRange part{offset, any_number<std::int64_t>(1, 240 - offset)};
    const auto store = open_posix(path, OpenMode::read);
    Bytes parts(static_cast<std::size_t>(traces.count * part.length));
    read_trace_parts(*store, table, traces, part, parts.data());
    for (std::int64_t i = 0; i < traces.count; ++i) {
      const std::int64_t at = table.bytes_of({traces.first + i, 1}).offset + part.offset;
      RC_ASSERT(std::memcmp(parts.data() + i * part.length, bytes.data() + at, static_cast<std::size_t>(part.length)) ==
                0);
    }
  }));
}

TEST(TraceParts, OfManyLengthsAreNotARequestEach) {
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
