// Sessions of one process, in programs that have no MPI or do not start it.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sill.h"
#include "store/temporary_folder.hpp"

namespace sill {
namespace {

TEST(AloneSession, WritesAndReadsSegy) {
  const test::TemporaryFolder folder;
  sill_session* session = nullptr;
  ASSERT_EQ(sill_session_open_alone(nullptr, &session), SILL_OK) << sill_last_error();
  sill_file_form form{};
  form.sample_format = 5;
  form.samples = 4;
  form.interval_us = 2000;
  form.traces = 2;
  const std::string path = folder / "a.sgy";
  sill_writer* writer = nullptr;
  ASSERT_EQ(sill_writer_open(session, path.c_str(), &form, &writer), SILL_OK) << sill_last_error();
  const std::vector<unsigned char> headers(480);
  const std::vector<float> samples{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(sill_writer_write_samples(writer, 0, 2, headers.data(), 480, samples.data(), 8), SILL_OK)
      << sill_last_error();
  EXPECT_EQ(sill_writer_finish(&writer), SILL_OK) << sill_last_error();

  const char* const paths[] = {path.c_str()};
  sill_reader* reader = nullptr;
  ASSERT_EQ(sill_reader_open(session, paths, 1, &reader), SILL_OK) << sill_last_error();
  std::vector<float> read(8);
  EXPECT_EQ(sill_reader_read_samples(reader, 0, 2, read.data(), 8), SILL_OK) << sill_last_error();
  EXPECT_EQ(read, samples);
  EXPECT_EQ(sill_reader_free(&reader), SILL_OK);
  const char* report = nullptr;
  EXPECT_EQ(sill_session_report(session, SILL_JSON, &report), SILL_OK);
  EXPECT_NE(std::string(report).find("\"ranks\": 1"), std::string::npos) << report;
  EXPECT_EQ(sill_session_finish(&session), SILL_OK);
}

TEST(AloneSession, RefusesWhatSessionsRefuse) {
  sill_options options{};
  options.policies = "fast";
  sill_session* session = reinterpret_cast<sill_session*>(&session);
  EXPECT_EQ(sill_session_open_alone(&options, &session), SILL_USAGE);
  EXPECT_EQ(session, nullptr);
  EXPECT_NE(std::string(sill_last_error()).find("`fast`"), std::string::npos) << sill_last_error();
}

TEST(AloneSession, TakesEmptyTextsOfADatasetAsNone) {
  const test::TemporaryFolder folder;
  sill_session* session = nullptr;
  ASSERT_EQ(sill_session_open_alone(nullptr, &session), SILL_OK) << sill_last_error();
  sill_dataset_options options{};
  options.container = "";
  options.layout = "";
  const std::string path = folder / "a.nc";
  sill_dataset* dataset = nullptr;
  ASSERT_EQ(sill_dataset_open(session, path.c_str(), &options, &dataset), SILL_OK) << sill_last_error();
  EXPECT_EQ(sill_dataset_define_dimension(dataset, "x", 2), SILL_OK);
  EXPECT_EQ(sill_dataset_define_variable(dataset, "u", SILL_F4, "x"), SILL_OK);
  EXPECT_EQ(sill_dataset_begin(dataset), SILL_OK) << sill_last_error();
  EXPECT_EQ(sill_dataset_close(&dataset), SILL_OK) << sill_last_error();
  EXPECT_EQ(sill_session_finish(&session), SILL_OK);
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(AloneSession, RefusesNumbersOfValuesThatNoMemoryHas) {
  const test::TemporaryFolder folder;
  sill_session* session = nullptr;
  ASSERT_EQ(sill_session_open_alone(nullptr, &session), SILL_OK) << sill_last_error();
  sill_dataset* dataset = nullptr;
  const std::string path = folder / "a.nc";
  ASSERT_EQ(sill_dataset_open(session, path.c_str(), nullptr, &dataset), SILL_OK) << sill_last_error();
  const double value = 1;
  // Eight times these numbers are no int64_t, or would be small.
  for (const std::int64_t count : {std::int64_t{1} << 61, (std::int64_t{1} << 61) + 1}) {
    EXPECT_EQ(sill_dataset_define_attribute(dataset, "", "a", SILL_F8, count, &value), SILL_USAGE);
    EXPECT_NE(std::string(sill_last_error()).find(std::to_string(count) + " values"), std::string::npos)
        << sill_last_error();
  }
  EXPECT_EQ(sill_dataset_free(&dataset), SILL_OK);
  EXPECT_EQ(sill_session_finish(&session), SILL_OK);
}

#if !SILL_HAS_MPI
TEST(AloneSession, RefusesMpiIoBeforeAnyFileIsOpened) {
  const test::TemporaryFolder folder;
  const std::string report = folder / "report.json";
  for (const char* policies : {"independent", "stations:collective"}) {
    sill_options options{};
    options.policies = policies;
    options.report = report.c_str();
    sill_session* session = nullptr;
    EXPECT_EQ(sill_session_open_alone(&options, &session), SILL_USAGE) << policies;
    EXPECT_NE(std::string(sill_last_error()).find("without MPI"), std::string::npos) << sill_last_error();
  }
  EXPECT_TRUE(test::names_in(folder.path()).empty());
}
#endif

}  // namespace
}  // namespace sill
