// What a program may get wrong without any rank to report it: handles and places that are NULL.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "sill.h"

namespace sill {
namespace {

void expect_null_refused(int status) {
  EXPECT_EQ(status, SILL_USAGE);
  EXPECT_NE(std::string(sill_last_error()).find(" is NULL"), std::string::npos) << sill_last_error();
  EXPECT_NE(std::string(sill_last_error()).find("to do:"), std::string::npos) << sill_last_error();
  EXPECT_EQ(sill_last_errno(), 0);
}

TEST(NullHandles, AreUsageErrors) {
  std::int64_t n = 0;
  std::int64_t m = 0;
  int i = 0;
  double x = 0;
  float f = 0;
  char bytes[240]{};
  const char* path = "a";
  sill_file_form form{};
  sill_station_output output{};
  sill_grid grid{};
  sill_surface_options options{};
  sill_stations* stations = nullptr;
  sill_surfaces* surfaces = nullptr;
  sill_reader* reader = nullptr;
  sill_writer* writer = nullptr;
  sill_session* session = nullptr;
  expect_null_refused(sill_session_open_alone(nullptr, nullptr));
  expect_null_refused(sill_session_finish(nullptr));
  expect_null_refused(sill_session_finish(&session));
  const char* text = nullptr;
  expect_null_refused(sill_session_report(nullptr, SILL_JSON, &text));
  expect_null_refused(sill_session_free(nullptr));
  EXPECT_EQ(sill_session_free(&session), SILL_OK);

  expect_null_refused(sill_stations_open(nullptr, &output, &stations));
  expect_null_refused(sill_stations_owned(nullptr, 1, &n, &i, &m));
  expect_null_refused(sill_stations_record(nullptr, &x, 1));
  expect_null_refused(sill_stations_write_step(nullptr, &x, 1));
  expect_null_refused(sill_stations_flush(nullptr));
  expect_null_refused(sill_stations_steps(nullptr, &n));
  expect_null_refused(sill_stations_phases(nullptr, &n));
  expect_null_refused(sill_stations_file_bytes(nullptr, &n));
  expect_null_refused(sill_stations_close(nullptr));
  expect_null_refused(sill_stations_close(&stations));
  expect_null_refused(sill_stations_free(nullptr));
  EXPECT_EQ(sill_stations_free(&stations), SILL_OK);

  sill_records* records = nullptr;
  expect_null_refused(sill_records_open(nullptr, path, nullptr, &records));
  expect_null_refused(sill_records_put(nullptr, 1, bytes, 1));
  expect_null_refused(sill_records_write(nullptr));
  expect_null_refused(sill_records_close(nullptr));
  expect_null_refused(sill_records_close(&records));
  expect_null_refused(sill_records_free(nullptr));
  EXPECT_EQ(sill_records_free(&records), SILL_OK);

  expect_null_refused(sill_surfaces_open(nullptr, &grid, &options, &surfaces));
  expect_null_refused(sill_surfaces_write_phase(nullptr, 1, 1, &f, &f, &f, nullptr, nullptr, nullptr, SILL_COPIED));
  expect_null_refused(sill_surfaces_wait(nullptr));
  expect_null_refused(sill_surfaces_phase_bytes(nullptr, &n));
  expect_null_refused(sill_surfaces_close(nullptr));
  expect_null_refused(sill_surfaces_close(&surfaces));
  expect_null_refused(sill_surfaces_free(nullptr));
  EXPECT_EQ(sill_surfaces_free(&surfaces), SILL_OK);

  sill_volume_options volume_options{};
  sill_volumes* volumes = nullptr;
  expect_null_refused(sill_volumes_open(nullptr, &grid, &volume_options, &volumes));
  expect_null_refused(sill_volumes_write_step(nullptr, 1, 1, &f, &f, &f, SILL_COPIED));
  expect_null_refused(sill_volumes_wait(nullptr));
  expect_null_refused(sill_volumes_kept_bytes(nullptr, &n));
  expect_null_refused(sill_volumes_batch_bytes(nullptr, &n));
  expect_null_refused(sill_volumes_batches(nullptr, &n));
  expect_null_refused(sill_volumes_close(nullptr));
  expect_null_refused(sill_volumes_close(&volumes));
  expect_null_refused(sill_volumes_free(nullptr));
  EXPECT_EQ(sill_volumes_free(&volumes), SILL_OK);

  sill_solution_output solution_output{};
  sill_solutions* solutions = nullptr;
  sill_dataset* dataset = nullptr;
  sill_dataset_reader* dataset_reader = nullptr;
  expect_null_refused(sill_dataset_open(nullptr, path, nullptr, &dataset));
  expect_null_refused(sill_dataset_define_dimension(nullptr, "x", 1));
  expect_null_refused(sill_dataset_define_variable(nullptr, "v", SILL_F4, "x"));
  expect_null_refused(sill_dataset_define_attribute(nullptr, "v", "a", SILL_F8, 1, &x));
  expect_null_refused(sill_dataset_define_text(nullptr, "v", "a", "b"));
  expect_null_refused(sill_dataset_define_coordinate(nullptr, "x", "X", "m", nullptr, nullptr));
  expect_null_refused(sill_dataset_begin(nullptr));
  expect_null_refused(sill_dataset_put(nullptr, "v", 1, &n, &n, nullptr, nullptr, SILL_F8, &x));
  expect_null_refused(sill_dataset_put_elements(nullptr, "v", 1, &n, SILL_F8, &x));
  expect_null_refused(sill_dataset_put_copy(nullptr, "v", 1, &n, &n, nullptr, nullptr, SILL_F8, &x));
  expect_null_refused(sill_dataset_put_elements_copy(nullptr, "v", 1, &n, SILL_F8, &x));
  expect_null_refused(sill_dataset_set_attribute(nullptr, "v", "a", SILL_F8, 1, &x));
  expect_null_refused(sill_dataset_set_text(nullptr, "v", "a", "b"));
  expect_null_refused(sill_dataset_put_value(nullptr, "v", 1));
  expect_null_refused(sill_dataset_next_step(nullptr));
  expect_null_refused(sill_dataset_write(nullptr, SILL_COPIED));
  expect_null_refused(sill_dataset_write_step(nullptr, SILL_COPIED));
  expect_null_refused(sill_dataset_write_own(nullptr, 0));
  expect_null_refused(sill_dataset_wait(nullptr));
  expect_null_refused(sill_dataset_steps(nullptr, &n));
  expect_null_refused(sill_dataset_close(nullptr));
  expect_null_refused(sill_dataset_close(&dataset));
  expect_null_refused(sill_dataset_free(nullptr));
  EXPECT_EQ(sill_dataset_free(&dataset), SILL_OK);
  expect_null_refused(sill_dataset_reader_open(nullptr, path, &dataset_reader));
  expect_null_refused(sill_dataset_reader_steps(nullptr, &n));
  expect_null_refused(sill_dataset_reader_holds(nullptr, "u", 0, &i));
  expect_null_refused(sill_dataset_reader_length(nullptr, "x", &n));
  expect_null_refused(sill_dataset_reader_get(nullptr, "v", 1, &n, &n, nullptr, nullptr, SILL_F8, &x));
  expect_null_refused(sill_dataset_reader_get_elements(nullptr, "v", 1, &n, SILL_F8, &x));
  expect_null_refused(sill_dataset_reader_next_step(nullptr));
  expect_null_refused(sill_dataset_reader_read(nullptr));
  expect_null_refused(sill_dataset_reader_read_step(nullptr, 0));
  expect_null_refused(sill_dataset_reader_free(nullptr));

  expect_null_refused(sill_solutions_open(nullptr, &solution_output, &solutions));
  expect_null_refused(sill_solutions_problems(nullptr, &n, &m));
  expect_null_refused(sill_solutions_write_problem_files(nullptr, &x, 1, ""));
  expect_null_refused(sill_solutions_write_phase(nullptr, 1, &x, 1, SILL_COPIED));
  expect_null_refused(sill_solutions_wait(nullptr));
  expect_null_refused(sill_solutions_phase_bytes(nullptr, &n));
  expect_null_refused(sill_solutions_close(nullptr));
  expect_null_refused(sill_solutions_close(&solutions));
  expect_null_refused(sill_solutions_free(nullptr));
  EXPECT_EQ(sill_solutions_free(&solutions), SILL_OK);

  expect_null_refused(sill_reader_open(nullptr, &path, 1, &reader));
  expect_null_refused(sill_reader_files(nullptr, &n));
  expect_null_refused(sill_reader_form(nullptr, 0, &form));
  expect_null_refused(sill_reader_traces(nullptr, &n));
  expect_null_refused(sill_reader_file_of(nullptr, 0, &n));
  expect_null_refused(sill_reader_is_uniform(nullptr, &i));
  expect_null_refused(sill_reader_trace_bytes(nullptr, &n));
  expect_null_refused(sill_reader_longest_trace_bytes(nullptr, &n));
  expect_null_refused(sill_reader_bytes_of(nullptr, 0, 1, &n));
  expect_null_refused(sill_reader_samples_of(nullptr, 0, 1, &n));
  expect_null_refused(sill_reader_file_header(nullptr, 0, 1, bytes, &n));
  expect_null_refused(sill_reader_file_trailer(nullptr, 0, 1, bytes, &n));
  expect_null_refused(sill_reader_read_headers(nullptr, 0, 1, bytes, 240));
  expect_null_refused(sill_reader_read_own(nullptr, 0, 1, bytes, 240));
  expect_null_refused(sill_reader_read(nullptr, 0, 1, bytes, 240));
  expect_null_refused(sill_reader_read_samples(nullptr, 0, 1, &f, 1));
  expect_null_refused(sill_reader_require_unchanged(nullptr));
  sill_input_options input{};
  expect_null_refused(sill_reader_open_with(nullptr, &path, 1, &input, &reader));
  expect_null_refused(sill_reader_text(nullptr, 0, 1, bytes, &n));
  expect_null_refused(sill_reader_bytes_of_list(nullptr, &n, 1, &m));
  expect_null_refused(sill_reader_samples_of_list(nullptr, &n, 1, &m));
  expect_null_refused(sill_reader_read_list(nullptr, &n, 1, bytes, 240));
  expect_null_refused(sill_reader_read_list_samples(nullptr, &n, 1, &f, 1));
  expect_null_refused(sill_reader_check_samples(nullptr));
  expect_null_refused(sill_reader_true_values(nullptr, "ns", bytes, 240, 1, &x));
  expect_null_refused(sill_reader_set_true_values(nullptr, "ns", bytes, 240, 1, &x));
  expect_null_refused(sill_stream_run(nullptr, nullptr, nullptr, nullptr, nullptr));
  sill_block block{};
  expect_null_refused(sill_block_true_values(nullptr, "ns", &x));
  expect_null_refused(sill_block_true_values(&block, "ns", &x));
  expect_null_refused(sill_block_set_true_values(nullptr, "ns", &x));
  sill_extremes extremes{};
  expect_null_refused(sill_block_of(1, 1, 0, nullptr, &n));
  expect_null_refused(sill_reader_read_values(nullptr, "cdp", 0, 1, &x, 1));
  expect_null_refused(sill_reader_extremes(nullptr, "cdp", &extremes));
  expect_null_refused(sill_reader_order(nullptr, "cdp", 1, &n, &m));
  expect_null_refused(sill_reader_sort(nullptr, "cdp", path));
  expect_null_refused(sill_flow_run(nullptr, &path, 1, "b", "", nullptr, nullptr));
  expect_null_refused(sill_flow_add_operation(nullptr));
  expect_null_refused(sill_reader_close(nullptr));
  expect_null_refused(sill_reader_close(&reader));
  expect_null_refused(sill_reader_free(nullptr));
  EXPECT_EQ(sill_reader_free(&reader), SILL_OK);

  expect_null_refused(sill_writer_open(nullptr, "a", &form, &writer));
  expect_null_refused(sill_writer_open_bytes(nullptr, "a", 0, 1, 1, 0, &writer));
  expect_null_refused(sill_writer_write_header(nullptr, bytes, 1));
  expect_null_refused(sill_writer_write_trailer(nullptr, bytes, 1));
  expect_null_refused(sill_writer_write(nullptr, 0, 1, bytes, 1));
  expect_null_refused(sill_writer_write_samples(nullptr, 0, 1, bytes, 240, &f, 1));
  expect_null_refused(sill_writer_write_list(nullptr, &n, 1, bytes, 1));
  expect_null_refused(sill_writer_write_list_samples(nullptr, &n, 1, bytes, 240, &f, 1));
  expect_null_refused(sill_writer_file_bytes(nullptr, &n));
  expect_null_refused(sill_writer_longest_trace_bytes(nullptr, &n));
  expect_null_refused(sill_writer_finish(nullptr));
  expect_null_refused(sill_writer_finish(&writer));
  expect_null_refused(sill_writer_free(nullptr));
  EXPECT_EQ(sill_writer_free(&writer), SILL_OK);

  expect_null_refused(sill_read_word(nullptr, "ns", SILL_BIG, &x));
  expect_null_refused(sill_read_word(bytes, nullptr, SILL_BIG, &x));
  expect_null_refused(sill_read_word(bytes, "ns", SILL_BIG, nullptr));
  expect_null_refused(sill_write_word(nullptr, "ns", SILL_BIG, 1));
  expect_null_refused(sill_write_word(bytes, nullptr, SILL_BIG, 1));
}

TEST(Words, AreWrittenAndReadInAnyOrder) {
  for (const int order : {SILL_BIG, SILL_LITTLE, SILL_PAIRWISE}) {
    unsigned char header[240]{};
    EXPECT_EQ(sill_write_word(header, "cdp", order, -70000), SILL_OK) << sill_last_error();
    const std::vector<unsigned char> stored(header + 20, header + 24);
    EXPECT_EQ(stored, order == SILL_BIG      ? (std::vector<unsigned char>{0xFF, 0xFE, 0xEE, 0x90})
                      : order == SILL_LITTLE ? (std::vector<unsigned char>{0x90, 0xEE, 0xFE, 0xFF})
                                             : (std::vector<unsigned char>{0xFE, 0xFF, 0x90, 0xEE}));
    double value = 0;
    EXPECT_EQ(sill_read_word(header, "cdp", order, &value), SILL_OK);
    EXPECT_EQ(value, -70000);
  }
  unsigned char header[240]{};
  EXPECT_EQ(sill_write_word(header, "cdp", SILL_BIG, 0.5), SILL_USAGE);
  EXPECT_STRNE(sill_last_error(), "");
}

TEST(Version, IsToldAsText) {
  EXPECT_EQ(std::string(sill_version()).find_first_not_of("0123456789."), std::string::npos);
}

}  // namespace
}  // namespace sill
