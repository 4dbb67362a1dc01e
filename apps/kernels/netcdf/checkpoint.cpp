#include "kernels/netcdf/checkpoint.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "kernels/netcdf/gccom_arrays.hpp"
#include "kernels/time_loop.hpp"
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

}  // namespace

CheckpointKernel::CheckpointKernel(KernelSetting setting, CheckpointRun run) : Kernel(std::move(setting)), run_(run) {
  if (run_.grid < 1 || run_.variables < 1 || run_.grid > 1'000'000) {
    throw usage_error(
        fmt::format("{} variables of {} points in each direction cannot be written", run_.variables, run_.grid),
        "for example --grid 200 --variables 12");
  }
  (void)product_bytes(product_bytes(run_.grid * run_.grid, run_.grid), product_bytes(16, run_.variables));
}

std::string CheckpointKernel::sizes() const {
  return fmt::format("{0} x {0} x {0} points, {1} variables", run_.grid, run_.variables);
}

std::vector<std::pair<std::string, std::int64_t>> CheckpointKernel::numbers() const {
  return {{"grid", run_.grid}, {"variables", run_.variables}, {"phases", run_.phases}};
}

KernelDataset CheckpointKernel::dataset() const {
  DatasetDescription description{
      .dimensions = {{"time", unlimited}, {"z", run_.grid}, {"y", run_.grid}, {"x", run_.grid}}};
  for (std::size_t v = 0; v < static_cast<std::size_t>(run_.variables); ++v)
    description.variables.push_back({variable_name(v), ElementType::f8, {"time", "z", "y", "x"}});
  return {folder() + "/state",
          Container::checkpoint,
          std::move(description),
          run_.phases,
          {},
          [n = run_.grid](std::size_t variable, std::int64_t step, std::int64_t element) {
            return gccom_value(element / (n * n), element / n % n, element % n, static_cast<std::int64_t>(variable),
                               step);
          }};
}

template <class Write>
KernelCosts CheckpointKernel::loop(const Resources& resources, Write&& write) const {
  Communicator& comm = resources.comm;
  const Index grid{run_.grid, run_.grid, run_.grid};
  KernelCosts costs;
  const Stopwatch whole;
  const auto variables = static_cast<std::size_t>(run_.variables);
  GccomArrays arrays =
      run_and_agree(comm, [&] { return GccomArrays(gccom_box(grid, comm.rank(), comm.size()), grid, variables); });
  costs.setup_s = whole.seconds();
  for (std::int64_t step = 0; step < run_.phases; ++step) {
    arrays.compute(variables, step);
    kernels::compute(compute_ms());
    const Stopwatch phase;
    write(step, arrays);
    costs.output_s += phase.seconds();
    ++costs.phases;
  }
  costs.loop_s = whole.seconds() - costs.setup_s;
  return costs;
}

KernelCosts CheckpointKernel::run(const Resources& resources) const {
  const KernelDataset files = dataset();
  DatasetWriter writer(resources, files.path(), files.description, files.options());
  KernelCosts costs = loop(resources, [&](std::int64_t, const GccomArrays& arrays) {
    std::vector<ArrayPart> parts;
    for (std::size_t v = 0; v < arrays.values.size(); ++v)
      parts.emplace_back(variable_name(v), arrays.mine, arrays.stored, arrays.values[v].data());
    writer.write_step(parts);
  });
  costs.loop_s += close_output(writer, costs);
  make_longest(resources.comm, costs);
  return costs;
}

KernelCosts CheckpointKernel::run_original(const Resources& resources, Meter& meter) const {
  Communicator& comm = resources.comm;
  const KernelDataset files = dataset();
  const Index grid{run_.grid, run_.grid, run_.grid};
  const auto points = static_cast<std::size_t>(run_.grid * run_.grid * run_.grid);
  std::vector<double> whole_grid(comm.rank() == 0 ? points : 0);
  std::vector<double> received;
  KernelCosts costs = loop(resources, [&](std::int64_t step, const GccomArrays& arrays) {
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(nullptr, std::fclose);
    const DatasetDescription description = described_generation(files.description, step + 1, {});
    const cdf::FileLayout layout = cdf::layout_of(description, {});
    BlockChecksums blocks = checksums_of(layout);
    const std::string path = generation_path(files.path(), step + 1);
    const auto write = [&](std::int64_t at, std::span<const std::byte> bytes) {
      const Stopwatch writing;
      const bool is_written = std::fseek(file.get(), at, SEEK_SET) == 0 &&
                              std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
      if (!is_written) throw system_error(errno, "fwrite", {.file = path, .byte = at});
      meter.count_writes(1, static_cast<std::int64_t>(bytes.size()), writing.seconds());
    };
    run_on_rank(comm, 0, [&] {
      const Stopwatch opening;
      file.reset(std::fopen(path.c_str(), "wb"));
      if (file == nullptr) throw system_error(errno, "fopen", {.file = path});
      meter.count_open(opening.seconds());
    });
    for (std::size_t v = 0; v < arrays.values.size(); ++v) {
      collect_on_root(comm, grid, arrays, arrays.values[v], whole_grid, received);
      run_on_rank(comm, 0, [&] {
        for (double& each : whole_grid) store(reinterpret_cast<std::byte*>(&each), double{each}, ByteOrder::big);
        const std::span<const std::byte> bytes = std::as_bytes(std::span(whole_grid));
        blocks.add(layout.begins[v], bytes);
        write(layout.begins[v], bytes);
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
      write(layout.begins.back(), sums);
      write(0, header);
      const Stopwatch closing;
      if (std::fclose(file.release()) != 0) throw system_error(errno, "fclose", {.file = path});
      meter.count_close(closing.seconds());
    });
  });
  make_longest(comm, costs);
  return costs;
}

}  // namespace sill::kernels
