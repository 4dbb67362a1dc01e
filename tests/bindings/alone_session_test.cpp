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

// A session of this process, and a folder for its files.
class OpenSession : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(sill_session_open_alone(nullptr, &session_), SILL_OK) << sill_last_error(); }

  const test::TemporaryFolder folder_;
  sill_session* session_ = nullptr;
};

TEST_F(OpenSession, WritesAndReadsSegy) {
  sill_file_form form{};
  form.sample_format = 5;
  form.samples = 4;
  form.interval_us = 2000;
  form.traces = 2;
  const std::string path = folder_ / "a.sgy";
  sill_writer* writer = nullptr;
  ASSERT_EQ(sill_writer_open(session_, path.c_str(), &form, &writer), SILL_OK) << sill_last_error();
  const std::vector<unsigned char> headers(480);
  const std::vector<float> samples{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(sill_writer_write_samples(writer, 0, 2, headers.data(), 480, samples.data(), 8), SILL_OK)
      << sill_last_error();
  EXPECT_EQ(sill_writer_finish(&writer), SILL_OK) << sill_last_error();

  const char* const paths[] = {path.c_str()};
  sill_reader* reader = nullptr;
  ASSERT_EQ(sill_reader_open(session_, paths, 1, &reader), SILL_OK) << sill_last_error();
  std::vector<float> read(8);
  EXPECT_EQ(sill_reader_read_samples(reader, 0, 2, read.data(), 8), SILL_OK) << sill_last_error();
  EXPECT_EQ(read, samples);
  EXPECT_EQ(sill_reader_free(&reader), SILL_OK);
  const char* report = nullptr;
  EXPECT_EQ(sill_session_report(session_, SILL_JSON, &report), SILL_OK);
  EXPECT_NE(std::string(report).find("\"ranks\": 1"), std::string::npos) << report;
  EXPECT_EQ(sill_session_finish(&session_), SILL_OK);
}

TEST(AloneSession, RefusesWhatSessionsRefuse) {
  sill_options options{};
  options.policies = "fast";
  sill_session* session = reinterpret_cast<sill_session*>(&session);
  EXPECT_EQ(sill_session_open_alone(&options, &session), SILL_USAGE);
  EXPECT_EQ(session, nullptr);
  EXPECT_NE(std::string(sill_last_error()).find("`fast`"), std::string::npos) << sill_last_error();
}

TEST_F(OpenSession, TakesEmptyTextsOfADatasetAsNone) {
  sill_dataset_options options{};
  options.container = "";
  options.layout = "";
  const std::string path = folder_ / "a.nc";
  sill_dataset* dataset = nullptr;
  ASSERT_EQ(sill_dataset_open(session_, path.c_str(), &options, &dataset), SILL_OK) << sill_last_error();
  EXPECT_EQ(sill_dataset_define_dimension(dataset, "x", 2), SILL_OK);
  EXPECT_EQ(sill_dataset_define_variable(dataset, "u", SILL_F4, "x"), SILL_OK);
  EXPECT_EQ(sill_dataset_begin(dataset), SILL_OK) << sill_last_error();
  EXPECT_EQ(sill_dataset_close(&dataset), SILL_OK) << sill_last_error();
  EXPECT_EQ(sill_session_finish(&session_), SILL_OK);
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(OpenSession, RefusesNumbersOfValuesThatNoMemoryHas) {
  sill_dataset* dataset = nullptr;
  const std::string path = folder_ / "a.nc";
  ASSERT_EQ(sill_dataset_open(session_, path.c_str(), nullptr, &dataset), SILL_OK) << sill_last_error();
  const double value = 1;
  // Eight times these numbers are no int64_t, or would be small.
  for (const std::int64_t count : {std::int64_t{1} << 61, (std::int64_t{1} << 61) + 1}) {
    EXPECT_EQ(sill_dataset_define_attribute(dataset, "", "a", SILL_F8, count, &value), SILL_USAGE);
    EXPECT_NE(std::string(sill_last_error()).find(std::to_string(count) + " values"), std::string::npos)
        << sill_last_error();
  }
  EXPECT_EQ(sill_dataset_free(&dataset), SILL_OK);
  EXPECT_EQ(sill_session_finish(&session_), SILL_OK);
}

// Which call reports wrong arguments of `sill_dataset_put` and the like: the one that writes or reads, on all ranks.
TEST_F(OpenSession, WritesNoDatasetWithWrongArguments) {
  sill_dataset* dataset = nullptr;
  const std::string path = folder_ / "a.nc";
  ASSERT_EQ(sill_dataset_open(session_, path.c_str(), nullptr, &dataset), SILL_OK) << sill_last_error();
  std::vector<float> values{7, 8, 9};
  const std::vector<std::int64_t> list{0, 1, 2};
  const std::int64_t first = 0;
  const std::int64_t count = 3;
  EXPECT_EQ(sill_dataset_define_dimension(dataset, "x", 3), SILL_OK);
  EXPECT_EQ(sill_dataset_define_variable(dataset, "u", SILL_F4, "x"), SILL_OK);
  EXPECT_EQ(sill_dataset_define_attribute(dataset, "u", "a", SILL_F4, -1, values.data()), SILL_USAGE);
  EXPECT_EQ(sill_dataset_define_attribute(dataset, "u", "a", SILL_F4, 3, nullptr), SILL_USAGE);
  EXPECT_EQ(sill_dataset_define_attribute(dataset, "u", "a", SILL_F4, 0, nullptr), SILL_OK);
  EXPECT_EQ(sill_dataset_begin(dataset), SILL_OK) << sill_last_error();
  const auto expect_refused = [&](int put, int moved, const char* problem) {
    EXPECT_EQ(put, SILL_OK) << sill_last_error();
    EXPECT_EQ(moved, SILL_USAGE) << problem;
    EXPECT_NE(std::string(sill_last_error()).find(problem), std::string::npos) << sill_last_error();
  };
  const auto write = [&] { return sill_dataset_write(dataset, SILL_COPIED); };
  const std::string negative = "the list of elements of variable u has -1 values";
  const std::string null = "the list of elements of variable u is NULL";
  int put = sill_dataset_put_elements(dataset, "u", -1, list.data(), SILL_F4, values.data());
  expect_refused(put, write(), negative.c_str());
  put = sill_dataset_put_elements_copy(dataset, "u", -1, list.data(), SILL_F4, values.data());
  expect_refused(put, write(), negative.c_str());
  put = sill_dataset_put_elements(dataset, "u", 3, nullptr, SILL_F4, values.data());
  expect_refused(put, write(), null.c_str());
  put = sill_dataset_put_elements_copy(dataset, "u", 3, nullptr, SILL_F4, values.data());
  expect_refused(put, write(), null.c_str());
  put = sill_dataset_put(dataset, "u", 1, &first, &count, nullptr, nullptr, 42, values.data());
  expect_refused(put, write(), "the type of elements is 42");
  put = sill_dataset_put_copy(dataset, nullptr, 1, &first, &count, nullptr, nullptr, SILL_F4, values.data());
  expect_refused(put, write(), "the name of the variable is NULL");
  put = sill_dataset_put_value(dataset, nullptr, 1);
  expect_refused(put, write(), "the name of the variable is NULL");
  EXPECT_EQ(sill_dataset_put_elements(dataset, "u", 0, nullptr, SILL_F4, nullptr), SILL_OK);
  EXPECT_EQ(sill_dataset_put_elements(dataset, "u", 3, list.data(), SILL_F4, values.data()), SILL_OK);
  EXPECT_EQ(write(), SILL_OK) << sill_last_error();
  EXPECT_EQ(sill_dataset_close(&dataset), SILL_OK) << sill_last_error();

  sill_dataset_reader* reader = nullptr;
  ASSERT_EQ(sill_dataset_reader_open(session_, path.c_str(), &reader), SILL_OK) << sill_last_error();
  std::vector<float> read(3);
  put = sill_dataset_reader_get_elements(reader, "u", -1, list.data(), SILL_F4, read.data());
  expect_refused(put, sill_dataset_reader_read(reader), negative.c_str());
  put = sill_dataset_reader_get_elements(reader, "u", 3, nullptr, SILL_F4, read.data());
  expect_refused(put, sill_dataset_reader_read(reader), null.c_str());
  put = sill_dataset_reader_get(reader, nullptr, 1, &first, &count, nullptr, nullptr, SILL_F4, read.data());
  expect_refused(put, sill_dataset_reader_read(reader), "the name of the variable is NULL");
  put = sill_dataset_reader_get(reader, "u", 1, &first, &count, nullptr, nullptr, -1, read.data());
  expect_refused(put, sill_dataset_reader_read(reader), "the type of elements is -1");
  EXPECT_EQ(sill_dataset_reader_get_elements(reader, "u", 3, list.data(), SILL_F4, read.data()), SILL_OK);
  EXPECT_EQ(sill_dataset_reader_read(reader), SILL_OK) << sill_last_error();
  EXPECT_EQ(read, values);
  EXPECT_EQ(sill_dataset_reader_free(&reader), SILL_OK);
  EXPECT_EQ(sill_session_finish(&session_), SILL_OK);
}

TEST_F(OpenSession, PassesNoRecordWithoutItsBytes) {
  sill_records* records = nullptr;
  ASSERT_EQ(sill_records_open(session_, (folder_ / "a.txt").c_str(), nullptr, &records), SILL_OK) << sill_last_error();
  EXPECT_EQ(sill_records_put(records, 0, nullptr, 4), SILL_USAGE);
  EXPECT_EQ(sill_records_put(records, 0, "abc", -1), SILL_USAGE);
  EXPECT_NE(std::string(sill_last_error()).find("record 0 has -1 values"), std::string::npos) << sill_last_error();
  EXPECT_EQ(sill_records_put(records, 0, "abc", 3), SILL_OK) << sill_last_error();
  EXPECT_EQ(sill_records_close(&records), SILL_OK) << sill_last_error();
  EXPECT_EQ(sill_session_finish(&session_), SILL_OK);
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
