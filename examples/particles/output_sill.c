/* The output with Sill. */
#include <sill.h>
#include <stdio.h>
#include <stdlib.h>

#include "particles.h"

static sill_session *session;
static sill_dataset *dataset;

static void check(int status) { /* the same on every rank */
  if (status == SILL_OK) return;
  fprintf(stderr, "%s\n", sill_last_error());
  MPI_Finalize();
  exit(status);
}

void output_open(const char *path, const particles *of) {
  const sill_dataset_options options = {.existing = SILL_REPLACE_EXISTING, .container = "hdf5", .no_fill = 1};
  check(sill_session_open(MPI_COMM_WORLD, NULL, &session));
  check(sill_dataset_open(session, path, &options, &dataset));
  check(sill_dataset_define_dimension(dataset, "particle", of->all));
  for (int step = 0; step < of->steps; ++step)
    for (int a = 0; a < ARRAYS; ++a) {
      char name[32];
      snprintf(name, sizeof name, "Timestep_%d/%s", step, names[a]);
      check(sill_dataset_define_variable(dataset, name, a == ID_1 ? SILL_I4 : SILL_F4, "particle"));
    }
  check(sill_dataset_begin(dataset));
}

void output_write(const particles *of, int step) {
  for (int a = 0; a < ARRAYS; ++a) {
    char name[32];
    snprintf(name, sizeof name, "Timestep_%d/%s", step, names[a]);
    check(sill_dataset_put(dataset, name, 1, &of->first, &of->count, NULL, NULL, a == ID_1 ? SILL_I4 : SILL_F4,
                           of->arrays[a]));
  }
  check(sill_dataset_write(dataset, SILL_COPIED));
}

void output_close(void) {
  check(sill_dataset_close(&dataset));
  check(sill_session_free(&session));
}
