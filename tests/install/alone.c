/* A program in C of one process, without MPI: alone FILE writes a small netCDF file and prints its own report. */
#include <math.h>
#include <sill.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef MPI_VERSION
#error "sill.h includes mpi.h"
#endif

static void check(int status) {
  if (status == SILL_OK) return;
  fprintf(stderr, "%s\n", sill_last_error());
  exit(status);
}

int main(int count, char **values) {
  if (count != 2) return 2;
  sill_session *session = NULL;
  sill_dataset *dataset = NULL;
  check(sill_session_open_alone(NULL, &session));
  check(sill_dataset_open(session, values[1], &(sill_dataset_options){.existing = SILL_REPLACE_EXISTING}, &dataset));
  check(sill_dataset_define_dimension(dataset, "time", 0));
  check(sill_dataset_define_dimension(dataset, "x", 8));
  check(sill_dataset_define_variable(dataset, "height", SILL_F8, "time,x"));
  check(sill_dataset_begin(dataset));
  const int64_t first = 0, all = 8;
  for (int step = 0; step < 3; ++step) {
    double height[8];
    for (int x = 0; x < 8; ++x) height[x] = cos(0.5 * step + x);
    check(sill_dataset_put(dataset, "height", 1, &first, &all, &first, &all, SILL_F8, height));
    check(sill_dataset_write_step(dataset, SILL_COPIED));
  }
  check(sill_dataset_close(&dataset));
  const char *report = NULL;
  check(sill_session_report(session, SILL_TABLE, &report));
  puts(report);
  check(sill_session_finish(&session));
}
