// Every operation touches only what it declares: the planner knows nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "sill/flow/operations/operation_types.hpp"
#include "sill/flow/value/flow_text.hpp"

namespace sill::flow {
namespace {

constexpr std::int64_t trace_count = 7;
constexpr std::int64_t sample_count = 401;

bool is_in(const std::vector<ByteRange>& ranges, std::int64_t byte) {
  return std::ranges::any_of(ranges, [&](ByteRange range) { return byte >= range.offset && byte < range.end(); });
}

// Words that make sense where a value matters to all operations; random bytes elsewhere.
void fill(TraceBlock& block, std::mt19937& random) {
  block.reset(trace_count, 240, sample_count, ByteOrder::big);
  for (std::int64_t i = 0; i < trace_count; ++i) {
    for (std::byte& byte : block.header(i)) byte = static_cast<std::byte>(random() & 1U);
    const auto put = [&](const char* name, std::int64_t value) {
      const segy::WordRef word = segy::parse_word(name);
      segy::write_word(block.header(i).data(), word.byte, word.type, ByteOrder::big, {.number = value});
    };
    for (const char* const zero : {"delrt", "scalel", "sctrh", "tstat", "sstat", "gstat"}) put(zero, 0);
    put("scalco", 1);
    put("counit", 1);
    put("trid", 1);
    put("offset", 100 * i);
    put("cdp", 7);
    for (float& x : block.fill(i)) x = static_cast<float>(static_cast<int>(random() % 2001U) - 1000) * 0.01F;
    block.origin(i) = {.trace = i, .file = 1, .row = i};
  }
}

struct Outcome {
  std::vector<std::byte> headers;
  std::vector<float> rows;
  std::vector<bool> stays;
};

Outcome apply(const Operation& operation, TraceBlock& block) {
  Workspace workspace;
  operation.run(block, workspace);
  Outcome outcome;
  for (std::int64_t i = 0; i < block.count(); ++i) {
    std::vector<std::byte> before(block.header(i).begin(), block.header(i).end());
    segy::HeaderView view = block.view(i);
    view.header = before.data();
    outcome.stays.push_back(operation.edit_header(view, block.header(i).data()));
    outcome.headers.insert(outcome.headers.end(), block.header(i).begin(), block.header(i).end());
    outcome.rows.insert(outcome.rows.end(), block.trace(i).begin(), block.trace(i).end());
  }
  return outcome;
}

class EveryOperation : public testing::TestWithParam<const OperationType*> {
 protected:
  EveryOperation() {
    state_.words = &segy::HeaderMap::standard();
    state_.samples = sample_count;
    state_.interval_us = 2000.0;
    std::vector<Step> steps = parse_steps(GetParam()->example);
    for (Argument& argument : steps.front().arguments)  // tables of one column
      if (argument.value.starts_with('@')) argument.table = std::make_shared<std::string>("1\n-0.5\n0.25\n");
    operation_ = GetParam()->make(Arguments(steps.front()));
    operation_->bind(state_);
    access_ = operation_->access();
  }

  SurveyState state_;
  std::unique_ptr<Operation> operation_;
  Access access_;
};

TEST_P(EveryOperation, WritesOnlyWhatItDeclares) {
  std::mt19937 random(1);
  TraceBlock block;
  fill(block, random);
  std::vector<std::byte> headers;
  std::vector<float> rows;
  for (std::int64_t i = 0; i < trace_count; ++i) {
    headers.insert(headers.end(), block.header(i).begin(), block.header(i).end());
    rows.insert(rows.end(), block.trace(i).begin(), block.trace(i).end());
  }
  const Outcome outcome = apply(*operation_, block);
  EXPECT_EQ(block.samples(), state_.samples);
  if (!access_.writes_shape) {
    EXPECT_EQ(block.samples(), sample_count);
  }
  if (!access_.writes_membership) {
    EXPECT_TRUE(std::ranges::all_of(outcome.stays, [](bool stays) { return stays; }));
  }
  if (access_.traces_per_gather > 0) {
    EXPECT_EQ(block.count(), access_.traces_per_gather);
    return;
  }
  ASSERT_EQ(block.count(), trace_count);
  for (std::size_t b = 0; b < headers.size(); ++b)
    if (!is_in(access_.writes_words, static_cast<std::int64_t>(b % 240))) {
      ASSERT_EQ(outcome.headers[b], headers[b]) << "byte " << b % 240 + 1;
    }
  if (!access_.writes_samples && !access_.writes_shape) {
    EXPECT_EQ(std::memcmp(outcome.rows.data(), rows.data(), rows.size() * sizeof(float)), 0);
  }
}

TEST_P(EveryOperation, ReadsOnlyWhatItDeclares) {
  if (access_.traces_per_gather > 0) GTEST_SKIP() << "its headers are made of all words";
  std::mt19937 random(1);
  TraceBlock block;
  fill(block, random);
  const Outcome outcome = apply(*operation_, block);
  std::mt19937 again(1);
  fill(block, again);
  for (std::int64_t i = 0; i < trace_count; ++i)
    for (std::int64_t b = 0; b < 240; ++b)
      if (!is_in(access_.reads_words, b)) block.header(i)[static_cast<std::size_t>(b)] ^= std::byte{1};
  const Outcome other = apply(*operation_, block);
  EXPECT_EQ(other.stays, outcome.stays);
  EXPECT_EQ(std::memcmp(other.rows.data(), outcome.rows.data(), outcome.rows.size() * sizeof(float)), 0);
  for (std::size_t b = 0; b < outcome.headers.size(); ++b) {
    const auto byte = static_cast<std::int64_t>(b % 240);
    if (outcome.stays[b / 240] && is_in(access_.writes_words, byte)) {
      ASSERT_EQ(other.headers[b], outcome.headers[b]) << "byte " << byte + 1;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryOperation, testing::ValuesIn(operation_types().begin(), operation_types().end()),
                         [](const auto& tested) { return std::string(tested.param->name); });

}  // namespace
}  // namespace sill::flow
