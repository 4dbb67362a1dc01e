// The netCDF output of the General Curvilinear Coastal Ocean Model.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "kernels/kernels.hpp"
#include "kernels/netcdf/gccom_arrays.hpp"
#include "kernels/netcdf/kernel_dataset.hpp"
#include "kernels/netcdf/serial_netcdf.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/arrays/dataset_writer.hpp"

namespace sill::kernels {
namespace {

// One netCDF file: the positions of the points of a curvilinear grid, and seven variables of 8-byte floats per step.
class GccomKernel final : public DatasetKernel {
 public:
  GccomKernel(KernelSetting setting, GccomRun run)
      : DatasetKernel(std::move(setting), "gccom", run.container), run_(std::move(run)) {
    if (run_.lends && container() == Container::pnetcdf) {
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

  [[nodiscard]] std::string sizes() const override {
    return fmt::format("{} points, {} variables", fmt::join(run_.grid, " x "), gccom_variables.size());
  }

  [[nodiscard]] KernelNumbers numbers() const override { return grid_numbers(run_.grid, {{"phases", run_.phases}}); }

  /// Collective. Writes with a DatasetWriter, from arrays with ghost points.
  void write(const Resources& resources, RunClock& clock) const override {
    Communicator& comm = resources.comm;
    GccomArrays arrays =
        run_and_agree(comm, [&] { return GccomArrays(gccom_box(run_.grid, comm.rank(), comm.size()), run_.grid); });
    const KernelDataset files = dataset();
    DatasetWriter writer(resources, files.path(), files.description, files.options());
    clock.begin_loop();
    for (std::int64_t step = 0; step < run_.phases; ++step) {
      compute();
      if (step == 0) {
        const std::vector<ArrayPart> positions = gccom_parts(arrays, {});
        clock.output([&] { writer.write(positions); });
      }
      if (run_.lends) clock.output([&] { writer.wait(); });
      const std::vector<ArrayPart> parts = gccom_parts(arrays, step);
      clock.phase([&] { writer.write_step(parts, run_.lends ? Memory::lent : Memory::copied); });
    }
    clock.output([&] { writer.close(); });
  }

  /// Collective. Writes from rank 0, which receives the blocks of all ranks one after another, writes each variable
  /// with a call of the serial netCDF library, and then calls the library to sync the file.
  void write_as_original(const Resources& resources, Meter& meter, RunClock& clock) const override {
    require_netcdf();
    Communicator& comm = resources.comm;
    const Index shape{run_.grid[2], run_.grid[1], run_.grid[0]};
    std::optional<SerialNetcdf> file;
    std::vector<double> whole_grid;  // a variable, on rank 0
    std::vector<double> packed;      // the block of a rank
    const auto box_of = [&](int rank) { return gccom_box(run_.grid, rank, comm.size()); };
    GccomArrays arrays =
        run_and_agree(comm, [&] { return GccomArrays(gccom_box(run_.grid, comm.rank(), comm.size()), run_.grid); });
    run_on_rank(comm, 0, [&] {
      file.emplace(paths().front(), dataset().description, meter);
      whole_grid.resize(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
    });
    clock.begin_loop();

    const auto write_variable = [&](std::size_t variable, const std::vector<double>& values, std::int64_t step,
                                    bool has_steps) {
      collect_on_root(comm, shape, box_of, arrays.stored, values, whole_grid, packed);
      run_on_rank(comm, 0, [&] {
        std::vector<std::size_t> first(has_steps ? 4 : 3);
        std::vector<std::size_t> count(shape.begin(), shape.end());
        if (has_steps) {
          first[0] = static_cast<std::size_t>(step);
          count.insert(count.begin(), 1);
        }
        const Stopwatch writing;
        file->put(variable, first, count, whole_grid.data());
        file->sync();
        meter.count_writes(1, static_cast<std::int64_t>(8 * whole_grid.size()), writing.seconds());
      });
    };

    for (std::int64_t step = 0; step < run_.phases; ++step) {
      compute();
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
  }

 private:
  [[nodiscard]] std::vector<KernelDataset> datasets() const override {
    const std::int64_t nx = run_.grid[0];
    const std::int64_t ny = run_.grid[1];
    return {{folder() + "/gccom", container(), gccom_description(run_.grid), run_.phases, form(),
             [nx, ny](std::size_t variable, std::int64_t step, std::int64_t element) {
               const bool is_position = variable < gccom_positions.size();
               const std::size_t number = is_position ? variable : variable - gccom_positions.size();
               return gccom_value(element / (nx * ny), element / nx % ny, element % nx,
                                  static_cast<std::int64_t>(number), is_position ? -1 : step);
             }}};
  }

  GccomRun run_;
};

}  // namespace

std::unique_ptr<Kernel> make_gccom_kernel(KernelSetting setting, GccomRun run) {
  return std::make_unique<GccomKernel>(std::move(setting), std::move(run));
}

}  // namespace sill::kernels
