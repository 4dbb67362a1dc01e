// The surface output of Ondes3D as a kernel: planes of a grid, written every few steps without computing the grid.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "kernels/awp_volume_arrays.hpp"
#include "kernels/kernels.hpp"
#include "kernels/stdio_file.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/surface/surface_file.hpp"
#include "sill/io/simulation/surface_writer.hpp"
#include "sill/layout/grid_decomposition.hpp"

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

// A plane of one component, in the order of the program's arrays: z varies fastest, then y, then x.
using PlaneArray = std::vector<float>;

void write_plane(const std::string& path, const surface::FileForm& form, const std::vector<PlaneArray>& arrays,
                 Meter& meter) {
  StdioFile file(path, "wb", meter);
  const std::string header = surface::header_of(form);
  file.put(header.data(), header.size());
  const Index& n = form.points.count;
  const Index strides = row_major_strides(n, 1);
  for (std::int64_t z = 0; z < n[2]; ++z) {
    for (std::int64_t y = 0; y < n[1]; ++y) {
      for (std::int64_t x = 0; x < n[0]; ++x) {
        const auto at = static_cast<std::size_t>(x * strides[0] + y * strides[1] + z * strides[2]);
        for (const PlaneArray& array : arrays) {
          const std::uint32_t big_endian = __builtin_bswap32(std::bit_cast<std::uint32_t>(array[at]));
          file.put(&big_endian, sizeof big_endian);
        }
      }
    }
  }
  file.close();
}

// Returns the number at a point: one of 2^24 numbers of either sign, exact in a float, the same on every machine.
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

// The fields of a rank: three components of each quantity. Only the points on planes are computed.
class SurfaceFields {
 public:
  SurfaceFields(Box mine, std::size_t quantities) : mine_(std::move(mine)) {
    arrays_.resize(3 * quantities);
    for (std::vector<float>& array : arrays_) array.resize(static_cast<std::size_t>(mine_.items()));
  }

  // Computes the points of the planes at `step`.
  void fill(const std::vector<Box>& planes, std::int64_t step) {
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

  // Returns the arrays of a quantity.
  [[nodiscard]] VectorField of(std::size_t quantity) const {
    return {arrays_[3 * quantity], arrays_[3 * quantity + 1], arrays_[3 * quantity + 2]};
  }

 private:
  Box mine_;
  std::vector<std::vector<float>> arrays_;  // z varies fastest, then y, then x
};

// The surface files of Ondes3D: the plane xy at the top, and the planes xz and yz through the middle. The paper does
// not state which rows of xz and yz its files contain.
class SurfaceKernel final : public Kernel {
 public:
  SurfaceKernel(KernelSetting setting, SurfaceRun run)
      : Kernel(std::move(setting), "ondes3d-surfaces"), run_(std::move(run)) {
    const bool has_points = run_.grid.size() == 3 && std::ranges::min(run_.grid) > 0;
    if (has_points && run_.plane_rows >= 1 && run_.plane_rows <= run_.grid[2]) return;
    throw usage_error(
        has_points ? fmt::format("--plane-rows is {}, but the grid has {} points in z", run_.plane_rows, run_.grid[2])
                   : "the grid must have three dimensions of at least one point",
        "for example --grid 520x370x140 --plane-rows 11");
  }

  [[nodiscard]] std::string sizes() const override {
    return fmt::format("{} points, {} rows of the planes xz and yz, {}, {}, a phase every {}",
                       fmt::join(run_.grid, " x "), run_.plane_rows,
                       run_.displacement ? "velocity and displacement" : "velocity", format_count(run_.steps, "step"),
                       format_count(run_.every));
  }

  [[nodiscard]] KernelNumbers numbers() const override {
    return grid_numbers(run_.grid, {{"plane_rows", run_.plane_rows},
                                    {"displacement", run_.displacement ? 1 : 0},
                                    {"steps", run_.steps},
                                    {"every", run_.every}});
  }

  [[nodiscard]] std::vector<std::string> paths() const override {
    const std::vector<PlaneFile> files = planes();
    std::vector<std::string> paths;
    for (std::int64_t step = run_.every; step <= run_.steps; step += run_.every) {
      for (const surface::Quantity quantity : quantities()) {
        for (const PlaneFile& file : files) paths.push_back(path(file, quantity, step));
      }
    }
    return paths;
  }

  [[nodiscard]] std::int64_t file_bytes() const override {
    std::int64_t bytes = 0;
    const std::vector<PlaneFile> files = planes();
    for (const PlaneFile& file : files) {
      surface::require_possible(file.form);
      bytes = sum_bytes(bytes, surface::file_bytes(file.form));
    }
    return product_bytes(bytes, phases() * static_cast<std::int64_t>(quantities().size()));
  }

  /// Collective. Writes with a SurfaceWriter.
  void write(const Resources& resources, RunClock& clock) const override {
    Communicator& comm = resources.comm;
    const Box mine = run_and_agree(comm, [&] { return parts(comm.size()).box_of(comm.rank()); });
    SurfaceWriter writer(resources, {.shape = run_.grid, .mine = mine}, surface_options(folder(), run_));
    SurfaceFields fields = run_and_agree(comm, [&] { return SurfaceFields(mine, quantities().size()); });
    clock.begin_loop();
    for (std::int64_t step = 1; step <= run_.steps; ++step) {
      compute();
      if (step % run_.every != 0) continue;
      if (run_.lends) clock.output([&] { writer.wait(); });
      fields.fill(points_of_planes(), step);
      clock.phase([&] {
        writer.write_phase(step, fields.of(0), run_.displacement ? fields.of(1) : VectorField{},
                           run_.lends ? Memory::lent : Memory::copied);
      });
    }
    clock.output([&] { writer.close(); });
  }

  /// Collective. Writes from one rank per plane, which receives three messages from each rank that has a section of it,
  /// and writes the vectors with one call of fwrite per number. Rank 0 writes the plane xy; the first rank of each
  /// other plane writes that plane.
  void write_as_original(const Resources& resources, Meter& meter, RunClock& clock) const override {
    Communicator& comm = resources.comm;
    std::int64_t messages = 0;
    const GridDecomposition grid = run_and_agree(comm, [&] { return parts(comm.size()); });
    const Box mine = grid.box_of(comm.rank());
    SurfaceFields fields = run_and_agree(comm, [&] { return SurfaceFields(mine, quantities().size()); });
    const std::vector<PlaneFile> files = planes();
    std::vector<PlaneArray> arrays(surface::components);
    std::vector<float> packed;
    clock.begin_loop();
    for (std::int64_t step = 1; step <= run_.steps; ++step) {
      compute();
      if (step % run_.every != 0) continue;
      fields.fill(points_of_planes(), step);
      clock.phase([&] {
        std::optional<Error> failure;
        for (std::size_t q = 0; q < quantities().size(); ++q) {
          const VectorField field = fields.of(q);
          for (const PlaneFile& file : files) {
            const Box& plane = file.form.points;
            const bool is_xy = file.plane == surface::Plane::xy;
            const auto writer = static_cast<int>(is_xy ? 0 : grid.part_holding(plane.first));
            if (comm.rank() == writer) {
              for (PlaneArray& array : arrays) array.resize(static_cast<std::size_t>(plane.items()));
            }
            for (int from = 0; from < comm.size(); ++from) {
              const Box part = intersection(plane, grid.box_of(from));
              if (part.empty()) continue;
              for (std::size_t c = 0; c < arrays.size(); ++c) {
                if (comm.rank() == from) pack(part, mine, field[c], packed);
                if (from != writer) {
                  ++messages;
                  if (comm.rank() == writer) packed.resize(static_cast<std::size_t>(part.items()));
                  if (comm.rank() == from) send_to(comm, writer, packed);
                  if (comm.rank() == writer) receive_from(comm, from, packed);
                }
                if (comm.rank() == writer) unpack(packed, part, plane, arrays[c]);
              }
            }
            if (comm.rank() != writer || failure) continue;
            failure = attempt([&] { write_plane(path(file, quantities()[q], step), file.form, arrays, meter); });
          }
        }
        agree(comm, failure);
      });
    }
    clock.costs.more = {{"messages", messages}};
  }

  void verify(const Resources& resources) const override {
    Communicator& comm = resources.comm;
    run_and_agree(comm, [&] {
      const std::vector<PlaneFile> files = planes();
      std::int64_t number = 0;
      for (std::int64_t step = run_.every; step <= run_.steps; step += run_.every) {
        for (const surface::Quantity quantity : quantities()) {
          for (const PlaneFile& file : files) {
            if (number++ % comm.size() == comm.rank()) verify_plane(file, quantity, step);
          }
        }
      }
    });
  }

 private:
  struct PlaneFile {
    surface::Plane plane = surface::Plane::xy;
    surface::FileForm form;
  };

  void verify_plane(const PlaneFile& file, surface::Quantity quantity, std::int64_t step) const {
    const Index& first = file.form.points.first;
    const Index& count = file.form.points.count;
    const auto metres = [](std::int64_t point) { return static_cast<double>(point) * point_spacing_m; };
    const std::string header = printed(
        "# vtk DataFile Version 3.0\nV\nBINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS %ld %ld %ld\n"
        "ORIGIN %f %f %f\nSPACING %f %f %f\nPOINT_DATA %ld\nSCALARS V float 3\nLOOKUP_TABLE default\n",
        count[0], count[1], count[2], metres(first[0]), metres(first[1]), metres(first[2]), point_spacing_m,
        point_spacing_m, point_spacing_m, file.form.points.items());
    const std::size_t number = quantity == surface::Quantity::velocity ? 0 : 1;
    const std::int64_t size = std::ssize(header) + 12 * file.form.points.items();
    require_content(path(file, quantity, step), size, [&](ExpectedContent& expected) {
      expected.add(header);
      for (std::int64_t z = first[2]; z < first[2] + count[2]; ++z) {
        for (std::int64_t y = first[1]; y < first[1] + count[1]; ++y) {
          for (std::int64_t x = first[0]; x < first[0] + count[0]; ++x) {
            for (std::size_t c = 0; c < 3; ++c)
              expected.add_value(surface_value(number, c, x, y, z, step), ByteOrder::big);
          }
        }
      }
    });
  }

  [[nodiscard]] std::vector<surface::Quantity> quantities() const {
    if (run_.displacement) return {surface::Quantity::velocity, surface::Quantity::displacement};
    return {surface::Quantity::velocity};
  }

  [[nodiscard]] std::vector<PlaneFile> planes() const {
    const Index& n = run_.grid;
    const std::array<double, 3> spacing{point_spacing_m, point_spacing_m, point_spacing_m};
    const std::int64_t rows = run_.plane_rows;
    return {{surface::Plane::xy, {{{0, 0, n[2] - 1}, {n[0], n[1], 1}}, {}, spacing}},
            {surface::Plane::xz, {{{0, n[1] / 2, n[2] - rows}, {n[0], 1, rows}}, {}, spacing}},
            {surface::Plane::yz, {{{n[0] / 2, 0, n[2] - rows}, {1, n[1], rows}}, {}, spacing}}};
  }

  [[nodiscard]] std::vector<Box> points_of_planes() const {
    std::vector<Box> points;
    for (const PlaneFile& file : planes()) points.push_back(file.form.points);
    return points;
  }

  [[nodiscard]] GridDecomposition parts(int ranks) const {
    Index parts = near_square(ranks);
    parts.push_back(1);
    return GridDecomposition::blocks(run_.grid, parts);
  }

  [[nodiscard]] std::string path(const PlaneFile& file, surface::Quantity quantity, std::int64_t step) const {
    return surface::file_name(folder() + "/", file.plane, quantity, step);
  }

  [[nodiscard]] std::int64_t phases() const { return run_.steps / run_.every; }

  SurfaceRun run_;
};

}  // namespace

std::unique_ptr<Kernel> make_surface_kernel(KernelSetting setting, SurfaceRun run) {
  return std::make_unique<SurfaceKernel>(std::move(setting), std::move(run));
}

}  // namespace sill::kernels
