/* Writes particles to an HDF5 file, step by step, as the write kernel of h5bench does (a group for each step, eight
   contiguous arrays in it): particles_sill FILE [PARTICLES] [STEPS]. Prints the seconds that the output takes. */
#include "particles.h"

#include <stdio.h>
#include <stdlib.h>

/* What a simulation would compute: tests/install/particles.py knows the values. */
static void compute(const particles *of, int step) {
  for (int a = 0; a < ARRAYS; ++a)
    for (int64_t i = 0; i < of->count; ++i) {
      const int value = (int)((of->first + i) % 1000003 * 8 + a + step);
      if (a == ID_1)
        ((int *)of->arrays[a])[i] = value;
      else
        ((float *)of->arrays[a])[i] = (float)value;
    }
}

int main(int count, char **values) {
  if (count < 2 || count > 4) return fprintf(stderr, "usage: particles_… FILE [PARTICLES] [STEPS]\n"), 2;
  MPI_Init(&count, &values);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  particles of = {.all = count > 2 ? atoll(values[2]) : 2000000, .steps = count > 3 ? atoi(values[3]) : 5};
  of.first = of.all * rank / ranks;
  of.count = of.all * (rank + 1) / ranks - of.first;
  for (int a = 0; a < ARRAYS; ++a) of.arrays[a] = malloc(4 * (size_t)(of.count + 1));

  compute(&of, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  double output_s = -MPI_Wtime();
  output_open(values[1], &of);
  for (int step = 0; step < of.steps; ++step) {
    output_s += MPI_Wtime();
    if (step > 0) compute(&of, step);
    MPI_Barrier(MPI_COMM_WORLD);
    output_s -= MPI_Wtime();
    output_write(&of, step);
  }
  output_close();
  output_s += MPI_Wtime();
  double slowest_s = 0;
  MPI_Reduce(&output_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.6f\n", slowest_s);
  for (int a = 0; a < ARRAYS; ++a) free(of.arrays[a]);
  MPI_Finalize();
}
