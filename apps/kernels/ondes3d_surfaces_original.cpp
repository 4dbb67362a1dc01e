// The surface output with the requests of the original program: the reference for bytes and time.
#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/ondes3d_surfaces.hpp"
#include "kernels/stdio_file.hpp"
#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"

namespace sill::kernels {
namespace {

// A plane of one component, in the order of the program's arrays: z varies fastest, then y, then x.
using PlaneArray = std::vector<float>;

// Packs the points of a plane in `part` from an array of the points `stored`.
void pack(const Box& part, const Box& stored, std::span<const float> array, std::vector<float>& packed) {
  const Index strides = row_major_strides(stored.count, 1);
  packed.clear();
  for (std::int64_t x = 0; x < part.count[0]; ++x) {
    for (std::int64_t y = 0; y < part.count[1]; ++y) {
      const std::int64_t at = offset_of(
          {part.first[0] + x - stored.first[0], part.first[1] + y - stored.first[1], part.first[2] - stored.first[2]},
          strides);
      const auto row = array.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(part.count[2]));
      packed.insert(packed.end(), row.begin(), row.end());
    }
  }
}

void unpack(std::span<const float> packed, const Box& part, const Box& plane, PlaneArray& array) {
  const Index strides = row_major_strides(plane.count, 1);
  const float* next = packed.data();
  for (std::int64_t x = 0; x < part.count[0]; ++x) {
    for (std::int64_t y = 0; y < part.count[1]; ++y) {
      const std::int64_t at = offset_of(
          {part.first[0] + x - plane.first[0], part.first[1] + y - plane.first[1], part.first[2] - plane.first[2]},
          strides);
      std::copy_n(next, part.count[2], array.begin() + at);
      next += part.count[2];
    }
  }
}

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

}  // namespace

KernelCosts SurfaceKernel::run_original(const Resources& resources, Meter& meter) const {
  Communicator& comm = resources.comm;
  std::int64_t messages = 0;
  RunClock clock(comm);
  const GridDecomposition grid = run_and_agree(comm, [&] { return parts(comm.size()); });
  const Box mine = grid.box_of(comm.rank());
  SurfaceFields fields = run_and_agree(comm, [&] { return SurfaceFields(mine, quantities().size()); });
  const std::vector<PlaneFile> files = planes();
  std::vector<Box> on_planes;
  for (const PlaneFile& file : files) on_planes.push_back(file.form.points);
  std::vector<PlaneArray> arrays(surface::components);
  std::vector<float> packed;
  clock.begin_loop();
  for (std::int64_t step = 1; step <= run_.steps; ++step) {
    compute(compute_ms());
    if (step % run_.every != 0) continue;
    fields.fill(on_planes, step);
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
  return clock.finish();
}

}  // namespace sill::kernels
