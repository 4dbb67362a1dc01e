/* Programs in C, as parts of a test: each does what a user's program does, and returns the first status that is not
   SILL_OK. */
#ifndef SILL_TESTS_C_CALLS_H
#define SILL_TESTS_C_CALLS_H

#include "sill.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Collective. Stations whose components go to the ranks in turn, values that C works out itself. */
int c_write_stations(MPI_Comm comm, const char *policy, const char *folder, int form, int64_t steps);
/* Collective. The same stations in an ASDF file; rank 0 attaches arrays. */
int c_write_asdf(MPI_Comm comm, const char *folder);
/* Collective. The planes z = 5, y = 4 (rows 1 to 5) and x = 12, as tests/io/surface_case.hpp has them; `boxes`: first
   and count of what is written, then of what is stored. */
int c_write_surfaces(MPI_Comm comm, const char *policy, const char *prefix, const int64_t boxes[12], int order,
                     int64_t step, int64_t points, const float *const velocity[3], const float *const displacement[3]);
/* Collective. 100 records "record <id>", of which each rank brings those that it comes to in turn, from the last. */
int c_write_records(MPI_Comm comm, int rank, int ranks, const char *path);
/* Collective. Every second point of a grid of 9 x 8 x 6 that is distributed in slabs of y, every second of 9 steps,
   values that C works out itself. */
int c_write_volumes(MPI_Comm comm, const char *policy, const char *prefix, int order, int memory);
/* Collective. The x of every second point of the same grid at step 1, with the defaults of all that can be left out. */
int c_keep_every_second(MPI_Comm comm, const char *prefix);
/* Collective. Rank r has r + 1 problems of 10 points and 2 dimensions; steps 2 and 4, and what is written once. */
int c_write_solutions(MPI_Comm comm, const char *policy, const char *folder, int files);
/* Collective. The dataset of tests/bindings/bindings_mpi_test.cpp; then reads it, and returns -1 if it is another. */
int c_write_dataset(MPI_Comm comm, const char *policy, const char *path);
/* Collective. Two steps of u(time, x), of which this rank has `count` values, with settings as in SILL_LAYOUT. */
int c_write_layout(MPI_Comm comm, const char *path, const char *layout, int64_t first, int64_t count, int64_t whole,
                   const double *values);
/* A run that goes on from the checkpoint that is there: adds half its number to each element and 1 to the step, and
   writes the next checkpoint. */
int c_restart(MPI_Comm comm, const char *path, int64_t first, int64_t count, int64_t whole, double *state,
              double *step);
/* Collective. Copies a survey byte by byte; and by its headers and samples as floats. */
int c_copy_bytes(MPI_Comm comm, const char *policy, const char *from, const char *to);
int c_copy_samples(MPI_Comm comm, const char *policy, const char *from, const char *to);
/* Collective. Multiplies samples, and stores true values of sx with the scalar -100: 1000.126 + the trace's number. */
int c_scale_survey(MPI_Comm comm, const char *from, const char *to, float factor);
/* Collective. Runs a flow that may name the operations `doubled`, `moved` (as c_scale_survey), `ranked` (gathers of
   up to ten tracl), `ends` and `misses`. */
int c_run_flow(MPI_Comm comm, const char *from, const char *to, const char *flow);

#ifdef __cplusplus
}
#endif
#endif
