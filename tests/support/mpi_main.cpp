// The main function of tests that run under MPI: rank 0 reports as usual, other ranks only what fails, marked with
// their rank, and all ranks leave with the same status.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "support/test_ranks.hpp"

namespace {

/// Prints the failures of a rank other than 0, each line marked with the rank.
class RankFailurePrinter : public testing::EmptyTestEventListener {
 public:
  RankFailurePrinter(int rank, int ranks) : rank_(rank), ranks_(ranks) {}

  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name() + ": ";
  }

  void OnTestPartResult(const testing::TestPartResult& result) override {
    // GoogleTest holds its lock here: asking it which test runs would wait for ever.
    if (!result.failed()) return;
    const std::string file = result.file_name() == nullptr ? "unknown file" : result.file_name();
    print(test_ + file + ":" + std::to_string(result.line_number()) + ": Failure\n" + result.message());
  }

  void OnTestEnd(const testing::TestInfo& /*test*/) override { test_.clear(); }

 private:
  void print(const std::string& text) const {
    const std::string mark = "[rank " + std::to_string(rank_) + " of " + std::to_string(ranks_) + "] ";
    std::string marked = mark;
    for (const char character : text) {
      marked += character;
      if (character == '\n') marked += mark;
    }
    marked += '\n';
    std::fputs(marked.c_str(), stderr);  // one call, so that ranks do not mix within a line
    std::fflush(stderr);
  }

  std::string test_;  ///< name of the running test, empty between tests
  int rank_;
  int ranks_;
};

/// Collective. Gives RapidCheck the same seed on every rank, or ranks would disagree on what they test. A seed set by
/// the user in RC_PARAMS stays; a failure prints the seed either way.
void share_property_seed(int rank) {
  unsigned int seed = rank == 0 ? std::random_device{}() : 0;
  MPI_Bcast(&seed, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
  const char* const set = std::getenv("RC_PARAMS");
  std::string parameters = set == nullptr ? "" : set;
  if (parameters.find("seed=") != std::string::npos) return;
  parameters += " seed=" + std::to_string(seed);
  const int overwrite = 1;
  ::setenv("RC_PARAMS", parameters.c_str(), overwrite);
}

/// Local. Leaves out the tests that are for other numbers of ranks.
void keep_tests_for(int ranks) {
  std::string filter = GTEST_FLAG_GET(filter);
  char before = filter.find('-') == std::string::npos ? '-' : ':';
  for (const sill::test::TestRanks& test : sill::test::declared_test_ranks()) {
    if (ranks >= test.min && ranks <= test.max) continue;
    filter += before + test.name;
    before = ':';
  }
  GTEST_FLAG_SET(filter, filter);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  share_property_seed(rank);

  testing::InitGoogleTest(&argc, argv);
  keep_tests_for(ranks);
  if (rank != 0) {
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    delete listeners.Release(listeners.default_xml_generator());
    listeners.Append(new RankFailurePrinter(rank, ranks));  // owned by the listeners
  }

  const int own_status = RUN_ALL_TESTS();
  int status = 1;
  MPI_Allreduce(&own_status, &status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0 && own_status == 0 && status != 0) std::fputs("FAILED on another rank, see above\n", stderr);
  if (provided < MPI_THREAD_FUNNELED) {
    std::fputs("MPI offers no thread support: the tests need MPI_THREAD_FUNNELED\n", stderr);
    status = 1;
  }
  MPI_Finalize();
  return status;
}
