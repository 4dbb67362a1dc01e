// The kept inputs of the fuzzers, fed to their targets again: what once was a fault stays mended.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/survey_support.hpp"
#include "fuzz/survey_target.hpp"
#include "fuzz/targets.hpp"
#include "store/temporary_folder.hpp"

namespace sill::fuzz {
namespace {

class Corpus : public testing::TestWithParam<Target> {};

TEST_P(Corpus, IsReadOrRefused) {
  const std::filesystem::path folder = std::filesystem::path(SILL_FUZZ_CORPUS) / GetParam().name;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().filename());
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    // A copy of its own size, so that a byte too far is noticed.
    const std::vector<char> exact(bytes.begin(), bytes.end());
    EXPECT_NO_THROW(GetParam().feed(std::as_bytes(std::span(exact))));
    ++files;
  }
  EXPECT_GT(files, 0);
}

TEST(CorpusOfSurveys, ReachesEveryOperation) {
  const std::filesystem::path folder = std::filesystem::path(SILL_FUZZ_CORPUS) / "survey";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const test::Bytes bytes = test::bytes_of_file(entry.path());
    feed_survey(bytes);
  }
  for (const char* const work : {"info", "check", "compare", "scan", "geometry", "sort", "convert", "cut", "repair",
                                 "edit", "edit in place", "merge", "seek", "sought"})
    EXPECT_GT(work_done()[work], 0) << work;
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Corpus, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace sill::fuzz
