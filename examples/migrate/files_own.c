/* Before: SEG-Y of revision 0 or 1 in big-endian order with IBM or IEEE floats, read and written by MPI-IO. Only the
   sample format and the size of a file are checked. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "migrate.h"

enum { FILE_HEADER = 3600, TRACE_HEADER = 240, MOST_BYTES = 1 << 30 };

static MPI_File file;
static struct line of;
static int is_ibm;

static void check(int status, const char *what) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(status, text, &length);
  fprintf(stderr, "%s: %s\n", what, text);
  MPI_Abort(MPI_COMM_WORLD, 4);
}

static int get_short(const unsigned char *at) {
  const int value = at[0] << 8 | at[1];
  return value >= 32768 ? value - 65536 : value;
}

static int32_t get_int(const unsigned char *at) {
  return (int32_t)((uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]);
}

static void put_short(unsigned char *at, int value) {
  at[0] = (unsigned char)(value >> 8);
  at[1] = (unsigned char)value;
}

static void put_int(unsigned char *at, int32_t value) {
  for (int b = 0; b < 4; ++b) at[b] = (unsigned char)((uint32_t)value >> (24 - 8 * b));
}

static float get_float(const unsigned char *at) {
  const uint32_t word = (uint32_t)get_int(at);
  float value;
  memcpy(&value, &word, sizeof value);
  if (!is_ibm) return value;
  const double fraction = (double)(word & 0xFFFFFF) / 16777216.0;
  value = (float)ldexp(fraction, 4 * ((int)(word >> 24 & 0x7F) - 64));
  return word >> 31 ? -value : value;
}

static double scaled(int32_t value, int scalar) {
  if (scalar > 0) return (double)value * scalar;
  if (scalar < 0) return (double)value / -scalar;
  return value;
}

struct line line_open(MPI_Comm comm, const char *path) {
  unsigned char header[FILE_HEADER];
  MPI_Offset bytes;
  MPI_Status status;
  int rank;
  MPI_Comm_rank(comm, &rank);
  check(MPI_File_open(comm, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file), path);
  check(MPI_File_get_size(file, &bytes), path);
  if (bytes < FILE_HEADER) {
    fprintf(stderr, "%s is no SEG-Y file\n", path);
    MPI_Abort(comm, 3);
  }
  if (rank == 0) check(MPI_File_read_at(file, 0, header, FILE_HEADER, MPI_BYTE, &status), path);
  MPI_Bcast(header, FILE_HEADER, MPI_BYTE, 0, comm);
  const int format = get_short(header + 3224);
  if (format != 1 && format != 5) {
    fprintf(stderr, "%s: sample format %d is neither IBM nor IEEE\n", path, format);
    MPI_Abort(comm, 3);
  }
  is_ibm = format == 1;
  of.samples = get_short(header + 3220) & 0xFFFF;
  of.interval_s = (get_short(header + 3216) & 0xFFFF) * 1e-6;
  const int64_t trace_bytes = TRACE_HEADER + 4 * of.samples;
  if (of.samples == 0 || (bytes - FILE_HEADER) % trace_bytes != 0) {
    fprintf(stderr, "%s does not hold traces of %lld samples\n", path, (long long)of.samples);
    MPI_Abort(comm, 3);
  }
  of.traces = (bytes - FILE_HEADER) / trace_bytes;
  return of;
}

void line_read(int64_t first, int64_t count, float *samples, double *source_x, double *receiver_x) {
  const int64_t trace_bytes = TRACE_HEADER + 4 * of.samples;
  const int64_t bytes = count * trace_bytes;
  unsigned char *buffer = malloc((size_t)bytes);
  if (buffer == NULL || bytes > MOST_BYTES) MPI_Abort(MPI_COMM_WORLD, 4);
  MPI_Status status;
  int got;
  check(MPI_File_read_at_all(file, FILE_HEADER + first * trace_bytes, buffer, (int)bytes, MPI_BYTE, &status), "read");
  MPI_Get_count(&status, MPI_BYTE, &got);
  if (got != bytes) {
    fprintf(stderr, "the file ends at trace %lld\n", (long long)first);
    MPI_Abort(MPI_COMM_WORLD, 4);
  }
  for (int64_t i = 0; i < count; ++i) {
    const unsigned char *trace = buffer + i * trace_bytes;
    const int scalar = get_short(trace + 70);
    source_x[i] = scaled(get_int(trace + 72), scalar);
    receiver_x[i] = scaled(get_int(trace + 80), scalar);
    for (int64_t s = 0; s < of.samples; ++s) samples[i * of.samples + s] = get_float(trace + TRACE_HEADER + 4 * s);
  }
  free(buffer);
}

void line_close(void) { check(MPI_File_close(&file), "close"); }

static void put_file_header(const struct image *image, unsigned char *header) {
  static const char text[] = "C 1 KIRCHHOFF TIME MIGRATION";
  /* EBCDIC of capital letters, digits and blanks. */
  for (int i = 0; i < 3200; ++i) {
    const char c = i < (int)sizeof text - 1 ? text[i] : ' ';
    header[i] = (unsigned char)(c == ' '   ? 0x40
                                : c <= '9' ? 0xF0 + (c - '0')
                                : c <= 'I' ? 0xC1 + (c - 'A')
                                : c <= 'R' ? 0xD1 + (c - 'J')
                                           : 0xE2 + (c - 'S'));
  }
  memset(header + 3200, 0, 400);
  put_short(header + 3216, (int)lround(image->interval_s * 1e6));
  put_short(header + 3220, (int)image->samples);
  put_short(header + 3224, 5);
  put_short(header + 3254, 1);
  put_short(header + 3500, 0x0100);
  put_short(header + 3502, 1);
}

void image_write(MPI_Comm comm, const char *path, const struct image *image, const float *columns) {
  const int64_t trace_bytes = TRACE_HEADER + 4 * image->samples;
  const int64_t bytes = image->own * trace_bytes;
  unsigned char *buffer = calloc((size_t)bytes + 1, 1), header[FILE_HEADER];
  if (buffer == NULL || bytes > MOST_BYTES) MPI_Abort(comm, 4);
  for (int64_t c = 0; c < image->own; ++c) {
    unsigned char *trace = buffer + c * trace_bytes;
    put_int(trace, (int32_t)(image->first + c + 1));
    put_int(trace + 20, (int32_t)(image->first + c + 1));
    put_short(trace + 28, 1);
    put_short(trace + 70, -100);
    put_int(trace + 180, (int32_t)lround(100.0 * (image->first_x + image->step_x * (double)(image->first + c))));
    put_short(trace + 114, (int)image->samples);
    put_short(trace + 116, (int)lround(image->interval_s * 1e6));
    for (int64_t s = 0; s < image->samples; ++s) {
      uint32_t word;
      memcpy(&word, columns + c * image->samples + s, sizeof word);
      put_int(trace + TRACE_HEADER + 4 * s, (int32_t)word);
    }
  }
  MPI_Status status;
  int rank;
  MPI_Comm_rank(comm, &rank);
  check(MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file), path);
  check(MPI_File_set_size(file, FILE_HEADER + image->count * trace_bytes), path);
  put_file_header(image, header);
  if (rank == 0) check(MPI_File_write_at(file, 0, header, FILE_HEADER, MPI_BYTE, &status), path);
  check(MPI_File_write_at_all(file, FILE_HEADER + image->first * trace_bytes, buffer, (int)bytes, MPI_BYTE, &status),
        path);
  check(MPI_File_close(&file), path);
  free(buffer);
}
