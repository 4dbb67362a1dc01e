// The output of the FLASH code: a checkpoint and two plot files, blocks of an adaptive mesh with guard cells.
#include <fmt/format.h>

#include <array>

#include "kernels/kernels.hpp"
#include "kernels/netcdf/flash_arrays.hpp"
#include "kernels/netcdf/kernel_dataset.hpp"
#include "kernels/time_loop.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/arrays/dataset_writer.hpp"

namespace sill::kernels {
namespace {

// Three netCDF files: the checkpoint with 24 unknowns of 8 bytes and the tree of blocks; the plot file with four of
// the unknowns as 4 bytes; the plot file of values at the corners of zones.
class FlashKernel final : public Kernel {
 public:
  FlashKernel(KernelSetting setting, FlashRun run, int ranks)
      : Kernel(std::move(setting)), run_(run), layout_(settled(run.container, {}, "")), ranks_(ranks) {
    if (run_.blocks < 1 || run_.zones < 1) {
      throw usage_error(fmt::format("{} blocks of {} zones cannot be written", run_.blocks, run_.zones),
                        "for example --blocks 80 --zones 16");
    }
    // Checks the memory of a rank, which is larger than its output.
    const std::int64_t edge = sum_bytes(run_.zones, 2 * flash_guard_cells);
    const std::int64_t block = product_bytes(product_bytes(edge, edge), product_bytes(edge, 8 * 24));
    (void)product_bytes(product_bytes(run_.blocks, ranks_), block);
  }

  void use(const DatasetLayouts& layouts) override { layout_ = settled(run_.container, layouts, "flash"); }
  [[nodiscard]] bool is_netcdf() const override { return is_one_file(layout_.container); }
  [[nodiscard]] std::string name() const override { return "flash"; }
  [[nodiscard]] std::string sizes() const override {
    return fmt::format("{} blocks of {} x {} x {} zones, {} unknowns", format_count(run_.blocks * ranks_), run_.zones,
                       run_.zones, run_.zones, flash_unknowns.size());
  }

  [[nodiscard]] KernelNumbers numbers() const override { return {{"blocks", run_.blocks}, {"zones", run_.zones}}; }

  [[nodiscard]] std::vector<std::string> paths() const override {
    std::vector<std::string> all;
    for (const File file : files) {
      for (std::string& path : dataset(file).paths()) all.push_back(std::move(path));
    }
    return all;
  }

  [[nodiscard]] std::int64_t file_bytes() const override {
    std::int64_t bytes = 0;
    for (const File file : files) bytes = sum_bytes(bytes, dataset(file).bytes());
    return bytes;
  }

  /// Collective. Writes with a DatasetWriter per file, directly from the arrays of unknowns.
  [[nodiscard]] KernelCosts run(const Resources& resources) const override { return write(resources, false); }

  /// Collective. Writes with PnetCDF, without fill values: each rank copies one unknown at a time out of its blocks and
  /// starts to write it with a non-blocking call; all calls are completed together before the file is closed.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const override {
    require_netcdf(layout_.container);
    Resources of_original = resources;
    of_original.meter = &meter;
    return write(of_original, true);
  }

  void verify(const Resources& resources) const override {
    for (const File file : files) dataset(file).verify(resources);
  }

 private:
  enum class File { checkpoint, centred, corner };
  static constexpr std::array files{File::checkpoint, File::centred, File::corner};

  [[nodiscard]] KernelDataset dataset(File file) const {
    const bool is_checkpoint = file == File::checkpoint;
    const std::int64_t points = run_.zones + (file == File::corner ? 1 : 0);
    const auto unknowns = is_checkpoint ? static_cast<std::int64_t>(flash_unknowns.size()) : flash_plotted;
    const char* const name = is_checkpoint ? "/flash_chk" : file == File::centred ? "/flash_plt_cnt" : "/flash_plt_crn";
    return {
        folder() + name,
        layout_.container,
        flash_description(run_.blocks * ranks_, points, unknowns, is_checkpoint ? ElementType::f8 : ElementType::f4),
        0,
        layout_.form,
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

  [[nodiscard]] KernelCosts write(const Resources& resources, bool is_original) const {
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
    RunClock clock(comm);
    FlashArrays arrays =
        run_and_agree(comm, [&] { return FlashArrays(comm.rank() * run_.blocks, run_.blocks, run_.zones); });
    clock.begin_loop();
    kernels::compute(compute_ms());
    clock.phase([&] {
      for (const File file : files) {
        const KernelDataset of_file = dataset(file);
        DatasetOptions options = of_file.options();
        if (is_original) options.container = Container::pnetcdf;
        DatasetWriter writer(resources, of_file.path(), of_file.description, options);
        const auto unknowns = static_cast<std::int64_t>(of_file.description.variables.size() - flash_tree.size());
        writer.write(flash_parts(arrays, unknowns, file == File::corner));
        writer.close();
      }
    });
    return clock.finish();
  }

  FlashRun run_;
  KernelLayout layout_;
  int ranks_;
};

}  // namespace

std::unique_ptr<Kernel> make_flash_kernel(KernelSetting setting, FlashRun run, int ranks) {
  return std::make_unique<FlashKernel>(std::move(setting), run, ranks);
}

}  // namespace sill::kernels
