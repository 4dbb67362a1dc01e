/* Scales all samples of a survey, in whatever sample format they are: scale IN OUT FACTOR */
#include <sill.h>
#include <stdio.h>
#include <stdlib.h>

/* Called with blocks of traces, by several threads at once. */
static int scale(sill_block *block, void *context) {
  const float factor = *(const float *)context;
  for (int64_t i = 0; i < block->count; ++i) {
    float *trace = block->values + i * block->stride;
    for (int64_t s = 0; s < block->samples; ++s) trace[s] *= factor;
  }
  return SILL_OK;
}

int main(int count, char **values) {
  if (count != 4) {
    fprintf(stderr, "usage: scale IN OUT FACTOR\n");
    return SILL_USAGE;
  }
  int provided = 0, rank = 0;
  MPI_Init_thread(&count, &values, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  float factor = strtof(values[3], NULL);
  const char *in = values[1];
  const sill_stream_options options = {.target = values[2]};
  sill_stream_result result;
  sill_session *session = NULL;
  sill_reader *reader = NULL;
  int status = sill_session_open(MPI_COMM_WORLD, NULL, &session);
  if (status == SILL_OK) status = sill_reader_open(session, &in, 1, &reader);
  if (status == SILL_OK) status = sill_stream_run(reader, &options, scale, &factor, &result);
  if (rank == 0) { /* status and text are the same on every rank */
    if (status == SILL_OK)
      printf("%lld traces, %lld samples rounded\n", (long long)result.traces, (long long)result.rounded);
    else
      fprintf(stderr, "%s\n", sill_last_error());
  }
  (void)sill_reader_free(&reader);
  (void)sill_session_free(&session);
  MPI_Finalize();
  return status;
}
