// Checkpoints of a simulation on a grid: its complete state at regular intervals.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/kernels.hpp"
#include "kernels/netcdf/gccom_arrays.hpp"
#include "kernels/netcdf/kernel_dataset.hpp"
#include "kernels/stdio_file.hpp"
#include "sill/base/byte_order.hpp"
#include "sill/base/crc32.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/arrays/checkpoint_files.hpp"
#include "sill/io/arrays/dataset_writer.hpp"

namespace sill::kernels {
namespace {

std::string variable_name(std::size_t number) { return fmt::format("v{}", number); }

// Two alternating generations (io/arrays/checkpoint_files.hpp) of variables of 8 bytes per point.
class CheckpointKernel final : public DatasetKernel {
 public:
  CheckpointKernel(KernelSetting setting, CheckpointRun run)
      : DatasetKernel(std::move(setting), "checkpoint", Container::checkpoint), run_(run) {
    if (run_.grid < 1 || run_.variables < 1 || run_.grid > 1'000'000) {
      throw usage_error(
          fmt::format("{} variables of {} points in each direction cannot be written", run_.variables, run_.grid),
          "for example --grid 200 --variables 12");
    }
    (void)product_bytes(product_bytes(run_.grid * run_.grid, run_.grid), product_bytes(16, run_.variables));
  }

  [[nodiscard]] std::string sizes() const override {
    return fmt::format("{0} x {0} x {0} points, {1}", run_.grid, format_count(run_.variables, "variable"));
  }

  [[nodiscard]] KernelNumbers numbers() const override {
    return {{"grid", run_.grid}, {"variables", run_.variables}, {"phases", run_.phases}};
  }

  /// Collective. Writes with a DatasetWriter, from arrays with ghost points.
  void write(const Resources& resources, RunClock& clock) const override {
    const KernelDataset files = dataset();
    DatasetWriter writer(resources, files.path(), files.description, files.options());
    loop(resources, clock, [&](std::int64_t, const GccomArrays& arrays) {
      std::vector<ArrayPart> parts;
      for (std::size_t v = 0; v < arrays.values.size(); ++v)
        parts.emplace_back(variable_name(v), arrays.mine, arrays.stored, arrays.values[v].data());
      writer.write_step(parts);
    });
    clock.output([&] { writer.close(); });
  }

  /// Collective. Writes from rank 0, which receives the blocks of all ranks one after another, one variable at a time,
  /// swaps their bytes, and writes them with a checksum that it computes at the same time.
  void write_as_original(const Resources& resources, Meter& meter, RunClock& clock) const override {
    Communicator& comm = resources.comm;
    const KernelDataset files = dataset();
    const Index grid{run_.grid, run_.grid, run_.grid};
    const auto points = static_cast<std::size_t>(run_.grid * run_.grid * run_.grid);
    std::vector<double> whole_grid(comm.rank() == 0 ? points : 0);
    std::vector<double> packed;
    const auto box_of = [&](int rank) { return gccom_box(grid, rank, comm.size()); };
    loop(resources, clock, [&](std::int64_t step, const GccomArrays& arrays) {
      std::optional<StdioFile> file;
      const DatasetDescription description = described_generation(files.description, step + 1, {});
      const cdf::FileLayout layout = cdf::layout_of(description, {});
      BlockChecksums blocks = checksums_of(layout);
      run_on_rank(comm, 0, [&] { file.emplace(generation_path(files.path(), step + 1), "wb", meter); });
      for (std::size_t v = 0; v < arrays.values.size(); ++v) {
        collect_on_root(comm, grid, box_of, arrays.stored, arrays.values[v], whole_grid, packed);
        run_on_rank(comm, 0, [&] {
          for (double& each : whole_grid) store(reinterpret_cast<std::byte*>(&each), double{each}, ByteOrder::big);
          const std::span<const std::byte> bytes = std::as_bytes(std::span(whole_grid));
          blocks.add(layout.begins[v], bytes);
          file->write(bytes.data(), bytes.size(), layout.begins[v]);
        });
      }
      run_on_rank(comm, 0, [&] {
        const std::vector<std::byte> header = cdf::header_of(description, layout, 1);
        std::vector<std::byte> sums(4);
        store(sums.data(), crc32_of(header), ByteOrder::big);
        for (const std::uint32_t each : blocks.complete(blocks.shares())) {
          sums.resize(sums.size() + 4);
          store(sums.data() + sums.size() - 4, each, ByteOrder::big);
        }
        file->write(sums.data(), sums.size(), layout.begins.back());
        file->write(header.data(), header.size(), 0);
        file->close();
      });
    });
  }

 private:
  [[nodiscard]] std::vector<KernelDataset> datasets() const override {
    DatasetDescription description{
        .dimensions = {{"time", unlimited}, {"z", run_.grid}, {"y", run_.grid}, {"x", run_.grid}}};
    for (std::size_t v = 0; v < static_cast<std::size_t>(run_.variables); ++v)
      description.variables.push_back({variable_name(v), ElementType::f8, {"time", "z", "y", "x"}});
    return {{folder() + "/state",
             Container::checkpoint,
             std::move(description),
             run_.phases,
             {},
             [n = run_.grid](std::size_t variable, std::int64_t step, std::int64_t element) {
               return gccom_value(element / (n * n), element / n % n, element % n, static_cast<std::int64_t>(variable),
                                  step);
             }}};
  }

  template <class Write>
  void loop(const Resources& resources, RunClock& clock, Write&& write) const {
    Communicator& comm = resources.comm;
    const Index grid{run_.grid, run_.grid, run_.grid};
    const auto variables = static_cast<std::size_t>(run_.variables);
    GccomArrays arrays =
        run_and_agree(comm, [&] { return GccomArrays(gccom_box(grid, comm.rank(), comm.size()), grid, variables); });
    clock.begin_loop();
    for (std::int64_t step = 0; step < run_.phases; ++step) {
      arrays.compute(variables, step);
      compute();
      clock.phase([&] { write(step, arrays); });
    }
  }

  CheckpointRun run_;
};

}  // namespace

std::unique_ptr<Kernel> make_checkpoint_kernel(KernelSetting setting, CheckpointRun run) {
  return std::make_unique<CheckpointKernel>(std::move(setting), run);
}

}  // namespace sill::kernels
