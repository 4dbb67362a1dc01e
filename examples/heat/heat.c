/* Heat in a box, distributed to the ranks in slabs. Every 10th step writes the heat flux in the middle plane: heat
 * PREFIX
 */
#include "heat.h"

#include <stdio.h>
#include <stdlib.h>

enum { NX = 48, NY = 40, NZ = 32, STEPS = 40, EVERY = 10 };
typedef float plane[NY][NZ];

static void exchange_ghosts(MPI_Comm comm, plane *t, int64_t count) {
  int rank, ranks;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const int before = rank > 0 ? rank - 1 : MPI_PROC_NULL, after = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(t[1], NY * NZ, MPI_FLOAT, before, 0, t[count + 1], NY * NZ, MPI_FLOAT, after, 0, comm,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(t[count], NY * NZ, MPI_FLOAT, after, 1, t[0], NY * NZ, MPI_FLOAT, before, 1, comm, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  int level, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  struct slab slab = {MPI_COMM_WORLD, {NX, NY, NZ}, NX * rank / ranks, 0};
  slab.count = NX * (rank + 1) / ranks - slab.first;
  plane *t = calloc(slab.count + 2, sizeof *t), *next = calloc(slab.count + 2, sizeof *t);
  plane *q[3];
  for (int c = 0; c < 3; ++c) q[c] = calloc(slab.count + 2, sizeof *t);
  for (int64_t x = 1; x <= slab.count; ++x) {
    if (slab.first + x - 1 == NX / 3) t[x][NY / 2][NZ / 2] = 1000;
  }
  output_open(&slab, argc > 1 ? argv[1] : "");
  for (int step = 1; step <= STEPS; ++step) {
    exchange_ghosts(slab.comm, t, slab.count);
    for (int64_t x = 1; x <= slab.count; ++x)
      for (int y = 1; y < NY - 1; ++y)
        for (int z = 1; z < NZ - 1; ++z) {
          const float along_x = t[x + 1][y][z] + t[x - 1][y][z], along_y = t[x][y + 1][z] + t[x][y - 1][z];
          next[x][y][z] = t[x][y][z] + 0.125f * (along_x + along_y + t[x][y][z + 1] + t[x][y][z - 1] - 6 * t[x][y][z]);
          q[0][x][y][z] = t[x - 1][y][z] - t[x + 1][y][z];
          q[1][x][y][z] = t[x][y - 1][z] - t[x][y + 1][z];
          q[2][x][y][z] = t[x][y][z - 1] - t[x][y][z + 1];
        }
    plane *old = t;
    t = next;
    next = old;
    if (step % EVERY == 0) output_write(step, q[0][0][0], q[1][0][0], q[2][0][0]);
  }
  output_close();
  return MPI_Finalize();
}
