#include "kernels/netcdf/gccom.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "kernels/netcdf/gccom_arrays.hpp"
#include "kernels/time_loop.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/arrays/dataset_writer.hpp"

namespace sill::kernels {

GccomKernel::GccomKernel(KernelSetting setting, GccomRun run)
    : Kernel(std::move(setting)), run_(std::move(run)), layout_(settled(run_.container, {}, "")) {
  if (run_.lends && layout_.container == Container::pnetcdf) {
    throw usage_error("PnetCDF copies arrays within the call: --lend has no effect",
                      "omit --lend, or name another container");
  }
  std::int64_t room = std::numeric_limits<std::int64_t>::max() / 8 / 16 / run_.phases;
  for (const std::int64_t points : run_.grid) room = points < 1 ? 0 : room / points;
  if (run_.grid.size() == 3 && room > 0) return;
  throw usage_error(
      fmt::format("{} phases of {} points cannot be written", format_count(run_.phases), fmt::join(run_.grid, " x ")),
      "for example --grid 401x6x201");
}

std::string GccomKernel::sizes() const {
  return fmt::format("{} points, {} variables", fmt::join(run_.grid, " x "), gccom_variables.size());
}

std::vector<std::pair<std::string, std::int64_t>> GccomKernel::numbers() const {
  return {{"points_x", run_.grid[0]}, {"points_y", run_.grid[1]}, {"points_z", run_.grid[2]}, {"phases", run_.phases}};
}

std::vector<std::string> GccomKernel::paths() const { return dataset().paths(); }

std::int64_t GccomKernel::file_bytes() const { return dataset().bytes(); }

KernelDataset GccomKernel::dataset() const {
  const std::int64_t nx = run_.grid[0];
  const std::int64_t ny = run_.grid[1];
  return {folder() + "/gccom",
          layout_.container,
          gccom_description(run_.grid),
          run_.phases,
          layout_.form,
          [nx, ny](std::size_t variable, std::int64_t step, std::int64_t element) {
            const bool is_position = variable < gccom_positions.size();
            const std::size_t number = is_position ? variable : variable - gccom_positions.size();
            return gccom_value(element / (nx * ny), element / nx % ny, element % nx, static_cast<std::int64_t>(number),
                               is_position ? -1 : step);
          }};
}

KernelCosts GccomKernel::run(const Resources& resources) const {
  Communicator& comm = resources.comm;
  RunClock clock(comm);
  GccomArrays arrays =
      run_and_agree(comm, [&] { return GccomArrays(gccom_box(run_.grid, comm.rank(), comm.size()), run_.grid); });
  const KernelDataset files = dataset();
  DatasetWriter writer(resources, files.path(), files.description, files.options());
  clock.begin_loop();
  for (std::int64_t step = 0; step < run_.phases; ++step) {
    kernels::compute(compute_ms());
    if (step == 0) {
      const std::vector<ArrayPart> positions = gccom_parts(arrays, {});
      clock.output([&] { writer.write(positions); });
    }
    if (run_.lends) clock.output([&] { writer.wait(); });
    const std::vector<ArrayPart> parts = gccom_parts(arrays, step);
    clock.phase([&] { writer.write_step(parts, run_.lends ? Memory::lent : Memory::copied); });
  }
  clock.output([&] { writer.close(); });
  return clock.finish();
}

void GccomKernel::verify(const Resources& resources) const { dataset().verify(resources); }

}  // namespace sill::kernels
