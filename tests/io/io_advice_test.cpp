// Advice by what a report says of an output.
#include "sill/io/session/io_advice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/move/policy/policy.hpp"

namespace sill {
namespace {

struct Given {
  std::int64_t opens = 0;
  std::int64_t write_requests = 0;
  std::int64_t written_bytes = 0;
  double open_s = 0;
  double write_s = 0;
  double prepare_s = 0;
  double sync_s = 0;
};

IoFigures figures_of(const Given& given) {
  IoFigures figures;
  figures.opens = given.opens;
  figures.write_requests = given.write_requests;
  figures.written_bytes = given.written_bytes;
  figures.open_s = given.open_s;
  figures.write_s = given.write_s;
  figures.prepare_s = given.prepare_s;
  figures.sync_s = given.sync_s;
  return figures;
}

// Of two ranks that spent a second each in calls for output, of three seconds.
IoReport report_of(const std::string& output, const std::string& policy, IoFigures figures) {
  figures.calls_s = 2;
  figures.of_calls_s = {1, 0, 1, 1, 0};
  figures.phases = 4;
  IoReport report;
  report.ranks = 2;
  report.policy = "auto";
  report.seconds = 3;
  report.outputs = {{output, policy, 1, figures}};
  report.total = figures;
  return report;
}

std::vector<IoAdvice> advice_of(const IoReport& report) {
  const std::vector<OutputAdvice> all = advice_on(report);
  EXPECT_EQ(all.size(), 1U);
  EXPECT_TRUE(std::ranges::is_sorted(all.at(0).advice, std::ranges::greater{}, &IoAdvice::gain_s));
  for (const IoAdvice& advice : all.at(0).advice) {
    EXPECT_GT(advice.gain_s, 0);
    EXPECT_LE(advice.gain_s, all.at(0).seconds);
    if (!advice.policy) continue;
    EXPECT_NE(Policy::parse(*advice.policy), Policy::parse(report.outputs[0].policy));
  }
  return all.at(0).advice;
}

// Null if it is not among them.
const IoAdvice* find(const std::vector<IoAdvice>& all, const std::string& limit) {
  const auto found = std::ranges::find(all, limit, &IoAdvice::limit);
  return found == all.end() ? nullptr : &*found;
}

IoFigures small_requests() {
  return figures_of({.opens = 8, .write_requests = 100'000, .written_bytes = 10'000'000, .write_s = 1.9});
}

TEST(IoAdviceTest, SmallRequestsArePutTogether) {
  const std::vector<IoAdvice> advice = advice_of(report_of("volumes", "direct,sync=close", small_requests()));
  ASSERT_NE(find(advice, "small requests"), nullptr);
  const IoAdvice& found = *find(advice, "small requests");
  EXPECT_EQ(found.policy, "sync=close") << "what is the user's stays";
  EXPECT_EQ(found.min_requests, 19) << "of 512 KiB";
  EXPECT_NEAR(found.gain_s, 0.95, 0.01);
}

TEST(IoAdviceTest, RequestsThatTakeLongerThanEstimatedAreToBeMeasured) {
  const std::vector<IoAdvice> advice = advice_of(report_of("volumes", "auto", small_requests()));
  ASSERT_NE(find(advice, "small requests"), nullptr);
  EXPECT_NE(find(advice, "small requests")->change.find("sill tune"), std::string::npos);
  EXPECT_FALSE(find(advice, "small requests")->policy);
}

TEST(IoAdviceTest, APhaseOfStationsWritesIntoEachFile) {
  IoReport report =
      report_of("stations", "direct",
                figures_of({.opens = 100, .write_requests = 8'000, .written_bytes = 800'000, .write_s = 1.9}));
  report.outputs[0].figures.phases = 40;
  const std::vector<IoAdvice> advice = advice_of(report);
  ASSERT_NE(find(advice, "small requests"), nullptr);
  EXPECT_NE(find(advice, "small requests")->change.find("steps_per_phase"), std::string::npos);
  EXPECT_EQ(find(advice, "small requests")->min_requests, 800);  // 8,000 of 100 files and 40 phases, a tenth as many
}

TEST(IoAdviceTest, OneWriterIsNamed) {
  IoFigures figures = figures_of({.opens = 1, .write_requests = 100, .written_bytes = 100'000'000, .write_s = 0.9});
  figures.of_written_bytes = {.min = 0, .min_rank = 0, .median = 5e7, .max = 1e8, .max_rank = 1};
  figures.of_file_s.max = 0.9;
  const std::vector<IoAdvice> advice = advice_of(report_of("volumes", "writers=root", figures));
  ASSERT_NE(find(advice, "one writer"), nullptr);
  EXPECT_NE(find(advice, "one writer")->change.find("rank 1 wrote 100.0 MB"), std::string::npos);
  EXPECT_EQ(find(advice, "one writer")->policy, "auto");
  EXPECT_EQ(find(advice_of(report_of("volumes", "auto", figures)), "one writer"), nullptr) << "it was chosen";
}

TEST(IoAdviceTest, FilesAreWrittenBehindTheComputationThatThereIs) {
  IoReport report = report_of(
      "surfaces", "auto",
      figures_of({.opens = 40, .write_requests = 40, .written_bytes = 40'000'000, .open_s = 1.2, .write_s = 0.5}));
  ASSERT_NE(find(advice_of(report), "files"), nullptr);
  EXPECT_EQ(find(advice_of(report), "files")->policy, "async=2");
  EXPECT_NEAR(find(advice_of(report), "files")->gain_s, 0.85, 1e-9);
  report.seconds = 1.3;
  EXPECT_NEAR(find(advice_of(report), "files")->gain_s, 0.3, 1e-9) << "no more than the rest of the time";
  report.outputs[0].policy = "async=1";
  EXPECT_EQ(find(advice_of(report), "files"), nullptr);
}

TEST(IoAdviceTest, TextIsMadeByTwoThreads) {
  const IoFigures figures =
      figures_of({.opens = 4, .write_requests = 40, .written_bytes = 40'000'000, .prepare_s = 1.8});
  ASSERT_NE(find(advice_of(report_of("solutions", "auto", figures)), "formatting"), nullptr);
  EXPECT_EQ(find(advice_of(report_of("surfaces", "auto", figures)), "formatting"), nullptr) << "copies of numbers";
}

TEST(IoAdviceTest, RanksThatComeTogetherDoNotWait) {
  const IoReport report =
      report_of("surfaces", "auto", figures_of({.opens = 4, .write_requests = 4, .written_bytes = 4'000'000}));
  EXPECT_EQ(advice_of(report).size(), 0U);
  EXPECT_EQ(advice_on(report)[0].shares.front().name, "messages, waiting, other");
}

// Of ten seconds in threads one second was time of the program.
TEST(IoAdviceTest, ThreadsBehindCallsSaveNoMoreThanTheCalls) {
  IoFigures figures = small_requests();
  figures.write_s = 20;
  const IoReport report = report_of("volumes", "direct,async=2", figures);
  const std::vector<IoAdvice> advice = advice_of(report);
  ASSERT_NE(find(advice, "small requests"), nullptr);
  double all_s = 0;
  const std::vector<OutputAdvice> outputs = advice_on(report);
  for (const TimeShare& share : outputs.at(0).shares) all_s += share.seconds;
  EXPECT_NEAR(all_s, 1, 1e-9);
}

TEST(IoAdviceTest, OtherOutputsAreNoComputation) {
  IoReport report = report_of(
      "surfaces", "auto", figures_of({.opens = 40, .write_requests = 40, .written_bytes = 40'000'000, .write_s = 1.7}));
  report.total.of_calls_s.max = 3;
  EXPECT_EQ(find(advice_of(report), "files"), nullptr);
}

TEST(IoAdviceTest, WaitingIsNamedWithTheRanks) {
  IoReport report =
      report_of("surfaces", "auto", figures_of({.opens = 4, .write_requests = 4, .written_bytes = 4'000'000}));
  report.outputs[0].figures.of_calls_s = {.min = 0.2, .min_rank = 1, .median = 1, .max = 1.8, .max_rank = 0};
  const std::vector<IoAdvice> advice = advice_of(report);
  ASSERT_NE(find(advice, "waiting for other ranks"), nullptr);
  EXPECT_NE(find(advice, "waiting for other ranks")->change.find("rank 1 spent 200 ms in output, rank 0 1.8 s"),
            std::string::npos);
}

TEST(IoAdviceTest, SyncingLessOftenIsTheUsersChoice) {
  const IoFigures figures = figures_of({.opens = 4, .write_requests = 4, .written_bytes = 4'000'000, .sync_s = 1.6});
  const std::vector<IoAdvice> advice = advice_of(report_of("volumes", "elected,sync=phase", figures));
  ASSERT_NE(find(advice, "syncing"), nullptr);
  EXPECT_EQ(Policy::parse(find(advice, "syncing")->policy.value_or("")), Policy::parse("elected,sync=close"));
  EXPECT_EQ(find(advice_of(report_of("volumes", "sync=close", figures)), "syncing"), nullptr);
}

TEST(IoAdviceTest, WhatTheFileSystemTakesHasNoAdvice) {
  IoReport report = report_of(
      "volumes", "auto", figures_of({.opens = 1, .write_requests = 100, .written_bytes = 100'000'000, .write_s = 1.9}));
  report.seconds = 1;
  EXPECT_EQ(advice_of(report).size(), 0U);
  EXPECT_EQ(advice_on(report)[0].shares.front().name, "writing");
  report.outputs[0].figures.write_requests = 0;
  EXPECT_EQ(advice_on(report).size(), 0U);
}

TEST(IoAdviceTest, AReportIsReadAsItWasWritten) {
  IoReport report = report_of("volumes", "direct", small_requests());
  report.total = report.outputs[0].figures;
  const IoReport again = parse_report(report.json(), "r.json");
  EXPECT_EQ(again.json(), report.json());
}

TEST(IoAdviceTest, WhatIsNoReportIsRefused) {
  for (const char* text : {"", "1 rank on 1 node", "{}", "[1, 2]", R"({"ranks": "two"})"}) {
    try {
      (void)parse_report(text, "r.txt");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::input);
      EXPECT_NE(std::string(error.what()).find("r.txt"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace sill
