// The communicator over MPI, and what is built on it.
#include <gtest/gtest.h>

#include <cerrno>
#include <optional>
#include <string>
#include <vector>

#include "comm/agree_cases.hpp"
#include "comm/communicator_cases.hpp"
#include "comm/key_sort_cases.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/launcher.hpp"
#include "sill/comm/mpi_communicator.hpp"
#include "support/memory.hpp"
#include "support/test_ranks.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

TEST(MpiLibrary, HasANameAndAVersion) {
  const std::string name = mpi_library();
  EXPECT_NE(name.find_first_of("0123456789"), std::string::npos) << name;
  EXPECT_EQ(name.find_first_of("\n\t,"), std::string::npos) << name;
}

TEST(MpiCommunicator, IsACommunicator) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_EQ(test::world().size(), size);
  test::check_everything(test::world());
}

TEST(MpiCommunicator, KnowsItsNode) { EXPECT_EQ(test::world().ranks_on_node(), test::world().size()) << "one machine"; }

TEST(MpiCommunicator, KeepsApartFromItsParent) {
  const auto comm = make_mpi_communicator(MPI_COMM_WORLD);
  const int peer = comm->size() - 1 - comm->rank();  // of the middle of an odd number, itself
  int theirs = -1;
  int mine = comm->rank();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&theirs, 1, MPI_INT, peer, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  int through_sill = -1;
  const std::vector<Outgoing> sends{{peer, std::as_bytes(std::span(&mine, 1))}};
  const std::vector<Incoming> receives{{peer, std::as_writable_bytes(std::span(&through_sill, 1))}};
  comm->exchange(sends, receives);
  EXPECT_EQ(through_sill, peer);
  int met = 0;
  MPI_Test(&request, &met, MPI_STATUS_IGNORE);
  EXPECT_EQ(met, 0) << "the caller's own receive has not met Sill's message";
  comm->barrier();
  MPI_Send(&mine, 1, MPI_INT, peer, 3, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_EQ(theirs, peer);
}

TEST(MpiErrorClass, IsTheErrnoThatItNames) {
  EXPECT_EQ(system_error_number_of(MPI_ERR_NO_SPACE), ENOSPC);
  EXPECT_EQ(system_error_number_of(MPI_ERR_QUOTA), EDQUOT);
  EXPECT_EQ(system_error_number_of(MPI_ERR_NO_SUCH_FILE), ENOENT);
  EXPECT_EQ(system_error_number_of(MPI_ERR_FILE_EXISTS), EEXIST);
  EXPECT_EQ(system_error_number_of(MPI_ERR_FILE_IN_USE), EBUSY);
  EXPECT_EQ(system_error_number_of(MPI_ERR_ACCESS), EACCES);
  EXPECT_EQ(system_error_number_of(MPI_ERR_READ_ONLY), EROFS);
  EXPECT_EQ(system_error_number_of(MPI_ERR_NO_MEM), ENOMEM);
  for (const int no_cause : {MPI_SUCCESS, MPI_ERR_IO, MPI_ERR_BAD_FILE, MPI_ERR_OTHER, MPI_ERR_UNKNOWN}) {
    EXPECT_EQ(system_error_number_of(no_cause), 0) << no_cause;
  }
}

TEST(MpiCommunicator, CanBeMadeAndFreedManyTimes) {
  for (int i = 0; i < 100; ++i) {
    const auto comm = make_mpi_communicator(MPI_COMM_WORLD);
    EXPECT_EQ(all_reduce(*comm, 1, Reduction::sum), comm->size());
  }
}

// The object itself, which is made first, is taken to fit.
TEST(MpiCommunicator, NoMemoryOfARankIsToldByAll) {
  Communicator& comm = test::world();
  for (int poor = 0; poor < comm.size(); ++poor) {
    bool has_struck = true;
    int nth = 1;
    while (has_struck) {
      SCOPED_TRACE("rank " + std::to_string(poor) + ", allocation " + std::to_string(++nth));
      std::optional<Error> error;
      {
        std::optional<test::RefusedMemory> refused;
        if (comm.rank() == poor) refused.emplace(nth);
        error = attempt([] { (void)make_mpi_communicator(MPI_COMM_WORLD); });
        has_struck = refused && refused->has_struck();
      }
      has_struck = all_reduce(comm, has_struck ? 1 : 0, Reduction::max) == 1;
      ASSERT_EQ(error.has_value(), has_struck);
      if (!error) continue;
      EXPECT_TRUE(error->agreed());
      EXPECT_EQ(error->parts().problem, "out of memory");
      EXPECT_EQ(error->parts().rank, poor);
    }
    EXPECT_GT(nth, 2) << "it takes memory";
  }
}

// One that gets more than it expects is told so by MPI. Of more ranks some would wait for it for ever.
SILL_TEST_RANKS(MpiCommunicator, CallsThatDifferAreNamed, 2, 2);
TEST(MpiCommunicator, CallsThatDifferAreNamed) {
  std::optional<Error> error;
  {
    const auto comm = make_mpi_communicator(MPI_COMM_WORLD);
    std::vector<std::int64_t> values(comm->rank() == 0 ? 1 : 100);
    error = attempt([&] { comm->broadcast(std::as_writable_bytes(std::span(values)), comm->size() - 1); });
    test::world().barrier();
  }
  if (test::world().rank() > 0) return;
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  EXPECT_NE(std::string(error->what()).find("the ranks are in different calls"), std::string::npos) << error->what();
}

TEST(AgreeMpi, OfAnySetOfRanksTheLowestIsHeard) { test::check_agree(test::world()); }
TEST(AgreeMpi, Together) { test::check_together(test::world()); }
TEST(AgreeMpi, UnlessFailed) { test::check_unless_failed(test::world()); }
TEST(AgreeMpi, OnRank) { test::check_on_rank(test::world()); }

TEST(KeySortMpi, OneWord) { test::check_sort_distributed<1>(test::world()); }
TEST(KeySortMpi, TwoWords) { test::check_sort_distributed<2>(test::world()); }
TEST(KeySortMpi, ThreeWords) { test::check_sort_distributed<3>(test::world()); }
TEST(KeySortMpi, FourWords) { test::check_sort_distributed<4>(test::world()); }
TEST(KeySortMpi, RunsAreBalanced) { test::check_balance(test::world()); }

}  // namespace
}  // namespace sill
