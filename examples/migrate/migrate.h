/* The files of the migration. files_own.c implements these functions with MPI-IO, files_sill.c with Sill. */
#include <mpi.h>
#include <stdint.h>

/* A 2-D line of traces with common interval. */
struct line {
  int64_t traces;
  int64_t samples;
  double interval_s;
};

/* The image: `count` columns of `samples` samples each. This rank has `own` columns, from column `first` on. */
struct image {
  int64_t count, first, own, samples;
  double interval_s, first_x, step_x;
};

/* All are collective, and end the program if a file cannot be read or written, or has another format. */
struct line line_open(MPI_Comm comm, const char *path);
/* Traces `first` to first + count - 1, the same on all ranks: samples, and x of source and receiver in metres. */
void line_read(int64_t first, int64_t count, float *samples, double *source_x, double *receiver_x);
void line_close(void);
void image_write(MPI_Comm comm, const char *path, const struct image *image, const float *columns);
