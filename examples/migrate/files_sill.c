/* After: traces and coordinates of any SEG-Y or Seismic Unix file, checked, and an image that appears when it is
   complete. */
#include <sill.h>
#include <stdio.h>
#include <stdlib.h>

#include "migrate.h"

static sill_session *session;
static sill_reader *reader;
static int64_t samples;

/* An error is the same on all ranks: here all of them end the run, in order, so that no message is lost. */
static void check(int status) {
  if (status == SILL_OK) return;
  fprintf(stderr, "%s\n", sill_last_error());
  MPI_Finalize();
  exit(status);
}

struct line line_open(MPI_Comm comm, const char *path) {
  sill_file_form form;
  int64_t traces;
  check(sill_session_open(comm, NULL, &session));
  check(sill_reader_open(session, &path, 1, &reader));
  check(sill_reader_form(reader, 0, &form));
  check(sill_reader_traces(reader, &traces));
  samples = form.samples;
  return (struct line){traces, samples, form.interval_us * 1e-6};
}

void line_read(int64_t first, int64_t count, float *into, double *source_x, double *receiver_x) {
  check(sill_reader_read_samples(reader, first, count, into, count * samples));
  check(sill_reader_read_values(reader, "true(sx)", first, count, source_x, count));
  check(sill_reader_read_values(reader, "true(gx)", first, count, receiver_x, count));
}

void line_close(void) { check(sill_reader_close(&reader)); }

void image_write(MPI_Comm comm, const char *path, const struct image *image, const float *columns) {
  (void)comm;
  const sill_file_form form = {.kind = SILL_SEGY,
                               .byte_order = SILL_BIG,
                               .revision = SILL_REV_1,
                               .sample_format = 5,
                               .samples = image->samples,
                               .interval_us = image->interval_s * 1e6,
                               .traces = image->count,
                               .measurement_system = 1,
                               .text = "C 1 KIRCHHOFF TIME MIGRATION"};
  char *headers = calloc((size_t)image->own + 1, 240);
  for (int64_t c = 0; c < image->own; ++c) {
    char *header = headers + 240 * c;
    check(sill_write_word(header, "tracl", SILL_BIG, (double)(image->first + c + 1)));
    check(sill_write_word(header, "cdp", SILL_BIG, (double)(image->first + c + 1)));
    check(sill_write_word(header, "trid", SILL_BIG, 1));
    check(sill_write_word(header, "scalco", SILL_BIG, -100));
    check(sill_write_word(header, "cdpx", SILL_BIG,
                          100.0 * (image->first_x + image->step_x * (double)(image->first + c))));
    check(sill_write_word(header, "ns", SILL_BIG, (double)image->samples));
    check(sill_write_word(header, "dt", SILL_BIG, image->interval_s * 1e6));
  }
  sill_writer *writer;
  check(sill_writer_open(session, path, &form, &writer));
  check(sill_writer_write_samples(writer, image->first, image->own, headers, 240 * image->own, columns,
                                  image->own * image->samples));
  check(sill_writer_finish(&writer));
  check(sill_session_finish(&session));
  free(headers);
}
