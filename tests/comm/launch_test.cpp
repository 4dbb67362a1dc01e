// What launchers announce in the environment.
#include "sill/comm/launch.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "sill/comm/node.hpp"

namespace sill {
namespace {

const std::vector<const char*> variables{
    "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMI_RANK", "PMIX_RANK",
    "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"};

class LaunchTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : variables) {
      const char* value = std::getenv(name);
      if (value != nullptr) before_.emplace_back(name, value);
      ::unsetenv(name);
    }
  }
  void TearDown() override {
    for (const char* name : variables) ::unsetenv(name);
    for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
  }
  static void set(const char* name, const char* value) { ::setenv(name, value, 1); }

 private:
  std::vector<std::pair<std::string, std::string>> before_;
};

TEST_F(LaunchTest, NothingIsAnnouncedWithoutALauncher) { EXPECT_FALSE(launcher_announcement()); }

TEST_F(LaunchTest, KnowsEachLauncher) {
  struct Case {
    const char* size;
    const char* rank;
    std::string launcher;
  };
  for (const Case& known :
       {Case{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "Open MPI"},
        Case{"PMI_SIZE", "PMI_RANK", "MPICH or Intel MPI"}, Case{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "Slurm"}}) {
    set(known.size, "4");
    auto found = launcher_announcement();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->ranks, 4);
    EXPECT_EQ(found->rank, 0);
    set(known.rank, "2");
    found = launcher_announcement();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->rank, 2);
    EXPECT_EQ(found->variable, std::string(known.size) + "=4");
    EXPECT_EQ(found->launcher, known.launcher);
    ::unsetenv(known.size);
    ::unsetenv(known.rank);
  }
}

TEST_F(LaunchTest, TheMostRanksCount) {
  set("OMPI_COMM_WORLD_SIZE", "2");
  set("PMI_SIZE", "8");
  set("PMI_RANK", "5");
  set("SLURM_STEP_NUM_TASKS", "1");
  const auto found = launcher_announcement();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ranks, 8);
  EXPECT_EQ(found->rank, 5);
}

TEST_F(LaunchTest, ARankWithoutASizeMayBeOneOfSeveral) {
  set("PMIX_RANK", "3");
  const auto found = launcher_announcement();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ranks, 0);
  EXPECT_EQ(found->rank, 3);
  set("OMPI_COMM_WORLD_SIZE", "4");
  EXPECT_EQ(launcher_announcement()->ranks, 4) << "a size tells more";
}

TEST_F(LaunchTest, WhatIsNoNumberAnnouncesNothing) {
  for (const char* value : {"", "four", "4x", " 4", "0", "-1", "99999999999999999999"}) {
    set("OMPI_COMM_WORLD_SIZE", value);
    EXPECT_FALSE(launcher_announcement()) << '"' << value << '"';
  }
}

TEST_F(LaunchTest, AloneIsARankOfOne) {
  {
    Launch launch;
    EXPECT_EQ(launch.comm().size(), 1);
  }
  set("OMPI_COMM_WORLD_SIZE", "1");
  Launch launch;
  EXPECT_EQ(launch.comm().size(), 1);
}

TEST(NodeTest, CoresAndMemoryAreSane) {
  const auto alone = make_alone();
  EXPECT_GE(usable_cores(*alone), 1);
  EXPECT_LE(usable_cores(*alone), 4096);
  const std::int64_t mebibyte = 1 << 20;
  EXPECT_GT(memory_limit_bytes(), 16 * mebibyte);
  EXPECT_LT(memory_limit_bytes(), mebibyte * mebibyte * 64);
  EXPECT_GT(cacheable_bytes(), 0);
  EXPECT_LE(cacheable_bytes(), memory_limit_bytes());
}

// As many ranks on the node as are said.
class CrowdedNode final : public Communicator {
 public:
  explicit CrowdedNode(int ranks) : ranks_(ranks) {}
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return ranks_; }
  [[nodiscard]] int ranks_on_node() const override { return ranks_; }
  [[nodiscard]] int ranks_on_cores() const override { return ranks_; }
  [[nodiscard]] std::span<const int> node_of_ranks() const override { return {}; }
  void barrier() override {}
  void broadcast(std::span<std::byte> /*bytes*/, int /*root*/) override {}
  void all_gather(std::span<const std::byte> /*mine*/, std::span<std::byte> /*all*/) override {}
  void all_gather_all(std::span<const std::byte> /*mine*/, std::span<std::byte> /*all*/,
                      std::span<const std::int64_t> /*sizes*/) override {}
  void all_to_all(std::span<const std::int64_t> /*out*/, std::span<std::int64_t> /*in*/) override {}
  void all_reduce(std::span<std::int64_t> /*values*/, Reduction /*reduction*/) override {}
  void exchange(std::span<const Outgoing> /*sends*/, std::span<const Incoming> /*receives*/) override {}

 private:
  int ranks_;
};

TEST(NodeTest, ARankHasAtLeastOneCoreAndNeverMoreThanAlone) {
  const int alone = usable_cores(*make_alone());
  for (const int ranks : {2, 3, 100000}) {
    EXPECT_GE(usable_cores(CrowdedNode(ranks)), 1);
    EXPECT_LE(usable_cores(CrowdedNode(ranks)), alone);
  }
}

}  // namespace
}  // namespace sill
