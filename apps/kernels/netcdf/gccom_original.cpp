// The requests of GCCOM before it wrote in parallel.
#include <algorithm>
#include <optional>
#include <span>

#include "kernels/netcdf/gccom.hpp"
#include "kernels/netcdf/gccom_arrays.hpp"
#include "kernels/netcdf/serial_netcdf.hpp"
#include "kernels/time_loop.hpp"
#include "sill/comm/agree.hpp"

namespace sill::kernels {
namespace {

// A variable of the whole grid on rank 0, and the parts of the other ranks as they come.
struct WholeGrid {
  std::vector<double> values;
  std::vector<double> received;
};

}  // namespace

KernelCosts GccomKernel::run_original(const Resources& resources, Meter& meter) const {
  require_netcdf(layout_.container);
  Communicator& comm = resources.comm;
  KernelCosts costs;
  const Stopwatch whole;
  const Index shape{run_.grid[2], run_.grid[1], run_.grid[0]};
  const Index strides = row_major_strides(shape, 1);
  std::optional<SerialNetcdf> file;
  WholeGrid grid;
  GccomArrays arrays =
      run_and_agree(comm, [&] { return GccomArrays(gccom_box(run_.grid, comm.rank(), comm.size()), run_.grid); });
  run_on_rank(comm, 0, [&] {
    const Stopwatch opening;
    file.emplace(paths().front(), dataset().description);
    meter.count_open(opening.seconds());
    grid.values.resize(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
  });
  costs.setup_s = whole.seconds();

  const auto for_each_row = [&](const Box& box, auto&& visit) {
    for (std::int64_t row = 0; row < box.count[0] * box.count[1]; ++row) {
      const Index first{box.first[0] + row / box.count[1], box.first[1] + row % box.count[1], box.first[2]};
      visit(row, first);
    }
  };
  // The rank's points without ghost points, one after another.
  const auto packed = [&](const std::vector<double>& values) {
    std::vector<double> mine(static_cast<std::size_t>(arrays.mine.items()));
    const Index stored = row_major_strides(arrays.stored.count, 1);
    if (mine.empty()) return mine;
    for_each_row(arrays.mine, [&](std::int64_t row, Index first) {
      for (std::size_t d = 0; d < 3; ++d) first[d] -= arrays.stored.first[d];
      std::copy_n(values.begin() + offset_of(first, stored), arrays.mine.count[2],
                  mine.begin() + row * arrays.mine.count[2]);
    });
    return mine;
  };
  const auto put_in_place = [&](const Box& box, const std::vector<double>& values) {
    for_each_row(box, [&](std::int64_t row, const Index& first) {
      std::copy_n(values.begin() + row * box.count[2], box.count[2], grid.values.begin() + offset_of(first, strides));
    });
  };
  const auto write_variable = [&](std::size_t variable, const std::vector<double>& values, std::int64_t step,
                                  bool has_steps) {
    const std::vector<double> mine = packed(values);
    if (comm.rank() != 0) {
      const Outgoing message{0, std::as_bytes(std::span(mine))};
      if (!mine.empty()) comm.exchange({&message, 1}, {});
    } else {
      if (!mine.empty()) put_in_place(arrays.mine, mine);
      for (int rank = 1; rank < comm.size(); ++rank) {
        const Box box = gccom_box(run_.grid, rank, comm.size());
        if (box.empty()) continue;
        grid.received.resize(static_cast<std::size_t>(box.items()));
        const Incoming message{rank, std::as_writable_bytes(std::span(grid.received))};
        comm.exchange({}, {&message, 1});
        put_in_place(box, grid.received);
      }
    }
    run_on_rank(comm, 0, [&] {
      std::vector<std::size_t> first(has_steps ? 4 : 3);
      std::vector<std::size_t> count(shape.begin(), shape.end());
      if (has_steps) {
        first[0] = static_cast<std::size_t>(step);
        count.insert(count.begin(), 1);
      }
      const Stopwatch writing;
      file->put(variable, first, count, grid.values.data());
      file->sync();
      meter.count_writes(1, static_cast<std::int64_t>(8 * grid.values.size()), writing.seconds());
    });
  };

  for (std::int64_t step = 0; step < run_.phases; ++step) {
    kernels::compute(compute_ms());
    if (step == 0) {
      arrays.compute(gccom_positions.size(), -1);
      const Stopwatch phase;
      for (std::size_t v = 0; v < gccom_positions.size(); ++v) write_variable(v, arrays.values[v], 0, false);
      costs.output_s += phase.seconds();
    }
    arrays.compute(gccom_variables.size(), step);
    const Stopwatch phase;
    for (std::size_t v = 0; v < gccom_variables.size(); ++v) {
      write_variable(gccom_positions.size() + v, arrays.values[v], step, true);
    }
    costs.output_s += phase.seconds();
    ++costs.phases;
  }
  const Stopwatch closing;
  run_on_rank(comm, 0, [&] {
    const Stopwatch of_file;
    file->close();
    meter.count_close(of_file.seconds());
  });
  costs.output_s += closing.seconds();
  costs.loop_s = whole.seconds() - costs.setup_s;
  make_longest(comm, costs);
  return costs;
}

}  // namespace sill::kernels
