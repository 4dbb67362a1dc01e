/* Heat in a plane, distributed to the ranks in rows. Every 10th step is written to a netCDF file: heat2d_c FILE */
#include <sill.h>
#include <stdio.h>
#include <stdlib.h>

enum { NX = 40, NY = 60, STEPS = 40, EVERY = 10 };
typedef float row[NX + 2]; /* with ghost points */

static void check(int status) { /* the same on every rank */
  if (status == SILL_OK) return;
  fprintf(stderr, "%s\n", sill_last_error());
  MPI_Finalize();
  exit(status);
}

int main(int count, char **values) {
  if (count != 2) return fprintf(stderr, "usage: heat2d_c FILE\n"), 2;
  MPI_Init(&count, &values);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int before = rank > 0 ? rank - 1 : MPI_PROC_NULL, after = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  const int64_t first[2] = {NY * rank / ranks, 0}; /* y, x */
  const int64_t rows = NY * (rank + 1) / ranks - first[0], box[2] = {rows, NX};
  const int64_t stored_first[2] = {first[0] - 1, -1}, stored[2] = {rows + 2, NX + 2};
  row *t = calloc((size_t)rows + 2, sizeof *t), *next = calloc((size_t)rows + 2, sizeof *t);
  if (first[0] <= NY / 3 && NY / 3 < first[0] + rows) t[NY / 3 - first[0] + 1][NX / 2 + 1] = 1000;

  sill_session *session = NULL;
  sill_dataset *output = NULL;
  check(sill_session_open(MPI_COMM_WORLD, NULL, &session));
  check(sill_dataset_open(session, values[1], &(sill_dataset_options){.existing = SILL_REPLACE_EXISTING}, &output));
  check(sill_dataset_define_dimension(output, "time", 0));
  check(sill_dataset_define_dimension(output, "y", NY));
  check(sill_dataset_define_dimension(output, "x", NX));
  check(sill_dataset_define_text(output, NULL, "title", "heat in a plane"));
  check(sill_dataset_define_variable(output, "time", SILL_F8, "time"));
  check(sill_dataset_define_text(output, "time", "units", "s"));
  check(sill_dataset_define_variable(output, "temperature", SILL_F4, "time,y,x"));
  check(sill_dataset_define_text(output, "temperature", "units", "K"));
  check(sill_dataset_begin(output));
  for (int step = 1; step <= STEPS; ++step) {
    MPI_Sendrecv(t[1], NX + 2, MPI_FLOAT, before, 0, t[rows + 1], NX + 2, MPI_FLOAT, after, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(t[rows], NX + 2, MPI_FLOAT, after, 1, t[0], NX + 2, MPI_FLOAT, before, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int64_t y = 1; y <= rows; ++y)
      for (int x = 1; x <= NX; ++x) {
        const float around = (t[y - 1][x] + t[y + 1][x]) + (t[y][x - 1] + t[y][x + 1]);
        next[y][x] = t[y][x] + 0.125f * (around - 4 * t[y][x]);
      }
    row *old = t;
    t = next;
    next = old;
    if (step % EVERY != 0) continue;
    check(sill_dataset_put_value(output, "time", 0.5 * step));
    check(sill_dataset_put(output, "temperature", 2, first, box, stored_first, stored, SILL_F4, t));
    check(sill_dataset_write_step(output, SILL_COPIED));
  }
  check(sill_dataset_close(&output));
  check(sill_session_free(&session));
  free(t);
  free(next);
  MPI_Finalize();
}
