// The index of traces of different lengths, built by any number of workers of one rank.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <memory>

#include "io/varying_files.hpp"
#include "sill/io/survey/trace_index.hpp"
#include "sill/store/meter_store.hpp"
#include "support/any_number.hpp"

namespace sill {
namespace {

using segy::TraceShape;
using segy::TraceStretch;
using test::any_number;
using test::any_varying_file;
using test::Bytes;
using test::Filling;
using test::VaryingFile;

class TraceIndexAlone : public testing::Test {
 protected:
  TraceIndex index(const VaryingFile& made, const Bytes& bytes, int workers) {
    test::make_file(path, bytes);
    const auto file = metered(open_posix(path, OpenMode::read), meter);
    return index_traces(resources, *file, test::description_of(made, std::ssize(bytes)),
                        {.parts_of_rank = workers, .min_part_bytes = 1});
  }

  std::unique_ptr<Communicator> comm = make_alone();
  const Resources resources{.comm = *comm};
  const test::TemporaryFolder folder;
  const std::string path = folder / "file";
  Meter meter;
};

std::vector<TraceStretch> stretches(const TraceIndex& index) {
  return {index.table.stretches().begin(), index.table.stretches().end()};
}

TEST_F(TraceIndexAlone, AnyNumberOfWorkersFindsTheTracesThatWereMade) {
  EXPECT_TRUE(rc::check([&] {
    const VaryingFile made = any_varying_file(any_number<std::uint64_t>(0, 1U << 30U));
    const Bytes bytes = bytes_of(made);
    for (int workers = 1; workers <= 7; ++workers) {
      const TraceIndex found = index(made, bytes, workers);
      RC_ASSERT(found.table.traces() == std::ssize(made.shapes));
      RC_ASSERT(stretches(found) == stretches_of(made, made.shapes.size()));
      RC_ASSERT(found.remainder_bytes == 0);
      RC_ASSERT(!found.remainder_shape);
    }
  }));
}

TEST_F(TraceIndexAlone, ACutFileHasItsWholeTracesAndARemainder) {
  EXPECT_TRUE(rc::check([&] {
    VaryingFile made = any_varying_file(any_number<std::uint64_t>(0, 1U << 30U));
    made.trailers = 0;
    Bytes bytes = bytes_of(made);
    bytes.resize(static_cast<std::size_t>(any_number(made.first_trace_byte, std::ssize(bytes))));
    std::size_t whole = 0;
    std::int64_t end = made.first_trace_byte;
    for (const TraceShape& shape : made.shapes) {
      const std::int64_t next = end + shape.headers * 240 + shape.samples * segy::bytes_of(made.format);
      if (next > std::ssize(bytes)) break;
      end = next;
      ++whole;
    }
    for (const int workers : {1, 2, 5}) {
      const TraceIndex found = index(made, bytes, workers);
      RC_ASSERT(found.table.traces() == static_cast<std::int64_t>(whole));
      RC_ASSERT(stretches(found) == stretches_of(made, whole));
      RC_ASSERT(found.remainder_bytes == std::ssize(bytes) - end);
      const bool tells = found.remainder_bytes >= (made.additional_headers > 0 ? 480 : 240);
      RC_ASSERT(found.remainder_shape.has_value() == tells);
      if (tells) RC_ASSERT(*found.remainder_shape == made.shapes[whole]);
    }
  }));
}

TEST_F(TraceIndexAlone, AFileShorterThanItsHeadHasNoTraces) {
  VaryingFile made;
  made.first_trace_byte = 6800;
  const TraceIndex found = index(made, test::pattern(3600), 3);
  EXPECT_EQ(found.table.traces(), 0);
  EXPECT_EQ(found.remainder_bytes, 0);
}

TEST_F(TraceIndexAlone, OneTraceThatReachesOverManyParts) {
  VaryingFile made;
  made.shapes = {{50000, 1}, {1, 1}, {40000, 1}};
  for (int workers = 1; workers <= 7; ++workers)
    EXPECT_EQ(stretches(index(made, bytes_of(made), workers)), stretches_of(made, 3)) << workers;
}

// A trace that is stated to be longer than it is leads the chain astray; what follows is as the headers state, whoever
// reads.
TEST_F(TraceIndexAlone, AWrongLengthIsFollowedAlikeByAllWorkers) {
  VaryingFile made = any_varying_file(7);
  made.additional_headers = 0;
  made.filling = Filling::traces;
  made.shapes.assign(300, {100, 1});
  for (std::size_t i = 0; i < made.shapes.size(); i += 3) made.shapes[i].samples = 90;
  Bytes bytes = bytes_of(made);
  const std::size_t bytes_of_three = static_cast<std::size_t>(3 * 240 + 290 * segy::bytes_of(made.format));
  store<std::uint16_t>(bytes.data() + made.first_trace_byte + 10 * bytes_of_three + 114, 33, made.order);
  const TraceIndex alone = index(made, bytes, 1);
  EXPECT_NE(stretches(alone), stretches_of(made, 300));
  for (int workers = 2; workers <= 7; ++workers) {
    const TraceIndex found = index(made, bytes, workers);
    EXPECT_EQ(stretches(found), stretches(alone)) << workers;
    EXPECT_EQ(found.table.traces(), alone.table.traces()) << workers;
    EXPECT_EQ(found.remainder_bytes, alone.remainder_bytes) << workers;
    EXPECT_EQ(found.remainder_shape, alone.remainder_shape) << workers;
  }
}

// Guesses that are right leave nothing to be followed twice; else one worker does the work of all.
TEST_F(TraceIndexAlone, ReadsTheLengthOfEachTraceAndLittleMore) {
  constexpr std::int64_t traces = 20000;
  VaryingFile made;
  for (std::int64_t i = 0; i < traces; ++i) made.shapes.push_back({200 + i * 7919 % 101, 1});
  const Bytes bytes = bytes_of(made);
  for (const int workers : {1, 2, 7}) {
    const std::int64_t before = meter.read_bytes;
    EXPECT_EQ(index(made, bytes, workers).table.traces(), traces);
    // the guesses: one block of 64 KiB each, the headers of 32 traces, and of 5 for each place tried
    const std::int64_t guesses = workers == 1 ? 0 : 32 * 240 + (workers - 1) * ((64 << 10) + 239 + 10 * 240);
    EXPECT_LE(meter.read_bytes - before, 2 * traces + guesses + workers * 2) << workers;
    EXPECT_GE(meter.read_bytes - before, 2 * traces);
  }
}

TEST_F(TraceIndexAlone, HostileFilesAreReadAtMostTwice) {
  VaryingFile made;
  made.filling = Filling::traces;
  for (std::int64_t i = 0; i < 3000; ++i) made.shapes.push_back({200 + i * 7919 % 101, 1});
  const Bytes bytes = bytes_of(made);
  EXPECT_EQ(stretches(index(made, bytes, 4)), stretches_of(made, made.shapes.size()));
  // A chain that was led astray meets a trace at every 240 bytes of its part.
  EXPECT_LE(meter.read_bytes, 2 * 3000 + 2 * std::ssize(bytes) / 240 + 3 * (1 << 20));
}

}  // namespace
}  // namespace sill
