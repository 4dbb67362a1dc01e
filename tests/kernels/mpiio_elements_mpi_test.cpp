// Elements that ranks write one by one: every one where it should be, and errors that are the same on all.
#include "kernels/mpiio_elements.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/world.hpp"

namespace sill::kernels {
namespace {

using namespace test;

class MpiioElementsTest : public testing::Test {
 protected:
  Communicator& comm = world();
  SharedFolder folder{comm, in_memory()};
  Meter meter;
};

// Elements are distributed in turn; the last of several ranks has none.
TEST_F(MpiioElementsTest, EveryElementIsWhereItShouldBe) {
  const int sharers = std::max(1, comm.size() - 1);
  for (const std::int64_t elements : {1000, 10, 1}) {
    std::vector<std::int64_t> places;
    std::vector<std::int32_t> values;
    for (std::int64_t i = comm.rank(); comm.rank() < sharers && i < elements; i += sharers) {
      places.push_back(4 * i);
      values.push_back(static_cast<std::int32_t>(7 * i + 1));
    }
    MpiioElements writer(comm, 4, places);
    const std::int64_t before = meter.write_requests;
    const std::int64_t timed_before = meter.open_ns + meter.write_ns + meter.close_ns;
    double seconds = 0;
    for (const char* name : {"first", "second"}) {
      seconds += writer.write(folder / name, std::as_bytes(std::span(values)), meter);
    }
    // No more than what is counted; a rank without values waits in the call for the others, which no request counts.
    const auto timed_ns = static_cast<double>(meter.open_ns + meter.write_ns + meter.close_ns - timed_before);
    if (values.empty()) {
      EXPECT_GE(seconds * 1e9 + 10, timed_ns);
    } else {
      EXPECT_NEAR(seconds * 1e9, timed_ns, 10);
    }
    EXPECT_EQ(meter.write_requests - before, values.empty() ? 0 : 2);
    std::vector<std::int32_t> expected;
    for (std::int64_t i = 0; i < elements; ++i) expected.push_back(static_cast<std::int32_t>(7 * i + 1));
    const auto bytes = std::as_bytes(std::span(expected));
    for (const char* name : {"first", "second"}) {
      EXPECT_TRUE(bytes_of_file(folder / name) == Bytes(bytes.begin(), bytes.end()))
          << name << ", also when it was longer";
    }
    comm.barrier();
  }
}

TEST_F(MpiioElementsTest, WhatFailsIsToldByAll) {
  const std::vector<std::int64_t> places{4L * comm.rank()};
  const std::vector<std::byte> values(4);
  MpiioElements writer(comm, 4, places);
  const auto missing = thrown([&] { (void)writer.write(folder / "none/file", values, meter); });
  ASSERT_TRUE(missing);
  EXPECT_TRUE(missing->agreed());
  EXPECT_EQ(missing->code(), ErrorCode::io);
  const bool is_last = comm.rank() == comm.size() - 1;
  const auto wrong =
      thrown([&] { (void)writer.write(folder / "file", std::span(values).first(is_last ? 3 : 4), meter); });
  ASSERT_TRUE(wrong);
  EXPECT_TRUE(wrong->agreed());
  EXPECT_EQ(wrong->code(), ErrorCode::usage);
  EXPECT_EQ(wrong->parts().rank, comm.size() - 1);
  (void)writer.write(folder / "file", values, meter);
  EXPECT_EQ(bytes_of_file(folder / "file").size(), 4U * static_cast<std::size_t>(comm.size()));
}

}  // namespace
}  // namespace sill::kernels
