// Other programs as child processes.
#include "sill/base/child_process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <string>

#include "sill/base/error.hpp"

namespace sill {
namespace {

using std::chrono::seconds;

TEST(ChildProcess, ReturnsWhatItPrintsAndHowItEnds) {
  const ChildEnd end = run_child({"sh", "-c", "cat; echo out; echo err >&2; exit 3"});
  EXPECT_TRUE(end.in_time);
  EXPECT_EQ(WEXITSTATUS(end.status), 3);
  EXPECT_EQ(end.printed, "out\n");
  EXPECT_EQ(end.warned, "err\n");
}

TEST(ChildProcess, MorePrintedThanAPipeHolds) {
  EXPECT_EQ(run_child({"sh", "-c", "head -c 1000000 /dev/zero"}).printed.size(), 1'000'000U);
}

TEST(ChildProcess, IsEndedAfterItsTimeWithAllThatItStarted) {
  const ChildEnd end = run_child({"sh", "-c", "sleep 100 & echo $!; wait"}, seconds(1));
  EXPECT_FALSE(end.in_time);
  ASSERT_FALSE(end.printed.empty());
  const std::string sleeper = end.printed.substr(0, end.printed.find('\n'));
  // A zombie has ended.
  EXPECT_EQ(run_child({"sh", "-c", "sleep 0.2; grep -s '^State:.*[^Z] (' /proc/$1/status", "sh", sleeper}).printed, "");
}

TEST(ChildProcess, IsEndedWhenCancelled) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(run_child({"sleep", "100"}, seconds(100), [] { return true; }).in_time);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(50));
}

TEST(ChildProcess, AProgramThatIsNotThereIsAnError) { EXPECT_THROW((void)run_child({"/nonexistent/program"}), Error); }

}  // namespace
}  // namespace sill
