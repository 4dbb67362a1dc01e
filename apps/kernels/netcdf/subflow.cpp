// The netCDF output of Subflow, a program for the flow of groundwater and its chemistry.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/awp_volume_arrays.hpp"
#include "kernels/kernels.hpp"
#include "kernels/netcdf/kernel_dataset.hpp"
#include "kernels/netcdf/serial_netcdf.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/arrays/dataset_writer.hpp"

namespace sill::kernels {
namespace {

constexpr std::int64_t max_physical = 9;

std::string variable_name(std::int64_t variable, std::int64_t physical) {
  return variable < physical ? fmt::format("physical_{:02}", variable)
                             : fmt::format("species_{:02}", variable - physical);
}

double value_at(std::int64_t nx, std::int64_t variable, std::int64_t step, std::int64_t point) {
  return double{volume_value(point % nx, point / nx, 0, variable, step)} / 3;
}

// One netCDF file with a step per phase. The ranks compute physical variables, each rank at different points in each
// phase; rank 0 computes the chemical variables.
class SubflowKernel final : public DatasetKernel {
 public:
  SubflowKernel(KernelSetting setting, SubflowRun run)
      : DatasetKernel(std::move(setting), "subflow", run.container), run_(std::move(run)) {
    std::int64_t room =
        run_.variables < 1 ? 0 : std::numeric_limits<std::int64_t>::max() / 16 / run_.phases / run_.variables;
    for (const std::int64_t count : run_.grid) room = count < 1 ? 0 : room / count;
    if (run_.grid.size() == 3 && room > 0) return;
    throw usage_error(fmt::format("{} phases of {} variables at {} points cannot be written", format_count(run_.phases),
                                  run_.variables, fmt::join(run_.grid, " x ")),
                      "for example --grid 100x100x16 --variables 73");
  }

  [[nodiscard]] std::string sizes() const override {
    return fmt::format("{} points, {} variables of all ranks, {} of rank 0", fmt::join(run_.grid, " x "), physical(),
                       run_.variables - physical());
  }

  [[nodiscard]] KernelNumbers numbers() const override {
    return grid_numbers(run_.grid, {{"variables", run_.variables}, {"phases", run_.phases}});
  }

  /// Collective. Writes with a DatasetWriter: all ranks write their elements, then rank 0 writes the chemical variables
  /// independently while the other ranks continue. Containers with one file per step get both at the same time.
  void write(const Resources& resources, RunClock& clock) const override {
    Communicator& comm = resources.comm;
    const KernelDataset files = dataset();
    const bool has_chemistry = comm.rank() == 0;
    const Box whole_grid = sill::whole({run_.grid[2], run_.grid[1], run_.grid[0]});
    DatasetWriter writer(resources, files.path(), files.description, files.options());
    clock.begin_loop();
    for (std::int64_t step = 0; step < run_.phases; ++step) {
      compute();
      const std::vector<std::int64_t> mine = points_of(step, comm.rank(), comm.size());
      const std::vector<std::vector<double>> values = values_at(step, mine, has_chemistry);
      std::vector<ArrayPart> parts;
      std::vector<ArrayPart> chemistry;
      for (std::size_t v = 0; v < values.size(); ++v) {
        const std::string variable = variable_name(static_cast<std::int64_t>(v), physical());
        if (static_cast<std::int64_t>(v) < physical()) {
          parts.push_back(listed_elements(variable, std::span<const std::int64_t>(mine), values[v].data()));
        } else {
          chemistry.emplace_back(variable, whole_grid, values[v].data());
        }
      }
      comm.barrier();  // rank 0 also computes the chemistry and takes longer: this time is not output
      clock.phase([&] {
        if (is_one_file(files.container)) {
          writer.write_step(parts);
          if (resources.policy.async > 0) writer.wait();
          if (has_chemistry) writer.write_own(step, chemistry);
        } else {
          parts.insert(parts.end(), chemistry.begin(), chemistry.end());
          writer.write_step(parts);
        }
      });
    }
    clock.output([&] { writer.close(); });
  }

  /// Collective. Writes from rank 0, which receives the indices and values of all ranks and writes them with the serial
  /// netCDF library: one element at a time, but chemical variables with one call each. It calls the library to sync the
  /// file after each variable.
  void write_as_original(const Resources& resources, Meter& meter, RunClock& clock) const override {
    require_netcdf();
    Communicator& comm = resources.comm;
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
      compute();
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
  }

 private:
  [[nodiscard]] std::vector<KernelDataset> datasets() const override {
    DatasetDescription description{
        .dimensions = {{"time", unlimited}, {"z", run_.grid[2]}, {"y", run_.grid[1]}, {"x", run_.grid[0]}},
        .attributes = {{"title", "Subflow"}}};
    for (std::int64_t v = 0; v < run_.variables; ++v) {
      description.variables.push_back({variable_name(v, physical()), ElementType::f8, {"time", "z", "y", "x"}});
    }
    return {{folder() + "/subflow", container(), std::move(description), run_.phases, form(),
             [nx = run_.grid[0]](std::size_t variable, std::int64_t step, std::int64_t point) {
               return value_at(nx, static_cast<std::int64_t>(variable), step, point);
             }}};
  }

  [[nodiscard]] std::int64_t physical() const { return std::min(run_.variables, max_physical); }

  [[nodiscard]] std::int64_t points() const { return run_.grid[0] * run_.grid[1] * run_.grid[2]; }

  // Returns the points of a rank in a phase: runs of consecutive points of a mesh that is distributed anew in each
  // phase.
  [[nodiscard]] std::vector<std::int64_t> points_of(std::int64_t step, int rank, int ranks) const {
    constexpr std::int64_t run_length = 37;
    std::vector<std::int64_t> mine;
    for (std::int64_t point = 0; point < points(); ++point) {
      if ((point / run_length * 7 + step) % ranks == rank) mine.push_back(point);
    }
    return mine;
  }

  // Returns the values of each variable that a rank has: physical variables at its points, chemical ones at all points.
  [[nodiscard]] std::vector<std::vector<double>> values_at(std::int64_t step, const std::vector<std::int64_t>& mine,
                                                           bool has_chemistry) const {
    std::vector<std::vector<double>> values(static_cast<std::size_t>(has_chemistry ? run_.variables : physical()));
    for (std::size_t v = 0; v < values.size(); ++v) {
      const bool is_physical = static_cast<std::int64_t>(v) < physical();
      values[v].resize(is_physical ? mine.size() : static_cast<std::size_t>(points()));
      for (std::size_t i = 0; i < values[v].size(); ++i) {
        const std::int64_t point = is_physical ? mine[i] : static_cast<std::int64_t>(i);
        values[v][i] = value_at(run_.grid[0], static_cast<std::int64_t>(v), step, point);
      }
    }
    return values;
  }

  SubflowRun run_;
};

}  // namespace

std::unique_ptr<Kernel> make_subflow_kernel(KernelSetting setting, SubflowRun run) {
  return std::make_unique<SubflowKernel>(std::move(setting), std::move(run));
}

}  // namespace sill::kernels
