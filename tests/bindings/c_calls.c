#include "c_calls.h"

#include <stdlib.h>
#include <string.h>

/* The number of stations, components and steps a phase; tests/bindings/bindings_mpi_test.cpp has the same. */
enum { STATIONS = 5, COMPONENTS = 3, STEPS_A_PHASE = 4 };

static int write_steps(sill_stations *stations, int64_t steps) {
  int64_t station[STATIONS * COMPONENTS];
  int component[STATIONS * COMPONENTS];
  double values[STATIONS * COMPONENTS];
  int64_t count = 0;
  int64_t phases = -1;
  int status = sill_stations_owned(stations, STATIONS * COMPONENTS, station, component, &count);
  for (int64_t step = 1; step <= steps && status == SILL_OK; ++step) {
    for (int64_t i = 0; i < count; ++i) {
      values[i] = (double)(100 * station[i] + 10 * component[i]) - 0.125 * (double)step;
    }
    status = sill_stations_write_step(stations, values, count);
  }
  if (status == SILL_OK) status = sill_stations_phases(stations, &phases);
  if (status == SILL_OK && phases != steps / STEPS_A_PHASE) return -1;
  return status;
}

int c_write_stations(MPI_Comm comm, const char *policy, const char *folder, int64_t steps) {
  sill_station each[STATIONS];
  int owners[STATIONS * COMPONENTS];
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  for (int s = 0; s < STATIONS; ++s) {
    each[s].number = s + 7;
    for (int d = 0; d < 3; ++d) each[s].position_m[d] = 1000.5 * s - d;
    for (int c = 0; c < COMPONENTS; ++c) owners[s * COMPONENTS + c] = (s + c) % ranks;
  }
  sill_session *session = NULL;
  sill_stations *stations = NULL;
  const sill_station_output output = {.folder = folder,
                                      .stations = STATIONS,
                                      .station = each,
                                      .components = COMPONENTS,
                                      .owners = owners,
                                      .interval_s = 0.25,
                                      .final_steps = 1000,
                                      .steps_a_phase = STEPS_A_PHASE};
  int status = sill_session_open(comm, policy, &session);
  if (status == SILL_OK) status = sill_stations_open(session, &output, &stations);
  /* What is open keeps what it needs of its session. */
  if (status == SILL_OK) status = sill_session_close(&session);
  if (status == SILL_OK) status = write_steps(stations, steps);
  if (status == SILL_OK) status = sill_stations_close(&stations);
  if (stations != NULL) (void)sill_stations_free(&stations);
  if (session != NULL) (void)sill_session_free(&session);
  return status;
}

int c_write_surfaces(MPI_Comm comm, const char *policy, const char *prefix, const int64_t boxes[12], int order,
                     int64_t step, int64_t points, const float *const velocity[3], const float *const displacement[3]) {
  const int64_t z = 5, y = 4, x = 12;
  const int has_displacement = displacement != NULL;
  const sill_surface_options options = {.prefix = prefix,
                                        .xy_at_z = &z,
                                        .xz_at_y = &y,
                                        .yz_at_x = &x,
                                        .first_plane_row = 1,
                                        .plane_rows = 5,
                                        .origin = {100, -20, 3.5},
                                        .spacing = {0.5, 0.5, 0.5},
                                        .displacement = has_displacement,
                                        .order = order};
  sill_grid grid = {.shape = {13, 10, 7}};
  memcpy(grid.first, boxes, sizeof grid.first);
  memcpy(grid.count, boxes + 3, sizeof grid.count);
  memcpy(grid.stored_first, boxes + 6, sizeof grid.stored_first);
  memcpy(grid.stored_count, boxes + 9, sizeof grid.stored_count);
  sill_session *session = NULL;
  sill_surfaces *surfaces = NULL;
  int64_t bytes = 0;
  int status = sill_session_open(comm, policy, &session);
  if (status == SILL_OK) status = sill_surfaces_open(session, &grid, &options, &surfaces);
  if (status == SILL_OK) status = sill_surfaces_phase_bytes(surfaces, &bytes);
  if (status == SILL_OK && bytes <= (has_displacement ? 2 : 1) * 12 * (13 * 10 + 13 * 5 + 10 * 5)) status = -1;
  if (status == SILL_OK) {
    status = sill_surfaces_write_phase(
        surfaces, step, points, velocity[0], velocity[1], velocity[2], has_displacement ? displacement[0] : NULL,
        has_displacement ? displacement[1] : NULL, has_displacement ? displacement[2] : NULL);
  }
  if (status == SILL_OK) status = sill_surfaces_close(&surfaces);
  if (surfaces != NULL) (void)sill_surfaces_free(&surfaces);
  if (session != NULL) (void)sill_session_free(&session);
  return status;
}

/* The block of `traces` that a rank takes. */
static void block(MPI_Comm comm, int64_t traces, int64_t *first, int64_t *count) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  *first = traces * rank / ranks;
  *count = traces * (rank + 1) / ranks - *first;
}

int c_copy_bytes(MPI_Comm comm, const char *policy, const char *from, const char *to) {
  sill_session *session = NULL;
  sill_reader *reader = NULL;
  sill_writer *writer = NULL;
  int64_t traces = 0, header_bytes = 0, trailer_bytes = 0, trace_bytes = 0, bytes = 0, first = 0, count = 0;
  char *header = NULL, *mine = NULL;
  int status = sill_session_open(comm, policy, &session);
  if (status == SILL_OK) status = sill_reader_open(session, &from, 1, &reader);
  if (status == SILL_OK) status = sill_reader_traces(reader, &traces);
  if (status == SILL_OK) status = sill_reader_trace_bytes(reader, &trace_bytes);
  if (status == SILL_OK) status = sill_reader_file_header(reader, 0, 0, NULL, &header_bytes);
  if (status == SILL_OK) status = sill_reader_file_trailer(reader, 0, 0, NULL, &trailer_bytes);
  block(comm, traces, &first, &count);
  if (status == SILL_OK) status = sill_reader_bytes_of(reader, first, count, &bytes);
  header = malloc((size_t)header_bytes + 1);
  mine = malloc((size_t)bytes + 1);
  if (header == NULL || mine == NULL) return -1;
  if (status == SILL_OK) status = sill_reader_file_header(reader, 0, header_bytes, header, &header_bytes);
  if (status == SILL_OK) status = sill_reader_read(reader, first, count, mine, bytes);
  if (status == SILL_OK) {
    status = sill_writer_open_bytes(session, to, header_bytes, trace_bytes, traces, trailer_bytes, &writer);
  }
  if (status == SILL_OK) status = sill_writer_write_header(writer, header, header_bytes);
  if (status == SILL_OK) status = sill_writer_write(writer, first, count, mine, bytes);
  if (status == SILL_OK) status = sill_reader_require_unchanged(reader);
  if (status == SILL_OK) status = sill_writer_finish(&writer);
  if (status == SILL_OK) status = sill_reader_close(&reader);
  free(header);
  free(mine);
  (void)sill_writer_free(&writer);
  (void)sill_reader_free(&reader);
  (void)sill_session_free(&session);
  return status;
}

int c_copy_samples(MPI_Comm comm, const char *policy, const char *from, const char *to) {
  sill_session *session = NULL;
  sill_reader *reader = NULL;
  sill_writer *writer = NULL;
  sill_file_form form;
  int64_t first = 0, count = 0, samples = 0;
  double dt = 0;
  char *headers = NULL;
  float *values = NULL;
  memset(&form, 0, sizeof form);
  int status = sill_session_open(comm, policy, &session);
  if (status == SILL_OK) status = sill_reader_open(session, &from, 1, &reader);
  if (status == SILL_OK) status = sill_reader_form(reader, 0, &form);
  form.text = "C 1 MADE BY A TEST\nC 2 OF WRITERS";
  block(comm, form.traces, &first, &count);
  if (status == SILL_OK) status = sill_reader_samples_of(reader, first, count, &samples);
  headers = malloc((size_t)count * 240 + 1);
  values = malloc((size_t)(samples + 1) * sizeof *values);
  if (headers == NULL || values == NULL) return -1;
  if (status == SILL_OK) status = sill_reader_read_headers(reader, first, count, headers, count * 240);
  if (status == SILL_OK) status = sill_reader_read_samples(reader, first, count, values, samples);
  /* Taken apart and put together again. */
  for (int64_t i = 0; i < count && status == SILL_OK; ++i) {
    status = sill_read_word(headers + 240 * i, "tracl", form.byte_order, &dt);
    if (status == SILL_OK && dt != (double)(first + i + 1)) status = -1;
    memset(headers + 240 * i, 0, 4);
    if (status == SILL_OK) status = sill_write_word(headers + 240 * i, "tracl", form.byte_order, dt);
  }
  if (status == SILL_OK) status = sill_writer_open(session, to, &form, &writer);
  if (status == SILL_OK) {
    status = sill_writer_write_samples(writer, first, count, headers, count * 240, values, samples);
  }
  if (status == SILL_OK) status = sill_writer_finish(&writer);
  free(headers);
  free(values);
  (void)sill_writer_free(&writer);
  (void)sill_reader_free(&reader);
  (void)sill_session_free(&session);
  return status;
}
