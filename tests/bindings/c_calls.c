#include "c_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The block of items that a rank takes. */
static void block(MPI_Comm comm, int64_t items, int64_t *first, int64_t *count) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  *first = items * rank / ranks;
  *count = items * (rank + 1) / ranks - *first;
}

/* A program that is told its policy, and nothing by the environment. */
#define options_of(policy) ((const sill_options){.policies = (policy), .no_environment = 1})

/* The number of stations, components and steps a phase; tests/bindings/bindings_mpi_test.cpp has the same. */
enum { STATIONS = 5, COMPONENTS = 3, STEPS_A_PHASE = 4 };

static int write_steps(sill_stations *stations, int64_t after, int64_t steps) {
  int64_t station[STATIONS * COMPONENTS];
  int component[STATIONS * COMPONENTS];
  double values[STATIONS * COMPONENTS];
  int64_t count = 0;
  int64_t phases = -1;
  int status = sill_stations_owned(stations, STATIONS * COMPONENTS, station, component, &count);
  for (int64_t step = after + 1; step <= steps && status == SILL_OK; ++step) {
    for (int64_t i = 0; i < count; ++i) {
      values[i] = (double)(100 * station[i] + 10 * component[i]) - 0.125 * (double)step;
    }
    status = sill_stations_write_step(stations, values, count);
  }
  if (status == SILL_OK) status = sill_stations_phases(stations, &phases);
  if (status == SILL_OK && phases != (steps - after) / STEPS_A_PHASE) return -1;
  return status;
}

static int write_stations(MPI_Comm comm, const char *policy, const char *folder, int form, int64_t after,
                          int64_t steps) {
  sill_station each[STATIONS];
  int owners[STATIONS * COMPONENTS];
  const double source_m[3] = {12.5, -7.25, 100};
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
                                      .interval_s = 0.0625,
                                      .final_steps = 1000,
                                      .steps_per_phase = STEPS_A_PHASE,
                                      .form = form,
                                      .shot = 3,
                                      .source_m = source_m,
                                      .start_us = 1000000,
                                      .continues_after = after};
  int status = sill_session_open(comm, &options_of(policy), &session);
  if (status == SILL_OK) status = sill_stations_open(session, &output, &stations);
  /* What is open keeps what it needs of its session. */
  if (status == SILL_OK) status = sill_session_finish(&session);
  if (status == SILL_OK) status = write_steps(stations, after, steps);
  if (status == SILL_OK) status = sill_stations_close(&stations);
  if (stations != NULL) (void)sill_stations_free(&stations);
  if (session != NULL) (void)sill_session_free(&session);
  return status;
}

/* In two runs, of which the first goes further than the second goes on from. */
int c_write_stations(MPI_Comm comm, const char *policy, const char *folder, int form, int64_t steps) {
  const int status = write_stations(comm, policy, folder, form, 0, STEPS_A_PHASE * 2);
  return status != SILL_OK ? status : write_stations(comm, policy, folder, form, STEPS_A_PHASE, steps);
}

int c_write_asdf(MPI_Comm comm, const char *folder) {
  sill_station each[STATIONS] = {{.number = 0}};
  int owners[STATIONS * COMPONENTS];
  int rank = 0, ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  for (int s = 0; s < STATIONS; ++s) {
    each[s].number = s + 7;
    for (int c = 0; c < COMPONENTS; ++c) owners[s * COMPONENTS + c] = (s + c) % ranks;
  }
  sill_session *session = NULL;
  sill_stations *stations = NULL;
  const sill_station_output output = {.folder = folder,
                                      .stations = STATIONS,
                                      .station = each,
                                      .components = COMPONENTS,
                                      .owners = owners,
                                      .interval_s = 0.0625,
                                      .final_steps = 2 * STEPS_A_PHASE,
                                      .steps_per_phase = STEPS_A_PHASE,
                                      .form = SILL_STATIONS_ASDF,
                                      .component_names = "BXE,BXN,BXZ",
                                      .start_us = 1356998400000000,
                                      .codes = "IU.S0,IU.S1,IU.S2,IU.S3,IU.S4.10",
                                      .tag = "raw_1",
                                      .event_id = "smi:local/e"};
  const double array[2][3] = {{0, 1, 2}, {3, 4, 5}};
  const int64_t shape[2] = {2, 3};
  int status = sill_session_open(comm, &options_of("elected"), &session);
  if (status == SILL_OK) status = sill_stations_open(session, &output, &stations);
  if (status == SILL_OK && rank == 0)
    status = sill_stations_attach(stations, "AuxiliaryData/A/b", SILL_F8, 2, shape, array);
  if (status == SILL_OK && rank == 0)
    status = sill_stations_attach_attribute(stations, "AuxiliaryData/A/b", "shape", SILL_I8, 2, shape);
  if (status == SILL_OK && rank == 0)
    status = sill_stations_attach_attribute_text(stations, "AuxiliaryData/A/b", "units", "m");
  if (status == SILL_OK && rank == 0)
    status = sill_stations_attach_text(stations, "Waveforms/IU.S4/StationXML", "<station/>");
  if (status == SILL_OK) status = write_steps(stations, 0, 2 * STEPS_A_PHASE);
  if (status == SILL_OK) status = sill_stations_close(&stations);
  if (stations != NULL) (void)sill_stations_free(&stations);
  if (session != NULL) (void)sill_session_free(&session);
  return status;
}

int c_write_records(MPI_Comm comm, int rank, int ranks, const char *path) {
  sill_session *session = NULL;
  sill_records *records = NULL;
  const sill_records_options options = {.codec = "bgzf", .level = 6, .files = 2, .ids = 100};
  int status = sill_session_open(comm, &options_of("staged"), &session);
  if (status == SILL_OK) status = sill_records_open(session, path, &options, &records);
  for (int64_t id = 99; id >= 0 && status == SILL_OK; --id) {
    char text[32];
    const int size = snprintf(text, sizeof text, "record %d", (int)id);
    if (id % ranks == rank) status = sill_records_put(records, id, text, size);
    if (id == 50 && status == SILL_OK) status = sill_records_write(records);
  }
  if (status == SILL_OK) status = sill_records_close(&records);
  if (records != NULL) (void)sill_records_free(&records);
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
  int status = sill_session_open(comm, &options_of(policy), &session);
  if (status == SILL_OK) status = sill_surfaces_open(session, &grid, &options, &surfaces);
  if (status == SILL_OK) status = sill_surfaces_phase_bytes(surfaces, &bytes);
  if (status == SILL_OK && bytes <= (has_displacement ? 2 : 1) * 12 * (13 * 10 + 13 * 5 + 10 * 5)) status = -1;
  if (status == SILL_OK) {
    status =
        sill_surfaces_write_phase(surfaces, step, points, velocity[0], velocity[1], velocity[2],
                                  has_displacement ? displacement[0] : NULL, has_displacement ? displacement[1] : NULL,
                                  has_displacement ? displacement[2] : NULL, step % 3 == 0 ? SILL_LENT : SILL_COPIED);
  }
  if (status == SILL_OK && step % 3 == 0) status = sill_surfaces_wait(surfaces);
  if (status == SILL_OK) status = sill_surfaces_close(&surfaces);
  if (surfaces != NULL) (void)sill_surfaces_free(&surfaces);
  if (session != NULL) (void)sill_session_free(&session);
  return status;
}

int c_restart(MPI_Comm comm, const char *path, int64_t first, int64_t count, int64_t whole, double *state,
              double *step) {
  const sill_dataset_options options = {.existing = SILL_APPEND_TO_EXISTING};
  sill_session *session = NULL;
  sill_dataset *dataset = NULL;
  sill_dataset_reader *reader = NULL;
  int64_t steps = 0;
  int status = sill_session_open(comm, NULL, &session);
  if (status == SILL_OK) status = sill_dataset_open(session, path, &options, &dataset);
  if (status == SILL_OK) status = sill_dataset_define_dimension(dataset, "time", 0);
  if (status == SILL_OK) status = sill_dataset_define_dimension(dataset, "x", whole);
  if (status == SILL_OK) status = sill_dataset_define_variable(dataset, "step", SILL_F8, "time");
  if (status == SILL_OK) status = sill_dataset_define_variable(dataset, "u", SILL_F8, "time,x");
  if (status == SILL_OK) status = sill_dataset_begin(dataset);
  if (status == SILL_OK) status = sill_dataset_steps(dataset, &steps);
  if (status == SILL_OK && steps > 0) {
    status = sill_dataset_reader_open(session, path, &reader);
    if (status == SILL_OK && count > 0)
      status = sill_dataset_reader_get(reader, "u", 1, &first, &count, NULL, NULL, SILL_F8, state);
    if (status == SILL_OK) status = sill_dataset_reader_get(reader, "step", 0, NULL, NULL, NULL, NULL, SILL_F8, step);
    if (status == SILL_OK) status = sill_dataset_reader_read_step(reader, 0);
  }
  *step += 1;
  for (int64_t i = 0; i < count; ++i) state[i] += 0.5 * (double)(first + i);
  if (status == SILL_OK && count > 0)
    status = sill_dataset_put(dataset, "u", 1, &first, &count, NULL, NULL, SILL_F8, state);
  if (status == SILL_OK) status = sill_dataset_put_value(dataset, "step", *step);
  if (status == SILL_OK) status = sill_dataset_write_step(dataset, SILL_COPIED);
  if (status == SILL_OK) status = sill_dataset_close(&dataset);
  (void)sill_dataset_reader_free(&reader);
  (void)sill_dataset_free(&dataset);
  if (session != NULL) (void)sill_session_free(&session);
  return status;
}

int c_write_layout(MPI_Comm comm, const char *path, const char *layout, int64_t first, int64_t count, int64_t whole,
                   const double *values) {
  const sill_dataset_options options = {.layout = layout};
  const sill_dataset_options unknown = {.layout = "codec=lzma"};
  sill_session *session = NULL;
  sill_dataset *dataset = NULL;
  int status = sill_session_open(comm, NULL, &session);
  if (status == SILL_OK && sill_dataset_open(session, path, &unknown, &dataset) != SILL_USAGE) status = -1;
  if (status == SILL_OK) status = sill_dataset_open(session, path, &options, &dataset);
  if (status == SILL_OK) status = sill_dataset_define_dimension(dataset, "time", 0);
  if (status == SILL_OK) status = sill_dataset_define_dimension(dataset, "x", whole);
  if (status == SILL_OK) status = sill_dataset_define_variable(dataset, "u", SILL_F4, "time,x");
  if (status == SILL_OK) status = sill_dataset_begin(dataset);
  for (int step = 0; step < 2 && status == SILL_OK; ++step) {
    if (count > 0) status = sill_dataset_put(dataset, "u", 1, &first, &count, NULL, NULL, SILL_F8, values);
    if (status == SILL_OK) status = sill_dataset_write_step(dataset, SILL_COPIED);
  }
  if (status == SILL_OK) status = sill_dataset_close(&dataset);
  (void)sill_dataset_free(&dataset);
  if (session != NULL) (void)sill_session_free(&session);
  return status;
}

int c_write_dataset(MPI_Comm comm, const char *policy, const char *path) {
  enum { NY = 5, NX = 12 };
  int64_t x = 0, columns = 0;
  block(comm, NX, &x, &columns);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const int64_t first[2] = {0, x}, count[2] = {NY, columns};
  const int64_t stored_first[2] = {-1, x - 1}, stored_count[2] = {NY + 2, columns + 2};
  const sill_dataset_options options = {.existing = SILL_REPLACE_EXISTING, .container = "netcdf"};
  const sill_dataset_options unknown = {.container = "hdf"};
  const float range[2] = {0, 1000};
  double depth[NY];
  for (int y = 0; y < NY; ++y) depth[y] = 0.5 * y;
  double *values = malloc(sizeof(double) * (NY + 2) * (size_t)(columns + 2));
  double *second = malloc(sizeof(double) * (NY + 2) * (size_t)(columns + 2));
  sill_session *session = NULL;
  sill_dataset *dataset = NULL;
  sill_dataset_reader *reader = NULL;
  int status = sill_session_open(comm, &options_of(policy), &session);
  if (status == SILL_OK && sill_dataset_open(session, path, &unknown, &dataset) != SILL_USAGE) status = -1;
  if (status == SILL_OK) status = sill_dataset_open(session, path, &options, &dataset);
  if (status == SILL_OK) status = sill_dataset_define_dimension(dataset, "time", 0);
  if (status == SILL_OK) status = sill_dataset_define_dimension(dataset, "y", NY);
  if (status == SILL_OK) status = sill_dataset_define_dimension(dataset, "x", NX);
  if (status == SILL_OK) status = sill_dataset_define_variable(dataset, "depth", SILL_F8, "y");
  if (status == SILL_OK) status = sill_dataset_define_variable(dataset, "u", SILL_F4, "time,y,x");
  if (status == SILL_OK) status = sill_dataset_define_variable(dataset, "node", SILL_I4, "time,x");
  if (status == SILL_OK) status = sill_dataset_define_text(dataset, "u", "units", "m s-1");
  if (status == SILL_OK) status = sill_dataset_define_attribute(dataset, "u", "valid_range", SILL_F4, 2, range);
  if (status == SILL_OK) status = sill_dataset_define_text(dataset, NULL, "title", "bindings");
  const char *since = "seconds since 2026-01-01 00:00:00";
  if (status == SILL_OK) status = sill_dataset_define_coordinate(dataset, "time", "T", since, NULL, NULL);
  if (status == SILL_OK) status = sill_dataset_define_coordinate(dataset, "y", "Z", "m", "up", "height");
  if (status == SILL_OK) status = sill_dataset_begin(dataset);
  if (status == SILL_OK && rank == 0) {
    const int64_t from[1] = {0}, so_many[1] = {NY};
    status = sill_dataset_put(dataset, "depth", 1, from, so_many, NULL, NULL, SILL_F8, depth);
    /* One memory for two parts of a call would be written as it is last. */
    if (status == SILL_OK &&
        sill_dataset_put(dataset, "u", 1, from, so_many, NULL, NULL, SILL_F8, depth) != SILL_USAGE) {
      status = -1;
    }
  }
  if (status == SILL_OK) status = sill_dataset_write(dataset, SILL_COPIED);
  int64_t numbers[NX], nodes_of[3][NX];
  double *values_of[3] = {values, second, values};
  for (int64_t step = 0; step < 3 && status == SILL_OK; ++step) { /* the second and the third together */
    int64_t *nodes = nodes_of[step];
    values = values_of[step];
    for (int64_t i = 0; i < columns; ++i) { /* from the last to the first */
      numbers[i] = x + columns - 1 - i;
      nodes[i] = 10 * step + numbers[i];
    }
    for (int64_t y = 0; y < NY + 2; ++y) {
      for (int64_t c = 0; c < columns + 2; ++c) {
        values[y * (columns + 2) + c] = (double)(100 * step + 10 * (y - 1) + x + c - 1);
      }
    }
    if (step == 1) {
      status = sill_dataset_put(dataset, "u", 2, first, count, stored_first, stored_count, SILL_F8, values);
      if (status == SILL_OK) status = sill_dataset_put_elements(dataset, "node", columns, numbers, SILL_I8, nodes);
    } else { /* copies: the memory changes before it is written */
      status = sill_dataset_put_copy(dataset, "u", 2, first, count, stored_first, stored_count, SILL_F8, values);
      if (status == SILL_OK) status = sill_dataset_put_elements_copy(dataset, "node", columns, numbers, SILL_I8, nodes);
      for (int64_t i = 0; i < (NY + 2) * (columns + 2); ++i) values[i] = -1;
      for (int64_t i = 0; i < columns; ++i) nodes[i] = -1;
    }
    if (status == SILL_OK) status = sill_dataset_put_value(dataset, "time", 0.5 * (double)step + rank);
    if (status == SILL_OK && step == 1) status = sill_dataset_next_step(dataset);
    if (status == SILL_OK && step == 0) status = sill_dataset_write_step(dataset, SILL_COPIED);
    if (status == SILL_OK && step == 2) status = sill_dataset_write_step(dataset, SILL_LENT);
  }
  if (status == SILL_OK) status = sill_dataset_wait(dataset);
  if (status == SILL_OK && rank == 0) { /* what is there already, once more */
    const int64_t from[1] = {0}, one[1] = {1};
    const int32_t node = 20;
    status = sill_dataset_put(dataset, "node", 1, from, one, NULL, NULL, SILL_I4, &node);
    if (status == SILL_OK) status = sill_dataset_write_own(dataset, 2);
  }
  const float found_range[2] = {0, 299};
  if (status == SILL_OK) status = sill_dataset_set_attribute(dataset, "u", "valid_range", SILL_F4, 2, found_range);
  if (status == SILL_OK) status = sill_dataset_set_text(dataset, NULL, "title", "bindings, complete");
  int64_t steps = 0, length = 0;
  if (status == SILL_OK) status = sill_dataset_steps(dataset, &steps);
  if (status == SILL_OK) status = sill_dataset_close(&dataset);
  MPI_Barrier(comm);
  if (status == SILL_OK) status = sill_dataset_reader_open(session, path, &reader);
  if (status == SILL_OK) status = sill_dataset_reader_length(reader, "x", &length);
  float read[NY * NX] = {0};
  int16_t nodes[2] = {0};
  const int64_t all[2] = {NY, NX}, none[2] = {0, 0}, wanted[2] = {11, 4};
  if (status == SILL_OK) status = sill_dataset_reader_get(reader, "u", 2, none, all, NULL, NULL, SILL_F4, read);
  if (status == SILL_OK) status = sill_dataset_reader_next_step(reader);
  if (status == SILL_OK) status = sill_dataset_reader_get_elements(reader, "node", 2, wanted, SILL_I2, nodes);
  if (status == SILL_OK) status = sill_dataset_reader_read_step(reader, 0);
  if (status == SILL_OK) {
    const int64_t so_many[1] = {NY};
    for (int y = 0; y < NY; ++y) depth[y] = -1;
    status = sill_dataset_reader_get(reader, "depth", 1, none, so_many, NULL, NULL, SILL_F8, depth);
  }
  if (status == SILL_OK) status = sill_dataset_reader_read(reader);
  int64_t read_steps = 0;
  int holds = 0;
  if (status == SILL_OK) status = sill_dataset_reader_steps(reader, &read_steps);
  if (status == SILL_OK) status = sill_dataset_reader_holds(reader, "u", 0, &holds);
  if (status == SILL_OK && !holds) status = -1;
  if (status == SILL_OK && (steps != 3 || read_steps != 3 || length != NX || read[NX + 4] != 14 || nodes[0] != 21 ||
                            nodes[1] != 14 || depth[4] != 2)) {
    status = -1;
  }
  (void)sill_dataset_reader_free(&reader);
  (void)sill_dataset_free(&dataset);
  (void)sill_session_free(&session);
  free(values);
  free(second);
  return status;
}

int c_copy_bytes(MPI_Comm comm, const char *policy, const char *from, const char *to) {
  sill_session *session = NULL;
  sill_reader *reader = NULL;
  sill_writer *writer = NULL;
  int64_t traces = 0, header_bytes = 0, trailer_bytes = 0, trace_bytes = 0, bytes = 0, first = 0, count = 0;
  char *header = NULL, *mine = NULL;
  int status = sill_session_open(comm, &options_of(policy), &session);
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
  int status = sill_session_open(comm, &options_of(policy), &session);
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

int c_write_volumes(MPI_Comm comm, const char *policy, const char *prefix, int order, int memory) {
  const sill_volume_options options = {.prefix = prefix,
                                       .components = "XZ",
                                       .kept_first = {1, 0, 0},
                                       .kept_last = {-1, 6, -1},
                                       .kept_skip = {2, 2, 2},
                                       .steps_per_sample = 2,
                                       .samples_per_file = 2,
                                       .first_step = 1,
                                       .order = order,
                                       .surface = SILL_SURFACE_AT_LAST_Z};
  sill_grid grid = {.shape = {9, 8, 6}, .count = {9, 0, 6}};
  block(comm, 8, &grid.first[1], &grid.count[1]);
  for (int d = 0; d < 3; ++d) {
    grid.stored_first[d] = grid.first[d] - 1;
    grid.stored_count[d] = grid.count[d] + 2;
  }
  const int64_t *n = grid.stored_count;
  const int64_t points = n[0] * n[1] * n[2];
  sill_session *session = NULL;
  sill_volumes *volumes = NULL;
  int64_t batches = 0, kept = 0, bytes = 0;
  float *fields[3] = {NULL, NULL, NULL};
  for (int c = 0; c < 3; ++c) {
    fields[c] = malloc((size_t)points * sizeof **fields);
    if (fields[c] == NULL) return -1;
  }
  int status = sill_session_open(comm, &options_of(policy), &session);
  if (status == SILL_OK) status = sill_volumes_open(session, &grid, &options, &volumes);
  for (int64_t step = 1; step <= 9 && status == SILL_OK; ++step) {
    for (int64_t i = 0; i < points; ++i) {
      const int64_t x = grid.stored_first[0] + (order == SILL_X_FASTEST ? i % n[0] : i / (n[1] * n[2]));
      const int64_t y = grid.stored_first[1] + (order == SILL_X_FASTEST ? i / n[0] % n[1] : i / n[2] % n[1]);
      const int64_t z = grid.stored_first[2] + (order == SILL_X_FASTEST ? i / (n[0] * n[1]) : i % n[2]);
      for (int c = 0; c < 3; ++c) fields[c][i] = (float)(((step * 3 + c) * 16 + x) * 256 + y * 16 + z);
    }
    status = sill_volumes_write_step(volumes, step, points, fields[0], NULL, fields[2], memory);
    if (status == SILL_OK && memory == SILL_LENT) status = sill_volumes_wait(volumes);
  }
  if (status == SILL_OK) status = sill_volumes_batches(volumes, &batches);
  if (status == SILL_OK) status = sill_volumes_kept_bytes(volumes, &kept);
  if (status == SILL_OK) status = sill_volumes_batch_bytes(volumes, &bytes);
  if (status == SILL_OK && (batches != 2 || bytes != 2 * 2 * 4 * 4 * 3 * 4 || kept > 3 * bytes)) status = -1;
  if (status == SILL_OK) status = sill_volumes_close(&volumes);
  for (int c = 0; c < 3; ++c) free(fields[c]);
  if (volumes != NULL) (void)sill_volumes_free(&volumes);
  (void)sill_session_free(&session);
  return status;
}

int c_keep_every_second(MPI_Comm comm, const char *prefix) {
  const sill_volume_options options = {.prefix = prefix,
                                       .components = "X",
                                       .kept_last = {-1, -1, -1},
                                       .kept_skip = {2, 2, 2},
                                       .steps_per_sample = 1,
                                       .samples_per_file = 1,
                                       .first_step = 1};
  sill_grid grid = {.shape = {9, 8, 6}, .count = {9, 0, 6}};
  block(comm, 8, &grid.first[1], &grid.count[1]);
  float field[9 * 8 * 6];
  int64_t points = 0;
  for (int64_t x = 0; x < 9; ++x) {
    for (int64_t y = grid.first[1]; y < grid.first[1] + grid.count[1]; ++y) {
      for (int64_t z = 0; z < 6; ++z) field[points++] = (float)(256 * x + 16 * y + z);
    }
  }
  sill_session *session = NULL;
  sill_volumes *volumes = NULL;
  int status = sill_session_open(comm, &options_of("direct"), &session);
  if (status == SILL_OK) status = sill_volumes_open(session, &grid, &options, &volumes);
  if (status == SILL_OK) status = sill_volumes_write_step(volumes, 1, points, field, NULL, NULL, SILL_COPIED);
  if (status == SILL_OK) status = sill_volumes_close(&volumes);
  (void)sill_volumes_free(&volumes);
  (void)sill_session_free(&session);
  return status;
}

int c_write_solutions(MPI_Comm comm, const char *policy, const char *folder, int files) {
  enum { VALUES = 20, MOST_RANKS = 64 };
  double values[VALUES * MOST_RANKS], corners[9 * MOST_RANKS];
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const sill_solution_output output = {.folder = folder,
                                       .my_problems = rank + 1,
                                       .sub_elements = 3,
                                       .dimensions = 2,
                                       .record_bytes = 13,
                                       .files = files,
                                       .chunk_align_bytes = files == SILL_SHARED ? 512 : 0};
  sill_session *session = NULL;
  sill_solutions *solutions = NULL;
  int64_t first = 0, count = 0, bytes = 0;
  int status = sill_session_open(comm, &options_of(policy), &session);
  if (status == SILL_OK) status = sill_solutions_open(session, &output, &solutions);
  if (status == SILL_OK) status = sill_solutions_problems(solutions, &first, &count);
  if (status == SILL_OK && (count != rank + 1 || first != rank * (rank + 1) / 2)) status = -1;
  for (int64_t i = 0; i < 9 * count; ++i) corners[i] = (double)(9 * first + i) / 8;
  if (status == SILL_OK) status = sill_solutions_write_problem_files(solutions, corners, count, "order 2\n");
  for (int64_t step = 2; step <= 4 && status == SILL_OK; step += 2) {
    for (int64_t i = 0; i < VALUES * count; ++i) values[i] = (double)(VALUES * first + i) / 16 - (double)step;
    status = sill_solutions_write_phase(solutions, step, values, VALUES * count, step == 4 ? SILL_LENT : SILL_COPIED);
    if (status == SILL_OK && step == 4) status = sill_solutions_wait(solutions);
  }
  if (status == SILL_OK) status = sill_solutions_phase_bytes(solutions, &bytes);
  if (status == SILL_OK && bytes < VALUES * 13) status = -1;
  if (status == SILL_OK) status = sill_solutions_close(&solutions);
  if (solutions != NULL) (void)sill_solutions_free(&solutions);
  (void)sill_session_free(&session);
  return status;
}

/* Words of coordinates whose scalar the header states first. */
static int move_source(sill_block *block, void *context) {
  (void)context;
  for (int64_t i = 0; i < block->count; ++i) {
    char *header = (char *)block->headers + i * block->header_bytes;
    const double x = 1000.126 + (double)block->traces[i];
    int status = sill_write_word(header, "scalco", block->byte_order, -100);
    sill_block one = *block;
    one.count = 1;
    one.headers = header;
    if (status == SILL_OK) status = sill_block_set_true_values(&one, "sx", &x);
    if (status != SILL_OK) return status;
  }
  return SILL_OK;
}

static int scale(sill_block *block, void *context) {
  const float factor = *(const float *)context;
  for (int64_t i = 0; i < block->count; ++i) {
    for (int64_t s = 0; s < block->samples; ++s) block->values[i * block->stride + s] *= factor;
  }
  return SILL_OK;
}

static int scale_and_move(sill_block *block, void *context) {
  const int status = scale(block, context);
  return status == SILL_OK ? move_source(block, NULL) : status;
}

int c_scale_survey(MPI_Comm comm, const char *from, const char *to, float factor) {
  const sill_stream_options options = {.target = to};
  sill_session *session = NULL;
  sill_reader *reader = NULL;
  int status = sill_session_open(comm, &options_of("direct,threads=2"), &session);
  if (status == SILL_OK) status = sill_reader_open(session, &from, 1, &reader);
  if (status == SILL_OK) status = sill_stream_run(reader, &options, scale_and_move, &factor, NULL);
  if (status == SILL_OK) status = sill_reader_close(&reader);
  (void)sill_reader_free(&reader);
  (void)sill_session_free(&session);
  return status;
}

/* The place of a trace in its gather, from 1, becomes its word nhs, and is added to its samples. */
static int rank_traces(sill_block *block, void *context) {
  (void)context;
  double places[16];
  if (block->count > 16) return -1;
  for (int64_t i = 0; i < block->count; ++i) {
    places[i] = (double)(i + 1);
    for (int64_t s = 0; s < block->samples; ++s) block->values[i * block->stride + s] += (float)(i + 1);
  }
  return sill_block_set_true_values(block, "nhs", places);
}

static int end(sill_block *block, void *context) {
  (void)block;
  (void)context;
  return SILL_INPUT;
}

int c_run_flow(MPI_Comm comm, const char *from, const char *to, const char *flow) {
  static float two = 2.0F;
  static int is_added = 0;
  const sill_operation operations[] = {
      {.name = "doubled", .reads_samples = 1, .writes_samples = 1, .run = scale, .context = &two},
      {.name = "moved", .writes_words = "scalco,sx", .edit_header = move_source, .not_thread_safe = 1},
      {.name = "ranked",
       .scope = SILL_GATHER,
       .keys = "tracl - tracl % 10",
       .writes_words = "nhs",
       .reads_samples = 1,
       .writes_samples = 1,
       .memory_bytes = 8,
       .run = rank_traces},
      {.name = "ends", .reads_samples = 1, .run = end},
      {.name = "misses", .reads_words = "no_word", .run = scale, .context = &two}};
  const sill_flow_options options = {.no_history = 1};
  sill_flow_result result;
  sill_session *session = NULL;
  int status = sill_session_open(comm, &options_of("direct,threads=2"), &session);
  for (int i = 0; i < 5 && status == SILL_OK && !is_added; ++i) status = sill_flow_add_operation(&operations[i]);
  is_added = 1;
  if (status == SILL_OK) status = sill_flow_run(session, &from, 1, to, flow, &options, &result);
  if (status == SILL_OK && (result.traces_in != result.traces_out || result.bytes_out < 3600)) status = -1;
  (void)sill_session_free(&session);
  return status;
}
