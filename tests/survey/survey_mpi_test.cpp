// Sorting, scanning and making surveys by several ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/survey_files.hpp"
#include "sill/permute/push.hpp"
#include "sill/store/meter_store.hpp"
#include "sill/survey/output/make_survey.hpp"
#include "sill/survey/select/scan.hpp"
#include "sill/survey/sort/sort.hpp"
#include "store/rank_faults.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/fault_store.hpp"
#include "support/world.hpp"
#include "survey/sort_files.hpp"

namespace sill {
namespace {

using test::Bytes;
using test::same_everywhere;
using test::small_survey;
using test::survey_bytes;
using test::thrown;
using test::world;

constexpr std::int64_t trace_bytes = 240 + 4 * 11;
constexpr std::int64_t first_file_traces = 61;
constexpr std::int64_t second_file_traces = 40;
constexpr std::int64_t all_traces = first_file_traces + second_file_traces;
const std::vector<std::string> policies{"direct", "staged", "staged,stage=1000", "stage=700,threads=2"};

// The word of four bytes at `byte` (from 1) of a trace header, by hand.
std::int32_t word_at(const Bytes& trace, std::size_t byte) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < 4; ++i) bits = bits << 8U | std::to_integer<std::uint32_t>(trace[byte - 1 + i]);
  return static_cast<std::int32_t>(bits);
}
std::int32_t cdp(const Bytes& trace) { return word_at(trace, 21); }
std::int32_t offset(const Bytes& trace) { return word_at(trace, 37); }

// Keys as the program reads them, the same by hand, and the sorting code.
struct Order {
  std::string keys;
  std::function<bool(const Bytes&, const Bytes&)> less;
  int sorting_code;
};
const std::vector<Order> orders{
    {"cdp,offset",
     [](const Bytes& a, const Bytes& b) { return std::pair(cdp(a), offset(a)) < std::pair(cdp(b), offset(b)); }, 2},
    {"cdp", [](const Bytes& a, const Bytes& b) { return cdp(a) < cdp(b); }, 2},
    {"abs(offset),-cdp",
     [](const Bytes& a, const Bytes& b) {
       return std::pair(std::abs(offset(a)), -cdp(a)) < std::pair(std::abs(offset(b)), -cdp(b));
     },
     7},
    {"-cdp,offset,fldr,tracf,@1:i4",
     [](const Bytes& a, const Bytes& b) {
       const auto key = [](const Bytes& t) {
         return std::array{-cdp(t), offset(t), word_at(t, 9), word_at(t, 13), word_at(t, 1)};
       };
       return key(a) < key(b);
     },
     2},
    {"@29:i2", [](const Bytes&, const Bytes&) { return false; }, -1},  // the same in all traces
};

class FlowMpi : public testing::Test {
 protected:
  Communicator& comm = world();
  test::SharedFolder folder{comm};

  const Bytes first_file = survey_bytes(small_survey(first_file_traces, 1));
  const Bytes second_file = survey_bytes(small_survey(second_file_traces, 2));

  void put_inputs() {
    folder.put("a", first_file);
    folder.put("b", second_file);
  }
  [[nodiscard]] std::vector<std::string> inputs() const { return {folder / "a", folder / "b"}; }
  [[nodiscard]] SortOptions options(const std::string& keys) const {
    SortOptions wanted;
    wanted.output = folder / "out";
    wanted.keys = segy::TraceKey::parse_list(keys);
    return wanted;
  }
  [[nodiscard]] Bytes sorted(const Order& order) const {
    std::vector<Bytes> traces = test::traces_of(first_file, trace_bytes);
    for (const Bytes& trace : test::traces_of(second_file, trace_bytes)) traces.push_back(trace);
    std::stable_sort(traces.begin(), traces.end(), order.less);
    Bytes header = test::header_of(first_file);
    header[3228] = static_cast<std::byte>(order.sorting_code < 0 ? 0xff : 0);
    header[3229] = static_cast<std::byte>(order.sorting_code & 0xff);
    return test::joined({header, test::joined(traces)});
  }
  // For traces alone.
  [[nodiscard]] std::int64_t min_memory(PermutationMethod method) const {
    if (method != PermutationMethod::scatter) return trace_bytes + 40;
    return divide_scatter_memory(0, trace_bytes, comm.size(), 1, 0).min_bytes;
  }
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
  [[nodiscard]] std::int64_t sum(std::int64_t mine) { return all_reduce(comm, mine, Reduction::sum); }
};

TEST_F(FlowMpi, SortsAsTheReferenceDoes) {
  put_inputs();
  for (const Order& order : orders) {
    const Bytes expected = sorted(order);
    for (const std::string& policy : policies) {
      for (const PermutationMethod method : all_permutation_methods) {
        for (const std::int64_t memory : {3 * min_memory(method) + 80 * all_traces, std::int64_t{1} << 20U}) {
          const Resources resources{.comm = comm, .policy = Policy::parse(policy), .memory_bytes = memory};
          SortOptions wanted = options(order.keys);
          wanted.method = method;
          const SortResult result = test::sort_files(resources, inputs(), wanted);
          EXPECT_EQ(result.traces, all_traces);
          EXPECT_EQ(result.sorting_code_after, order.sorting_code) << order.keys;
          EXPECT_EQ(result.choice.method, method);
          EXPECT_EQ(names(), (std::vector<std::string>{"a", "b", "out"}));
          EXPECT_TRUE(test::bytes_of_file(folder / "out") == expected) << order.keys << ' ' << policy;
          comm.barrier();
        }
      }
    }
  }
}

TEST_F(FlowMpi, GathersAreCounted) {
  put_inputs();
  std::vector<Bytes> traces = test::traces_of(sorted(orders[1]), trace_bytes);
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (i == 0 || cdp(traces[i]) != cdp(traces[i - 1])) sizes.push_back(0);
    ++sizes.back();
  }
  for (const char* keys : {"cdp", "cdp,offset", "-cdp"}) {
    const SortResult result = test::sort_files(Resources{.comm = comm}, inputs(), options(keys));
    EXPECT_EQ(result.gathers, static_cast<std::int64_t>(sizes.size()));
    EXPECT_EQ(result.smallest_gather, *std::min_element(sizes.begin(), sizes.end()));
    EXPECT_EQ(result.largest_gather, *std::max_element(sizes.begin(), sizes.end()));
  }
}

TEST_F(FlowMpi, FewerTracesThanRanksAreSorted) {
  folder.put("a", survey_bytes(small_survey(1)));
  Bytes expected = survey_bytes(small_survey(1));
  expected[3229] = std::byte{2};
  for (const PermutationMethod method : all_permutation_methods) {
    SortOptions wanted = options("cdp");
    wanted.method = method;
    EXPECT_EQ(test::sort_files(Resources{.comm = comm}, {folder / "a"}, wanted).traces, 1);
    comm.barrier();
    EXPECT_TRUE(test::bytes_of_file(folder / "out") == expected);
  }
}

TEST_F(FlowMpi, TheSortingCodeIsKeptWhenAsked) {
  put_inputs();
  SortOptions wanted = options("cdp");
  wanted.keep_sorting_code = true;
  const SortResult result = test::sort_files(Resources{.comm = comm}, inputs(), wanted);
  EXPECT_EQ(result.sorting_code_after, result.sorting_code_before);
  comm.barrier();
  EXPECT_TRUE(test::header_of(test::bytes_of_file(folder / "out")) == test::header_of(first_file));
}

TEST_F(FlowMpi, AGatherReadsSamplesOnceAndKeysTwice) {
  put_inputs();
  const auto file_bytes = static_cast<std::int64_t>(3600 + all_traces * trace_bytes);
  for (const PermutationMethod method : {PermutationMethod::gather, PermutationMethod::buckets}) {
    for (const std::string& policy : policies) {
      Meter meter;
      const Resources resources{.comm = comm, .open = metered(open_posix, meter), .policy = Policy::parse(policy)};
      SortOptions wanted = options("cdp,offset");
      wanted.method = method;
      const SortResult result = test::sort_files(resources, inputs(), wanted);
      const std::int64_t passes = method == PermutationMethod::gather ? 1 : 2;
      const std::int64_t key_bytes = passes == 1 ? 40 - 20 : 0;  // bytes 21 to 40 of a header; or seen as traces pass
      const std::int64_t for_traces = all_traces * (passes * trace_bytes + key_bytes);
      const std::int64_t for_files = sum(meter.read_bytes) - for_traces;
      // Describing two files, and the output, takes their file headers and those of three traces; the output's header
      // is made of one more. Several ranks compare the first and last bytes of each file that they see.
      const std::int64_t compared = comm.size() > 1 ? 3 * comm.size() * (3600 + 4096) : 0;
      EXPECT_GE(for_files, 4 * 3600);
      EXPECT_LE(for_files, 4 * 3600 + 3 * 128 + 3 * 3 * 240 + 100 + compared);
      EXPECT_EQ(sum(meter.written_bytes), 3600 + passes * (file_bytes - 3600));
      EXPECT_EQ(result.choice.read_bytes, passes * all_traces * trace_bytes);
    }
  }
}

TEST_F(FlowMpi, AFaultOfOneRankIsTheErrorOfAllAndLeavesNothing) {
  put_inputs();
  const Bytes old = test::pattern(10);
  folder.put("out", old);
  const Bytes expected = sorted(orders[0]);
  for (const PermutationMethod method : all_permutation_methods) {
    SCOPED_TRACE(name_of(method));
    test::for_each_fault(comm, {.numbers = {1, 3, 12}}, [&](test::RankFault& fault) {
      const Resources resources{.comm = comm,
                                .open = fault.in(open_posix),
                                .policy = Policy::parse("sync=close,threads=2"),
                                .memory_bytes = 6 * min_memory(method)};
      SortOptions wanted = options("cdp,offset");
      wanted.method = method;
      const bool struck = fault.is_stated_by(thrown([&] { (void)test::sort_files(resources, inputs(), wanted); }));
      EXPECT_EQ(names(), (std::vector<std::string>{"a", "b", "out"}));
      EXPECT_TRUE(test::bytes_of_file(folder / "out") == (struck ? old : expected));
      comm.barrier();
      if (!struck) folder.put("out", old);
      return struck;
    });
  }
}

TEST_F(FlowMpi, WhatCannotBeSortedIsRefusedByAll) {
  put_inputs();
  std::vector<std::string> paths = inputs();
  const auto refused = [&](const SortOptions& wanted, ErrorCode code) {
    const auto error = thrown_by_all([&] { (void)test::sort_files(Resources{.comm = comm}, paths, wanted); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), code) << error->what();
    EXPECT_EQ(names(), (std::vector<std::string>{"a", "b"}));
  };
  SortOptions wanted = options("cdp");
  wanted.keys.clear();
  refused(wanted, ErrorCode::usage);
  wanted = options("cdp");
  wanted.output = folder / "b";
  refused(wanted, ErrorCode::usage);
  refused(options("@1:i8,@9:i8,@17:i8,@25:i8,@33:i8,@41:i8,@49:i8,@57:i8,@65:i8"), ErrorCode::usage);
  wanted = options("cdp");
  paths.push_back(folder / "missing");
  refused(wanted, ErrorCode::io);
  paths.pop_back();
  wanted = options("cdp");
  wanted.output = folder / "missing/out";
  refused(wanted, ErrorCode::io);
  for (const PermutationMethod method : all_permutation_methods) {
    wanted = options("cdp");
    wanted.method = method;
    const auto error = thrown_by_all(
        [&] { (void)test::sort_files(Resources{.comm = comm, .memory_bytes = trace_bytes}, inputs(), wanted); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::usage);
    EXPECT_EQ(names(), (std::vector<std::string>{"a", "b"}));
  }
}

TEST_F(FlowMpi, AnInputThatChangesIsNotSortedSilently) {
  put_inputs();
  // The output is made when the keys have been read and before the traces are: then a key becomes another.
  const Opener open = [&](const std::string& path, OpenMode mode) {
    if (mode == OpenMode::write && comm.rank() == 0) {
      Bytes changed = first_file;
      for (std::size_t i = 0; i < 4; ++i) changed[3600 + 30 * trace_bytes + 20 + i] = std::byte{0x7f};
      test::make_file(folder / "a", changed);
    }
    return open_posix(path, mode);
  };
  SortOptions wanted = options("cdp");
  wanted.method = PermutationMethod::gather;
  const auto error =
      thrown_by_all([&] { (void)test::sort_files(Resources{.comm = comm, .open = open}, inputs(), wanted); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  EXPECT_NE(error->parts().problem.find("order of the output could not be verified"), std::string::npos)
      << error->what();
  EXPECT_EQ(names(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(FlowMpi, AScanReadsItsKeysAndNothingElse) {
  put_inputs();
  std::vector<Bytes> traces =
      test::traces_of(sorted({"", [](const Bytes&, const Bytes&) { return false; }, 0}), trace_bytes);
  const auto [low, high] = std::minmax_element(traces.begin(), traces.end(), orders[1].less);
  for (const bool statistics : {false, true}) {
    Meter meter;
    const Resources resources{.comm = comm, .open = metered(open_posix, meter)};
    const SurveyReader reader(resources, {folder / "a", folder / "b"});
    const std::int64_t before = meter.read_bytes;
    const std::vector<segy::TraceKey> keys = segy::TraceKey::parse_list("cdp");
    const ScanResult result = scan(resources, reader, {{0, all_traces}, keys, statistics, {}});
    EXPECT_EQ(sum(meter.read_bytes - before), 4 * all_traces);
    ASSERT_EQ(result.ranges.size(), 1U);
    EXPECT_EQ(result.ranges[0].smallest.text(), std::to_string(cdp(*low)));
    EXPECT_EQ(result.ranges[0].largest.text(), std::to_string(cdp(*high)));
    EXPECT_EQ(result.in_order.has_value(), statistics);
    if (statistics) {
      std::vector<std::int32_t> values;
      for (const Bytes& trace : traces) values.push_back(cdp(trace));
      EXPECT_EQ(*result.in_order, std::is_sorted(values.begin(), values.end()));
      std::sort(values.begin(), values.end());
      EXPECT_EQ(*result.ranges[0].distinct, std::unique(values.begin(), values.end()) - values.begin());
    }
  }
}

TEST_F(FlowMpi, AScanKnowsWhetherTracesAreInOrder) {
  put_inputs();
  (void)test::sort_files(Resources{.comm = comm}, inputs(), options("cdp,offset"));
  const Resources resources{.comm = comm};
  const SurveyReader reader(resources, {folder / "out"});
  for (const bool with_text : {false, true}) {
    const auto in_order = [&](const std::string& keys) {
      ScanOptions wanted{{0, all_traces}, segy::TraceKey::parse_list(keys), true, {}};
      if (with_text) wanted.csv = [](std::string_view) {};
      return scan(resources, reader, wanted).in_order.value();
    };
    EXPECT_TRUE(in_order("cdp"));
    EXPECT_TRUE(in_order("cdp,offset"));
    EXPECT_FALSE(in_order("-cdp"));
    EXPECT_FALSE(in_order("offset"));
    EXPECT_TRUE(in_order("@29:i2"));
  }
}

TEST_F(FlowMpi, TheTableOfAScanIsThatOfOneRank) {
  put_inputs();
  Meter meter;
  const Resources resources{.comm = comm, .open = metered(open_posix, meter)};
  const SurveyReader reader(resources, {folder / "a", folder / "b"});
  const std::int64_t before = meter.read_bytes;
  std::string text;
  const ScanResult result =
      scan(resources, reader,
           {{60, 3}, segy::TraceKey::parse_list("cdp,file"), false, [&](std::string_view lines) { text += lines; }});
  std::string expected = "trace,cdp,file\n";
  expected += "61," + std::to_string(cdp(test::traces_of(first_file, trace_bytes)[60])) + ",1\n";
  for (std::size_t i = 0; i < 2; ++i) {
    expected +=
        std::to_string(62 + i) + "," + std::to_string(cdp(test::traces_of(second_file, trace_bytes)[i])) + ",2\n";
  }
  EXPECT_EQ(text, comm.rank() == 0 ? expected : "");
  EXPECT_EQ(result.traces, 3);
  EXPECT_EQ(sum(meter.read_bytes - before), 3 * 4);
}

TEST_F(FlowMpi, WhatATableIsGivenToMayFail) {
  put_inputs();
  const Resources resources{.comm = comm};
  const SurveyReader reader(resources, {folder / "a", folder / "b"});
  const auto error = thrown_by_all([&] {
    (void)scan(resources, reader, {{0, all_traces}, segy::TraceKey::parse_list("cdp"), false, [](std::string_view) {
                                     throw Error({.problem = "no room for text"});
                                   }});
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().problem, "no room for text");
  EXPECT_EQ(error->parts().rank, 0);
}

TEST_F(FlowMpi, AFaultOfOneRankIsTheErrorOfAllWhoScan) {
  put_inputs();
  for (int faulty_rank = 0; faulty_rank < comm.size(); ++faulty_rank) {
    for (const bool with_text : {false, true}) {
      Fault fault{.call = Fault::Call::read, .nth = -1};
      const Opener open = comm.rank() == faulty_rank ? faulty(open_posix, fault) : Opener(open_posix);
      const Resources resources{.comm = comm, .open = open};
      const SurveyReader reader(resources, {folder / "a", folder / "b"});
      fault.nth = fault.seen + 1;
      ScanOptions wanted{{0, all_traces}, segy::TraceKey::parse_list("cdp"), true, {}};
      if (with_text) wanted.csv = [](std::string_view) {};
      const auto error = thrown_by_all([&] { (void)scan(resources, reader, wanted); });
      ASSERT_TRUE(error);
      EXPECT_EQ(error->parts().rank, faulty_rank);
    }
  }
}

TEST_F(FlowMpi, ASurveyDoesNotDependOnWhoMakesIt) {
  for (const std::int64_t traces : {1, 2, 61}) {
    const Bytes expected = survey_bytes(small_survey(traces));
    for (const std::string& policy : policies) {
      for (const std::int64_t memory : {trace_bytes, std::int64_t{1} << 20U}) {  // one trace a round, or all
        Meter meter;
        const Resources resources{
            .comm = comm, .open = metered(open_posix, meter), .policy = Policy::parse(policy), .memory_bytes = memory};
        make_survey(resources, small_survey(traces), folder / "made");
        EXPECT_EQ(names(), std::vector<std::string>{"made"});
        EXPECT_TRUE(test::bytes_of_file(folder / "made") == expected) << policy;
        EXPECT_EQ(sum(meter.written_bytes), static_cast<std::int64_t>(expected.size()));
      }
    }
  }
}

TEST_F(FlowMpi, ASurveyIsTheSameWhereRanksMayUseDifferentMemory) {
  const Resources resources{.comm = comm, .memory_bytes = trace_bytes * (comm.rank() == 0 ? 7 : 3)};
  make_survey(resources, small_survey(61), folder / "made");
  EXPECT_TRUE(test::bytes_of_file(folder / "made") == survey_bytes(small_survey(61)));
}

TEST_F(FlowMpi, OptionsThatMakeNoSurveyAreRefusedByAll) {
  const auto error = thrown_by_all([&] { make_survey(Resources{.comm = comm}, small_survey(0), folder / "made"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  EXPECT_TRUE(names().empty());
}

}  // namespace
}  // namespace sill
