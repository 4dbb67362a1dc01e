// Snapshots of a grid whose rows are short and distributed over ranks, as written by three-dimensional codes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
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

// Returns the values of a box, x fastest, at the end of a step. AWP-ODC's order begins with the layer at the last z.
std::vector<float> values_of(const Box& box, std::int64_t step) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(box.items()));
  for (std::int64_t z = box.first[2]; z < box.first[2] + box.count[2]; ++z) {
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
  GridRowsKernel(KernelSetting setting, GridRowsRun run) : Kernel(std::move(setting)), run_(std::move(run)) {
    std::int64_t room = std::numeric_limits<std::int64_t>::max() / volume::value_bytes / run_.snapshots;
    for (const std::int64_t points : run_.grid) room = points < 1 ? 0 : room / points;
    if (run_.grid.size() == 3 && room > 0) return;
    throw usage_error(fmt::format("{} snapshots of {} points cannot be written", format_count(run_.snapshots),
                                  fmt::join(run_.grid, " x ")),
                      "for example --grid 48x512x64");
  }

  [[nodiscard]] std::string name() const override { return "grid-rows"; }
  [[nodiscard]] std::string sizes() const override {
    return fmt::format("{} points, {} snapshots", fmt::join(run_.grid, " x "), format_count(run_.snapshots));
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
  [[nodiscard]] KernelCosts run(const Resources& resources) const override {
    Communicator& comm = resources.comm;
    RunClock clock(comm);
    const DistributedGrid grid = part_of(comm.rank(), comm.size());
    VolumeWriter writer(resources, grid, {.prefix = folder() + "/", .components = "X"});
    clock.begin_loop();
    for (std::int64_t step = 1; step <= run_.snapshots; ++step) {
      compute(compute_ms());
      const std::vector<float> values = run_and_agree(comm, [&] { return values_of(grid.mine, step); });
      clock.output([&] { writer.write_step(step, {values, {}, {}}); });
    }
    clock.output([&] { writer.close(); });
    clock.costs.phases = writer.batches();
    return clock.finish();
  }

  /// Collective. Writes from rank 0, which receives the blocks of all ranks one after another, puts their rows in
  /// place, and writes the snapshot with one fwrite.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const override {
    Communicator& comm = resources.comm;
    RunClock clock(comm);
    const Box mine = part_of(comm.rank(), comm.size()).mine;
    std::vector<float> snapshot;
    run_on_rank(comm, 0,
                [&] { snapshot.resize(static_cast<std::size_t>(run_.grid[0] * run_.grid[1] * run_.grid[2])); });
    const auto put_in_place = [&](const Box& box, std::span<const float> values) {
      for (std::int64_t row = 0; row < box.count[1] * box.count[2]; ++row) {
        const std::int64_t y = box.first[1] + row % box.count[1];
        const std::int64_t layer = run_.grid[2] - 1 - (box.first[2] + row / box.count[1]);
        const std::int64_t at = (layer * run_.grid[1] + y) * run_.grid[0] + box.first[0];
        std::ranges::copy(
            values.subspan(static_cast<std::size_t>(row * box.count[0]), static_cast<std::size_t>(box.count[0])),
            snapshot.begin() + at);
      }
    };
    clock.begin_loop();
    for (std::int64_t step = 1; step <= run_.snapshots; ++step) {
      compute(compute_ms());
      std::vector<float> values = run_and_agree(comm, [&] { return values_of(mine, step); });
      clock.phase([&] {
        if (comm.rank() != 0) {
          if (!values.empty()) send_to(comm, 0, values);
        } else {
          put_in_place(mine, values);
          for (int rank = 1; rank < comm.size(); ++rank) {
            const Box box = part_of(rank, comm.size()).mine;
            values.resize(static_cast<std::size_t>(box.items()));
            if (!values.empty()) receive_from(comm, rank, values);
            put_in_place(box, values);
          }
        }
        run_on_rank(comm, 0, [&] {
          StdioFile file(path(step), "wb", meter);
          file.write(snapshot.data(), sizeof(float) * snapshot.size());
          file.close();
        });
      });
    }
    return clock.finish();
  }

  void verify(const Resources& resources) const override {
    Communicator& comm = resources.comm;
    run_and_agree(comm, [&] {
      for (std::int64_t step = 1 + comm.rank(); step <= run_.snapshots; step += comm.size()) {
        std::vector<float> layer;
        std::int64_t known = -1;
        const std::int64_t layer_bytes = run_.grid[0] * run_.grid[1] * volume::value_bytes;
        require_content(path(step), layer_bytes * run_.grid[2], [&](ByteRange range, std::span<std::byte> bytes) {
          for (std::int64_t at = range.offset; at < range.end();) {
            if (at / layer_bytes != known) {
              known = at / layer_bytes;
              layer = values_of({{0, 0, run_.grid[2] - 1 - known}, {run_.grid[0], run_.grid[1], 1}}, step);
            }
            const std::int64_t length = std::min((known + 1) * layer_bytes, range.end()) - at;
            std::memcpy(bytes.data() + (at - range.offset),
                        std::as_bytes(std::span(layer)).data() + (at - known * layer_bytes),
                        static_cast<std::size_t>(length));
            at += length;
          }
        });
      }
    });
  }

 private:
  // Divides y into as many blocks as x, or the next larger number that divides the number of ranks.
  [[nodiscard]] DistributedGrid part_of(int rank, int ranks) const {
    int parts_x = static_cast<int>(std::sqrt(ranks));
    while (ranks % parts_x != 0) --parts_x;
    const Index parts{parts_x, ranks / parts_x, 1};
    return {.shape = run_.grid, .mine = GridDecomposition::blocks(run_.grid, parts).box_of(rank)};
  }

  [[nodiscard]] std::string path(std::int64_t step) const { return volume::file_name(folder() + "/", 'X', step); }

  GridRowsRun run_;
};

}  // namespace

std::unique_ptr<Kernel> make_grid_rows_kernel(KernelSetting setting, GridRowsRun run) {
  return std::make_unique<GridRowsKernel>(std::move(setting), std::move(run));
}

}  // namespace sill::kernels
