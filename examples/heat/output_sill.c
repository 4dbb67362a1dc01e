/* After: every rank states once which points it has, and passes its arrays unchanged. */
#include <sill.h>
#include <stdio.h>
#include <stdlib.h>

#include "heat.h"

static sill_session *session;
static sill_surfaces *surfaces;
static int64_t points;

/* An error is the same on all ranks: here all of them end the run, in order, so that no message is lost. */
static void check(int status) {
  if (status == SILL_OK) return;
  fprintf(stderr, "%s\n", sill_last_error());
  MPI_Finalize();
  exit(status);
}

void output_open(const struct slab *slab, const char *prefix) {
  const int64_t ny = slab->shape[1], nz = slab->shape[2], middle = nz / 2;
  const sill_grid grid = {.shape = {slab->shape[0], ny, nz},
                          .first = {slab->first, 0, 0},
                          .count = {slab->count, ny, nz},
                          .stored_first = {slab->first - 1, 0, 0},
                          .stored_count = {slab->count + 2, ny, nz}};
  const sill_surface_options options = {
      .prefix = prefix, .xy_at_z = &middle, .spacing = {1, 1, 1}, .order = SILL_Z_FASTEST};
  points = (slab->count + 2) * ny * nz;
  check(sill_session_open(slab->comm, NULL, &session));
  check(sill_surfaces_open(session, &grid, &options, &surfaces));
}

void output_write(int step, const float *qx, const float *qy, const float *qz) {
  check(sill_surfaces_write_phase(surfaces, step, points, qx, qy, qz, NULL, NULL, NULL, SILL_COPIED));
}

void output_close(void) {
  check(sill_surfaces_close(&surfaces));
  check(sill_session_finish(&session));
}
