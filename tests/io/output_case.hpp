// Output that ranks write together into a folder of the test: what all throw, what is there, how grids are distributed.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/layout/box.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/world.hpp"

namespace sill::test {

class OutputCase : public testing::Test {
 protected:
  Communicator& comm = world();
  SharedFolder folder{comm, in_memory()};

  // Collective.
  void remove_files() {
    comm.barrier();
    if (comm.rank() == 0) {
      for (const std::string& name : names_in(folder.path())) std::filesystem::remove(folder / name);
    }
    comm.barrier();
  }

  // What all ranks throw, after making sure that it is the same.
  std::optional<Error> thrown_by_all(const std::function<void()>& work) {
    std::optional<Error> error = thrown(work);
    EXPECT_TRUE(same_everywhere(comm, error ? error->what() : ""));
    EXPECT_TRUE(!error || error->agreed());
    return error;
  }
  void expect_refused(const std::function<void()>& work, const std::string& words, int rank) {
    const std::optional<Error> error = thrown_by_all(work);
    ASSERT_TRUE(error) << words;
    EXPECT_EQ(error->code(), ErrorCode::usage);
    EXPECT_NE(error->parts().problem.find(words), std::string::npos) << error->what();
    EXPECT_FALSE(error->parts().action.empty());
    EXPECT_EQ(error->parts().rank, rank);
  }

  // Process grids of up to as many parts as there are ranks; with fewer, some ranks have nothing.
  [[nodiscard]] std::vector<Index> process_grids() const {
    std::vector<Index> grids;
    for (std::int64_t x = 1; x <= 4; ++x) {
      for (std::int64_t y = 1; y <= 4; ++y) {
        for (std::int64_t z = 1; z <= 4; ++z) {
          if (x * y * z <= comm.size()) grids.push_back({x, y, z});
        }
      }
    }
    return grids;
  }
};

}  // namespace sill::test
