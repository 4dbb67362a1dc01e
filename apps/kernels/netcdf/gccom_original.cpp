// The requests of GCCOM before it wrote in parallel.
#include <optional>
#include <span>

#include "kernels/netcdf/gccom.hpp"
#include "kernels/netcdf/gccom_arrays.hpp"
#include "kernels/netcdf/serial_netcdf.hpp"
#include "kernels/time_loop.hpp"
#include "sill/comm/agree.hpp"

namespace sill::kernels {
namespace {

// A variable of the entire grid on rank 0, and the blocks of the other ranks as they arrive.
struct WholeGrid {
  std::vector<double> values;
  std::vector<double> received;
};

}  // namespace

KernelCosts GccomKernel::run_original(const Resources& resources, Meter& meter) const {
  require_netcdf(layout_.container);
  Communicator& comm = resources.comm;
  RunClock clock(comm);
  const Index shape{run_.grid[2], run_.grid[1], run_.grid[0]};
  std::optional<SerialNetcdf> file;
  WholeGrid grid;
  GccomArrays arrays =
      run_and_agree(comm, [&] { return GccomArrays(gccom_box(run_.grid, comm.rank(), comm.size()), run_.grid); });
  run_on_rank(comm, 0, [&] {
    file.emplace(paths().front(), dataset().description, meter);
    grid.values.resize(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
  });
  clock.begin_loop();

  const auto write_variable = [&](std::size_t variable, const std::vector<double>& values, std::int64_t step,
                                  bool has_steps) {
    collect_on_root(comm, run_.grid, arrays, values, grid.values, grid.received);
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
      clock.output([&] {
        for (std::size_t v = 0; v < gccom_positions.size(); ++v) write_variable(v, arrays.values[v], 0, false);
      });
    }
    arrays.compute(gccom_variables.size(), step);
    clock.phase([&] {
      for (std::size_t v = 0; v < gccom_variables.size(); ++v) {
        write_variable(gccom_positions.size() + v, arrays.values[v], step, true);
      }
    });
  }
  clock.output([&] { run_on_rank(comm, 0, [&] { file->close(); }); });
  return clock.finish();
}

}  // namespace sill::kernels
