// Reading and writing surveys by several ranks.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/survey_files.hpp"
#include "sill/io/survey/output_file.hpp"
#include "sill/io/survey/same_file.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/io/survey/survey_writer.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/store/meter_store.hpp"
#include "store/rank_faults.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/fault_store.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::Bytes;
using test::everywhere;
using test::same_everywhere;
using test::small_survey;
using test::survey_bytes;
using test::thrown;
using test::world;

constexpr std::int64_t trace_bytes = 240 + 4 * 11;
const std::vector<std::string> policies{"direct", "staged", "staged,stage=1000", "stage=700"};

class IoMpi : public testing::Test {
 protected:
  Communicator& comm = world();
  test::SharedFolder folder{comm};

  // Two files of one survey, 23 and 10 traces, and one without a trace between them.
  std::vector<std::string> put_inputs() {
    const std::vector<Bytes> files{survey_bytes(small_survey(23, 1)), test::header_of(survey_bytes(small_survey(1))),
                                   survey_bytes(small_survey(10, 2))};
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < files.size(); ++i) {
      const std::string name = "input" + std::to_string(i);
      folder.put(name, files[i]);
      paths.push_back(folder / name);
      for (const Bytes& trace : test::traces_of(files[i], trace_bytes)) traces.push_back(trace);
    }
    return paths;
  }
  [[nodiscard]] Bytes bytes_of(ItemRange range) const {
    const auto first = traces.begin() + range.first;
    return test::joined({first, first + range.count});
  }
  // What all ranks throw, after making sure that it is the same.
  std::optional<Error> thrown_by_all(const std::function<void()>& work) {
    std::optional<Error> error = thrown(work);
    EXPECT_TRUE(same_everywhere(comm, error ? error->what() : ""));
    EXPECT_TRUE(!error || error->agreed());
    return error;
  }
  [[nodiscard]] std::vector<std::string> names() {
    comm.barrier();
    std::vector<std::string> found = test::names_in(folder.path());
    comm.barrier();
    return found;
  }

  std::vector<Bytes> traces;
};

TEST_F(IoMpi, SeveralFilesAreOneSurvey) {
  const Resources resources{.comm = comm};
  const SurveyReader reader(resources, put_inputs());
  EXPECT_EQ(reader.traces(), 33);
  EXPECT_EQ(reader.trace_bytes(), trace_bytes);
  ASSERT_EQ(reader.files().size(), 3U);
  EXPECT_EQ(reader.files()[2].traces, 10);
  EXPECT_EQ(reader.file_of(0), 0);
  EXPECT_EQ(reader.file_of(22), 0);
  EXPECT_EQ(reader.file_of(23), 2);
  EXPECT_EQ(reader.file_of(32), 2);
  const Where where = reader.where(24);
  EXPECT_EQ(where.file, folder / "input2");
  EXPECT_EQ(where.item, 2);
  EXPECT_EQ(where.byte, 3600 + trace_bytes);
  EXPECT_EQ(where.item_word, "trace");
  EXPECT_EQ(reader.file_header(2), test::header_of(survey_bytes(small_survey(10, 2))));
  Bytes own(static_cast<std::size_t>(5 * trace_bytes));
  reader.read_own({21, 5}, own);
  EXPECT_EQ(own, bytes_of({21, 5}));
}

TEST_F(IoMpi, EveryRankReadsWhatItWants) {
  const std::vector<std::string> paths = put_inputs();
  for (const std::string& policy : policies) {
    const Resources resources{.comm = comm, .policy = Policy::parse(policy)};
    const SurveyReader reader(resources, paths);
    EXPECT_TRUE(rc::check([&] {
      ItemRange mine;
      for (int r = 0; r < comm.size(); ++r) {  // ranges overlap, and some are empty
        const auto first = *rc::gen::inRange<std::int64_t>(0, 34);
        const auto count = *rc::gen::inRange<std::int64_t>(0, 33 - first + 1);
        if (r == comm.rank()) mine = {first, count};
      }
      Bytes into(static_cast<std::size_t>(mine.count * trace_bytes));
      RC_ASSERT(everywhere(comm, [&] {
        reader.read(mine, into);
        return into == bytes_of(mine);
      }));
    }));
  }
}

TEST_F(IoMpi, ReadingWhatIsNotThereIsRefusedByAll) {
  const Resources resources{.comm = comm};
  const SurveyReader reader(resources, put_inputs());
  Bytes into(static_cast<std::size_t>(trace_bytes));
  const int last = comm.size() - 1;
  for (const ItemRange wrong : {ItemRange{33, 1}, ItemRange{-1, 1}, ItemRange{0, 2}}) {
    const auto error = thrown_by_all([&] { reader.read(comm.rank() == last ? wrong : ItemRange{0, 1}, into); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::usage);
    EXPECT_EQ(error->parts().rank, last);
  }
}

TEST_F(IoMpi, HeadersAreVisitedOnceReadingNothingElse) {
  Meter meter;
  const Resources resources{.comm = comm, .open = metered(open_posix, meter)};
  const SurveyReader reader(resources, put_inputs());
  for (const int threads : {1, 3}) {
    for (const ByteRange part : {ByteRange{20, 20}, ByteRange{0, 240}, ByteRange{239, 1}, ByteRange{0, 0}}) {
      const std::int64_t before = meter.read_bytes;
      std::mutex mutex;
      std::vector<int> visits(33, 0);
      bool right = true;
      reader.scan_headers({3, 28}, part, threads, [&](const HeaderBlock& block, int thread) {
        const std::lock_guard lock(mutex);
        right = right && thread < threads && block.file == reader.file_of(block.first_trace);
        for (std::int64_t i = 0; i < block.count; ++i) {
          const auto trace = static_cast<std::size_t>(block.first_trace + i);
          ++visits[trace];
          right = right && std::equal(traces[trace].begin() + part.offset, traces[trace].begin() + part.end(),
                                      block.header(i) + part.offset);
        }
      });
      EXPECT_TRUE(right);
      std::vector<int> expected(33, 0);
      std::fill(expected.begin() + 3, expected.begin() + 31, 1);
      EXPECT_EQ(visits, expected);
      EXPECT_EQ(meter.read_bytes - before, 28 * part.length);
    }
  }
}

TEST_F(IoMpi, FilesThatMakeNoSurveyAreRefusedByAll) {
  put_inputs();
  const Resources resources{.comm = comm};
  const auto refused = [&](const std::string& name, const Bytes& bytes, ErrorCode code, const std::string& words) {
    folder.put(name, bytes);
    const auto error = thrown_by_all([&] { const SurveyReader reader(resources, {folder / "input0", folder / name}); });
    ASSERT_TRUE(error) << name;
    EXPECT_EQ(error->code(), code) << error->what();
    EXPECT_EQ(error->parts().where.file, folder / name);
    EXPECT_NE(error->parts().problem.find(words), std::string::npos) << error->what();
  };
  segy::SurveyOptions other = small_survey(5);
  other.samples = 12;
  refused("samples", survey_bytes(other), ErrorCode::input, "number of samples per trace");
  other = small_survey(5);
  other.interval_us = 4000;
  refused("interval", survey_bytes(other), ErrorCode::input, "sample interval");
  other = small_survey(5);
  other.sample_format = segy::SampleFormat::ieee_float;
  refused("format", survey_bytes(other), ErrorCode::input, "sample format");
  other = small_survey(5);
  other.byte_order = ByteOrder::little;
  refused("order", survey_bytes(other), ErrorCode::input, "byte order");
  Bytes cut = survey_bytes(small_survey(5));
  cut.erase(cut.end() - 7, cut.end());
  refused("cut", cut, ErrorCode::input, "after the last complete trace");
  refused("empty", {}, ErrorCode::input, "");

  const auto missing = thrown_by_all([&] { const SurveyReader reader(resources, {folder / "missing"}); });
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->code(), ErrorCode::io);
  const auto none = thrown_by_all([&] { const SurveyReader reader(resources, {}); });
  ASSERT_TRUE(none);
  EXPECT_EQ(none->code(), ErrorCode::usage);
}

TEST_F(IoMpi, AFaultOfOneRankIsTheErrorOfAllReaders) {
  const std::vector<std::string> paths = put_inputs();
  for (const std::string& policy : policies) {
    SCOPED_TRACE(policy);
    test::for_each_fault(
        comm, {.calls = {Fault::Call::open, Fault::Call::read}, .numbers = {1, 2, 6, 12}}, [&](test::RankFault& fault) {
          const Resources resources{.comm = comm, .open = fault.in(open_posix), .policy = Policy::parse(policy)};
          return fault.is_stated_by(thrown([&] {
            const SurveyReader reader(resources, paths);
            const ItemRange mine = block_of(33, comm.size(), comm.rank());
            Bytes into(static_cast<std::size_t>(mine.count * trace_bytes));
            reader.read(mine, into);
          }));
        });
  }
}

// Writes a survey of 33 traces in two rounds, distributed unevenly; the last rank has nothing in the first round.
void write_survey(const Resources& resources, const std::string& target, const Bytes& file, bool finish = true,
                  SurveyWriter::Space space = SurveyWriter::Space::at_once) {
  Communicator& comm = resources.comm;
  SurveyWriter writer(resources, target, {3600, trace_bytes, 33}, space);
  writer.write_header(comm.rank() == 0 ? test::header_of(file) : Bytes());
  const std::vector<Bytes> traces = test::traces_of(file, trace_bytes);
  for (const ItemRange round : {ItemRange{20, 13}, ItemRange{0, 20}}) {
    const int writers = round.first == 20 ? std::max(1, comm.size() - 1) : comm.size();
    const ItemRange mine = comm.rank() < writers ? block_of(round, writers, comm.rank()) : ItemRange{};
    writer.write(mine, test::joined({traces.begin() + mine.first, traces.begin() + mine.end()}));
  }
  if (finish) writer.finish();
}

TEST_F(IoMpi, WritersTogetherMakeTheFile) {
  const Bytes file = survey_bytes(small_survey(33));
  for (const std::string& policy : policies) {
    for (const char* sync : {"never", "close"}) {
      folder.put("out", test::pattern(10));
      Meter meter;
      const Resources resources{
          .comm = comm, .open = metered(open_posix, meter), .policy = Policy::parse(policy + ",sync=" + sync)};
      write_survey(resources, folder / "out", file);
      EXPECT_EQ(names(), std::vector<std::string>{"out"});
      EXPECT_TRUE(test::bytes_of_file(folder / "out") == file) << policy;
      const std::int64_t written = all_reduce(comm, meter.written_bytes, Reduction::sum);
      EXPECT_EQ(written, static_cast<std::int64_t>(file.size())) << "every byte once";
      const std::int64_t syncs = all_reduce(comm, meter.syncs, Reduction::sum);
      EXPECT_EQ(syncs > 0, std::string(sync) == "close");
      comm.barrier();
    }
  }
}

TEST_F(IoMpi, SamplesAreFloatsWhateverTheFileHolds) {
  const std::vector<float> expected = [] {
    const Bytes file = survey_bytes(small_survey(33));
    std::vector<float> samples;
    for (const Bytes& trace : test::traces_of(file, trace_bytes))
      for (std::size_t i = 0; i < 11; ++i) samples.push_back(load<float>(trace.data() + 240 + 4 * i, ByteOrder::big));
    return samples;
  }();
  for (const std::string& policy : policies) {
    const Resources resources{.comm = comm, .policy = Policy::parse(policy)};
    for (const segy::SampleFormat format : {segy::SampleFormat::ieee_float, segy::SampleFormat::ieee_double,
                                            segy::SampleFormat::ibm_float, segy::SampleFormat::int32}) {
      for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
        const segy::FileForm form{.byte_order = order,
                                  .revision = segy::Revision::rev2_1,
                                  .sample_format = format,
                                  .samples = 11,
                                  .interval_us = 500.5,
                                  .traces = 33};
        SurveyWriter writer(resources, folder / "out", form);
        for (const ItemRange round : {ItemRange{20, 13}, ItemRange{0, 20}}) {
          const ItemRange mine = block_of(round, comm.size(), comm.rank());
          Bytes headers(static_cast<std::size_t>(mine.count * 240));
          for (std::int64_t i = 0; i < mine.count; ++i)
            store(headers.data() + 240 * i, static_cast<std::int32_t>(mine.first + i + 1), order);
          writer.write_samples(mine, headers,
                               std::span(expected).subspan(static_cast<std::size_t>(11 * mine.first),
                                                           static_cast<std::size_t>(11 * mine.count)));
        }
        writer.finish();
        const SurveyReader reader(resources, {folder / "out"});
        EXPECT_EQ(reader.traces(), 33);
        EXPECT_EQ(reader.files()[0].interval_us, 500.5);
        const ItemRange mine = block_of(33, comm.size(), comm.rank());
        EXPECT_EQ(reader.samples_of(mine), 11 * mine.count);
        std::vector<float> samples(static_cast<std::size_t>(11 * mine.count));
        reader.read_samples(mine, samples);
        for (std::size_t i = 0; i < samples.size(); ++i) {
          const float wanted = expected[static_cast<std::size_t>(11 * mine.first) + i];
          const float tolerance = format == segy::SampleFormat::int32       ? 0.5F
                                  : format == segy::SampleFormat::ibm_float ? std::abs(wanted) * 1e-6F
                                                                            : 0.0F;
          ASSERT_NEAR(samples[i], wanted, tolerance) << i;
        }
        Bytes headers(static_cast<std::size_t>(240 * mine.count));
        reader.read_headers(mine, headers);
        for (std::int64_t i = 0; i < mine.count; ++i)
          EXPECT_EQ(load<std::int32_t>(headers.data() + 240 * i, order), mine.first + i + 1);
        comm.barrier();
      }
    }
  }
}

TEST_F(IoMpi, RanksThatWereGivenDifferentSurveysWriteNone) {
  if (comm.size() == 1) return;
  const Resources resources{.comm = comm};
  const bool other = comm.rank() > 0;
  const segy::FileForm form{.samples = 4, .interval_us = 500.0, .traces = 40};
  const auto problem_of = [&](const std::string& name, const segy::FileForm& given) {
    const auto error = thrown_by_all([&] { const SurveyWriter writer(resources, folder / name, given); });
    return error && error->code() == ErrorCode::usage ? error->parts().problem : std::string();
  };
  const std::string files = "the ranks were given different files, or different sizes of traces";
  EXPECT_EQ(problem_of(other ? "a" : "b", form), files);
  const std::vector<std::function<void(segy::FileForm&)>> changes{
      [](auto& each) { each.sample_format = segy::SampleFormat::ibm_float; },
      [](auto& each) { each.byte_order = ByteOrder::little; },
      [](auto& each) { each.revision = segy::Revision::rev2_1; },
      [](auto& each) { each.samples = 5; },
      [](auto& each) { each.interval_us = 250.0; },
      [](auto& each) { each.traces = 41; },
      [](auto& each) { each.text = {"other"}; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    segy::FileForm given = form;
    if (other) changes[i](given);
    EXPECT_EQ(problem_of("out", given), "the ranks were given different forms of a file") << i;
  }
  const auto sizes = thrown_by_all([&] {
    const SurveyWriter writer(resources, folder / "out", {3600, other ? trace_bytes : 300, 33});
  });
  ASSERT_TRUE(sizes);
  EXPECT_EQ(sizes->parts().problem, files);
  EXPECT_TRUE(names().empty());
}

TEST_F(IoMpi, WhatAFormOrAFormatCannotHoldIsTheErrorOfAll) {
  const Resources resources{.comm = comm};
  const auto impossible = thrown_by_all(
      [&] { const SurveyWriter writer(resources, folder / "out", segy::FileForm{.samples = 70000, .traces = 1}); });
  ASSERT_TRUE(impossible);
  EXPECT_EQ(impossible->code(), ErrorCode::usage);
  const auto timeless = thrown_by_all(
      [&] { const SurveyWriter writer(resources, folder / "out", segy::FileForm{.samples = 7, .traces = 1}); });
  ASSERT_TRUE(timeless);
  EXPECT_EQ(timeless->code(), ErrorCode::usage);
  EXPECT_NE(timeless->parts().problem.find("interval of 0"), std::string::npos);
  // One sample of the last rank's last trace.
  const segy::FileForm form{
      .sample_format = segy::SampleFormat::int16, .samples = 4, .interval_us = 500.0, .traces = 40};
  const ItemRange mine = block_of(40, comm.size(), comm.rank());
  const auto held = thrown_by_all([&] {
    SurveyWriter writer(resources, folder / "out", form);
    std::vector<float> samples(static_cast<std::size_t>(4 * mine.count), 1.0F);
    if (comm.rank() == comm.size() - 1) samples.back() = 40000.0F;
    writer.write_samples(mine, Bytes(static_cast<std::size_t>(240 * mine.count)), samples);
  });
  ASSERT_TRUE(held);
  EXPECT_EQ(held->code(), ErrorCode::input);
  EXPECT_EQ(held->parts().where.item, 40);
  EXPECT_EQ(held->parts().rank, comm.size() - 1);
  EXPECT_TRUE(names().empty());
  const auto without_form = thrown_by_all([&] {
    SurveyWriter writer(resources, folder / "out", {3600, trace_bytes, 1});
    writer.write_samples({0, 0}, {}, {});
  });
  ASSERT_TRUE(without_form);
  EXPECT_EQ(without_form->code(), ErrorCode::usage);
}

TEST_F(IoMpi, SpaceTakenAsWrittenMakesTheSameFile) {
  const Bytes file = survey_bytes(small_survey(33));
  for (const std::string& policy : policies) {
    const Resources resources{.comm = comm, .policy = Policy::parse(policy)};
    write_survey(resources, folder / "out", file, true, SurveyWriter::Space::as_written);
    EXPECT_EQ(names(), std::vector<std::string>{"out"});
    EXPECT_TRUE(test::bytes_of_file(folder / "out") == file) << policy;
    comm.barrier();
  }
}

TEST_F(IoMpi, WithoutFinishTheTargetIsUntouched) {
  folder.put("out", test::pattern(10));
  const Resources resources{.comm = comm};
  write_survey(resources, folder / "out", survey_bytes(small_survey(33)), false);
  EXPECT_EQ(names(), std::vector<std::string>{"out"});
  EXPECT_EQ(test::bytes_of_file(folder / "out"), test::pattern(10));
  write_survey(resources, folder / "new", survey_bytes(small_survey(33)), false);
  EXPECT_EQ(names(), std::vector<std::string>{"out"});
}

TEST_F(IoMpi, WhatDoesNotFitTheFileIsRefusedByAll) {
  const int last = comm.size() - 1;
  for (const std::string& policy : policies) {
    const Resources resources{.comm = comm, .policy = Policy::parse(policy)};
    const Bytes one(static_cast<std::size_t>(trace_bytes));
    for (const ItemRange wrong : {ItemRange{33, 1}, ItemRange{-1, 1}, ItemRange{0, 2}}) {
      SurveyWriter writer(resources, folder / "out", {3600, trace_bytes, 33});
      const auto error = thrown_by_all([&] {
        if (comm.rank() == last) {
          writer.write(wrong, one);
        } else {
          writer.write({comm.rank(), 1}, one);
        }
      });
      ASSERT_TRUE(error);
      EXPECT_EQ(error->code(), ErrorCode::usage);
      EXPECT_EQ(error->parts().rank, last);
    }
    {
      SurveyWriter writer(resources, folder / "out", {3600, trace_bytes, 33});
      const auto error = thrown_by_all([&] { writer.write_header(Bytes(3599)); });
      ASSERT_TRUE(error);
      EXPECT_EQ(error->code(), ErrorCode::usage);
    }
    if (comm.size() > 1) {
      SurveyWriter writer(resources, folder / "out", {3600, trace_bytes, 33});
      const auto error = thrown_by_all([&] { writer.write({7, 1}, one); });
      ASSERT_TRUE(error);
      EXPECT_EQ(error->code(), ErrorCode::usage);
      EXPECT_NE(error->parts().problem.find("ranks 0 and 1 both write"), std::string::npos) << error->what();
    }
    EXPECT_TRUE(names().empty());
  }
}

TEST_F(IoMpi, AFaultOfOneRankLeavesNothingBehind) {
  const Bytes file = survey_bytes(small_survey(33));
  folder.put("out", test::pattern(10));
  for (const std::string& policy : policies) {
    SCOPED_TRACE(policy);
    test::for_each_fault(comm, {.numbers = {1, 2}}, [&](test::RankFault& fault) {
      const Resources resources{
          .comm = comm, .open = fault.in(open_posix), .policy = Policy::parse(policy + ",sync=close")};
      const bool struck = fault.is_stated_by(thrown([&] { write_survey(resources, folder / "out", file); }));
      EXPECT_EQ(names(), std::vector<std::string>{"out"});
      EXPECT_TRUE(test::bytes_of_file(folder / "out") == (struck ? test::pattern(10) : file));
      comm.barrier();
      if (!struck) folder.put("out", test::pattern(10));
      return struck;
    });
  }
}

TEST_F(IoMpi, AnOutputThatCannotBeIsRefusedByAll) {
  const Resources resources{.comm = comm};
  for (const std::string& target : {folder.path(), folder / "missing/out", std::string("/dev/null")}) {
    const auto error = thrown_by_all([&] { OutputFile output(resources, target, 100); });
    ASSERT_TRUE(error) << target;
    EXPECT_EQ(error->code(), ErrorCode::io);
  }
  EXPECT_TRUE(names().empty());
}

TEST_F(IoMpi, AnOutputThatIsAnInputIsRefusedByAll) {
  folder.put("a", test::pattern(1));
  folder.put("b", test::pattern(1));
  if (comm.rank() == 0) {
    std::filesystem::create_symlink("a", folder / "link");
    std::filesystem::create_hard_link(folder / "a", folder / "hard");
  }
  comm.barrier();
  const Resources resources{.comm = comm};
  for (const std::string& same : {folder / "a", folder / "link", folder / "hard", folder / "./a"}) {
    const auto error = thrown_by_all([&] { require_other_file(resources, same, {folder / "b", folder / "a"}); });
    ASSERT_TRUE(error) << same;
    EXPECT_EQ(error->code(), ErrorCode::usage);
  }
  EXPECT_FALSE(thrown_by_all([&] { require_other_file(resources, folder / "b", {folder / "a"}); }));
  EXPECT_FALSE(thrown_by_all([&] {
    require_other_file(resources, folder / "new", {folder / "a", folder / "missing"});
  }));
}

}  // namespace
}  // namespace sill
