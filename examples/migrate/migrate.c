/* Kirchhoff prestack time migration of a 2-D line with one velocity: migrate LINE IMAGE VELOCITY FIRST_X LAST_X STEP_X

   Each rank has a part of the image, and sums into its column x at two-way time t0 the samples of all traces at
   t = sqrt(t0^2 / 4 + (x - s)^2 / v^2) + sqrt(t0^2 / 4 + (x - g)^2 / v^2), weighted by t0 / t. Source: W. A. Schneider,
   "Integral formulation for migration in two and three dimensions", Geophysics 43 (1978). */
#include "migrate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 256 };

static void add_trace(const float *trace, int64_t samples, double dt, double from_source, double from_receiver,
                      float *column) {
  for (int64_t i = 1; i < samples; ++i) {
    const double half = 0.5 * dt * (double)i;
    const double time = sqrt(half * half + from_source) + sqrt(half * half + from_receiver);
    const double place = time / dt;
    const int64_t below = (int64_t)place;
    if (below + 1 >= samples) break;
    const double share = place - (double)below;
    const double value = (1.0 - share) * trace[below] + share * trace[below + 1];
    column[i] += (float)(value * 2.0 * half / time);
  }
}

int main(int argc, char **argv) {
  int level, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 7) {
    if (rank == 0) fprintf(stderr, "migrate LINE IMAGE VELOCITY FIRST_X LAST_X STEP_X\n");
    MPI_Finalize();
    return 2;
  }
  const double velocity = atof(argv[3]), first_x = atof(argv[4]), last_x = atof(argv[5]), step_x = atof(argv[6]);
  const struct line line = line_open(MPI_COMM_WORLD, argv[1]);
  struct image image = {.count = (int64_t)floor((last_x - first_x) / step_x + 1e-6) + 1,
                        .samples = line.samples,
                        .interval_s = line.interval_s,
                        .first_x = first_x,
                        .step_x = step_x};
  image.first = image.count * rank / ranks;
  image.own = image.count * (rank + 1) / ranks - image.first;

  const size_t samples = (size_t)line.samples;
  float *columns = calloc((size_t)image.own * samples + 1, sizeof *columns);
  float *traces = malloc(CHUNK * samples * sizeof *traces);
  double *source_x = malloc(CHUNK * sizeof *source_x), *receiver_x = malloc(CHUNK * sizeof *receiver_x);
  double io_s = -MPI_Wtime(), began = -io_s;
  for (int64_t first = 0; first < line.traces; first += CHUNK) {
    const int64_t count = first + CHUNK < line.traces ? CHUNK : line.traces - first;
    line_read(first, count, traces, source_x, receiver_x);
    io_s += MPI_Wtime();
    for (int64_t c = 0; c < image.own; ++c) {
      const double x = image.first_x + image.step_x * (double)(image.first + c);
      for (int64_t i = 0; i < count; ++i) {
        const double to_source = (x - source_x[i]) / velocity, to_receiver = (x - receiver_x[i]) / velocity;
        add_trace(traces + (size_t)i * samples, line.samples, line.interval_s, to_source * to_source,
                  to_receiver * to_receiver, columns + (size_t)c * samples);
      }
    }
    io_s -= MPI_Wtime();
  }
  line_close();
  image_write(MPI_COMM_WORLD, argv[2], &image, columns);
  io_s += MPI_Wtime();
  if (rank == 0)
    printf("%lld traces into %lld columns: %.2f s, of which files %.2f s\n", (long long)line.traces,
           (long long)image.count, MPI_Wtime() - began, io_s);
  free(columns);
  free(traces);
  free(source_x);
  free(receiver_x);
  return MPI_Finalize();
}
