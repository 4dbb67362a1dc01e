#include "sill/io/simulation/surface_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <list>
#include <memory>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/first_index.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/same_text.hpp"
#include "sill/io/simulation/continued_files.hpp"

namespace sill {
namespace {

using surface::InterleavedPlane;
using surface::Quantity;

std::string all_of(const DistributedGrid& grid, const SurfaceOptions& options) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}", options.prefix, fmt::join(grid.shape, ","),
                     options.xy_at_z.value_or(-1), options.xz_at_y.value_or(-1), options.yz_at_x.value_or(-1),
                     options.first_plane_row, options.plane_rows, fmt::join(options.origin, ","),
                     fmt::join(options.spacing, ","), options.displacement, static_cast<int>(options.order),
                     options.continues_after);
}

}  // namespace

SurfaceWriter::SurfaceWriter(const Resources& resources, DistributedGrid grid, SurfaceOptions options)
    : resources_(resources), grid_(std::move(grid)), options_(std::move(options)) {
  Communicator& comm = resources_.comm;
  require_same_on_all(
      comm, [&] { return all_of(grid_, options_); }, "surface output: the ranks were given different grids or options");
  planes_ = run_and_agree(comm, [&] {
    grid_ = sound_grid(std::move(grid_), "surface output");
    return checked_planes();
  });
  const std::vector<DistributedPoints> points = run_and_agree(comm, [&] {
    std::vector<DistributedPoints> of_planes;
    for (const PlaneFile& file : planes_) {
      of_planes.push_back({fmt::format("{}, which make a plane,", points_text(file.form.points)),
                           file.form.points.items(), file.mine.items()});
    }
    return of_planes;
  });
  require_all_points(comm, points, "surface output");
  require_folder_of(comm, options_.prefix);
  if (options_.continues_after > 0)
    run_on_rank(comm, 0, [&] { remove_later_files(targets(0), "00.vtk", options_.continues_after); });
  phases_.emplace(resources_, options_.prefix, resources_.memory());
}

std::vector<SurfaceWriter::PlaneFile> SurfaceWriter::checked_planes() const {
  const Index& shape = grid_.shape;
  const std::int64_t first_row = options_.first_plane_row;
  const bool has_rows = first_row >= 0 && first_row < shape[2];
  if (!has_rows || options_.plane_rows < 0 || options_.plane_rows > shape[2] - first_row) {
    refuse_output("surface",
                  fmt::format("{} rows of a plane starting at {}, in a grid with {}", options_.plane_rows,
                              first_row + first_index(), shape[2]),
                  "give rows inside the grid");
  }
  const std::int64_t rows = options_.plane_rows > 0 ? options_.plane_rows : shape[2] - first_row;
  std::vector<PlaneFile> planes;
  constexpr std::int64_t max_files = 6;
  const auto add = [&](surface::Plane plane, std::size_t fixed, std::optional<std::int64_t> at) {
    if (!at) return;
    if (*at < 0 || *at >= shape[fixed]) {
      refuse_output("surface",
                    fmt::format("a plane at {} = {} of a grid with {} points in this dimension", "xyz"[fixed],
                                *at + first_index(), shape[fixed]),
                    fmt::format("count from {} and choose a plane within the grid", first_index()));
    }
    PlaneFile& file = planes.emplace_back();
    file.plane = plane;
    file.form = {whole(shape), options_.origin, options_.spacing};
    Box& points = file.form.points;
    if (fixed != 2) {
      points.first[2] = first_row;
      points.count[2] = rows;
    }
    points.first[fixed] = *at;
    points.count[fixed] = 1;
    require_possible(file.form);
    if (file_bytes(file.form) > std::numeric_limits<std::int64_t>::max() / max_files) {
      refuse_output("surface", fmt::format("planes of {} are too large", points_text(points)), "write smaller ones");
    }
    file.header = header_of(file.form);
    file.mine = intersection(points, grid_.mine);
  };
  add(surface::Plane::xy, 2, options_.xy_at_z);
  add(surface::Plane::xz, 1, options_.xz_at_y);
  add(surface::Plane::yz, 0, options_.yz_at_x);
  if (planes.empty()) refuse_output("surface", "no plane is chosen", "give the index of at least one plane");
  return planes;
}

void SurfaceWriter::require_fields(std::span<const VectorField> fields) const {
  for (const VectorField& field : fields) {
    for (std::size_t c = 0; c < field.size(); ++c) {
      if (static_cast<std::int64_t>(field[c].size()) == grid_.stored.items()) continue;
      refuse_output("surface",
                    fmt::format("component {} of the {} has {} values, the rank stores {}", "xyz"[c],
                                &field == fields.data() ? "velocity" : "displacement", field[c].size(),
                                points_text(grid_.stored)),
                    "give a value for each stored point");
    }
  }
}

std::vector<std::string> SurfaceWriter::targets(std::int64_t step) const {
  std::vector<std::string> names;
  for (const Quantity quantity : {Quantity::velocity, Quantity::displacement}) {
    if (quantity == Quantity::displacement && !options_.displacement) break;
    for (const PlaneFile& file : planes_) names.push_back(file_name(options_.prefix, file.plane, quantity, step));
  }
  return names;
}

OutputPhase SurfaceWriter::phase_at(std::int64_t step, const VectorField& velocity,
                                    const VectorField& displacement) const {
  if (is_closed_)
    refuse_output("surface", "a phase is written after the writer was closed", "close the writer after the last phase");
  const bool has_displacement = std::any_of(displacement.begin(), displacement.end(),
                                            [](std::span<const float> values) { return !values.empty(); });
  if (has_displacement && !options_.displacement) {
    refuse_output("surface", "displacement is passed, but only velocity was announced",
                  "set the option for displacement, or pass only velocity");
  }
  const std::array<VectorField, 2> fields{velocity, displacement};
  require_fields({fields.data(), options_.displacement ? std::size_t{2} : std::size_t{1}});
  OutputPhase phase{.paths = targets(step)};
  const auto encoders = std::make_shared<std::list<InterleavedPlane>>();
  phase.holds = encoders;
  std::vector<Extent> extents;
  for (std::size_t i = 0; i < phase.paths.size(); ++i) {
    const PlaneFile& file = planes_[i % planes_.size()];
    if (file.mine.empty()) continue;
    const VectorField& field = fields[i / planes_.size()];
    const auto number = static_cast<int>(i);
    // The rank with the first point writes the header, so that the file involves only ranks with points.
    if (file.mine.first == file.form.points.first) {
      extents.push_back(contiguous(number, {0, static_cast<std::int64_t>(file.header.size())},
                                   std::as_bytes(std::span(file.header)).data()));
    }
    encoders->emplace_back(surface::plane_arrays(file.mine, grid_.stored,
                                                 {field[0].data(), field[1].data(), field[2].data()}, options_.order));
    extents.push_back(extent_of(number, file.form, file.mine, encoders->back()));
  }
  phase.plan = AccessPlan::for_writing(std::move(extents));
  return phase;
}

void SurfaceWriter::write_phase(std::int64_t step, const VectorField& velocity, const VectorField& displacement,
                                Memory memory) {
  OutputCall call(resources_.meter);
  phases_->write(
      call, {step, unequal_steps_of("surface")}, [&] { return phase_at(step, velocity, displacement); }, memory);
}

void SurfaceWriter::close() {
  is_closed_ = true;
  wait();
}

void SurfaceWriter::wait() {
  const OutputCall call(resources_.meter);
  phases_->wait();
}

std::int64_t SurfaceWriter::phase_bytes() const {
  std::int64_t bytes = 0;
  for (const PlaneFile& file : planes_) bytes += file_bytes(file.form);
  return options_.displacement ? 2 * bytes : bytes;
}

}  // namespace sill
