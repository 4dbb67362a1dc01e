// The volume output of AWP-ODC as a kernel: a time loop that computes nothing and samples a distributed grid.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/awp_volume_arrays.hpp"
#include "kernels/kernels.hpp"
#include "kernels/mpiio_elements.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/simulation/volume_writer.hpp"

namespace sill::kernels {
namespace {

constexpr std::array<char, 3> letters{'X', 'Y', 'Z'};

// Returns the position of each group of `row_points` elements of a batch in its file, in the order of the buffer:
// sample, z, y, x.
std::vector<std::int64_t> places_of(const volume::FileForm& form, const Box& part, std::int64_t row_points) {
  std::vector<std::int64_t> places;
  places.reserve(static_cast<std::size_t>(form.samples * part.items() / row_points));
  const Index kept = shape_of(form.kept);
  for (std::int64_t sample = 0; sample < form.samples; ++sample) {
    for (std::int64_t z = part.first[2]; z < part.first[2] + part.count[2]; ++z) {
      for (std::int64_t y = part.first[1]; y < part.first[1] + part.count[1]; ++y) {
        for (std::int64_t x = part.first[0]; x < part.first[0] + part.count[0]; x += row_points) {
          places.push_back((((sample * kept[2] + z) * kept[1] + y) * kept[0] + x) * volume::value_bytes);
        }
      }
    }
  }
  return places;
}

class VolumeKernel final : public Kernel {
 public:
  VolumeKernel(KernelSetting setting, VolumeRun run) : Kernel(std::move(setting), "awp-volume"), run_(std::move(run)) {
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

  [[nodiscard]] std::string sizes() const override {
    return fmt::format("{} points, one in {} of them in each dimension, {}, a sample every {}, {} per file",
                       fmt::join(run_.grid, " x "), format_count(run_.skip), format_count(run_.steps, "step"),
                       format_count(run_.every), format_count(run_.samples_per_file));
  }

  [[nodiscard]] KernelNumbers numbers() const override {
    return grid_numbers(
        run_.grid,
        {{"skip", run_.skip}, {"steps", run_.steps}, {"every", run_.every}, {"batch", run_.samples_per_file}});
  }

  [[nodiscard]] std::vector<std::string> paths() const override {
    std::vector<std::string> paths;
    for (const std::int64_t end : batch_ends()) {
      for (const char letter : letters) paths.push_back(path(letter, end));
    }
    return paths;
  }

  [[nodiscard]] std::int64_t file_bytes() const override {
    return volume::file_bytes(form(run_.steps / run_.every * std::ssize(letters)));
  }

  /// Collective. Writes with a VolumeWriter.
  void write(const Resources& resources, RunClock& clock) const override {
    Communicator& comm = resources.comm;
    VolumeArrays arrays = run_and_agree(comm, [&] { return VolumeArrays(run_.grid, comm.rank(), comm.size()); });
    VolumeWriter writer(resources, arrays.grid, options());
    clock.begin_loop();
    for (std::int64_t step = 1; step <= run_.steps; ++step) {
      compute();
      if (step % run_.every == 0) arrays.compute(step);
      clock.output([&] { writer.write_step(step, arrays.field()); });
    }
    clock.output([&] { writer.close(); });
    clock.costs.phases = writer.batches();
    clock.costs.more = parts(comm.size());
  }

  /// Collective. Writes as before the paper's optimization: with a datatype with an entry per element of a batch, and
  /// one collective MPI-IO write per file. With `has_row_types`, writes as the current program does. Also writes the
  /// last batch, which the original program loses if it is not full.
  void write_as_original(const Resources& resources, Meter& meter, RunClock& clock) const override {
    Communicator& comm = resources.comm;
    VolumeArrays arrays = run_and_agree(comm, [&] { return VolumeArrays(run_.grid, comm.rank(), comm.size()); });
    const auto surface = volume::Surface::at_last_z;
    const DistributedGrid& grid = arrays.grid;
    const Box part = kept_within(form(1).kept, from_surface(grid.mine, grid.shape[2], surface));
    const auto points = static_cast<std::size_t>(part.items());
    volume::Sample sample;
    if (points > 0) {
      sample = sample_of(form(1).kept, part, from_surface(grid.stored, grid.shape[2], surface), PointOrder::x_fastest,
                         surface);
    }
    const std::int64_t max_samples =
        std::min(run_.samples_per_file, std::max<std::int64_t>(1, run_.steps / run_.every));
    std::array<std::vector<float>, 3> kept;
    // Created once, as in the program; created again for a last batch that is not full.
    std::unique_ptr<MpiioElements> places;
    const auto make_places = [&](std::int64_t samples) {
      const std::int64_t row_points = run_.has_row_types && points > 0 ? part.count[0] : 1;
      const auto each = run_and_agree(comm, [&] { return places_of(form(samples), part, row_points); });
      places = std::make_unique<MpiioElements>(comm, row_points * volume::value_bytes, each);
    };
    run_and_agree(comm, [&] {
      for (std::vector<float>& of : kept) of.resize(static_cast<std::size_t>(max_samples) * points);
    });
    make_places(max_samples);
    clock.begin_loop();
    std::int64_t samples = 0;
    for (std::int64_t step = 1; step <= run_.steps; ++step) {
      compute();
      if (step % run_.every != 0) continue;
      arrays.compute(step);
      clock.output([&] {
        for (std::size_t c = 0; c < kept.size() && points > 0; ++c) {
          copy_sample(sample, {0, sample.count[1]}, arrays.values[c].data(),
                      kept[c].data() + static_cast<std::size_t>(samples) * points);
        }
      });
      ++samples;
      const bool is_last = step + run_.every > run_.steps;
      if (samples < max_samples && !is_last) continue;
      const Stopwatch batch;
      double writing_s = 0;  // without guards and positions that the program does not need
      if (samples != max_samples) make_places(samples);
      for (std::size_t c = 0; c < kept.size(); ++c) {
        const std::span<const float> values = std::span(kept[c]).first(static_cast<std::size_t>(samples) * points);
        writing_s += places->write(path("XYZ"[c], step), std::as_bytes(values), meter);
      }
      clock.costs.output_s += writing_s;
      clock.added_s += batch.seconds() - writing_s;
      samples = 0;
      ++clock.costs.phases;
    }
    clock.costs.more = parts(comm.size());
  }

  /// Collective. Compares each value in the files with the expected value at its position.
  void verify(const Resources& resources) const override {
    Communicator& comm = resources.comm;
    run_and_agree(comm, [&] {
      std::int64_t points = 1;
      for (const std::int64_t in_dimension : run_.grid) points *= in_dimension / run_.skip;
      std::int64_t file = 0;
      std::int64_t first_sample = 1;
      for (const std::int64_t end : batch_ends()) {
        const std::int64_t samples = end / run_.every - first_sample + 1;
        for (std::int64_t c = 0; c < std::ssize(letters); ++c) {
          if (file++ % comm.size() != comm.rank()) continue;
          const std::string written = path(letters[static_cast<std::size_t>(c)], end);
          require_content(written, 4 * points * samples, [&](ExpectedContent& expected) {
            for (std::int64_t s = first_sample; s < first_sample + samples; ++s)
              add_sample(c, s * run_.every, expected);
          });
        }
        first_sample += samples;
      }
    });
  }

 private:
  // Adds the written points of a component; the file begins with those of the last z.
  void add_sample(std::int64_t component, std::int64_t step, ExpectedContent& expected) const {
    for (std::int64_t down = 0; down < run_.grid[2] / run_.skip; ++down) {
      for (std::int64_t y = 0; y < run_.grid[1] / run_.skip; ++y) {
        for (std::int64_t x = 0; x < run_.grid[0] / run_.skip; ++x) {
          const std::int64_t z = run_.grid[2] - 1 - down * run_.skip;
          expected.add_value(volume_value(x * run_.skip, y * run_.skip, z, component, step));
        }
      }
    }
  }

  [[nodiscard]] VolumeOptions options() const {
    return {.prefix = folder() + "/",
            .kept = form(1).kept,
            .steps_per_sample = run_.every,
            .samples_per_file = run_.samples_per_file};
  }

  // In each dimension the last stored point is followed by a multiple of the skip: of 10125 points the paper stores
  // 5062.
  [[nodiscard]] volume::FileForm form(std::int64_t samples) const {
    volume::FileForm form{.samples = samples};
    for (std::size_t d = 0; d < 3; ++d) {
      form.kept[d] = {.first = 0, .last = run_.grid[d] / run_.skip * run_.skip - 1, .skip = run_.skip};
    }
    return form;
  }

  [[nodiscard]] std::vector<std::int64_t> batch_ends() const {
    const std::int64_t samples = run_.steps / run_.every;
    std::vector<std::int64_t> ends;
    for (std::int64_t first = 0; first < samples; first += run_.samples_per_file) {
      ends.push_back(std::min(first + run_.samples_per_file, samples) * run_.every);
    }
    return ends;
  }

  // Returns the process grid, for the report.
  [[nodiscard]] KernelNumbers parts(int ranks) const {
    const Index parts = process_grid(ranks, run_.grid);
    return {{"parts_x", parts[0]}, {"parts_y", parts[1]}, {"parts_z", parts[2]}};
  }

  [[nodiscard]] std::string path(char component, std::int64_t step) const {
    return volume::file_name(folder() + "/", component, step);
  }

  VolumeRun run_;
};

}  // namespace

std::unique_ptr<Kernel> make_volume_kernel(KernelSetting setting, VolumeRun run) {
  return std::make_unique<VolumeKernel>(std::move(setting), std::move(run));
}

}  // namespace sill::kernels
