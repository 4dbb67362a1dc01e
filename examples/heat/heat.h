/* The output of the simulation. output_own.c and output_sill.c implement these functions in two ways. */
#include <mpi.h>
#include <stdint.h>

/* A slab of a grid: `count` points along x from `first` on, all along y and z. Its arrays are array[x][y][z], with a
   ghost point before and after it along x. */
struct slab {
  MPI_Comm comm;
  int64_t shape[3], first, count;
};

void output_open(const struct slab *slab, const char *prefix);
void output_write(int step, const float *qx, const float *qy, const float *qz);
void output_close(void);
