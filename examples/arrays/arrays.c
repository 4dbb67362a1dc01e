/* Writes a wave on a distributed grid as a netCDF file, step by step: arrays_c FILE */
#include <math.h>
#include <sill.h>
#include <stdio.h>
#include <stdlib.h>

static void check(int status) { /* the same on every rank */
  if (status == SILL_OK) return;
  fprintf(stderr, "%s\n", sill_last_error());
  MPI_Finalize();
  exit(status);
}

int main(int count, char **values) {
  if (count != 2) return fprintf(stderr, "usage: arrays_c FILE\n"), 2;
  MPI_Init(&count, &values);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int64_t ny = 60, nx = 40, first[2] = {0, nx * rank / ranks};
  const int64_t box[2] = {ny, nx * (rank + 1) / ranks - first[1]};                      /* y, x */
  const int64_t stored_first[2] = {-1, first[1] - 1}, stored[2] = {ny + 2, box[1] + 2}; /* with ghost points */
  double *height = malloc(sizeof(double) * (size_t)(stored[0] * stored[1]));

  sill_session *session = NULL;
  sill_dataset *dataset = NULL;
  check(sill_session_open(MPI_COMM_WORLD, NULL, &session));
  check(sill_dataset_open(session, values[1], &(sill_dataset_options){.existing = SILL_REPLACE_EXISTING}, &dataset));
  check(sill_dataset_define_dimension(dataset, "time", 0));
  check(sill_dataset_define_dimension(dataset, "y", ny));
  check(sill_dataset_define_dimension(dataset, "x", nx));
  check(sill_dataset_define_variable(dataset, "height", SILL_F4, "time,y,x"));
  check(sill_dataset_define_text(dataset, "height", "units", "m"));
  check(sill_dataset_define_text(dataset, NULL, "title", "a standing wave"));
  check(sill_dataset_begin(dataset));
  for (int step = 0; step < 10; ++step) {
    for (int64_t y = 0; y < stored[0]; ++y)
      for (int64_t x = 0; x < stored[1]; ++x)
        height[y * stored[1] + x] =
            cos(0.1 * step) * cos(0.2 * (double)(stored_first[1] + x)) * cos(0.1 * (double)(stored_first[0] + y));
    check(sill_dataset_put(dataset, "height", 2, first, box, stored_first, stored, SILL_F8, height));
    check(sill_dataset_write_step(dataset, SILL_COPIED));
  }
  check(sill_dataset_close(&dataset));
  check(sill_session_free(&session));
  free(height);
  MPI_Finalize();
}
