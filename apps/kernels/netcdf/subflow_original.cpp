// The requests of Subflow before it wrote in parallel.
#include <array>
#include <optional>
#include <span>

#include "kernels/netcdf/serial_netcdf.hpp"
#include "kernels/netcdf/subflow.hpp"
#include "kernels/time_loop.hpp"
#include "sill/comm/agree.hpp"

namespace sill::kernels {

KernelCosts SubflowKernel::run_original(const Resources& resources, Meter& meter) const {
  require_netcdf(layout_.container);
  Communicator& comm = resources.comm;
  RunClock clock(comm);
  std::optional<SerialNetcdf> file;
  run_on_rank(comm, 0, [&] { file.emplace(paths().front(), dataset().description, meter); });
  clock.begin_loop();
  const auto index_of = [&](std::int64_t step, std::int64_t point) {
    const std::int64_t row = point / run_.grid[0];
    return std::array<std::size_t, 4>{static_cast<std::size_t>(step), static_cast<std::size_t>(row / run_.grid[1]),
                                      static_cast<std::size_t>(row % run_.grid[1]),
                                      static_cast<std::size_t>(point % run_.grid[0])};
  };
  const auto put_elements = [&](std::int64_t variable, std::int64_t step, const std::vector<std::int64_t>& numbers,
                                const std::vector<double>& values) {
    constexpr std::array<std::size_t, 4> one{1, 1, 1, 1};
    const Stopwatch writing;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      file->put(static_cast<std::size_t>(variable), index_of(step, numbers[i]), one, &values[i]);
    }
    meter.count_writes(static_cast<std::int64_t>(numbers.size()), 8, writing.seconds());
  };
  std::vector<std::int64_t> received;
  std::vector<double> received_values;
  for (std::int64_t step = 0; step < run_.phases; ++step) {
    kernels::compute(compute_ms());
    const std::vector<std::int64_t> mine = points_of(step, comm.rank(), comm.size());
    const std::vector<std::vector<double>> all = values_at(step, mine, comm.rank() == 0);
    comm.barrier();  // as in `run`
    clock.phase([&] {
      for (std::int64_t v = 0; v < physical(); ++v) {
        const std::vector<double>& values = all[static_cast<std::size_t>(v)];
        if (comm.rank() != 0) {
          if (!mine.empty()) send_to(comm, 0, mine);
          if (!mine.empty()) send_to(comm, 0, values);
        } else {
          put_elements(v, step, mine, values);
        }
        for (int rank = 1; rank < comm.size() && comm.rank() == 0; ++rank) {
          const std::size_t count = points_of(step, rank, comm.size()).size();
          if (count == 0) continue;
          received.resize(count);
          received_values.resize(count);
          receive_from(comm, rank, received);
          receive_from(comm, rank, received_values);
          put_elements(v, step, received, received_values);
        }
        run_on_rank(comm, 0, [&] { file->sync(); });
      }
      run_on_rank(comm, 0, [&] {
        const std::array<std::size_t, 4> first{static_cast<std::size_t>(step), 0, 0, 0};
        const std::array<std::size_t, 4> count{1, static_cast<std::size_t>(run_.grid[2]),
                                               static_cast<std::size_t>(run_.grid[1]),
                                               static_cast<std::size_t>(run_.grid[0])};
        for (std::size_t v = static_cast<std::size_t>(physical()); v < all.size(); ++v) {
          const Stopwatch writing;
          file->put(v, first, count, all[v].data());
          file->sync();
          meter.count_writes(1, 8 * points(), writing.seconds());
        }
      });
    });
  }
  clock.output([&] { run_on_rank(comm, 0, [&] { file->close(); }); });
  return clock.finish();
}

}  // namespace sill::kernels
