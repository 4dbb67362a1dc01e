/* Before: rank 0 gathers the plane of all ranks, and writes it value by value. */
#include <stdio.h>
#include <stdlib.h>

#include "heat.h"

static struct slab of;
static const char *before_names;

static void put_big_endian(float value, FILE *file) {
  union {
    float number;
    unsigned char bytes[4];
  } word = {value};
  for (int i = 3; i >= 0; --i) fputc(word.bytes[i], file);
}

void output_open(const struct slab *slab, const char *prefix) {
  of = *slab;
  before_names = prefix;
}

void output_write(int step, const float *qx, const float *qy, const float *qz) {
  const float *q[3] = {qx, qy, qz};
  const int64_t nx = of.shape[0], ny = of.shape[1], nz = of.shape[2];
  int rank, ranks;
  MPI_Comm_rank(of.comm, &rank);
  MPI_Comm_size(of.comm, &ranks);
  float *mine = malloc((of.count * ny + 1) * 3 * sizeof *mine), *all = rank ? NULL : malloc(nx * ny * 3 * sizeof *all);
  for (int64_t x = 0; x < of.count; ++x)
    for (int64_t y = 0; y < ny; ++y)
      for (int c = 0; c < 3; ++c) mine[(x * ny + y) * 3 + c] = q[c][((x + 1) * ny + y) * nz + nz / 2];
  int *counts = malloc(2 * ranks * sizeof *counts), count = (int)(of.count * ny * 3);
  MPI_Gather(&count, 1, MPI_INT, counts, 1, MPI_INT, 0, of.comm);
  for (int r = 0, at = 0; rank == 0 && r < ranks; at += counts[r++]) counts[ranks + r] = at;
  MPI_Gatherv(mine, count, MPI_FLOAT, all, counts, counts + ranks, MPI_FLOAT, 0, of.comm);
  if (rank == 0) {
    char name[1000];
    snprintf(name, sizeof name, "%ssurfacexyvel%04d00.vtk", before_names, step);
    FILE *file = fopen(name, "wb");
    if (file == NULL) MPI_Abort(of.comm, 1);
    fprintf(file, "# vtk DataFile Version 3.0\nV\nBINARY\nDATASET STRUCTURED_POINTS\nDIMENSIONS %d %d 1\n", (int)nx,
            (int)ny);
    fprintf(file, "ORIGIN %f %f %f\nSPACING %f %f %f\n", 0.0, 0.0, 1.0 * (nz / 2), 1.0, 1.0, 1.0);
    fprintf(file, "POINT_DATA %d\nSCALARS V float 3\nLOOKUP_TABLE default\n", (int)(nx * ny));
    for (int64_t y = 0; y < ny; ++y)
      for (int64_t x = 0; x < nx; ++x)
        for (int c = 0; c < 3; ++c) put_big_endian(all[(x * ny + y) * 3 + c], file);
    if (fclose(file) != 0) MPI_Abort(of.comm, 1);
  }
  free(mine);
  free(all);
  free(counts);
}

void output_close(void) {}
