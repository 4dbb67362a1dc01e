// Streams, lists, true values and flows of the C interface: what is written is compared with what C++ makes of the same
// traces, or with values worked out here.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "bindings/bindings_case.hpp"
#include "bindings/c_calls.h"

namespace sill {
namespace {

class CStreams : public test::BindingsCase {
 protected:
  // A session and a reader of one survey, freed with this object.
  struct Opened {
    explicit Opened(const std::string& path, const char* policy = "direct", const sill_input_options* input = nullptr) {
      sill_options options{};
      options.policies = policy;
      options.threads = 2;
      options.no_environment = 1;
      EXPECT_EQ(sill_session_open(MPI_COMM_WORLD, &options, &session), SILL_OK) << sill_last_error();
      const char* of = path.c_str();
      status = sill_reader_open_with(session, &of, 1, input, &reader);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    ~Opened() {
      (void)sill_reader_free(&reader);
      (void)sill_session_free(&session);
    }
    sill_session* session = nullptr;
    sill_reader* reader = nullptr;
    int status = SILL_OK;
  };

  // Large enough for several blocks on each rank.
  static segy::FileForm long_form() {
    return {.samples = 2000, .interval_us = 2000.0, .traces = 331, .text = {"C 1 MADE BY A TEST"}};
  }

  [[nodiscard]] static std::vector<float> samples_of(sill_reader* reader, const std::vector<std::int64_t>& traces) {
    std::int64_t count = 0;
    EXPECT_EQ(sill_reader_samples_of_list(reader, traces.data(), std::ssize(traces), &count), SILL_OK);
    std::vector<float> samples(static_cast<std::size_t>(count));
    EXPECT_EQ(sill_reader_check_samples(reader), SILL_OK) << sill_last_error();
    EXPECT_EQ(sill_reader_read_list_samples(reader, traces.data(), std::ssize(traces), samples.data(), count), SILL_OK)
        << sill_last_error();
    return samples;
  }

  [[nodiscard]] static std::vector<double> values_of(sill_reader* reader, const char* word, std::int64_t traces) {
    std::vector<char> headers(static_cast<std::size_t>(240 * traces));
    EXPECT_EQ(sill_reader_read_headers(reader, 0, traces, headers.data(), 240 * traces), SILL_OK);
    std::vector<double> values(static_cast<std::size_t>(traces));
    EXPECT_EQ(sill_reader_true_values(reader, word, headers.data(), 240, traces, values.data()), SILL_OK)
        << sill_last_error();
    return values;
  }

  void expect_error(int status, int wanted, const std::string& words) {
    const std::string text = sill_last_error();
    EXPECT_EQ(status, wanted) << text;
    EXPECT_NE(text.find(words), std::string::npos) << text;
    EXPECT_TRUE(test::same_everywhere(comm, text));
  }
};

int nothing(sill_block* /*block*/, void* /*context*/) { return SILL_OK; }

TEST_F(CStreams, WriteWhatTheyRead) {
  std::vector<segy::FileForm> forms = survey_forms();
  forms.push_back(long_form());
  for (const segy::FileForm& form : forms) {
    const std::string from = made_survey(form);
    for (const char* policy : {"direct", "staged,stage=64K", "direct,threads=3"}) {
      SCOPED_TRACE(policy);
      const std::string to = folder / "copy";
      const Opened opened(from, policy);
      sill_stream_options options{};
      options.target = to.c_str();
      sill_stream_result result{};
      for (const int headers_only : {0, 1}) {
        options.headers_only = headers_only;
        ASSERT_EQ(sill_stream_run(opened.reader, &options, nothing, nullptr, &result), SILL_OK) << sill_last_error();
        EXPECT_EQ(result.traces, form.traces);
        EXPECT_EQ(result.rounded, 0);
        expect_same_files({from, to});
        EXPECT_EQ(result.bytes_out, static_cast<std::int64_t>(std::filesystem::file_size(to)));
      }
    }
    remove_files();
  }
}

TEST_F(CStreams, EveryTraceIsPassedOnce) {
  const segy::FileForm form = long_form();
  const std::string from = made_survey(form);
  struct Seen {
    std::array<std::atomic<int>, 331> traces{};
    std::atomic<int> wrong{0};
    std::atomic<int> inside{0};
  } seen;
  const Opened opened(from, "direct,threads=3");
  sill_stream_options options{};
  options.not_thread_safe = 1;
  const auto count = [](sill_block* block, void* context) {
    Seen& all = *static_cast<Seen*>(context);
    if (++all.inside != 1) ++all.wrong;
    if (block->samples != 2000 || block->header_bytes != 240 || block->out != nullptr || block->interval_us != 2000.0)
      ++all.wrong;
    std::vector<double> numbers(static_cast<std::size_t>(block->count));
    if (sill_block_true_values(block, "tracl", numbers.data()) != SILL_OK) return SILL_USAGE + 0;
    for (std::int64_t i = 0; i < block->count; ++i) {
      const std::int64_t trace = block->traces[i];
      if (trace != block->first + i || numbers[static_cast<std::size_t>(i)] != static_cast<double>(trace + 1))
        ++all.wrong;
      for (std::int64_t s = 0; s < block->samples; ++s)
        if (block->values[i * block->stride + s] != static_cast<float>(trace * 40 - s)) ++all.wrong;
      ++all.traces[static_cast<std::size_t>(trace)];
    }
    --all.inside;
    return SILL_OK + 0;
  };
  ASSERT_EQ(sill_stream_run(opened.reader, &options, count, &seen, nullptr), SILL_OK) << sill_last_error();
  EXPECT_EQ(seen.wrong, 0);
  for (std::size_t i = 0; i < seen.traces.size(); ++i)
    EXPECT_EQ(all_reduce(comm, std::int64_t{seen.traces[i]}, Reduction::sum), 1) << i;
}

TEST_F(CStreams, SamplesAndTrueValuesAreChanged) {
  for (const segy::FileForm& form : survey_forms()) {
    const std::string from = made_survey(form);
    const std::string to = folder / "scaled";
    ASSERT_EQ(c_scale_survey(MPI_COMM_WORLD, from.c_str(), to.c_str(), 2.0F), SILL_OK) << sill_last_error();
    const Opened before(from);
    const Opened after(to);
    std::vector<std::int64_t> traces(static_cast<std::size_t>(form.traces));
    std::iota(traces.begin(), traces.end(), 0);
    std::vector<float> wanted = samples_of(before.reader, traces);
    for (float& x : wanted) x *= 2.0F;
    EXPECT_EQ(samples_of(after.reader, traces), wanted);
    // c_scale_survey stores 1000.126 + trace with a scalar of -100: two digits are left.
    const std::vector<double> x = values_of(after.reader, "sx", form.traces);
    for (std::int64_t i = 0; i < form.traces; ++i)
      EXPECT_EQ(x[static_cast<std::size_t>(i)], static_cast<double>(100013 + 100 * i) / 100.0) << i;
    EXPECT_EQ(values_of(after.reader, "cdp", form.traces), values_of(before.reader, "cdp", form.traces));
    remove_files();
  }
}

TEST_F(CStreams, ListsAreInAnyOrderWithDuplicates) {
  const std::string from = made_survey(survey_forms().front());
  const std::vector<std::int64_t> list{22, 3, 4, 5, 3, 3, 0, 21, 20};
  const std::string to = folder / "list";
  const std::string by_writer = folder / "by_writer";
  {
    const Opened opened(from);
    sill_stream_options options{};
    options.target = to.c_str();
    options.traces = list.data();
    options.trace_count = std::ssize(list);
    ASSERT_EQ(sill_stream_run(opened.reader, &options, nothing, nullptr, nullptr), SILL_OK) << sill_last_error();

    // The same by lists of a writer: rank 0 writes all backwards, the second trace twice.
    std::int64_t bytes = 0;
    ASSERT_EQ(sill_reader_bytes_of_list(opened.reader, list.data(), std::ssize(list), &bytes), SILL_OK);
    ASSERT_EQ(bytes, 9 * 440);
    std::vector<std::int64_t> order{1};
    std::vector<char> traces(440, 'x');
    for (std::int64_t i = 8; i >= 0; --i) {
      std::vector<char> trace(440);
      EXPECT_EQ(sill_reader_read_list(opened.reader, &list[static_cast<std::size_t>(i)], 1, trace.data(), 440),
                SILL_OK);
      traces.insert(traces.end(), trace.begin(), trace.end());
      order.push_back(i);
    }
    std::vector<char> header(3600);
    std::int64_t header_bytes = 0;
    EXPECT_EQ(sill_reader_file_header(opened.reader, 0, 3600, header.data(), &header_bytes), SILL_OK);
    sill_writer* writer = nullptr;
    ASSERT_EQ(sill_writer_open_bytes(opened.session, by_writer.c_str(), 3600, 440, 9, 0, &writer), SILL_OK);
    EXPECT_EQ(sill_writer_write_header(writer, header.data(), 3600), SILL_OK);
    const bool writes = comm.rank() == 0;
    EXPECT_EQ(sill_writer_write_list(writer, order.data(), writes ? 10 : 0, traces.data(), writes ? 4400 : 0), SILL_OK)
        << sill_last_error();
    expect_error(sill_writer_write_list(writer, order.data(), writes ? 10 : 0, traces.data(), 1), SILL_USAGE, "bytes");
    EXPECT_EQ(sill_writer_finish(&writer), SILL_OK) << sill_last_error();
  }
  comm.barrier();
  if (comm.rank() == 0) {
    test::Bytes a = test::bytes_of_file(to);
    test::Bytes b = test::bytes_of_file(by_writer);
    ASSERT_EQ(a.size(), 3600U + 9U * 440U);
    a.erase(a.begin(), a.begin() + 3600);  // the stream states another sorting code
    b.erase(b.begin(), b.begin() + 3600);
    EXPECT_TRUE(a == b);
  }
  const Opened read(to);
  const std::vector<double> numbers = values_of(read.reader, "tracl", 9);
  for (std::size_t i = 0; i < list.size(); ++i) EXPECT_EQ(numbers[i], static_cast<double>(list[i] + 1));

  const Opened opened(from);
  sill_stream_options options{};
  const std::int64_t beyond = 23;
  options.traces = &beyond;
  options.trace_count = 1;
  expect_error(sill_stream_run(opened.reader, &options, nothing, nullptr, nullptr), SILL_USAGE, "23");
  if (comm.size() == 1) return;
  const std::int64_t mine = comm.rank();
  options.traces = &mine;
  expect_error(sill_stream_run(opened.reader, &options, nothing, nullptr, nullptr), SILL_USAGE, "different streams");
}

TEST_F(CStreams, AWriterTakesSamplesOfLists) {
  const segy::FileForm form = survey_forms()[1];
  const std::string from = made_survey(form);
  const Opened opened(from);
  sill_file_form of_c{};
  ASSERT_EQ(sill_reader_form(opened.reader, 0, &of_c), SILL_OK);
  of_c.text = "C 1 MADE BY A TEST\nC 2 OF WRITERS";
  std::vector<std::int64_t> mine;  // every rank its share, backwards
  for (std::int64_t i = form.traces - 1; i >= 0; --i)
    if (i % comm.size() == comm.rank()) mine.push_back(i);
  const std::vector<float> samples = samples_of(opened.reader, mine);
  std::vector<char> headers;
  for (const std::int64_t trace : mine) {
    std::array<char, 240> header{};
    EXPECT_EQ(sill_reader_read_headers(opened.reader, trace, 1, header.data(), 240), SILL_OK);
    headers.insert(headers.end(), header.begin(), header.end());
  }
  const std::string to = folder / "to";
  sill_writer* writer = nullptr;
  ASSERT_EQ(sill_writer_open(opened.session, to.c_str(), &of_c, &writer), SILL_OK) << sill_last_error();
  EXPECT_EQ(sill_writer_write_list_samples(writer, mine.data(), std::ssize(mine), headers.data(), std::ssize(headers),
                                           samples.data(), std::ssize(samples)),
            SILL_OK)
      << sill_last_error();
  EXPECT_EQ(sill_writer_finish(&writer), SILL_OK) << sill_last_error();
  expect_same_files({from, to});
}

TEST_F(CStreams, TheNumberOfSamplesChanges) {
  const std::string from = made_survey(survey_forms().front());
  const std::string to = folder / "half";
  {
    const Opened opened(from);
    sill_stream_options options{};
    options.target = to.c_str();
    options.samples = 25;
    options.interval_us = 4000.0;
    options.sample_format = 1;
    options.history = "C MADE HALF AS LONG";
    const auto half = [](sill_block* block, void* /*context*/) {
      if (block->out == nullptr || block->out_samples != 25) return -1;
      for (std::int64_t i = 0; i < block->count; ++i)
        for (std::int64_t s = 0; s < 25; ++s) block->out[i * 25 + s] = block->values[i * block->stride + 2 * s];
      return 0;
    };
    ASSERT_EQ(sill_stream_run(opened.reader, &options, half, nullptr, nullptr), SILL_OK) << sill_last_error();
  }
  const Opened read(to);
  sill_file_form form{};
  ASSERT_EQ(sill_reader_form(read.reader, 0, &form), SILL_OK);
  EXPECT_EQ(form.samples, 25);
  EXPECT_EQ(form.interval_us, 4000.0);
  EXPECT_EQ(form.sample_format, 1);
  EXPECT_EQ(values_of(read.reader, "ns", 23), std::vector<double>(23, 25.0));
  EXPECT_EQ(values_of(read.reader, "dt", 23), std::vector<double>(23, 4000.0));
  const std::vector<float> samples = samples_of(read.reader, {7});
  for (std::size_t s = 0; s < 25; ++s) EXPECT_EQ(samples[s], 280.0F - 2.0F * static_cast<float>(s));
  std::string text(5000, ' ');
  std::int64_t bytes = 0;
  ASSERT_EQ(sill_reader_text(read.reader, 0, 5000, text.data(), &bytes), SILL_OK) << sill_last_error();
  text.resize(static_cast<std::size_t>(bytes));
  EXPECT_TRUE(text.starts_with("C 1 MADE BY A TEST\nC 2 OF WRITERS\n")) << text;
  EXPECT_NE(text.find("MADE HALF AS LONG\n"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 40);
}

TEST_F(CStreams, ErrorsOfTheProgramAreThoseOfAllRanks) {
  const std::string from = made_survey(long_form());
  const std::string to = folder / "never";
  const Opened opened(from);
  sill_stream_options options{};
  options.target = to.c_str();
  const auto ends = [](sill_block* block, void* /*context*/) {
    return std::find(block->traces, block->traces + block->count, 200) != block->traces + block->count ? 77 : 0;
  };
  expect_error(sill_stream_run(opened.reader, &options, ends, nullptr, nullptr), SILL_USAGE, "returned 77");
  const auto unknown = [](sill_block* block, void* /*context*/) {
    std::vector<double> values(static_cast<std::size_t>(block->count));
    return sill_block_true_values(block, "no_such_word", values.data());
  };
  expect_error(sill_stream_run(opened.reader, &options, unknown, nullptr, nullptr), SILL_USAGE, "no_such_word");
  const auto damaged = [](sill_block* /*block*/, void* /*context*/) { return SILL_INPUT + 0; };
  expect_error(sill_stream_run(opened.reader, &options, damaged, nullptr, nullptr), SILL_INPUT, "returned 3");
  options.headers_only = 1;
  options.samples = 7;
  expect_error(sill_stream_run(opened.reader, &options, nothing, nullptr, nullptr), SILL_USAGE, "only headers");
  options = {};
  options.target = from.c_str();
  expect_error(sill_stream_run(opened.reader, &options, nothing, nullptr, nullptr), SILL_USAGE, "survey");
  options.target = to.c_str();
  options.sample_format = 3;
  const auto large = [](sill_block* block, void* /*context*/) {
    for (std::int64_t i = 0; i < block->count; ++i)
      if (block->traces[i] == 100) block->values[i * block->stride + 6] = 40000.0F;
    return 0;
  };
  expect_error(sill_stream_run(opened.reader, &options, large, nullptr, nullptr), SILL_INPUT, "trace:  101");
  expect_error(sill_stream_run(opened.reader, &options, nullptr, nullptr, nullptr), SILL_USAGE, "NULL");
  options.sample_format = 99;
  expect_error(sill_stream_run(opened.reader, &options, nothing, nullptr, nullptr), SILL_USAGE, "99");
  EXPECT_EQ(test::names_in(folder.path()).size(), 1U) << "only the survey";
}

TEST_F(CStreams, AssumptionsAndMapsCount) {
  const std::string from = made_survey(survey_forms().front());
  const std::string map = folder / "map.toml";
  if (comm.rank() == 0) std::ofstream(map) << "[words.mine]\nbyte = 1\ntype = \"i4\"\nscalar = 0.5\n";
  comm.barrier();
  sill_input_options input{};
  input.assume = "sample_format=2,interval=500";
  input.map = map.c_str();
  const Opened opened(from, "direct", &input);
  ASSERT_EQ(opened.status, SILL_OK) << sill_last_error();
  sill_file_form form{};
  ASSERT_EQ(sill_reader_form(opened.reader, 0, &form), SILL_OK);
  EXPECT_EQ(form.sample_format, 2);
  EXPECT_EQ(form.interval_us, 500.0);
  const std::vector<double> values = values_of(opened.reader, "mine", 23);
  EXPECT_EQ(values[0], 0.5) << "half of tracl";
  EXPECT_EQ(values[22], 11.5);
  input.assume = "samplez=3";
  const Opened wrong(from, "direct", &input);
  expect_error(wrong.status, SILL_USAGE, "samplez");
}

TEST_F(CStreams, TrueValuesAreRoundedAndRefused) {
  const Opened opened(made_survey(survey_forms().front()));
  std::array<char, 480> headers{};
  for (std::size_t i = 0; i < 2; ++i) (void)sill_write_word(&headers[240 * i], "scalco", SILL_BIG, i == 0 ? -1000 : 10);
  std::array<double, 2> values{1234.5678, -86.0};
  ASSERT_EQ(sill_reader_set_true_values(opened.reader, "gx", headers.data(), 240, 2, values.data()), SILL_OK);
  double stored = 0;
  EXPECT_EQ(sill_read_word(headers.data(), "gx", SILL_BIG, &stored), SILL_OK);
  EXPECT_EQ(stored, 1234568.0);
  EXPECT_EQ(sill_reader_true_values(opened.reader, "gx", headers.data(), 240, 2, values.data()), SILL_OK);
  EXPECT_EQ(values[0], 1234.568);
  EXPECT_EQ(values[1], -90.0);
  values[0] = 3e6;
  EXPECT_EQ(sill_reader_set_true_values(opened.reader, "gx", headers.data(), 240, 1, values.data()), SILL_USAGE);
  EXPECT_EQ(sill_reader_set_true_values(opened.reader, "gx", headers.data(), 200, 1, values.data()), SILL_USAGE);
  EXPECT_EQ(sill_reader_true_values(opened.reader, "gx", nullptr, 240, 1, values.data()), SILL_USAGE);
}

TEST_F(CStreams, FlowsHaveOperationsOfTheProgram) {
  const std::string from = made_survey(long_form());
  const std::string scaled = folder / "scaled";
  const std::string flowed = folder / "flowed";
  ASSERT_EQ(c_scale_survey(MPI_COMM_WORLD, from.c_str(), scaled.c_str(), 2.0F), SILL_OK) << sill_last_error();
  // c_run_flow adds three operations: doubled, moved (words alone), and ranked (gathers of up to ten tracl).
  ASSERT_EQ(c_run_flow(MPI_COMM_WORLD, from.c_str(), flowed.c_str(), "doubled; moved"), SILL_OK) << sill_last_error();
  expect_same_files({scaled, flowed});

  const std::string ranked = folder / "ranked";
  ASSERT_EQ(c_run_flow(MPI_COMM_WORLD, from.c_str(), ranked.c_str(), "moved; ranked; sort sx; doubled"), SILL_OK)
      << sill_last_error();
  const Opened read(ranked);
  const std::vector<double> x = values_of(read.reader, "sx", 331);
  const std::vector<double> tracl = values_of(read.reader, "tracl", 331);
  const std::vector<double> place = values_of(read.reader, "nhs", 331);
  const std::vector<float> samples = samples_of(read.reader, {0, 330});
  EXPECT_TRUE(std::ranges::is_sorted(x));
  std::array<int, 11> seen{};
  for (std::size_t i = 0; i < place.size(); ++i) {
    EXPECT_EQ(tracl[i], 1.0 + std::round(x[i] - 1000.13)) << i;
    EXPECT_EQ(place[i], tracl[i] < 10.0 ? tracl[i] : 1.0 + std::fmod(tracl[i], 10.0)) << i;
    ASSERT_TRUE(place[i] >= 1 && place[i] <= 10);
    ++seen[static_cast<std::size_t>(place[i])];
  }
  EXPECT_EQ(seen[1], 34) << "gathers";
  // The operation on gathers adds its place to the samples, before they are doubled.
  EXPECT_EQ(samples[0], 2.0F * (0.0F + static_cast<float>(place[0])));
  EXPECT_EQ(samples[2000], 2.0F * (330.0F * 40.0F + static_cast<float>(place[330])));

  const Opened opened(from);
  const char* path = from.c_str();
  const std::string never = folder / "never";
  expect_error(sill_flow_run(opened.session, &path, 1, never.c_str(), "dubbled", nullptr, nullptr), SILL_USAGE,
               "doubled");
  expect_error(sill_flow_run(opened.session, &path, 1, never.c_str(), "ends", nullptr, nullptr), SILL_INPUT, "ends");
  expect_error(sill_flow_run(opened.session, &path, 1, never.c_str(), "misses", nullptr, nullptr), SILL_USAGE,
               "no_word");
  expect_error(sill_flow_run(opened.session, &path, 1, nullptr, "doubled", nullptr, nullptr), SILL_USAGE,
               "no output is named");
  EXPECT_FALSE(std::filesystem::exists(never));
}

TEST_F(CStreams, ValuesExtremesAndOrdersOfAllTraces) {
  const std::string from = made_survey(long_form());
  const Opened opened(from);
  std::int64_t first = 0;
  std::int64_t own = 0;
  ASSERT_EQ(sill_block_of(331, comm.size(), comm.rank(), &first, &own), SILL_OK);
  EXPECT_EQ(first, block_of(331, comm.size(), comm.rank()).first);
  EXPECT_EQ(sill_block_of(331, 2, 2, &first, &own), SILL_USAGE);
  EXPECT_EQ(sill_block_of(-1, 2, 1, &first, &own), SILL_USAGE);

  const auto count = static_cast<std::size_t>(own);
  std::vector<double> values(2 * count);
  ASSERT_EQ(sill_reader_read_values(opened.reader, "tracl,tracl % 7", first, own, values.data(), 2 * own), SILL_OK)
      << sill_last_error();
  for (std::size_t i = 0; i < count; ++i) {
    const double tracl = static_cast<double>(first) + static_cast<double>(i) + 1.0;
    EXPECT_EQ(values[i], tracl);
    EXPECT_EQ(values[count + i], std::fmod(tracl, 7.0));
  }
  expect_error(sill_reader_read_values(opened.reader, "tracl", first, own, values.data(), own - 1), SILL_USAGE, "room");
  expect_error(sill_reader_read_values(opened.reader, "trackl", first, own, values.data(), own), SILL_USAGE, "trackl");
  expect_error(sill_reader_read_values(opened.reader, "tracl", 331, 1, values.data(), 1), SILL_USAGE, "331");
  if (comm.size() > 1)
    expect_error(
        sill_reader_read_values(opened.reader, comm.rank() == 0 ? "tracl" : "tracr", first, own, values.data(), own),
        SILL_USAGE, "different values of the keys");

  sill_extremes extremes{};
  ASSERT_EQ(sill_reader_extremes(opened.reader, "tracl % 7 - 3", &extremes), SILL_OK) << sill_last_error();
  EXPECT_EQ(extremes.smallest, -3.0);
  EXPECT_EQ(extremes.largest, 3.0);
  EXPECT_EQ(extremes.smallest_trace, 6);
  EXPECT_EQ(extremes.largest_trace, 5);
  expect_error(sill_reader_extremes(opened.reader, "tracl,tracr", &extremes), SILL_USAGE, "pass one");

  std::vector<std::int64_t> all(331);
  std::iota(all.begin(), all.end(), std::int64_t{0});
  std::ranges::stable_sort(all, {}, [](std::int64_t trace) { return -((trace + 1) % 7); });
  std::vector<std::int64_t> order(count);
  std::int64_t found = 0;
  ASSERT_EQ(sill_reader_order(opened.reader, "-(tracl % 7)", own, order.data(), &found), SILL_OK) << sill_last_error();
  EXPECT_EQ(found, own);
  EXPECT_TRUE(std::ranges::equal(order, std::span(all).subspan(static_cast<std::size_t>(first), count)));
  ASSERT_EQ(sill_reader_order(opened.reader, "cdp", 0, nullptr, &found), SILL_OK);
  EXPECT_EQ(found, own);

  const std::string sorted = folder / "sorted";
  ASSERT_EQ(sill_reader_sort(opened.reader, "-(tracl % 7)", sorted.c_str()), SILL_OK) << sill_last_error();
  const Opened read(sorted);
  const std::vector<double> tracl = values_of(read.reader, "tracl", 331);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(tracl[i], static_cast<double>(all[i]) + 1.0) << i;
  expect_error(sill_reader_sort(opened.reader, "cdp", from.c_str()), SILL_USAGE, "input");

  sill_flow_result result{};
  const char* path = from.c_str();
  ASSERT_EQ(sill_flow_run(opened.session, &path, 1, nullptr, "minmax tracl", nullptr, &result), SILL_OK)
      << sill_last_error();
  EXPECT_NE(std::string(result.notes).find("tracl from 1 (trace 1) to 331 (trace 331)"), std::string::npos)
      << result.notes;
  sill_flow_options options{};
  options.sample_format = 3;
  options.scale = "fit";
  const std::string scaled = folder / "scaled";
  ASSERT_EQ(sill_flow_run(opened.session, &path, 1, scaled.c_str(), "agc 100ms", &options, &result), SILL_OK)
      << sill_last_error();
  EXPECT_NE(std::string(result.notes).find("samples were multiplied by"), std::string::npos) << result.notes;
  options.resume = 1;
  expect_error(sill_flow_run(opened.session, &path, 1, scaled.c_str(), "agc 100ms", &options, &result), SILL_USAGE,
               "interrupted");
  options.resume = 0;
  options.scale = "big";
  expect_error(sill_flow_run(opened.session, &path, 1, scaled.c_str(), "agc 100ms", &options, &result), SILL_USAGE,
               "big");
}

TEST_F(CStreams, DeclarationsThatContradictAreRefused) {
  sill_operation operation{};
  const auto refused = [&](const std::string& words) {
    EXPECT_EQ(sill_flow_add_operation(&operation), SILL_USAGE) << words;
    EXPECT_NE(std::string(sill_last_error()).find(words), std::string::npos) << sill_last_error();
  };
  refused("is not a valid name");
  operation.name = "two words";
  refused("is not a valid name");
  operation.name = "contradicts";
  operation.reads_samples = 1;
  refused("has no function `run`");
  operation.run = nothing;
  operation.scope = 7;
  refused("scope");
  operation.scope = SILL_EACH_TRACE;
  operation.keys = "cdp";
  refused("has keys");
  operation.keys = nullptr;
  operation.writes_words = "cdp";
  refused("no function `edit_header`");
  operation.writes_words = nullptr;
  operation.memory_bytes = -1;
  refused("memory");
  operation.memory_bytes = 0;
  operation.name = "agc";
  refused("already");
  EXPECT_EQ(sill_flow_add_operation(nullptr), SILL_USAGE);
}

}  // namespace
}  // namespace sill
