// Buffers whose size the user controls and that one rank has no memory for: all ranks have its error, and no file is
// left behind. Small allocations are taken to fit (docs/adr/0009-agreement-on-errors.md).
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/surface_case.hpp"
#include "io/volume_case.hpp"
#include "sill/io/survey/output_file.hpp"
#include "support/memory.hpp"

namespace sill {
namespace {

class NoMemoryMpi : public test::OutputCase {
 protected:
  // The memory is left open, so that the machine is asked for it.
  [[nodiscard]] Resources with(const char* policy) const { return {.comm = comm, .policy = Policy::parse(policy)}; }

  // Does `work` on all ranks while one has no more than so much at once.
  void expect_error_of_all(std::size_t max_bytes_at_once, const std::function<void()>& work) {
    for (int poor = 0; poor < comm.size(); ++poor) {
      SCOPED_TRACE(poor);
      const auto error = thrown_by_all([&] {
        std::optional<test::LimitedMemory> limit;
        if (comm.rank() == poor) limit.emplace(max_bytes_at_once);
        work();
      });
      ASSERT_TRUE(error);
      EXPECT_EQ(error->code(), ErrorCode::io);
      EXPECT_EQ(error->parts().rank, poor);
      comm.barrier();
      EXPECT_EQ(test::names_in(folder.path()), std::vector<std::string>{});
      comm.barrier();  // before rank 0 begins the next
    }
  }

  // Part `rank` of as many in y as there are ranks.
  [[nodiscard]] DistributedGrid distributed(const Index& shape) const {
    return {.shape = shape, .mine = GridDecomposition::blocks(shape, {1, comm.size(), 1}).box_of(comm.rank())};
  }
};

TEST_F(NoMemoryMpi, ForSamplesOfVolumes) {
  const VolumeOptions options{.prefix = folder.path() + "/a", .samples_per_file = 1000};
  expect_error_of_all(64 << 10,
                      [&] { VolumeWriter(with("direct"), distributed(test::volume_shape), options).close(); });
}

TEST_F(NoMemoryMpi, ForStagesOfAPhase) {
  const DistributedGrid grid = distributed(test::grid_shape);
  const std::vector<float> values(static_cast<std::size_t>(grid.mine.items()));
  for (const char* policy : {"stage=4M", "aggregated", "gathered", "aggregated,async=2"}) {
    SCOPED_TRACE(policy);
    const Resources resources = with(policy);
    expect_error_of_all(128 << 10, [&] {
      SurfaceWriter writer(resources, grid, {.prefix = folder.path() + "/a", .xy_at_z = 5});
      writer.write_phase(1, {values, values, values});
      writer.close();
    });
  }
}

TEST_F(NoMemoryMpi, ForWhatAnOpenerHolds) {
  const std::vector<char> held(100'000);
  const Opener open = [held](const std::string& path, OpenMode mode) {
    return open_posix(path.c_str() + held.front(), mode);
  };
  Resources resources = with("direct");
  resources.open = open;
  expect_error_of_all(64 << 10, [&] { OutputFile(resources, folder / "a", std::int64_t{1000}).finish(); });
}

}  // namespace
}  // namespace sill
