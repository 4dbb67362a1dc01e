#include "kernels/awp_volume.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/awp_volume_arrays.hpp"
#include "kernels/expected_content.hpp"
#include "kernels/time_loop.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"

namespace sill::kernels {
namespace {

constexpr std::array<char, 3> letters{'X', 'Y', 'Z'};

}  // namespace

VolumeKernel::VolumeKernel(KernelSetting setting, VolumeRun run) : Kernel(std::move(setting)), run_(std::move(run)) {
  const bool has_points = run_.grid.size() == 3 && std::ranges::min(run_.grid) > 0;
  if (!has_points || run_.skip < 1 || run_.skip > std::ranges::min(run_.grid)) {
    throw usage_error(fmt::format("a grid of {} points has no points if one in {} is written in each dimension",
                                  fmt::join(run_.grid, " x "), run_.skip),
                      "for example --grid 400x200x100 --skip 2");
  }
  std::int64_t room = std::numeric_limits<std::int64_t>::max() / volume::value_bytes;
  // Includes the surrounding ghost points.
  for (const std::int64_t points : run_.grid)
    room /= points > room - 2 * ghost_layers ? room + 1 : points + 2 * ghost_layers;
  const std::int64_t samples = std::max<std::int64_t>(1, run_.steps / run_.every) * std::ssize(letters);
  if (room >= samples) return;
  throw usage_error(fmt::format("{} samples of {} points are too many", samples, fmt::join(run_.grid, " x ")),
                    "make the grid smaller");
}

std::string VolumeKernel::sizes() const {
  return fmt::format("{} points, one in {} of them in each dimension, {} steps, a sample every {}, {} per file",
                     fmt::join(run_.grid, " x "), format_count(run_.skip), format_count(run_.steps),
                     format_count(run_.every), format_count(run_.samples_per_file));
}

std::vector<std::pair<std::string, std::int64_t>> VolumeKernel::numbers() const {
  return {{"points_x", run_.grid[0]}, {"points_y", run_.grid[1]}, {"points_z", run_.grid[2]},      {"skip", run_.skip},
          {"steps", run_.steps},      {"every", run_.every},      {"batch", run_.samples_per_file}};
}

// In each dimension the last stored point is followed by a multiple of the skip: of 10125 points the paper stores 5062.
volume::FileForm VolumeKernel::form(std::int64_t samples) const {
  volume::FileForm form{.samples = samples};
  for (std::size_t d = 0; d < 3; ++d) {
    form.kept[d] = {.first = 0, .last = run_.grid[d] / run_.skip * run_.skip - 1, .skip = run_.skip};
  }
  return form;
}

VolumeOptions VolumeKernel::options() const {
  return {.prefix = folder() + "/",
          .kept = form(1).kept,
          .steps_per_sample = run_.every,
          .samples_per_file = run_.samples_per_file};
}

std::vector<std::int64_t> VolumeKernel::batch_ends() const {
  const std::int64_t samples = run_.steps / run_.every;
  std::vector<std::int64_t> ends;
  for (std::int64_t first = 0; first < samples; first += run_.samples_per_file) {
    ends.push_back(std::min(first + run_.samples_per_file, samples) * run_.every);
  }
  return ends;
}

// Returns the process grid, for the report.
std::vector<std::pair<std::string, std::int64_t>> VolumeKernel::parts(int ranks) const {
  const Index parts = process_grid(ranks, run_.grid);
  return {{"parts_x", parts[0]}, {"parts_y", parts[1]}, {"parts_z", parts[2]}};
}

std::string VolumeKernel::path(char component, std::int64_t step) const {
  return volume::file_name(folder() + "/", component, step);
}

std::vector<std::string> VolumeKernel::paths() const {
  std::vector<std::string> paths;
  for (const std::int64_t end : batch_ends()) {
    for (const char letter : letters) paths.push_back(path(letter, end));
  }
  return paths;
}

std::int64_t VolumeKernel::file_bytes() const {
  return volume::file_bytes(form(run_.steps / run_.every * std::ssize(letters)));
}

KernelCosts VolumeKernel::run(const Resources& resources) const {
  Communicator& comm = resources.comm;
  RunClock clock(comm);
  VolumeArrays arrays = run_and_agree(comm, [&] { return VolumeArrays(run_.grid, comm.rank(), comm.size()); });
  VolumeWriter writer(resources, arrays.grid, options());
  clock.begin_loop();
  for (std::int64_t step = 1; step <= run_.steps; ++step) {
    compute(compute_ms());
    if (step % run_.every == 0) arrays.compute(step);
    clock.output([&] { writer.write_step(step, arrays.field()); });
  }
  clock.output([&] { writer.close(); });
  clock.costs.phases = writer.batches();
  clock.costs.more = parts(comm.size());
  return clock.finish();
}

void VolumeKernel::verify(const Resources& resources) const {
  Communicator& comm = resources.comm;
  run_and_agree(comm, [&] {
    const std::int64_t x_kept = run_.grid[0] / run_.skip;
    const std::int64_t y_kept = run_.grid[1] / run_.skip;
    const std::int64_t z_kept = run_.grid[2] / run_.skip;
    std::int64_t file = 0;
    std::int64_t first_sample = 1;
    for (const std::int64_t end : batch_ends()) {
      const std::int64_t samples = end / run_.every - first_sample + 1;
      for (std::int64_t c = 0; c < std::ssize(letters); ++c) {
        if (file++ % comm.size() != comm.rank()) continue;
        const auto value_of = [&](std::int64_t number) {
          const std::int64_t x = number % x_kept;
          const std::int64_t y = number / x_kept % y_kept;
          const std::int64_t down = number / (x_kept * y_kept) % z_kept;
          const std::int64_t sample = number / (x_kept * y_kept * z_kept);
          return volume_value(x * run_.skip, y * run_.skip, run_.grid[2] - 1 - down * run_.skip, c,
                              (first_sample + sample) * run_.every);
        };
        require_content(path(letters[static_cast<std::size_t>(c)], end), samples * x_kept * y_kept * z_kept * 4,
                        [&](ByteRange range, std::span<std::byte> bytes) {
                          for (std::int64_t at = range.offset; at < range.end();) {
                            const std::int64_t within = at % 4;
                            const std::int64_t length = std::min(4 - within, range.end() - at);
                            const float value = value_of(at / 4);
                            std::array<std::byte, 4> native;
                            std::memcpy(native.data(), &value, 4);
                            std::memcpy(bytes.data() + (at - range.offset), native.data() + within,
                                        static_cast<std::size_t>(length));
                            at += length;
                          }
                        });
      }
      first_sample += samples;
    }
  });
}

}  // namespace sill::kernels
