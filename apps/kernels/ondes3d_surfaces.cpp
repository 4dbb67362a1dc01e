#include "kernels/ondes3d_surfaces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <span>

#include "kernels/expected_content.hpp"
#include "kernels/ondes3d_grid.hpp"
#include "kernels/time_loop.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"

namespace sill::kernels {
namespace {

constexpr double point_spacing_m = 200.0;

SurfaceOptions surface_options(const std::string& folder, const SurfaceRun& run) {
  return {.prefix = folder + "/",
          .xy_at_z = run.grid[2] - 1,
          .xz_at_y = run.grid[1] / 2,
          .yz_at_x = run.grid[0] / 2,
          .first_plane_row = run.grid[2] - run.plane_rows,
          .plane_rows = run.plane_rows,
          .spacing = {point_spacing_m, point_spacing_m, point_spacing_m},
          .displacement = run.displacement};
}

}  // namespace

float surface_value(std::size_t quantity, std::size_t component, std::int64_t x, std::int64_t y, std::int64_t z,
                    std::int64_t step) {
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  std::uint64_t bits = number(x) * 0x9E3779B97F4A7C15U + number(y) * 0xBF58476D1CE4E5B9U +
                       number(z) * 0x94D049BB133111EBU + number(step) * 0xD6E8FEB86659FD93U +
                       number(quantity * 3 + component) * 0xA0761D6478BD642FU;
  bits ^= bits >> 32U;
  bits *= 0xE7037ED1A0B428DBU;
  return static_cast<float>(static_cast<std::int32_t>(bits >> 39U) - (1 << 24)) * 0x1p-20F;
}

SurfaceFields::SurfaceFields(Box mine, std::size_t quantities) : mine_(std::move(mine)) {
  arrays_.resize(3 * quantities);
  for (std::vector<float>& array : arrays_) array.resize(static_cast<std::size_t>(mine_.items()));
}

void SurfaceFields::fill(const std::vector<Box>& planes, std::int64_t step) {
  const Index strides = row_major_strides(mine_.count, 1);
  for (const Box& plane : planes) {
    const Box part = intersection(plane, mine_);
    for (std::int64_t x = part.first[0]; x < part.first[0] + part.count[0]; ++x) {
      for (std::int64_t y = part.first[1]; y < part.first[1] + part.count[1]; ++y) {
        for (std::int64_t z = part.first[2]; z < part.first[2] + part.count[2]; ++z) {
          const std::int64_t at = offset_of({x - mine_.first[0], y - mine_.first[1], z - mine_.first[2]}, strides);
          for (std::size_t a = 0; a < arrays_.size(); ++a) {
            arrays_[a][static_cast<std::size_t>(at)] = surface_value(a / 3, a % 3, x, y, z, step);
          }
        }
      }
    }
  }
}

VectorField SurfaceFields::of(std::size_t quantity) const {
  return {arrays_[3 * quantity], arrays_[3 * quantity + 1], arrays_[3 * quantity + 2]};
}

SurfaceKernel::SurfaceKernel(KernelSetting setting, SurfaceRun run) : Kernel(std::move(setting)), run_(std::move(run)) {
  const bool has_points = run_.grid.size() == 3 && std::ranges::min(run_.grid) > 0;
  if (has_points && run_.plane_rows >= 1 && run_.plane_rows <= run_.grid[2]) return;
  throw usage_error(
      has_points ? fmt::format("--plane-rows is {}, but the grid has {} points in z", run_.plane_rows, run_.grid[2])
                 : "the grid must have three dimensions of at least one point",
      "for example --grid 520x370x140 --plane-rows 11");
}

std::string SurfaceKernel::sizes() const {
  return fmt::format("{} points, {} rows of the planes xz and yz, {}, {} steps, a phase every {}",
                     fmt::join(run_.grid, " x "), run_.plane_rows,
                     run_.displacement ? "velocity and displacement" : "velocity", format_count(run_.steps),
                     format_count(run_.every));
}

std::vector<std::pair<std::string, std::int64_t>> SurfaceKernel::numbers() const {
  return {{"points_x", run_.grid[0]},
          {"points_y", run_.grid[1]},
          {"points_z", run_.grid[2]},
          {"plane_rows", run_.plane_rows},
          {"displacement", run_.displacement ? 1 : 0},
          {"steps", run_.steps},
          {"every", run_.every}};
}

std::vector<surface::Quantity> SurfaceKernel::quantities() const {
  if (run_.displacement) return {surface::Quantity::velocity, surface::Quantity::displacement};
  return {surface::Quantity::velocity};
}

std::vector<SurfaceKernel::PlaneFile> SurfaceKernel::planes() const {
  const Index& n = run_.grid;
  const std::array<double, 3> spacing{point_spacing_m, point_spacing_m, point_spacing_m};
  const std::int64_t rows = run_.plane_rows;
  return {{surface::Plane::xy, {{{0, 0, n[2] - 1}, {n[0], n[1], 1}}, {}, spacing}},
          {surface::Plane::xz, {{{0, n[1] / 2, n[2] - rows}, {n[0], 1, rows}}, {}, spacing}},
          {surface::Plane::yz, {{{n[0] / 2, 0, n[2] - rows}, {1, n[1], rows}}, {}, spacing}}};
}

GridDecomposition SurfaceKernel::parts(int ranks) const {
  Index parts = ondes3d_parts(ranks);
  parts.push_back(1);
  return GridDecomposition::blocks(run_.grid, parts);
}

std::string SurfaceKernel::path(const PlaneFile& file, surface::Quantity quantity, std::int64_t step) const {
  return surface::file_name(folder() + "/", file.plane, quantity, step);
}

std::vector<std::string> SurfaceKernel::paths() const {
  const std::vector<PlaneFile> files = planes();
  std::vector<std::string> paths;
  for (std::int64_t step = run_.every; step <= run_.steps; step += run_.every) {
    for (const surface::Quantity quantity : quantities()) {
      for (const PlaneFile& file : files) paths.push_back(path(file, quantity, step));
    }
  }
  return paths;
}

std::int64_t SurfaceKernel::file_bytes() const {
  std::int64_t bytes = 0;
  const std::vector<PlaneFile> files = planes();
  for (const PlaneFile& file : files) {
    surface::require_possible(file.form);
    bytes = sum_bytes(bytes, surface::file_bytes(file.form));
  }
  return product_bytes(bytes, phases() * static_cast<std::int64_t>(quantities().size()));
}

KernelCosts SurfaceKernel::run(const Resources& resources) const {
  Communicator& comm = resources.comm;
  RunClock clock(comm);
  const Box mine = run_and_agree(comm, [&] { return parts(comm.size()).box_of(comm.rank()); });
  SurfaceWriter writer(resources, {.shape = run_.grid, .mine = mine}, surface_options(folder(), run_));
  SurfaceFields fields = run_and_agree(comm, [&] { return SurfaceFields(mine, quantities().size()); });
  std::vector<Box> on_planes;
  const std::vector<PlaneFile> files = planes();
  for (const PlaneFile& file : files) on_planes.push_back(file.form.points);
  clock.begin_loop();
  for (std::int64_t step = 1; step <= run_.steps; ++step) {
    compute(compute_ms());
    if (step % run_.every != 0) continue;
    if (run_.lends) clock.output([&] { writer.wait(); });
    fields.fill(on_planes, step);
    clock.phase([&] {
      writer.write_phase(step, fields.of(0), run_.displacement ? fields.of(1) : VectorField{},
                         run_.lends ? Memory::lent : Memory::copied);
    });
  }
  clock.output([&] { writer.close(); });
  return clock.finish();
}

void SurfaceKernel::verify(const Resources& resources) const {
  Communicator& comm = resources.comm;
  run_and_agree(comm, [&] {
    const std::vector<PlaneFile> files = planes();
    std::int64_t number = 0;
    for (std::int64_t step = run_.every; step <= run_.steps; step += run_.every) {
      for (const surface::Quantity quantity : quantities()) {
        for (const PlaneFile& file : files) {
          if (number++ % comm.size() != comm.rank()) continue;
          const Box& points = file.form.points;
          std::array<char, 1024> header{};
          const int length = std::snprintf(
              header.data(), header.size(),
              "# vtk DataFile Version 3.0\nV\nBINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS %lld %lld %lld\n"
              "ORIGIN %f %f %f\nSPACING %f %f %f\nPOINT_DATA %lld\nSCALARS V float 3\nLOOKUP_TABLE default\n",
              static_cast<long long>(points.count[0]), static_cast<long long>(points.count[1]),
              static_cast<long long>(points.count[2]), static_cast<double>(points.first[0]) * point_spacing_m,
              static_cast<double>(points.first[1]) * point_spacing_m,
              static_cast<double>(points.first[2]) * point_spacing_m, point_spacing_m, point_spacing_m, point_spacing_m,
              static_cast<long long>(points.items()));
          const auto expected = [&](ByteRange range, std::span<std::byte> bytes) {
            for (std::int64_t i = 0; i < range.length; ++i) {
              const std::int64_t at = range.offset + i;
              if (at < length) {
                bytes[static_cast<std::size_t>(i)] = static_cast<std::byte>(header[static_cast<std::size_t>(at)]);
                continue;
              }
              const std::int64_t value = (at - length) / 4;
              const std::int64_t point = value / 3;
              const float number_there =
                  surface_value(quantity == surface::Quantity::velocity ? 0 : 1, static_cast<std::size_t>(value % 3),
                                points.first[0] + point % points.count[0],
                                points.first[1] + point / points.count[0] % points.count[1],
                                points.first[2] + point / (points.count[0] * points.count[1]), step);
              std::uint32_t bits = 0;
              std::memcpy(&bits, &number_there, sizeof bits);
              bytes[static_cast<std::size_t>(i)] = static_cast<std::byte>(bits >> (24 - 8 * ((at - length) % 4)));
            }
          };
          require_content(path(file, quantity, step), length + 12 * points.items(), expected);
        }
      }
    }
  });
}

}  // namespace sill::kernels
