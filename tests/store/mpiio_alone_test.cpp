// MPI-IO in a process that no launcher started. Each test runs in a child, because MPI starts only once in a process.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <optional>
#include <string>

#include "sill/comm/communicator.hpp"
#include "sill/comm/launch.hpp"
#include "sill/store/mpiio/mpiio_store.hpp"
#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"
#include "support/sanitizers.hpp"

namespace sill::test {
namespace {

// MPI libraries are not instrumented, and keep what they allocate.
constexpr bool mpi_runs_here = !has_address_sanitizer && !has_thread_sanitizer;

// The exit status of a child that ends as programs do, so that MPI ends with it; -1 for another end.
int status_of_child(const std::function<bool()>& holds) {
  const pid_t child = ::fork();
  if (child == 0) {
    bool held = false;
    try {
      held = holds();
    } catch (const std::exception& error) {
      ::fprintf(stderr, "%s\n", error.what());
    }
    std::exit(held ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(MpiioAloneTest, StartsMpiWhenItIsNeeded) {
  if (!mpi_runs_here) GTEST_SKIP();
  const TemporaryFolder folder;
  EXPECT_EQ(status_of_child([&] {
              const auto alone = make_alone();
              const int rank = 0;
              const auto store = open_mpiio_together(*alone, {&rank, 1}, folder / "file", OpenMode::create);
              write_at(*store, 5, pattern(10));
              store->close();
              const auto again = open_mpiio(folder / "file", OpenMode::read);
              Bytes back(10);
              read_at(*again, 5, back);
              return back == pattern(10);
            }),
            0);
}

TEST(MpiioAloneTest, RefusesAnMpiIoThatReportsSuccessOnFullDisks) {
  if (!mpi_runs_here) GTEST_SKIP();
  if (mpi_library().find("Open MPI") == std::string::npos) GTEST_SKIP() << "OMPIO is part of Open MPI";
  const TemporaryFolder folder;
  EXPECT_EQ(status_of_child([&] {
              ::setenv("OMPI_MCA_io", "ompio", 1);  // a user's choice
              const auto error = thrown([&] { (void)open_mpiio(folder / "file", OpenMode::create); });
              return error && error->code() == ErrorCode::usage && names_in(folder.path()).empty() &&
                     error->parts().action.find("OMPI_MCA_io") != std::string::npos;
            }),
            0);
}

TEST(MpiioAloneTest, DoesNotStartMpiForOneOfSeveralRanks) {
  if (!mpi_runs_here) GTEST_SKIP();
  const TemporaryFolder folder;
  EXPECT_EQ(status_of_child([&] {
              ::setenv("OMPI_COMM_WORLD_SIZE", "3", 1);
              const auto error = thrown([&] { (void)open_mpiio(folder / "file", OpenMode::create); });
              return error && error->code() == ErrorCode::usage && names_in(folder.path()).empty();
            }),
            0);
}

}  // namespace
}  // namespace sill::test
