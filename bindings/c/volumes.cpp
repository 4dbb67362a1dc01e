// Volume output for C.
#include "grid.hpp"
#include "memory.hpp"
#include "session.hpp"
#include "sill/io/simulation/volume_writer.hpp"

using namespace sill;
using namespace sill::bindings;

namespace {

struct VolumeArguments {
  DistributedGrid grid;
  VolumeOptions options;
};

}  // namespace

struct sill_volumes {
  sill_volumes(std::shared_ptr<Session> session, VolumeArguments arguments)
      : held(std::move(session)),
        writer(held->io->resources("volumes"), std::move(arguments.grid), std::move(arguments.options)) {}
  std::shared_ptr<Session> held;
  VolumeWriter writer;
};

namespace {

VolumeOptions volume_options(const sill_volume_options& options) {
  if (options.surface != SILL_SURFACE_AT_FIRST_Z && options.surface != SILL_SURFACE_AT_LAST_Z) {
    refuse("the position of the surface is " + std::to_string(options.surface),
           "give SILL_SURFACE_AT_FIRST_Z or SILL_SURFACE_AT_LAST_Z");
  }
  VolumeOptions all{
      .prefix = text_of(options.prefix),
      .steps_per_sample = options.steps_per_sample,
      .samples_per_file = options.samples_per_file,
      .first_step = options.first_step,
      .continues_after = options.continues_after,
      .order = point_order(options.order),
      .surface = options.surface == SILL_SURFACE_AT_LAST_Z ? volume::Surface::at_last_z : volume::Surface::at_first_z};
  if (const std::string components = text_of(options.components); !components.empty()) all.components = components;
  for (std::size_t d = 0; d < 3; ++d) {
    all.kept[d] = {options.kept_first[d], options.kept_last[d], options.kept_skip[d]};
  }
  return all;
}

VolumeWriter& writer_of(sill_volumes* volumes) { return object_of(volumes, "the volume output").writer; }
const VolumeWriter& writer_of(const sill_volumes* volumes) { return object_of(volumes, "the volume output").writer; }

}  // namespace

extern "C" {

int sill_volumes_open(sill_session* session, const sill_grid* grid, const sill_volume_options* options,
                      sill_volumes** volumes) {
  return opened(session, volumes, [&] {
    return VolumeArguments{distributed_grid(at(grid, "the grid")), volume_options(at(options, "the options"))};
  });
}

int sill_volumes_write_step(sill_volumes* volumes, int64_t step, int64_t points, const float* x, const float* y,
                            const float* z, int memory) {
  return status_of([&] {
    writer_of(volumes).write_step(step, {elements(x, points), elements(y, points), elements(z, points)},
                                  memory_of(memory));
  });
}

int sill_volumes_wait(sill_volumes* volumes) {
  return status_of([&] { writer_of(volumes).wait(); });
}

int sill_volumes_kept_bytes(const sill_volumes* volumes, int64_t* bytes) {
  return status_of([&] { at(bytes, "the pointer for the number of bytes") = writer_of(volumes).kept_bytes(); });
}

int sill_volumes_batch_bytes(const sill_volumes* volumes, int64_t* bytes) {
  return status_of([&] { at(bytes, "the pointer for the number of bytes") = writer_of(volumes).batch_bytes(); });
}

int sill_volumes_batches(const sill_volumes* volumes, int64_t* batches) {
  return status_of([&] { at(batches, "the pointer for the number of batches") = writer_of(volumes).batches(); });
}

int sill_volumes_close(sill_volumes** volumes) {
  return status_of([&] { taken(volumes, "the volume output")->writer.close(); });
}

int sill_volumes_free(sill_volumes** volumes) { return freed(volumes, "the pointer to the volume output"); }

}  // extern "C"
