// The output of the FLASH code: a checkpoint and two plot files, blocks of an adaptive mesh with guard cells.
#include <fmt/format.h>

#include <array>

#include "kernels/kernels.hpp"
#include "kernels/netcdf/flash_arrays.hpp"
#include "kernels/netcdf/kernel_dataset.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/arrays/dataset_writer.hpp"

namespace sill::kernels {
namespace {

// Three netCDF files: the checkpoint with 24 unknowns of 8 bytes and the tree of blocks; the plot file with four of
// the unknowns as 4 bytes; the plot file of values at the corners of zones.
class FlashKernel final : public DatasetKernel {
 public:
  FlashKernel(KernelSetting setting, FlashRun run, int ranks)
      : DatasetKernel(std::move(setting), "flash", run.container), run_(run), ranks_(ranks) {
    if (run_.blocks < 1 || run_.zones < 1) {
      throw usage_error(fmt::format("{} blocks of {} zones cannot be written", run_.blocks, run_.zones),
                        "for example --blocks 80 --zones 16");
    }
    // Checks the memory of a rank, which is larger than its output.
    const std::int64_t edge = sum_bytes(run_.zones, 2 * flash_guard_cells);
    const std::int64_t block = product_bytes(product_bytes(edge, edge), product_bytes(edge, 8 * 24));
    (void)product_bytes(product_bytes(run_.blocks, ranks_), block);
  }

  [[nodiscard]] std::string sizes() const override {
    return fmt::format("{} of {} x {} x {} zones, {} unknowns", format_count(run_.blocks * ranks_, "block"), run_.zones,
                       run_.zones, run_.zones, flash_unknowns.size());
  }

  [[nodiscard]] KernelNumbers numbers() const override { return {{"blocks", run_.blocks}, {"zones", run_.zones}}; }

  /// Collective. Writes with a DatasetWriter per file, directly from the arrays of unknowns.
  void write(const Resources& resources, RunClock& clock) const override { write_files(resources, clock, false); }

  /// Collective. Writes with PnetCDF, without fill values: each rank copies one unknown at a time out of its blocks and
  /// starts to write it with a non-blocking call; all calls are completed together before the file is closed.
  void write_as_original(const Resources& resources, Meter& meter, RunClock& clock) const override {
    require_netcdf();
    Resources of_original = resources;
    of_original.meter = &meter;
    write_files(of_original, clock, true);
  }

 private:
  [[nodiscard]] std::vector<KernelDataset> datasets() const override {
    return {dataset_of(File::checkpoint), dataset_of(File::centred), dataset_of(File::corner)};
  }

  enum class File { checkpoint, centred, corner };
  static constexpr std::array files{File::checkpoint, File::centred, File::corner};

  [[nodiscard]] KernelDataset dataset_of(File file) const {
    const bool is_checkpoint = file == File::checkpoint;
    const std::int64_t points = run_.zones + (file == File::corner ? 1 : 0);
    const auto unknowns = is_checkpoint ? static_cast<std::int64_t>(flash_unknowns.size()) : flash_plotted;
    const char* const name = is_checkpoint ? "/flash_chk" : file == File::centred ? "/flash_plt_cnt" : "/flash_plt_crn";
    return {
        folder() + name,
        container(),
        flash_description(run_.blocks * ranks_, points, unknowns, is_checkpoint ? ElementType::f8 : ElementType::f4),
        0,
        form(),
        [points](std::size_t variable, std::int64_t, std::int64_t element) {
          if (variable < flash_tree.size()) {
            constexpr std::array<std::int64_t, flash_tree.size()> of_block{1, 1, flash_neighbours, 3, 3, 6};
            return flash_tree_value(variable, element / of_block[variable], element % of_block[variable]);
          }
          return flash_value(element / (points * points * points), element / (points * points) % points,
                             element / points % points, element % points,
                             static_cast<std::int64_t>(variable - flash_tree.size()));
        }};
  }

  void write_files(const Resources& resources, RunClock& clock, bool is_original) const {
    Communicator& comm = resources.comm;
    const std::int64_t edge = run_.zones + 2 * flash_guard_cells;
    const std::int64_t unknown_bytes =
        8 * static_cast<std::int64_t>(flash_unknowns.size()) * run_.blocks * edge * edge * edge;
    run_and_agree(comm, [&] {
      if (unknown_bytes <= resources.memory_limit() / comm.ranks_on_node()) return;
      throw usage_error(
          fmt::format("the unknowns of a rank need {}, but the rank may use {}", format_bytes(unknown_bytes),
                      format_bytes(resources.memory_limit() / comm.ranks_on_node())),
          "give fewer blocks, or smaller ones");
    });
    FlashArrays arrays =
        run_and_agree(comm, [&] { return FlashArrays(comm.rank() * run_.blocks, run_.blocks, run_.zones); });
    clock.begin_loop();
    compute();
    clock.phase([&] {
      for (const File file : files) {
        const KernelDataset of_file = dataset_of(file);
        DatasetOptions options = of_file.options();
        if (is_original) options.container = Container::pnetcdf;
        DatasetWriter writer(resources, of_file.path(), of_file.description, options);
        const auto unknowns = static_cast<std::int64_t>(of_file.description.variables.size() - flash_tree.size());
        writer.write(flash_parts(arrays, unknowns, file == File::corner));
        writer.close();
      }
    });
  }

  FlashRun run_;
  int ranks_;
};

}  // namespace

std::unique_ptr<Kernel> make_flash_kernel(KernelSetting setting, FlashRun run, int ranks) {
  return std::make_unique<FlashKernel>(std::move(setting), run, ranks);
}

}  // namespace sill::kernels
