// The C interface as programs in C use it: the bytes of the C++ interface, and the same status and text on all ranks.
#include <gtest/gtest.h>

#include <stdlib.h>

#include <array>
#include <cerrno>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bindings/bindings_case.hpp"
#include "bindings/c_calls.h"
#include "store/file_size_limit.hpp"
#include "support/memory.hpp"

namespace sill {
namespace {

using test::BindingsCase;

class CInterface : public BindingsCase {
 protected:
  static int opened(const char* policies, sill_session** session) {
    const sill_options options{policies, 0, 0, nullptr, nullptr, 1};
    return sill_session_open(MPI_COMM_WORLD, &options, session);
  }
};

TEST_F(CInterface, StationsAreThoseOfCpp) {
  for (const char* policy : {"", "elected,stage=1K,async=2"}) {
    SCOPED_TRACE(policy);
    for (const StationForm form : station_forms) {
      expect_stations(form, [&](const std::string& to) {
        return c_write_stations(MPI_COMM_WORLD, policy, to.c_str(), static_cast<int>(form), 12);
      });
    }
  }
}

TEST_F(CInterface, AsdfFilesAreThoseOfCpp) {
  if (hdf5::build_version().empty()) GTEST_SKIP() << "built without HDF5";
  expect_asdf([](const std::string& to) { return c_write_asdf(MPI_COMM_WORLD, to.c_str()); });
}

TEST_F(CInterface, DatasetsAreThoseOfCpp) {
  for (const char* policy : {"", "elected,stage=1K,async=2"}) {
    SCOPED_TRACE(policy);
    expect_dataset([&](const std::string& path) { return c_write_dataset(MPI_COMM_WORLD, policy, path.c_str()); });
  }
}

TEST_F(CInterface, LayoutsAreThoseOfTheOptionsOfCpp) {
  expect_layouts([&](const std::string& path, const char* layout, const ItemRange& mine, std::int64_t whole,
                     const double* values) {
    return c_write_layout(MPI_COMM_WORLD, path.c_str(), layout, mine.first, mine.count, whole, values);
  });
}

TEST_F(CInterface, RunsGoOnFromCheckpoints) {
  expect_restarts([&](const std::string& path, const ItemRange& mine, std::int64_t whole, double* state, double* step) {
    return c_restart(MPI_COMM_WORLD, path.c_str(), mine.first, mine.count, whole, state, step);
  });
}

TEST_F(CInterface, RecordsAreThoseOfCpp) {
  expect_records(
      [&](const std::string& path) { return c_write_records(MPI_COMM_WORLD, comm.rank(), comm.size(), path.c_str()); });
}

TEST_F(CInterface, SurfacesAreThosePutDownPointByPoint) {
  std::int64_t step = 0;
  for (const Index& parts : process_grids()) {
    for (const int order : {SILL_Z_FASTEST, SILL_X_FASTEST}) {
      const char* policy = step % 3 == 0 ? "staged" : "elected,stage=600,async=1";
      SCOPED_TRACE(policy + std::string(" in order ") + std::to_string(order));
      expect_surfaces(parts, order, ++step, [&](const Surfaces& all) {
        return c_write_surfaces(MPI_COMM_WORLD, policy, all.prefix.c_str(), all.boxes.data(), order, all.step,
                                all.points, all.velocity.data(),
                                all.has_displacement ? all.displacement.data() : nullptr);
      });
    }
  }
}

TEST_F(CInterface, VolumesAreThoseOfCpp) {
  for (const int order : {SILL_Z_FASTEST, SILL_X_FASTEST}) {
    const int memory = order == SILL_X_FASTEST ? SILL_LENT : SILL_COPIED;
    expect_volumes(order == SILL_X_FASTEST ? PointOrder::x_fastest : PointOrder::z_fastest,
                   [&](const std::string& prefix) {
                     return c_write_volumes(MPI_COMM_WORLD, "staged,async=2", prefix.c_str(), order, memory);
                   });
  }
}

// Wrong arguments of one rank are an error of all ranks in the call that writes or reads, and no element is filled.
TEST_F(CInterface, WrongArgumentsOfOneRankAreErrorsOfAll) {
  const std::string path = folder / "a.nc";
  const bool is_wrong = comm.rank() == comm.size() - 1;
  const std::int64_t first = 3 * comm.rank();
  const std::int64_t count = 3;
  const std::vector<std::int64_t> list{first, first + 1, first + 2};
  std::vector<float> values{7, 8, 9};
  const auto expect_error = [&](int status, const char* problem) {
    EXPECT_EQ(status, SILL_USAGE) << problem;
    EXPECT_NE(std::string(sill_last_error()).find(problem), std::string::npos) << sill_last_error();
  };
  sill_session* session = nullptr;
  sill_dataset* dataset = nullptr;
  ASSERT_EQ(sill_session_open(MPI_COMM_WORLD, nullptr, &session), SILL_OK) << sill_last_error();
  ASSERT_EQ(sill_dataset_open(session, path.c_str(), nullptr, &dataset), SILL_OK) << sill_last_error();
  EXPECT_EQ(sill_dataset_define_dimension(dataset, "time", 0), SILL_OK);
  EXPECT_EQ(sill_dataset_define_dimension(dataset, "x", 3 * comm.size()), SILL_OK);
  EXPECT_EQ(sill_dataset_define_variable(dataset, "u", SILL_F4, "time,x"), SILL_OK);
  ASSERT_EQ(sill_dataset_begin(dataset), SILL_OK) << sill_last_error();
  const auto put = [&](const char* name, int type) {
    return sill_dataset_put(dataset, name, 1, &first, &count, nullptr, nullptr, type, values.data());
  };
  EXPECT_EQ(put("u", is_wrong ? 42 : int{SILL_F4}), SILL_OK);
  expect_error(sill_dataset_write_step(dataset, SILL_COPIED), "the type of elements is 42");
  EXPECT_EQ(put(is_wrong ? nullptr : "u", SILL_F4), SILL_OK);
  expect_error(sill_dataset_write_step(dataset, SILL_COPIED), "the name of the variable is NULL");
  EXPECT_EQ(sill_dataset_put_elements(dataset, "u", is_wrong ? -1 : 3, list.data(), SILL_F4, values.data()), SILL_OK);
  expect_error(sill_dataset_write_step(dataset, SILL_COPIED), "the list of elements of variable u has -1 values");
  EXPECT_EQ(put("u", SILL_F4), SILL_OK);
  EXPECT_EQ(sill_dataset_write_step(dataset, SILL_COPIED), SILL_OK) << sill_last_error();
  EXPECT_EQ(sill_dataset_close(&dataset), SILL_OK) << sill_last_error();

  sill_dataset_reader* reader = nullptr;
  std::vector<float> read(3);
  ASSERT_EQ(sill_dataset_reader_open(session, path.c_str(), &reader), SILL_OK) << sill_last_error();
  const auto get = [&](int type) {
    return sill_dataset_reader_get(reader, "u", 1, &first, &count, nullptr, nullptr, type, read.data());
  };
  EXPECT_EQ(get(is_wrong ? 42 : int{SILL_F4}), SILL_OK);
  expect_error(sill_dataset_reader_read_step(reader, 0), "the type of elements is 42");
  EXPECT_EQ(sill_dataset_reader_get_elements(reader, "u", 3, is_wrong ? nullptr : list.data(), SILL_F4, read.data()),
            SILL_OK);
  expect_error(sill_dataset_reader_read_step(reader, 0), "the list of elements of variable u is NULL");
  EXPECT_EQ(get(SILL_F4), SILL_OK);
  EXPECT_EQ(sill_dataset_reader_read_step(reader, 0), SILL_OK) << sill_last_error();
  EXPECT_EQ(read, values);
  EXPECT_EQ(sill_dataset_reader_free(&reader), SILL_OK);
  EXPECT_EQ(sill_session_free(&session), SILL_OK);
}

TEST_F(CInterface, PointsAreKeptToTheLastUnlessTold) {
  EXPECT_EQ(c_keep_every_second(MPI_COMM_WORLD, (folder / "").c_str()), SILL_OK) << sill_last_error();
  comm.barrier();
  if (comm.rank() == 0) {
    std::vector<float> wanted;
    for (int z = 0; z < 6; z += 2) {
      for (int y = 0; y < 8; y += 2) {
        for (int x = 0; x < 9; x += 2) wanted.push_back(static_cast<float>(256 * x + 16 * y + z));
      }
    }
    const test::Bytes written = test::bytes_of_file(folder / "SX0000001");
    ASSERT_EQ(written.size(), wanted.size() * sizeof(float));
    EXPECT_EQ(std::memcmp(written.data(), wanted.data(), written.size()), 0);
  }
  remove_files();
}

TEST_F(CInterface, ZeroIsAPointAndAStepLikeOthers) {
  const std::string prefix = folder / "";
  const sill_volume_options options{.prefix = prefix.c_str(),
                                    .components = "X",
                                    .kept_first = {0, 0, 0},
                                    .kept_last = {0, 0, -1},
                                    .kept_skip = {1, 1, 5},
                                    .steps_per_sample = 1,
                                    .samples_per_file = 1,
                                    .first_step = 0,
                                    .order = SILL_Z_FASTEST,
                                    .surface = SILL_SURFACE_AT_FIRST_Z,
                                    .continues_after = 0};
  sill_grid grid{.shape = {9, 8, 6}, .first = {0, 0, 0}, .count = {9, 0, 6}, .stored_first = {}, .stored_count = {}};
  grid.first[1] = 8 * comm.rank() / comm.size();
  grid.count[1] = 8 * (comm.rank() + 1) / comm.size() - grid.first[1];
  std::vector<float> field(static_cast<std::size_t>(9 * 6 * grid.count[1]), -1.0F);
  if (comm.rank() == 0) field[0] = 7;
  if (comm.rank() == 0) field[5] = 8;
  sill_session* session = nullptr;
  sill_volumes* volumes = nullptr;
  ASSERT_EQ(opened("direct", &session), SILL_OK) << sill_last_error();
  ASSERT_EQ(sill_volumes_open(session, &grid, &options, &volumes), SILL_OK) << sill_last_error();
  for (const std::int64_t step : {0, 1}) {
    EXPECT_EQ(sill_volumes_write_step(volumes, step, std::ssize(field), field.data(), nullptr, nullptr, SILL_COPIED),
              SILL_OK)
        << sill_last_error();
  }
  EXPECT_EQ(sill_volumes_close(&volumes), SILL_OK) << sill_last_error();
  EXPECT_EQ(sill_session_finish(&session), SILL_OK);
  comm.barrier();
  const std::array<float, 2> wanted{7, 8};
  for (const char* name : {"SX0000000", "SX0000001"}) {
    const test::Bytes written = test::bytes_of_file(folder / name);
    ASSERT_EQ(written.size(), sizeof wanted) << name;
    EXPECT_EQ(std::memcmp(written.data(), wanted.data(), sizeof wanted), 0) << name;
  }
  remove_files();
}

TEST_F(CInterface, SizesBeyondNumbersAreRefused) {
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  const std::int64_t many = std::int64_t{1} << 40U;
  const auto expect_refused = [&](int status, const std::string& words) {
    EXPECT_EQ(status, SILL_USAGE);
    EXPECT_NE(std::string(sill_last_error()).find(words), std::string::npos) << sill_last_error();
    EXPECT_TRUE(test::same_everywhere(comm, std::string(sill_last_error())));
  };
  sill_session* session = nullptr;
  ASSERT_EQ(opened("direct", &session), SILL_OK) << sill_last_error();
  const std::string prefix = folder / "";
  const std::string target = folder / "a";
  sill_writer* writer = nullptr;
  for (const auto& [header, trace, traces, trailer] : std::vector<std::array<std::int64_t, 4>>{
           {0, 4, std::int64_t{1} << 62U, 0}, {0, 1 << 20, many * 4096, 0}, {max, 1, 1, 0}, {0, 1, max, 1}}) {
    expect_refused(sill_writer_open_bytes(session, target.c_str(), header, trace, traces, trailer, &writer),
                   "too many for one file");
    EXPECT_EQ(writer, nullptr);
  }
  ASSERT_EQ(sill_writer_open_bytes(session, target.c_str(), 0, 16, 10, 0, &writer), SILL_OK) << sill_last_error();
  expect_refused(sill_writer_write(writer, max, max, "", 0), "the file has 10");
  expect_refused(sill_writer_write(writer, 0, std::int64_t{1} << 60U, "", 0), "the file has 10");
  EXPECT_EQ(sill_writer_free(&writer), SILL_OK);
  const sill_file_form form{.kind = SILL_SEGY,
                            .byte_order = SILL_BIG,
                            .revision = SILL_REV_2_1,
                            .sample_format = 5,
                            .samples = 16,
                            .interval_us = 1000,
                            .traces = 10,
                            .lengths_vary = 0,
                            .additional_trace_headers = 0,
                            .sorting_code = 0,
                            .measurement_system = 0,
                            .text_encoding = SILL_EBCDIC,
                            .text = nullptr};
  ASSERT_EQ(sill_writer_open(session, target.c_str(), &form, &writer), SILL_OK) << sill_last_error();
  const float sample = 0;
  expect_refused(sill_writer_write_samples(writer, 0, std::int64_t{1} << 60U, "", 0, &sample, 0), "the file has 10");
  EXPECT_EQ(sill_writer_free(&writer), SILL_OK);

  const sill_station station{.number = 1, .position_m = {0, 0, 0}};
  const int owner = 0;
  sill_station_output stations_of{.folder = target.c_str(),
                                  .stations = std::int64_t{1} << 62U,
                                  .station = &station,
                                  .components = 9,
                                  .owners = &owner,
                                  .interval_s = 1,
                                  .final_steps = 10,
                                  .steps_per_phase = 1,
                                  .count_grows = 0,
                                  .form = SILL_STATIONS_TEXT,
                                  .component_names = nullptr,
                                  .shot = 1,
                                  .source_m = nullptr,
                                  .start_us = 0,
                                  .continues_after = 0,
                                  .codes = nullptr,
                                  .tag = nullptr,
                                  .event_id = nullptr};
  sill_stations* stations = nullptr;
  expect_refused(sill_stations_open(session, &stations_of, &stations), "exceed the memory");
  stations_of.form = 7;
  expect_refused(sill_stations_open(session, &stations_of, &stations), "SILL_STATIONS_ASDF");
  stations_of.form = SILL_STATIONS_SAC;
  stations_of.stations = 1;
  stations_of.components = 2;
  stations_of.component_names = "north,north";
  const int owners[] = {0, 0};
  stations_of.owners = owners;
  expect_refused(sill_stations_open(session, &stations_of, &stations), "a different name");
  stations_of.codes = "II.AAK,II.KDAK";
  expect_refused(sill_stations_open(session, &stations_of, &stations), "2 codes are given for 1 stations");
  stations_of.codes = nullptr;

  const sill_grid grid{.shape = {many, many, many},
                       .first = {0, 0, 0},
                       .count = {0, 0, 0},
                       .stored_first = {0, 0, 0},
                       .stored_count = {many, many, many}};
  const std::int64_t plane = 0;
  const sill_surface_options planes{.prefix = prefix.c_str(),
                                    .xy_at_z = &plane,
                                    .xz_at_y = nullptr,
                                    .yz_at_x = nullptr,
                                    .first_plane_row = 0,
                                    .plane_rows = 0,
                                    .origin = {0, 0, 0},
                                    .spacing = {1, 1, 1},
                                    .displacement = 0,
                                    .order = SILL_Z_FASTEST,
                                    .continues_after = 0};
  sill_surfaces* surfaces = nullptr;
  expect_refused(sill_surfaces_open(session, &grid, &planes, &surfaces), "exceed the memory");
  const sill_volume_options kept{.prefix = prefix.c_str(),
                                 .components = nullptr,
                                 .kept_first = {0, 0, 0},
                                 .kept_last = {-1, -1, -1},
                                 .kept_skip = {many, many, many},
                                 .steps_per_sample = 1,
                                 .samples_per_file = 1,
                                 .first_step = 1,
                                 .order = SILL_Z_FASTEST,
                                 .surface = SILL_SURFACE_AT_LAST_Z,
                                 .continues_after = 0};
  sill_volumes* volumes = nullptr;
  expect_refused(sill_volumes_open(session, &grid, &kept, &volumes), "exceed the memory");

  const std::string from = made_survey(survey_forms().front());
  const char* path = from.c_str();
  sill_reader* reader = nullptr;
  ASSERT_EQ(sill_reader_open(session, &path, 1, &reader), SILL_OK) << sill_last_error();
  float into = 0;
  expect_refused(sill_reader_read(reader, max, max, &into, 0), "the survey has 23");
  expect_refused(sill_reader_read_samples(reader, 1, max, &into, 0), "the survey has 23");
  EXPECT_EQ(sill_reader_close(&reader), SILL_OK);
  EXPECT_EQ(sill_session_finish(&session), SILL_OK);
}

// MPI-IO is for the thread that started MPI: refused when an output is opened, on all ranks.
TEST_F(CInterface, AnotherThreadIsRefusedUnderCollective) {
  comm.barrier();
  std::string text;
  int status = SILL_OK;
  std::thread([&] {
    sill_session* session = nullptr;
    sill_writer* writer = nullptr;
    status = opened("collective", &session);
    if (status == SILL_OK) {
      status = sill_writer_open_bytes(session, (folder / "a").c_str(), 0, 100, 10, 0, &writer);
      text = sill_last_error();
      (void)sill_writer_free(&writer);
    }
    (void)sill_session_free(&session);
  }).join();
  EXPECT_EQ(status, SILL_USAGE);
  EXPECT_NE(text.find("only the thread that started MPI"), std::string::npos) << text;
  EXPECT_TRUE(test::same_everywhere(comm, text));
  comm.barrier();
  EXPECT_TRUE(test::names_in(folder.path()).empty());
  comm.barrier();
}

TEST_F(CInterface, SolutionsAreThoseOfCpp) {
  for (const int files : {SILL_EACH, SILL_SHARED}) {
    expect_solutions(files == SILL_SHARED ? solution::Files::shared : solution::Files::each,
                     [&](const std::string& to) {
                       return c_write_solutions(MPI_COMM_WORLD, "writers=all,threads=2", to.c_str(), files);
                     });
  }
}

TEST_F(CInterface, SurveysAreCopiedByBytesAndBySamples) {
  for (const segy::FileForm& form : survey_forms()) {
    const std::string from = made_survey(form);
    EXPECT_EQ(c_copy_bytes(MPI_COMM_WORLD, "direct", from.c_str(), (folder / "bytes").c_str()), SILL_OK)
        << sill_last_error();
    EXPECT_EQ(c_copy_samples(MPI_COMM_WORLD, "staged,stage=4K", from.c_str(), (folder / "samples").c_str()), SILL_OK)
        << sill_last_error();
    expect_same_files({from, folder / "bytes", folder / "samples"});
  }
}

TEST_F(CInterface, SessionsTakeOptionsAndTellWhatOutputCost) {
  const std::string report = folder / "cost.txt";
  const std::string target = folder / "a.sgy";
  const sill_options options{"direct; segy:staged,stage=8K", 1 << 20, 1, report.c_str(), nullptr, 1};
  sill_session* session = nullptr;
  ASSERT_EQ(sill_session_open(MPI_COMM_WORLD, &options, &session), SILL_OK) << sill_last_error();
  sill_writer* writer = nullptr;
  ASSERT_EQ(sill_writer_open_bytes(session, target.c_str(), 0, 100, 10, 0, &writer), SILL_OK) << sill_last_error();
  const std::vector<char> bytes(1000);
  const bool is_first = comm.rank() == 0;
  EXPECT_EQ(sill_writer_write(writer, 0, is_first ? 10 : 0, bytes.data(), is_first ? 1000 : 0), SILL_OK);
  EXPECT_EQ(sill_writer_finish(&writer), SILL_OK) << sill_last_error();
  const char* text = nullptr;
  ASSERT_EQ(sill_session_report(session, SILL_JSON, &text), SILL_OK) << sill_last_error();
  const std::string json = text;
  EXPECT_TRUE(test::same_everywhere(comm, json));
  EXPECT_NE(json.find("\"segy\""), std::string::npos) << json;
  EXPECT_NE(json.find("stage=8K"), std::string::npos) << json;
  EXPECT_EQ(json.find("\"surfaces\""), std::string::npos) << json;
  ASSERT_EQ(sill_session_report(session, SILL_TABLE, &text), SILL_OK) << sill_last_error();
  EXPECT_NE(std::string(text), json);
  EXPECT_EQ(sill_session_report(session, 2, &text), SILL_USAGE);
  EXPECT_EQ(sill_session_finish(&session), SILL_OK) << sill_last_error();
  comm.barrier();
  EXPECT_GT(test::bytes_of_file(report).size(), 100U);
}

TEST_F(CInterface, TheEnvironmentCountsUnlessTheProgramSaysNo) {
  setenv("SILL_POLICY", "fastest", 1);
  sill_session* session = nullptr;
  EXPECT_EQ(sill_session_open(MPI_COMM_WORLD, nullptr, &session), SILL_USAGE);
  EXPECT_NE(std::string(sill_last_error()).find("SILL_POLICY"), std::string::npos) << sill_last_error();
  EXPECT_EQ(opened("direct", &session), SILL_OK) << sill_last_error();
  EXPECT_EQ(sill_session_finish(&session), SILL_OK);
  unsetenv("SILL_POLICY");
}

TEST_F(CInterface, ErrorsAreTheSameOnAllRanks) {
  const int last = comm.size() - 1;
  const auto expect_reported = [&](int status, int wanted, const std::vector<std::string>& words) {
    EXPECT_EQ(status, wanted);
    const std::string text = sill_last_error();
    EXPECT_TRUE(test::same_everywhere(comm, text));
    for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << text;
  };
  // Opening: what one rank is given is an error on all.
  sill_session* session = nullptr;
  expect_reported(opened("fastest", &session), SILL_USAGE, {"fastest", "to do:"});
  EXPECT_EQ(session, nullptr);
  if (comm.size() > 1) {
    expect_reported(opened(comm.rank() == last ? "staged" : "direct", &session), SILL_USAGE, {"given different"});
  }
  ASSERT_EQ(sill_session_open(MPI_COMM_WORLD, nullptr, &session), SILL_OK);
  sill_writer* writer = nullptr;
  const std::string missing = folder / "missing/a.sgy";
  expect_reported(sill_writer_open_bytes(session, missing.c_str(), 0, 100, 10, 0, &writer), SILL_IO, {missing});
  EXPECT_EQ(sill_last_errno(), ENOENT);
  EXPECT_EQ(writer, nullptr);
  const std::string target = folder / "a.sgy";
  expect_reported(
      sill_writer_open_bytes(session, comm.rank() == last ? nullptr : target.c_str(), 0, 100, 10, 0, &writer),
      SILL_USAGE, {"the path of the file is NULL"});
  EXPECT_EQ(sill_last_errno(), 0) << "of the last error, not of an earlier one";
  if (comm.size() > 1) {
    EXPECT_NE(std::string(sill_last_error()).find("rank"), std::string::npos);
  }
  // In the middle: a rank that brings nothing where it has to.
  ASSERT_EQ(sill_writer_open_bytes(session, target.c_str(), 0, 100, 10, 0, &writer), SILL_OK) << sill_last_error();
  const std::vector<char> bytes(1000);
  const bool is_last = comm.rank() == last;
  expect_reported(sill_writer_write(writer, 0, is_last ? 10 : 0, is_last ? nullptr : bytes.data(), is_last ? 1000 : 0),
                  SILL_USAGE, {"0 bytes", "1000 bytes"});
  EXPECT_EQ(sill_writer_write(writer, 0, is_last ? 10 : 0, bytes.data(), is_last ? 1000 : 0), SILL_OK)
      << sill_last_error();
  EXPECT_EQ(sill_writer_finish(&writer), SILL_OK) << sill_last_error();
  EXPECT_EQ(writer, nullptr);
  EXPECT_EQ(test::bytes_of_file(target).size(), 1000U);
  // What is no survey: the error of a file.
  const char* path = target.c_str();
  sill_reader* reader = nullptr;
  expect_reported(sill_reader_open(session, &path, 1, &reader), SILL_INPUT, {target});
  EXPECT_EQ(sill_session_finish(&session), SILL_OK);
}

TEST_F(CInterface, TheErrnoOfOneRankIsKnownToAll) {
  constexpr std::int64_t trace_bytes = 200000;
  constexpr std::int64_t traces = 10;
  constexpr std::int64_t limit_bytes = 1 << 20;
  const bool is_last = comm.rank() + 1 == comm.size();
  const std::vector<char> bytes(is_last ? trace_bytes * traces : 0);
  const std::string target = folder / "a";
  sill_session* session = nullptr;
  sill_writer* writer = nullptr;
  ASSERT_EQ(opened("direct", &session), SILL_OK) << sill_last_error();
  ASSERT_EQ(sill_writer_open_bytes(session, target.c_str(), 0, trace_bytes, traces, 0, &writer), SILL_OK)
      << sill_last_error();
  int status = SILL_OK;
  {
    std::optional<test::FileSizeLimit> limit;
    if (is_last) limit.emplace(limit_bytes);
    status = sill_writer_write(writer, 0, is_last ? traces : 0, bytes.data(), std::ssize(bytes));
  }
  EXPECT_EQ(status, SILL_IO);
  EXPECT_EQ(sill_last_errno(), EFBIG) << sill_last_error();
  EXPECT_EQ(sill_writer_free(&writer), SILL_OK);
  EXPECT_EQ(sill_session_free(&session), SILL_OK);
  comm.barrier();
}

// No rank may wait for one that has no room for what is opened.
TEST_F(CInterface, MemoryThatOneRankLacksIsAnErrorOfAll) {
  const bool is_last = comm.rank() + 1 == comm.size();
  const auto expect_none = [&](const char* what, const auto& open) {
    SCOPED_TRACE(what);
    int status = SILL_OK;
    {
      std::optional<test::LimitedMemory> limit;
      if (is_last) limit.emplace(600);
      status = open();
    }
    EXPECT_EQ(status, SILL_IO);
    EXPECT_NE(std::string(sill_last_error()).find("memory"), std::string::npos) << sill_last_error();
    EXPECT_EQ(sill_last_errno(), ENOMEM);
    EXPECT_TRUE(test::same_everywhere(comm, std::string(sill_last_error())));
  };
  sill_session* session = nullptr;
  expect_none("session", [&] { return opened("direct", &session); });
  EXPECT_EQ(session, nullptr);
  ASSERT_EQ(opened("direct", &session), SILL_OK) << sill_last_error();
  const std::string target = folder / "a";
  sill_writer* writer = nullptr;
  expect_none("writer", [&] { return sill_writer_open_bytes(session, target.c_str(), 0, 100, 10, 0, &writer); });
  EXPECT_EQ(writer, nullptr);
  const int owner = 0;
  const sill_station station{.number = 1, .position_m = {0, 0, 0}};
  const sill_station_output stations_of{.folder = target.c_str(),
                                        .stations = 1,
                                        .station = &station,
                                        .components = 1,
                                        .owners = &owner,
                                        .interval_s = 1,
                                        .final_steps = 10,
                                        .steps_per_phase = 1,
                                        .count_grows = 0,
                                        .form = SILL_STATIONS_TEXT,
                                        .component_names = nullptr,
                                        .shot = 1,
                                        .source_m = nullptr,
                                        .start_us = 0,
                                        .continues_after = 0,
                                        .codes = nullptr,
                                        .tag = nullptr,
                                        .event_id = nullptr};
  sill_stations* stations = nullptr;
  expect_none("stations", [&] { return sill_stations_open(session, &stations_of, &stations); });
  EXPECT_EQ(stations, nullptr);
  EXPECT_EQ(sill_session_finish(&session), SILL_OK) << sill_last_error();
  comm.barrier();
  if (comm.rank() == 0) {
    EXPECT_TRUE(test::names_in(folder.path()).empty());
  }
}

TEST_F(CInterface, LocalErrorsAreOfTheRankAndThreadThatHasThem) {
  const std::string from = made_survey(survey_forms().front());
  sill_session* session = nullptr;
  sill_reader* reader = nullptr;
  const char* path = from.c_str();
  ASSERT_EQ(sill_session_open(MPI_COMM_WORLD, nullptr, &session), SILL_OK) << sill_last_error();
  ASSERT_EQ(sill_reader_open(session, &path, 1, &reader), SILL_OK) << sill_last_error();
  std::int64_t file = 7;
  if (comm.rank() == 0) {
    EXPECT_EQ(sill_reader_file_of(reader, 1'000'000, &file), SILL_USAGE);
    EXPECT_NE(std::string(sill_last_error()).find("1000000"), std::string::npos) << sill_last_error();
    std::thread([] {
      EXPECT_STREQ(sill_last_error(), "");
      EXPECT_EQ(sill_last_errno(), 0);
    }).join();
  }
  EXPECT_EQ(sill_reader_file_of(reader, 0, &file), SILL_OK);
  EXPECT_EQ(file, 0);
  std::array<char, 239> room{};
  EXPECT_EQ(sill_reader_read_headers(reader, 0, 1, room.data(), std::ssize(room)), SILL_USAGE);
  EXPECT_NE(std::string(sill_last_error()).find("240 bytes"), std::string::npos) << sill_last_error();
  double value = 0;
  EXPECT_EQ(sill_read_word(room.data(), "tracel", SILL_BIG, &value), SILL_USAGE);
  EXPECT_NE(std::string(sill_last_error()).find("tracel"), std::string::npos) << sill_last_error();
  EXPECT_EQ(sill_write_word(room.data(), "ns", SILL_BIG, 1e9), SILL_USAGE);
  EXPECT_EQ(sill_read_word(room.data(), "ns", 3, &value), SILL_USAGE);
  // The session may go first.
  EXPECT_EQ(sill_session_free(&session), SILL_OK);
  EXPECT_EQ(sill_reader_require_unchanged(reader), SILL_OK) << sill_last_error();
  EXPECT_EQ(sill_reader_close(&reader), SILL_OK);
  EXPECT_EQ(sill_reader_close(&reader), SILL_USAGE);
  EXPECT_EQ(sill_reader_free(&reader), SILL_OK);
}

// Where several forms of a survey are written, so that their descriptions can be compared.
TEST_F(CInterface, AFormIsReadAsItWasWritten) {
  for (const segy::FileForm& form : survey_forms()) {
    const std::string from = made_survey(form);
    sill_session* session = nullptr;
    sill_reader* reader = nullptr;
    const char* path = from.c_str();
    ASSERT_EQ(sill_session_open(MPI_COMM_WORLD, nullptr, &session), SILL_OK);
    ASSERT_EQ(sill_reader_open(session, &path, 1, &reader), SILL_OK) << sill_last_error();
    sill_file_form read{};
    EXPECT_EQ(sill_reader_form(reader, 0, &read), SILL_OK);
    EXPECT_EQ(read.kind, form.kind == segy::FileKind::segy ? SILL_SEGY : SILL_SEISMIC_UNIX);
    EXPECT_EQ(read.byte_order, static_cast<int>(form.byte_order));
    EXPECT_EQ(read.sample_format, segy::code_of(form.sample_format));
    EXPECT_EQ(read.samples, form.samples);
    EXPECT_EQ(read.interval_us, form.interval_us);
    EXPECT_EQ(read.traces, form.traces);
    std::int64_t number = 0;
    EXPECT_EQ(sill_reader_files(reader, &number), SILL_OK);
    EXPECT_EQ(number, 1);
    int is_uniform = 0;
    EXPECT_EQ(sill_reader_is_uniform(reader, &is_uniform), SILL_OK);
    EXPECT_EQ(is_uniform, 1);
    EXPECT_EQ(sill_reader_longest_trace_bytes(reader, &number), SILL_OK);
    EXPECT_EQ(number, form.trace_bytes());
    std::vector<char> one(static_cast<std::size_t>(form.trace_bytes()));
    EXPECT_EQ(sill_reader_read_own(reader, 2, 1, one.data(), number), SILL_OK) << sill_last_error();
    const test::Bytes all = test::bytes_of_file(from);
    EXPECT_EQ(std::memcmp(one.data(), all.data() + form.header_bytes() + 2 * number, one.size()), 0);
    read.interval_us = 0;  // as a form of zeros has it
    sill_writer* writer = nullptr;
    EXPECT_EQ(sill_writer_open(session, (from + ".new").c_str(), &read, &writer), SILL_USAGE);
    EXPECT_NE(std::string(sill_last_error()).find("interval of 0"), std::string::npos) << sill_last_error();
    EXPECT_EQ(sill_reader_close(&reader), SILL_OK);
    EXPECT_EQ(sill_session_finish(&session), SILL_OK);
  }
}

}  // namespace
}  // namespace sill
