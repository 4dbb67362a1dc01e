// Surface output for C.
#include "grid.hpp"
#include "memory.hpp"
#include "session.hpp"
#include "sill/io/simulation/surface_writer.hpp"

using namespace sill;
using namespace sill::bindings;

namespace {

struct SurfaceArguments {
  DistributedGrid grid;
  SurfaceOptions options;
};

}  // namespace

struct sill_surfaces {
  sill_surfaces(std::shared_ptr<Session> session, SurfaceArguments arguments)
      : held(std::move(session)),
        writer(held->io->resources("surfaces"), std::move(arguments.grid), std::move(arguments.options)) {}
  std::shared_ptr<Session> held;
  SurfaceWriter writer;
};

namespace {

SurfaceOptions surface_options(const sill_surface_options& options) {
  const auto plane = [](const std::int64_t* index) {
    return index == nullptr ? std::optional<std::int64_t>() : std::optional(*index);
  };
  return {.prefix = text_of(options.prefix),
          .xy_at_z = plane(options.xy_at_z),
          .xz_at_y = plane(options.xz_at_y),
          .yz_at_x = plane(options.yz_at_x),
          .first_plane_row = options.first_plane_row,
          .plane_rows = options.plane_rows,
          .origin = {options.origin[0], options.origin[1], options.origin[2]},
          .spacing = {options.spacing[0], options.spacing[1], options.spacing[2]},
          .continues_after = options.continues_after,
          .displacement = options.displacement != 0,
          .order = point_order(options.order)};
}

}  // namespace

extern "C" {

int sill_surfaces_open(sill_session* session, const sill_grid* grid, const sill_surface_options* options,
                       sill_surfaces** surfaces) {
  return opened(session, surfaces, [&] {
    return SurfaceArguments{distributed_grid(at(grid, "the grid")), surface_options(at(options, "the options"))};
  });
}

int sill_surfaces_write_phase(sill_surfaces* surfaces, int64_t step, int64_t points, const float* vx, const float* vy,
                              const float* vz, const float* dx, const float* dy, const float* dz, int memory) {
  return status_of([&] {
    object_of(surfaces, "the surface output")
        .writer.write_phase(step, {elements(vx, points), elements(vy, points), elements(vz, points)},
                            {elements(dx, points), elements(dy, points), elements(dz, points)}, memory_of(memory));
  });
}

int sill_surfaces_wait(sill_surfaces* surfaces) {
  return status_of([&] { object_of(surfaces, "the surface output").writer.wait(); });
}

int sill_surfaces_phase_bytes(const sill_surfaces* surfaces, int64_t* bytes) {
  return status_of([&] {
    at(bytes, "the pointer for the number of bytes") = object_of(surfaces, "the surface output").writer.phase_bytes();
  });
}

int sill_surfaces_close(sill_surfaces** surfaces) {
  return status_of([&] { taken(surfaces, "the surface output")->writer.close(); });
}

int sill_surfaces_free(sill_surfaces** surfaces) { return freed(surfaces, "the pointer to the surface output"); }

}  // extern "C"
