/* Particles of a plasma, of which each rank has a block: eight arrays, and the routines that write them. */
#ifndef PARTICLES_H
#define PARTICLES_H
#include <mpi.h>
#include <stdint.h>

enum { ARRAYS = 8, ID_1 = 6 }; /* id_1 is an int, the others are floats */
static const char *const names[ARRAYS] = {"x", "y", "z", "px", "py", "pz", "id_1", "id_2"};

typedef struct {
  int64_t all, first, count; /* of all ranks, and the block of this one */
  int steps;
  void *arrays[ARRAYS]; /* 4 bytes an element */
} particles;

void output_open(const char *path, const particles *of);
void output_write(const particles *of, int step);
void output_close(void);

#endif
