// The volume output with the requests of the original program: a datatype lists the position of each element, or row.
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "kernels/awp_volume.hpp"
#include "kernels/awp_volume_arrays.hpp"
#include "kernels/mpiio_elements.hpp"
#include "kernels/time_loop.hpp"
#include "sill/comm/agree.hpp"

namespace sill::kernels {
namespace {

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

}  // namespace

KernelCosts VolumeKernel::run_original(const Resources& resources, Meter& meter) const {
  Communicator& comm = resources.comm;
  RunClock clock(comm);
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
  const std::int64_t max_samples = std::min(run_.samples_per_file, std::max<std::int64_t>(1, run_.steps / run_.every));
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
  double added_s = 0;  // for guards and positions that the program does not need
  for (std::int64_t step = 1; step <= run_.steps; ++step) {
    compute(compute_ms());
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
    double writing_s = 0;
    if (samples != max_samples) make_places(samples);
    for (std::size_t c = 0; c < kept.size(); ++c) {
      const std::span<const float> values = std::span(kept[c]).first(static_cast<std::size_t>(samples) * points);
      writing_s += places->write(path("XYZ"[c], step), std::as_bytes(values), meter);
    }
    clock.costs.output_s += writing_s;
    added_s += batch.seconds() - writing_s;
    samples = 0;
    ++clock.costs.phases;
  }
  clock.costs.more = parts(comm.size());
  return clock.finish(added_s);
}

}  // namespace sill::kernels
