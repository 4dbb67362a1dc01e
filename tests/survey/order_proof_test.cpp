// The proof of order: runs in any order join to one; what is missing, doubled or out of order is refused.
#include "sill/survey/sort/order_proof.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "io/survey_files.hpp"
#include "sill/comm/communicator.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"

namespace sill {
namespace {

using test::Bytes;
using test::thrown;

constexpr std::int64_t traces_in_all = 40;
constexpr std::int64_t trace_bytes = 240 + 4 * 11;

// A survey whose traces are in order of `tracl` as they lie.
class OrderProofTest : public testing::Test {
 protected:
  using Proof = OrderProof<1>;

  static std::string written(const std::string& path, const Bytes& bytes) {
    test::make_file(path, bytes);
    return path;
  }
  // Positions `first` to `first` + `count` - 1 hold the traces of those numbers.
  void see(Proof& proof, std::int64_t first, std::int64_t count = 1) const {
    std::vector<std::int64_t> sources(static_cast<std::size_t>(count));
    std::iota(sources.begin(), sources.end(), first);
    see(proof, first, sources);
  }
  void see(Proof& proof, std::int64_t first, const std::vector<std::int64_t>& sources) const {
    std::vector<const std::byte*> bytes;
    for (const std::int64_t source : sources) bytes.push_back(survey.data() + 3600 + source * trace_bytes);
    proof.see(first, sources, bytes);
  }

  test::TemporaryFolder folder;
  const Bytes survey = test::survey_bytes(test::small_survey(traces_in_all));
  std::unique_ptr<Communicator> comm = make_alone();
  const Resources resources{*comm};
  const SurveyReader reader{resources, {written(folder / "a", survey)}};
  const std::vector<segy::TraceKey> keys{segy::TraceKey::parse("tracl")};
};

TEST_F(OrderProofTest, RunsInAnyOrderJoin) {
  EXPECT_TRUE(rc::check([&] {
    std::vector<std::pair<std::int64_t, std::int64_t>> runs;
    const auto longest = *rc::gen::inRange<std::int64_t>(1, 6);
    for (std::int64_t first = 0; first < traces_in_all; first += runs.back().second) {
      runs.emplace_back(first, std::min(*rc::gen::inRange<std::int64_t>(1, longest + 1), traces_in_all - first));
    }
    for (std::size_t i = runs.size(); i > 1; --i) std::swap(runs[i - 1], runs[*rc::gen::inRange<std::size_t>(0, i)]);
    Proof proof(reader, keys);
    for (const auto& [first, count] : runs) see(proof, first, count);
    RC_ASSERT(!thrown([&] { proof.conclude(*comm, traces_in_all); }));
  }));
}

TEST_F(OrderProofTest, AMissingPositionIsRefused) {
  for (std::int64_t missing = 0; missing < traces_in_all; ++missing) {
    Proof proof(reader, keys);
    for (std::int64_t i = traces_in_all - 1; i >= 0; --i) {
      if (i != missing) see(proof, i);
    }
    const auto error = thrown([&] { proof.conclude(*comm, traces_in_all); });
    ASSERT_TRUE(error) << missing;
    EXPECT_EQ(error->code(), ErrorCode::io);
  }
}

TEST_F(OrderProofTest, ADoubledPositionIsRefused) {
  for (std::int64_t doubled = 0; doubled < traces_in_all; ++doubled) {
    for (const std::int64_t after : {doubled, traces_in_all - 1}) {  // at once, and when all are joined
      Proof proof(reader, keys);
      const auto error = thrown([&] {
        for (std::int64_t i = 0; i < traces_in_all; ++i) {
          see(proof, i);
          if (i == after) see(proof, doubled);
        }
        proof.conclude(*comm, traces_in_all);
      });
      ASSERT_TRUE(error) << "position " << doubled << " again after " << after;
      EXPECT_EQ(error->code(), ErrorCode::io);
    }
  }
}

TEST_F(OrderProofTest, TracesOutOfOrderAreRefusedWithinARunAndBetweenRuns) {
  Proof proof(reader, keys);
  const auto within = thrown([&] { see(proof, 0, {0, 2, 1}); });
  ASSERT_TRUE(within);
  EXPECT_EQ(within->code(), ErrorCode::io);
  for (const bool second_first : {false, true}) {
    Proof joined(reader, keys);
    const auto between = thrown([&] {
      if (second_first) see(joined, 2, {1, 4});
      see(joined, 0, {0, 3});
      if (!second_first) see(joined, 2, {1, 4});
    });
    ASSERT_TRUE(between);
    EXPECT_EQ(between->code(), ErrorCode::io);
  }
}

}  // namespace
}  // namespace sill
