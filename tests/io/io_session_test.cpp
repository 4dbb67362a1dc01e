// A session of one process that nobody launched.
#include "sill/io/session/io_session.hpp"

#include <gtest/gtest.h>

#include "sill/comm/mpi_communicator.hpp"
#include "store/temporary_folder.hpp"

namespace sill {
namespace {

TEST(IoSessionTest, WithoutMpiIoNoMpiIsStarted) {
  const test::TemporaryFolder folder;
  int was_started = 1;
  MPI_Initialized(&was_started);
  ASSERT_EQ(was_started, 0);
  {
    const auto alone = make_alone();
    IoSession io(*alone,
                 {.policies = PolicySet::parse("elected"), .report = folder / "report.json", .environment = false});
    const auto store = io.resources("volumes").open(folder / "file", OpenMode::create);
    write_at(*store, 0, test::pattern(100));
    store->close();
    io.finish();
    EXPECT_EQ(io.report().total.written_bytes, 100);
  }
  int is_started = 1;
  MPI_Initialized(&is_started);
  EXPECT_EQ(is_started, 0);
  EXPECT_EQ(test::names_in(folder.path()), (std::vector<std::string>{"file", "report.json"}));
}

}  // namespace
}  // namespace sill
