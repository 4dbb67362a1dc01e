// The communicator that needs no MPI.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "comm/agree_cases.hpp"
#include "comm/communicator_cases.hpp"
#include "comm/key_sort_cases.hpp"

namespace sill {
namespace {

class AloneTest : public testing::Test {
 protected:
  std::unique_ptr<Communicator> comm = make_alone();
};

TEST_F(AloneTest, IsACommunicator) {
  EXPECT_EQ(comm->size(), 1);
  test::check_everything(*comm);
}
TEST_F(AloneTest, Agrees) {
  test::check_agree(*comm);
  test::check_together(*comm);
  test::check_unless_failed(*comm);
  test::check_on_rank(*comm);
}
TEST_F(AloneTest, Sorts) { test::check_sort(*comm); }

TEST_F(AloneTest, RefusesMessagesThatDoNotMatch) {
  const std::vector<std::byte> out(4);
  std::vector<std::byte> in(3);
  const std::vector<Outgoing> sends{{0, out}};
  const std::vector<Incoming> receives{{0, in}};
  EXPECT_TRUE(test::thrown([&] { comm->exchange(sends, receives); }));
  EXPECT_TRUE(test::thrown([&] { comm->exchange(sends, {}); }));
  const std::vector<Outgoing> to_nobody{{1, out}};
  in.resize(4);
  EXPECT_TRUE(test::thrown([&] { comm->exchange(to_nobody, receives); }));
}

}  // namespace
}  // namespace sill
