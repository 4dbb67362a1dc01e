#include "kernels/netcdf/subflow.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <span>

#include "kernels/awp_volume_arrays.hpp"
#include "kernels/time_loop.hpp"
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

}  // namespace

SubflowKernel::SubflowKernel(KernelSetting setting, SubflowRun run)
    : Kernel(std::move(setting)), run_(std::move(run)), layout_(settled(run_.container, {}, "")) {
  std::int64_t room =
      run_.variables < 1 ? 0 : std::numeric_limits<std::int64_t>::max() / 16 / run_.phases / run_.variables;
  for (const std::int64_t count : run_.grid) room = count < 1 ? 0 : room / count;
  if (run_.grid.size() == 3 && room > 0) return;
  throw usage_error(fmt::format("{} phases of {} variables at {} points cannot be written", format_count(run_.phases),
                                run_.variables, fmt::join(run_.grid, " x ")),
                    "for example --grid 100x100x16 --variables 73");
}

std::int64_t SubflowKernel::physical() const { return std::min(run_.variables, max_physical); }

std::string SubflowKernel::sizes() const {
  return fmt::format("{} points, {} variables of all ranks, {} of rank 0", fmt::join(run_.grid, " x "), physical(),
                     run_.variables - physical());
}

std::vector<std::pair<std::string, std::int64_t>> SubflowKernel::numbers() const {
  return {{"points_x", run_.grid[0]},
          {"points_y", run_.grid[1]},
          {"points_z", run_.grid[2]},
          {"variables", run_.variables},
          {"phases", run_.phases}};
}

KernelDataset SubflowKernel::dataset() const {
  DatasetDescription description{
      .dimensions = {{"time", unlimited}, {"z", run_.grid[2]}, {"y", run_.grid[1]}, {"x", run_.grid[0]}},
      .attributes = {{"title", "Subflow"}}};
  for (std::int64_t v = 0; v < run_.variables; ++v) {
    description.variables.push_back({variable_name(v, physical()), ElementType::f8, {"time", "z", "y", "x"}});
  }
  return {folder() + "/subflow",
          layout_.container,
          std::move(description),
          run_.phases,
          layout_.form,
          [nx = run_.grid[0]](std::size_t variable, std::int64_t step, std::int64_t point) {
            return value_at(nx, static_cast<std::int64_t>(variable), step, point);
          }};
}

// Returns runs of points with consecutive numbers in a mesh, redistributed in each phase.
std::vector<std::int64_t> SubflowKernel::points_of(std::int64_t step, int rank, int ranks) const {
  constexpr std::int64_t run_length = 37;
  std::vector<std::int64_t> mine;
  for (std::int64_t point = 0; point < points(); ++point) {
    if ((point / run_length * 7 + step) % ranks == rank) mine.push_back(point);
  }
  return mine;
}

std::vector<std::vector<double>> SubflowKernel::values_at(std::int64_t step, const std::vector<std::int64_t>& mine,
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

KernelCosts SubflowKernel::run(const Resources& resources) const {
  Communicator& comm = resources.comm;
  RunClock clock(comm);
  const KernelDataset files = dataset();
  const bool has_chemistry = comm.rank() == 0;
  const Box whole_grid = sill::whole({run_.grid[2], run_.grid[1], run_.grid[0]});
  DatasetWriter writer(resources, files.path(), files.description, files.options());
  clock.begin_loop();
  for (std::int64_t step = 0; step < run_.phases; ++step) {
    kernels::compute(compute_ms());
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
  return clock.finish();
}

}  // namespace sill::kernels
