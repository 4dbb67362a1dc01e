// Snapshots of a grid whose rows are short and distributed over ranks, as written by three-dimensional codes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "kernels/awp_volume_arrays.hpp"
#include "kernels/kernels.hpp"
#include "kernels/stdio_file.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/simulation/distributed_grid.hpp"
#include "sill/io/simulation/volume_writer.hpp"
#include "sill/layout/grid_decomposition.hpp"

namespace sill::kernels {
namespace {

// Returns the values of a box, x fastest, at the end of a step. `is_in_file_order`: the layer at the last z is the
// first, as in files of AWP-ODC.
std::vector<float> values_of(const Box& box, std::int64_t step, bool is_in_file_order) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(box.items()));
  for (std::int64_t layer = 0; layer < box.count[2]; ++layer) {
    const std::int64_t z = box.first[2] + (is_in_file_order ? box.count[2] - 1 - layer : layer);
    for (std::int64_t y = box.first[1]; y < box.first[1] + box.count[1]; ++y) {
      for (std::int64_t x = box.first[0]; x < box.first[0] + box.count[0]; ++x) {
        values.push_back(volume_value(x, y, z, 0, step));
      }
    }
  }
  return values;
}

// One file per snapshot: one component, each point, x fastest.
class GridRowsKernel final : public Kernel {
 public:
  GridRowsKernel(KernelSetting setting, GridRowsRun run)
      : Kernel(std::move(setting), "grid-rows"), run_(std::move(run)) {
    std::int64_t room = std::numeric_limits<std::int64_t>::max() / volume::value_bytes / run_.snapshots;
    for (const std::int64_t points : run_.grid) room = points < 1 ? 0 : room / points;
    if (run_.grid.size() == 3 && room > 0) return;
    throw usage_error(fmt::format("{} snapshots of {} points cannot be written", format_count(run_.snapshots),
                                  fmt::join(run_.grid, " x ")),
                      "for example --grid 48x512x64");
  }

  [[nodiscard]] std::string sizes() const override {
    return fmt::format("{} points, {}", fmt::join(run_.grid, " x "), format_count(run_.snapshots, "snapshot"));
  }

  [[nodiscard]] KernelNumbers numbers() const override {
    return grid_numbers(run_.grid, {{"snapshots", run_.snapshots}});
  }

  [[nodiscard]] std::vector<std::string> paths() const override {
    std::vector<std::string> paths;
    for (std::int64_t step = 1; step <= run_.snapshots; ++step) paths.push_back(path(step));
    return paths;
  }

  [[nodiscard]] std::int64_t file_bytes() const override {
    return run_.snapshots * run_.grid[0] * run_.grid[1] * run_.grid[2] * volume::value_bytes;
  }

  /// Collective. Writes with a VolumeWriter, one sample per file.
  void write(const Resources& resources, RunClock& clock) const override {
    Communicator& comm = resources.comm;
    const DistributedGrid grid = part_of(comm.rank(), comm.size());
    VolumeWriter writer(resources, grid, {.prefix = folder() + "/", .components = "X"});
    clock.begin_loop();
    for (std::int64_t step = 1; step <= run_.snapshots; ++step) {
      compute();
      const std::vector<float> values = run_and_agree(comm, [&] { return values_of(grid.mine, step, false); });
      clock.output([&] { writer.write_step(step, {values, {}, {}}); });
    }
    clock.output([&] { writer.close(); });
    clock.costs.phases = writer.batches();
  }

  /// Collective. Writes from rank 0, which receives the blocks of all ranks one after another, puts their rows in
  /// place, and writes the snapshot with one fwrite.
  void write_as_original(const Resources& resources, Meter& meter, RunClock& clock) const override {
    Communicator& comm = resources.comm;
    const Box mine = part_of(comm.rank(), comm.size()).mine;
    std::vector<float> snapshot;
    run_on_rank(comm, 0,
                [&] { snapshot.resize(static_cast<std::size_t>(run_.grid[0] * run_.grid[1] * run_.grid[2])); });
    std::vector<float> packed;
    // In the file, the layer at the last z is the first.
    const auto in_file = [](const Box& box) {
      return Box{{0, box.first[1], box.first[0]}, {box.count[2], box.count[1], box.count[0]}};
    };
    const auto box_of = [&](int rank) { return in_file(part_of(rank, comm.size()).mine); };
    clock.begin_loop();
    for (std::int64_t step = 1; step <= run_.snapshots; ++step) {
      compute();
      const std::vector<float> values = run_and_agree(comm, [&] { return values_of(mine, step, true); });
      clock.phase([&] {
        collect_on_root(comm, {run_.grid[2], run_.grid[1], run_.grid[0]}, box_of, in_file(mine), values, snapshot,
                        packed);
        run_on_rank(comm, 0, [&] {
          StdioFile file(path(step), "wb", meter);
          file.write(snapshot.data(), sizeof(float) * snapshot.size());
          file.close();
        });
      });
    }
  }

  void verify(const Resources& resources) const override {
    Communicator& comm = resources.comm;
    run_and_agree(comm, [&] {
      for (std::int64_t step = 1 + comm.rank(); step <= run_.snapshots; step += comm.size()) {
        const std::int64_t bytes = file_bytes() / run_.snapshots;
        require_content(path(step), bytes, [&](ExpectedContent& expected) {
          for (std::int64_t z = run_.grid[2] - 1; z >= 0; --z) {
            for (std::int64_t y = 0; y < run_.grid[1]; ++y) {
              for (std::int64_t x = 0; x < run_.grid[0]; ++x) expected.add_value(volume_value(x, y, z, 0, step));
            }
          }
        });
      }
    });
  }

 private:
  [[nodiscard]] DistributedGrid part_of(int rank, int ranks) const {
    const Index parts = near_square(ranks);
    return {.shape = run_.grid, .mine = GridDecomposition::blocks(run_.grid, {parts[1], parts[0], 1}).box_of(rank)};
  }

  [[nodiscard]] std::string path(std::int64_t step) const { return volume::file_name(folder() + "/", 'X', step); }

  GridRowsRun run_;
};

}  // namespace

std::unique_ptr<Kernel> make_grid_rows_kernel(KernelSetting setting, GridRowsRun run) {
  return std::make_unique<GridRowsKernel>(std::move(setting), std::move(run));
}

}  // namespace sill::kernels
