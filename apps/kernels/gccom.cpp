#include "kernels/gccom.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/awp_volume_arrays.hpp"
#include "kernels/expected_content.hpp"
#include "kernels/gccom_arrays.hpp"
#include "kernels/time_loop.hpp"
#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/cdf/cdf_file.hpp"
#include "sill/io/arrays/dataset_writer.hpp"
#include "sill/layout/grid_decomposition.hpp"

namespace sill::kernels {

GccomKernel::GccomKernel(KernelSetting setting, GccomRun run) : Kernel(std::move(setting)), run_(std::move(run)) {
  std::int64_t room = std::numeric_limits<std::int64_t>::max() / 8 / 16 / run_.phases;
  for (const std::int64_t points : run_.grid) room = points < 1 ? 0 : room / points;
  if (run_.grid.size() == 3 && room > 0) return;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("{} phases of {} points cannot be written", format_count(run_.phases),
                                      fmt::join(run_.grid, " x ")),
               .action = "for example --grid 401x6x201"});
}

std::string GccomKernel::sizes() const {
  return fmt::format("{} points, {} variables", fmt::join(run_.grid, " x "), gccom_variables.size());
}

std::vector<std::pair<std::string, std::int64_t>> GccomKernel::numbers() const {
  return {{"points_x", run_.grid[0]}, {"points_y", run_.grid[1]}, {"points_z", run_.grid[2]}, {"phases", run_.phases}};
}

std::vector<std::string> GccomKernel::paths() const { return {folder() + "/gccom.nc"}; }

DatasetDescription GccomKernel::description() const { return gccom_description(run_.grid); }

std::int64_t GccomKernel::file_bytes() const {
  const cdf::FileLayout layout = cdf::layout_of(description(), {});
  return layout.records_begin + run_.phases * layout.record_bytes;
}

// Blocks with the least surface.
Box GccomKernel::box_of(int rank, int ranks) const {
  const Index shape{run_.grid[2], run_.grid[1], run_.grid[0]};
  return GridDecomposition::blocks(shape, process_grid(ranks, shape)).box_of(rank);
}

KernelCosts GccomKernel::run(const Resources& resources) const {
  Communicator& comm = resources.comm;
  KernelCosts costs;
  const Stopwatch whole;
  GccomArrays arrays = run_and_agree(comm, [&] { return GccomArrays(box_of(comm.rank(), comm.size()), run_.grid); });
  DatasetWriter writer(resources, paths().front(), description(), {.existing = DatasetOptions::Existing::replace});
  costs.setup_s = whole.seconds();
  const auto parts_of = [&](auto names, std::int64_t step, bool is_step) {
    arrays.compute(names.size(), is_step ? step : -1);
    std::vector<ArrayPart> parts;
    for (std::size_t v = 0; v < names.size(); ++v) {
      parts.emplace_back(std::string(names[v]), arrays.mine, arrays.stored, arrays.values[v].data());
    }
    return parts;
  };
  for (std::int64_t step = 0; step < run_.phases; ++step) {
    kernels::compute(compute_ms());
    if (step == 0) {
      const std::vector<ArrayPart> positions = parts_of(gccom_positions, 0, false);
      const Stopwatch phase;
      writer.write(positions);
      costs.output_s += phase.seconds();
    }
    const std::vector<ArrayPart> parts = parts_of(gccom_variables, step, true);
    const Stopwatch phase;
    writer.write_step(parts);
    costs.output_s += phase.seconds();
    ++costs.phases;
  }
  const Stopwatch closing;
  writer.close();
  costs.output_s += closing.seconds();
  costs.loop_s = whole.seconds() - costs.setup_s;
  make_longest(comm, costs);
  return costs;
}

// Places are computed from the sizes alone: header, at a multiple of 512 positions, then records.
void GccomKernel::verify(const Resources& resources) const {
  run_on_rank(resources.comm, 0, [&] {
    const std::vector<std::byte> header = cdf::header_of(description(), cdf::layout_of(description(), {}), run_.phases);
    const std::int64_t points = run_.grid[0] * run_.grid[1] * run_.grid[2];
    const std::int64_t first = (static_cast<std::int64_t>(header.size()) + 511) / 512 * 512;
    const std::int64_t records = first + 8 * points * static_cast<std::int64_t>(gccom_positions.size());
    const auto variables = static_cast<std::int64_t>(gccom_variables.size());
    const auto byte_at = [&](std::int64_t at) {
      if (at < static_cast<std::int64_t>(header.size())) return header[static_cast<std::size_t>(at)];
      if (at < first) return std::byte{0};
      const bool is_position = at < records;
      const std::int64_t part = (at - (is_position ? first : records)) / (8 * points);
      const std::int64_t point = (at - first) % (8 * points) / 8;
      std::array<std::byte, 8> value;
      store(
          value.data(),
          gccom_value(point / (run_.grid[0] * run_.grid[1]), point / run_.grid[0] % run_.grid[1], point % run_.grid[0],
                      is_position ? part : part % variables, is_position ? -1 : part / variables),
          ByteOrder::big);
      return value[static_cast<std::size_t>((at - first) % 8)];
    };
    require_content(paths().front(), records + run_.phases * variables * 8 * points,
                    [&](ByteRange range, std::span<std::byte> bytes) {
                      for (std::size_t i = 0; i < bytes.size(); ++i) {
                        bytes[i] = byte_at(range.offset + static_cast<std::int64_t>(i));
                      }
                    });
  });
}

}  // namespace sill::kernels
