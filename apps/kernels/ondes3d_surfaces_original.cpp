// The surface output with the requests of the original program: the reference for bytes and time.
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/ondes3d_surfaces.hpp"
#include "kernels/time_loop.hpp"
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

struct Stdio {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};

void write_plane(const std::string& path, const surface::FileForm& form, const std::vector<PlaneArray>& arrays,
                 Meter& meter) {
  const Stopwatch opening;
  std::unique_ptr<std::FILE, Stdio> file(std::fopen(path.c_str(), "wb"));
  if (!file) throw system_error(errno, "opening", {.file = path});
  meter.count_open(opening.seconds());
  const Stopwatch writing;
  const std::string header = surface::header_of(form);
  if (std::fputs(header.c_str(), file.get()) < 0) throw system_error(errno, "fputs", {.file = path});
  const Index& n = form.points.count;
  const Index strides = row_major_strides(n, 1);
  for (std::int64_t z = 0; z < n[2]; ++z) {
    for (std::int64_t y = 0; y < n[1]; ++y) {
      for (std::int64_t x = 0; x < n[0]; ++x) {
        const auto at = static_cast<std::size_t>(x * strides[0] + y * strides[1] + z * strides[2]);
        for (const PlaneArray& array : arrays) {
          const std::uint32_t big_endian = __builtin_bswap32(std::bit_cast<std::uint32_t>(array[at]));
          if (std::fwrite(&big_endian, sizeof big_endian, 1, file.get()) != 1) {
            throw system_error(errno, "fwrite", {.file = path});
          }
        }
      }
    }
  }
  meter.count_writes(1, static_cast<std::int64_t>(header.size()), 0.0);
  meter.count_writes(surface::components * form.points.items(), 4, writing.seconds());
  const Stopwatch closing;
  if (std::fclose(file.release()) != 0) throw system_error(errno, "closing", {.file = path});
  meter.count_close(closing.seconds());
}

}  // namespace

KernelCosts SurfaceKernel::run_original(const Resources& resources, Meter& meter) const {
  Communicator& comm = resources.comm;
  KernelCosts costs;
  std::int64_t messages = 0;
  const Stopwatch whole;
  const GridDecomposition grid = run_and_agree(comm, [&] { return parts(comm.size()); });
  const Box mine = grid.box_of(comm.rank());
  SurfaceFields fields = run_and_agree(comm, [&] { return SurfaceFields(mine, quantities().size()); });
  const std::vector<PlaneFile> files = planes();
  std::vector<Box> on_planes;
  for (const PlaneFile& file : files) on_planes.push_back(file.form.points);
  std::vector<PlaneArray> arrays(surface::components);
  std::vector<float> packed;
  costs.setup_s = whole.seconds();
  for (std::int64_t step = 1; step <= run_.steps; ++step) {
    compute(compute_ms());
    if (step % run_.every != 0) continue;
    fields.fill(on_planes, step);
    const Stopwatch phase;
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
              const Outgoing send{.peer = writer, .bytes = std::as_bytes(std::span(packed))};
              const Incoming receive{.peer = from, .bytes = std::as_writable_bytes(std::span(packed))};
              if (comm.rank() == from) comm.exchange({&send, 1}, {});
              if (comm.rank() == writer) comm.exchange({}, {&receive, 1});
            }
            if (comm.rank() == writer) unpack(packed, part, plane, arrays[c]);
          }
        }
        if (comm.rank() != writer || failure) continue;
        failure = attempt([&] { write_plane(path(file, quantities()[q], step), file.form, arrays, meter); });
      }
    }
    agree(comm, failure);
    ++costs.phases;
    costs.output_s += phase.seconds();
  }
  costs.loop_s = whole.seconds() - costs.setup_s;
  costs.more = {{"messages", messages}};
  make_longest(comm, costs);
  return costs;
}

}  // namespace sill::kernels
