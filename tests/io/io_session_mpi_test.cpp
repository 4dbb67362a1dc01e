// Sessions of several ranks: options and counts that are the same on all of them, and the caller's MPI left alone.
#include "sill/io/session/io_session.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "io/surface_case.hpp"
#include "sill/comm/mpi_communicator.hpp"
#include "support/test_ranks.hpp"

namespace sill {
namespace {

class IoSessionMpi : public test::SurfaceCase {
 protected:
  void SetUp() override {
    ::unsetenv("SILL_POLICY");
    ::unsetenv("SILL_OPTIONS");
  }
  void TearDown() override { SetUp(); }
};

TEST_F(IoSessionMpi, EachOutputHasItsPolicyAndIsCountedApart) {
  IoSession io(comm, {.policies = PolicySet::parse("staged; surfaces:writers=first,stage=512"),
                      .memory_bytes = 1 << 20,
                      .threads = 2});
  EXPECT_EQ(io.resources("surfaces").policy, Policy::parse("writers=first,stage=512,threads=2"));
  EXPECT_EQ(io.resources("stations").policy, Policy::parse("staged,threads=2"));
  EXPECT_EQ(io.resources("stations").memory(), 1 << 20);
  const DistributedGrid grid = distributed({comm.size(), 1, 1});
  SurfaceWriter surfaces(io.resources("surfaces"), grid, three_planes());
  for (const std::int64_t step : {1, 2}) write(surfaces, grid, step, false);
  surfaces.close();
  io.meter("volumes").count_writes(comm.rank() + 1, 8, 0.5);

  const IoReport report = io.report();
  EXPECT_EQ(report.ranks, comm.size());
  EXPECT_EQ(report.nodes, 1);
  ASSERT_EQ(report.outputs.size(), 2U);
  const IoFigures& of_surfaces = report.outputs[0].figures;
  EXPECT_EQ(report.outputs[0].name, "surfaces");
  EXPECT_EQ(report.outputs[0].policy, io.resources("surfaces").policy.text());
  EXPECT_EQ(of_surfaces.phases, 2);
  EXPECT_EQ(of_surfaces.opens, 6);
  EXPECT_EQ(of_surfaces.written_bytes, 2 * surfaces.phase_bytes());
  EXPECT_GT(of_surfaces.calls_s, 0);
  EXPECT_GT(of_surfaces.write_s, 0);
  // No request is longer than a stage.
  std::int64_t requests = 0;
  for (const SizeClass& each : of_surfaces.write_sizes) {
    requests += each.requests;
    EXPECT_LE(each.from_bytes, 512);
  }
  EXPECT_EQ(requests, of_surfaces.write_requests);

  const std::int64_t ranks = comm.size();
  const IoFigures& of_volumes = report.outputs[1].figures;
  EXPECT_EQ(of_volumes.write_requests, ranks * (ranks + 1) / 2);
  EXPECT_EQ(of_volumes.of_write_requests.min, 1);
  EXPECT_EQ(of_volumes.of_write_requests.min_rank, 0);
  EXPECT_EQ(of_volumes.of_write_requests.max, comm.size());
  EXPECT_EQ(of_volumes.of_write_requests.max_rank, comm.size() - 1);
  EXPECT_EQ(of_volumes.of_write_requests.median, (1.0 + comm.size()) / 2);
  EXPECT_EQ(of_volumes.write_s, 0.5 * comm.size());
  EXPECT_EQ(report.total.written_bytes, of_surfaces.written_bytes + of_volumes.written_bytes);
  EXPECT_TRUE(test::same_everywhere(comm, report.json()));
  EXPECT_TRUE(test::same_everywhere(comm, report.table()));
  remove_files();
}

TEST_F(IoSessionMpi, TheEnvironmentOfTheFirstRankCounts) {
  ::setenv("SILL_POLICY", comm.rank() == 0 ? "elected" : "nonsense", 1);
  ::setenv("SILL_OPTIONS", comm.rank() == 0 ? "threads=3" : "what=ever", 1);
  IoSession io(comm);
  EXPECT_EQ(io.resources("segy").policy, Policy::parse("elected,threads=3"));
}

TEST_F(IoSessionMpi, WrongOptionsAreTheSameErrorOnAllRanks) {
  if (comm.rank() == 0) ::setenv("SILL_OPTIONS", "treads=3", 1);
  const std::optional<Error> error = thrown_by_all([&] { IoSession io(comm); });
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("did you mean threads"), std::string::npos) << error->what();
  ::unsetenv("SILL_OPTIONS");
}

SILL_TEST_MIN_RANKS(IoSessionMpi, OptionsThatDifferBetweenRanksAreRefused, 2);
TEST_F(IoSessionMpi, OptionsThatDifferBetweenRanksAreRefused) {
  const bool is_last = comm.rank() + 1 == comm.size();
  expect_refused([&] { IoSession io(comm, {.report = is_last ? folder / "other" : folder / "one"}); },
                 "ranks were given different options", 0);
  expect_refused([&] { IoSession io(comm, {.threads = is_last ? 2 : 1}); }, "ranks were given different options", 0);
  expect_refused([&] { IoSession io(comm, {.memory_bytes = is_last ? 1 << 20 : 0}); },
                 "ranks were given different options", 0);
}

// Those of output whose policy does not say, and of each output that did anything.
TEST_F(IoSessionMpi, ThreadsAreToldOfEachOutput) {
  ::setenv("SILL_POLICY", "stations:elected,threads=6; volumes:independent", 1);
  IoSession io(comm, {.threads = 3});
  for (const char* output : {"files", "stations", "volumes"}) io.meter(output).count_writes(1, 8, 0.5);
  const IoReport report = io.report();
  EXPECT_EQ(report.threads, 3);
  ASSERT_EQ(report.outputs.size(), 3U);
  EXPECT_EQ(report.outputs[0].threads, 3);
  EXPECT_EQ(report.outputs[1].threads, 6);
  EXPECT_EQ(report.outputs[2].threads, 1) << "MPI is called by one";
  EXPECT_NE(report.json().find("\"threads\": 6"), std::string::npos) << report.json();
  EXPECT_NE(report.table().find("6 threads per rank"), std::string::npos) << report.table();
  EXPECT_TRUE(test::same_everywhere(comm, report.json()));
}

TEST_F(IoSessionMpi, AnUnknownOutputIsRefused) {
  IoSession io(comm);
  const std::optional<Error> error = test::thrown([&] { (void)io.resources("surface"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  EXPECT_NE(std::string(error->what()).find("did you mean surfaces"), std::string::npos) << error->what();
}

TEST_F(IoSessionMpi, TheReportAppearsWhenTheSessionIsFinished) {
  for (const std::string name : {"cost.json", "cost.txt"}) {
    {
      IoSession io(comm, {.report = folder / name});
      io.meter("segy").count_writes(2, 512, 0.5);
      comm.barrier();
      EXPECT_FALSE(std::filesystem::exists(folder / name));
      io.finish();
      comm.barrier();
      const test::Bytes bytes = test::bytes_of_file(folder / name);
      const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      IoReport report = io.report();
      if (name == "cost.json") report.seconds = parse_report(text, name).seconds;  // more by now
      EXPECT_EQ(text, name == "cost.txt" ? report.table() : report.json() + "\n");
      expect_refused([&] { io.finish(); }, "second time", 0);
    }
    comm.barrier();
    { const IoSession unfinished(comm, {.report = folder / ("un" + name)}); }
    comm.barrier();
    EXPECT_FALSE(std::filesystem::exists(folder / ("un" + name)));
  }
  EXPECT_EQ(test::names_in(folder.path()), (std::vector<std::string>{"cost.json", "cost.txt"}));
  remove_files();
  const std::optional<Error> error = thrown_by_all([&] { IoSession io(comm, {.report = folder / "no/where.json"}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
}

TEST_F(IoSessionMpi, HintsAreToldAsMpiTellsThem) {
  IoSession io(comm, {.policies = PolicySet::parse("collective"), .memory_bytes = 1 << 20});
  const DistributedGrid grid = distributed({1, 1, 1});
  SurfaceWriter surfaces(io.resources("surfaces"), distributed({comm.size(), 1, 1}), three_planes());
  write(surfaces, distributed({comm.size(), 1, 1}), 1, false);
  surfaces.close();
  const IoReport report = io.report();
  EXPECT_TRUE(test::same_everywhere(comm, report.json()));
  // A rank alone has nobody to call MPI-IO with.
  ASSERT_EQ(report.mpiio_hints.empty(), comm.size() == 1);
  std::int64_t files = 0;
  for (const MpiioHintReport::Line& line : report.mpiio_hints) {
    files += line.files;
    EXPECT_EQ(line.first.find(".part"), std::string::npos) << line.first;
    // Open MPI repeats even a hint that nobody knows; MPICH returns ROMIO's own.
#ifdef OPEN_MPI
    EXPECT_TRUE(line.hints.is_echo);
    EXPECT_EQ(report.json().find("\"in_effect\": \""), std::string::npos);
#elif defined(MPICH_VERSION)
    EXPECT_FALSE(line.hints.is_echo);
    for (const MpiioHint& hint : line.hints.hints) {
      if (hint.name == "cb_buffer_size") {
        EXPECT_EQ(hint.in_effect, hint.asked);
      }
    }
#endif
  }
  EXPECT_EQ(files, comm.size() == 1 ? 0 : 2);  // but not that of the plane which one rank holds
  remove_files();
}

// A message that any receive of the caller would take is still the caller's when a session has exchanged its own, and
// MPI goes on as it was when the session has ended.
TEST_F(IoSessionMpi, TheCallersMpiIsLeftAlone) {
  int given = 0;
  MPI_Request any = MPI_REQUEST_NULL;
  MPI_Irecv(&given, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any);
  MPI_Errhandler handler_before = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler_before);
  {
    const std::unique_ptr<Communicator> own = make_mpi_communicator(MPI_COMM_WORLD);
    int relation = MPI_IDENT;
    MPI_Comm_compare(MPI_COMM_WORLD, mpi_handle(*own), &relation);
    EXPECT_EQ(relation, MPI_CONGRUENT);  // the same ranks, another communicator
    IoSession io(*own, {.policies = PolicySet::parse("gathered")});
    const DistributedGrid grid = distributed({comm.size(), 1, 1});
    SurfaceWriter surfaces(io.resources("surfaces"), grid, three_planes());
    write(surfaces, grid, 1, false);
    surfaces.close();
    io.finish();
  }
  int is_finalized = 1;
  MPI_Finalized(&is_finalized);
  EXPECT_EQ(is_finalized, 0);
  MPI_Errhandler handler_after = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler_after);
  EXPECT_EQ(handler_before, handler_after);
  int is_done = 1;
  MPI_Test(&any, &is_done, MPI_STATUS_IGNORE);
  EXPECT_EQ(is_done, 0) << "a message of Sill came to the caller";
  comm.barrier();
  const int next = (comm.rank() + 1) % comm.size();
  const int message = 4711;
  MPI_Send(&message, 1, MPI_INT, next, 7, MPI_COMM_WORLD);
  MPI_Wait(&any, MPI_STATUS_IGNORE);
  EXPECT_EQ(given, message);
  remove_files();
}

}  // namespace
}  // namespace sill
