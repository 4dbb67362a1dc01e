// Sets of files that ranks write together: what fails on one rank before anything is written is told by all.
#include "sill/io/output_set.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "io/output_case.hpp"
#include "support/memory.hpp"

namespace sill {
namespace {

class OutputSetMpi : public test::OutputCase {};

// An opener may hold more than the rest of what a set needs.
TEST_F(OutputSetMpi, NoMemoryForTheOpenerOfARankIsToldByAll) {
  const std::array<char, 10'000> held{};
  const Opener open = [held](const std::string& path, OpenMode mode) {
    return open_posix(path.c_str() + held.front(), mode);
  };
  const Resources resources{.comm = comm, .open = open};
  const std::vector<std::string> targets{folder / "a", folder / "b"};
  for (int poor = 0; poor < comm.size(); ++poor) {
    SCOPED_TRACE(poor);
    const auto error = thrown_by_all([&] {
      std::optional<test::LimitedMemory> limit;
      if (comm.rank() == poor) limit.emplace(9'000);
      const OutputSet set(resources, targets, 1 << 20);
    });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->parts().problem, "out of memory");
    EXPECT_EQ(error->parts().rank, poor);
    EXPECT_EQ(test::names_in(folder.path()), std::vector<std::string>{});
  }
}

}  // namespace
}  // namespace sill
