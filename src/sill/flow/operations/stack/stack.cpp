#include "sill/flow/operations/stack/stack.hpp"
#include "sill/comm/agree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/whole_number.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/flow/operation/live_traces.hpp"
#include "sill/flow/operation/named_keys.hpp"
#include "sill/flow/operation/trace_codes.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/flow/operations/stack/gather_header.hpp"
#include "sill/flow/operations/stack/stacking.hpp"
#include "sill/formats/segy/words/true_value_writing.hpp"

namespace sill::flow {
namespace {

// Ranges [a, b) of the magnitude of a word, each for one trace.
struct Bins {
  std::string word_name;
  std::vector<std::pair<double, double>> ranges;
  std::optional<segy::WordRef> word = {};
  std::string number_name = {};  ///< of the word that is set to the bin number; empty: none
  std::optional<segy::WordRef> number = {};
};

class Stack final : public Operation {
 public:
  Stack(const Arguments& arguments, std::optional<Bins> bins)
      : keys_(bins ? NamedKeys(arguments, "gather") : NamedKeys(arguments, "by")),
        stacking_(arguments),
        bins_(std::move(bins)) {
    has_codes_ = arguments.has("trid");
    codes_shown_ = arguments.shown("trid=CODE,CODE...");
    if (!has_codes_) return;
    codes_.clear();
    for (const double code : arguments.quantities("trid", Dimension::number)) {
      const std::optional<std::int64_t> whole = nearest_integer(code);
      if (!whole || static_cast<double>(*whole) != code)
        arguments.refuse("trid", "a trace identification code must be an integer");
      codes_.push_back(*whole);
    }
  }

  void bind(SurveyState& state) override {
    keys_.bind(state);
    times_.emplace(state, "stack");
    order_ = state.order;
    takes_all_ = state.takes_auxiliary && !has_codes_;
    stacking_.bind(times_->interval_s());
    identification_ = state.words->word("trid");
    header_ = std::make_unique<GatherHeader>(state, keys_.keys());
    if (bins_) {
      bins_->word = state.words->word(bins_->word_name);
      segy::require_true_value(*bins_->word, bins_->word_name);
      if (!bins_->number_name.empty()) bins_->number = state.words->word(bins_->number_name);
    }
    header_bytes_ = state.header_bytes;
    state.sort_keys.clear();
    constexpr int horizontally_stacked = 4;
    if (state.kind == segy::FileKind::segy && !bins_) state.sorting_code = horizontally_stacked;
  }

  [[nodiscard]] Access access() const override {
    Access access = Access::of_made_traces(bins_ ? std::ssize(bins_->ranges) : 1, header_bytes_);
    access.read_number(times_->delay());
    if (bins_) access.read_number({*bins_->word});
    keys_.add_to(access);
    return access;
  }

  [[nodiscard]] std::vector<segy::TraceKey> keys() const override { return keys_.keys(); }

  void run(TraceBlock& block, Workspace& workspace) const override {
    const std::int64_t made = bins_ ? std::ssize(bins_->ranges) : 1;
    const std::int64_t inputs = block.count();
    std::vector<std::vector<float>> results;
    std::vector<std::vector<std::byte>> headers;
    for (std::int64_t bin = 0; bin < made; ++bin) {
      const std::vector<std::int64_t> members = members_of(block, inputs, bin);
      results.emplace_back(static_cast<std::size_t>(block.samples()));
      headers.push_back(stack_members(block, members, results.back(), workspace));
      if (bins_) label(headers.back().data(), bin);
    }
    block.set_count(made);
    for (std::int64_t bin = 1; bin < made; ++bin) block.origin(bin) = block.origin(0);
    for (std::int64_t bin = 0; bin < made; ++bin) {
      std::ranges::copy(results[static_cast<std::size_t>(bin)], block.change(bin).begin());
      std::ranges::copy(headers[static_cast<std::size_t>(bin)], block.header(bin).begin());
    }
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const override {
    std::vector<std::pair<std::string, std::int64_t>> counts{{"", taken_.load()}};
    std::ranges::move(header_->counts(), std::back_inserter(counts));
    counts.emplace_back("traces omitted because of their trace identification (trid)", left_out_.traces());
    counts.emplace_back("samples omitted, because they are after the end of the first trace of their gather",
                        cut_.load());
    if (bins_) counts.emplace_back("traces outside all bins omitted", outside_.load());
    return counts;
  }

  [[nodiscard]] std::vector<std::string> report(const Resources& resources,
                                                std::span<const std::int64_t> counts) const override {
    const TraceCodes left_out = left_out_.of_all(resources.comm);
    if (counts.front() > 0 || left_out.empty()) return {};
    run_and_agree(resources.comm, [&] {
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format("no trace is stacked: their trace identification (bytes 29-30) is {}",
                                          left_out.text()),
                   .action = fmt::format("give the codes to stack: {}", codes_shown_)});
    });
    return {};
  }

 private:
  // Returns the traces of a bin, except traces that must be skipped.
  [[nodiscard]] std::vector<std::int64_t> members_of(TraceBlock& block, std::int64_t inputs, std::int64_t bin) const {
    std::vector<std::int64_t> members;
    std::int64_t outside = 0;
    TraceCodes left_out;
    for (std::int64_t i = 0; i < inputs; ++i) {
      const std::byte* const header = block.header(i).data();
      if (bins_) {
        const double value = std::abs(segy::true_value(*bins_->word, header, order_));
        const auto holds = [&](const std::pair<double, double>& range) {
          return value >= range.first && value < range.second;
        };
        if (bin == 0 && std::ranges::none_of(bins_->ranges, holds)) ++outside;
        if (!holds(bins_->ranges[static_cast<std::size_t>(bin)])) continue;
      }
      const std::optional<std::int64_t> code =
          nearest_integer(segy::read_word(header, identification_->byte, identification_->type, order_).as_double());
      if (!takes_all_ && (!code || std::ranges::find(codes_, *code) == codes_.end())) {
        left_out.count(code ? static_cast<double>(*code) : std::nan(""));
        continue;
      }
      members.push_back(i);
    }
    if (!left_out.empty()) {
      const std::lock_guard lock(left_out_mutex_);
      left_out_.add(left_out);
    }
    taken_.fetch_add(std::ssize(members), std::memory_order_relaxed);
    outside_.fetch_add(outside, std::memory_order_relaxed);
    return members;
  }

  // Writes the bin of a trace into its header: its centre, rounded as the word requires, and its number from 1.
  void label(std::byte* header, std::int64_t bin) const {
    const auto& [from, to] = bins_->ranges[static_cast<std::size_t>(bin)];
    segy::write_true_value(*bins_->word, header, order_, from + 0.5 * (to - from));
    if (!bins_->number) return;
    const segy::WordRef& word = *bins_->number;
    segy::write_word(header, word.byte, word.type, order_, {.number = bin + 1}, word.name);
  }

  // Stacks members into `out` and returns the header of the result; without members, the header of a dead trace.
  [[nodiscard]] std::vector<std::byte> stack_members(TraceBlock& block, const std::vector<std::int64_t>& members,
                                                     std::span<float> out, Workspace& workspace) const {
    const std::int64_t first = members.empty() ? 0 : members.front();
    const std::vector<std::byte> saved(block.header(first).begin(), block.header(first).end());
    std::vector<StackedTrace> traces;
    double start_s = 0.0;
    for (const std::int64_t i : members) {
      const double start = times_->start_s(block.header(i).data());
      start_s = traces.empty() ? start : std::min(start_s, start);
      traces.push_back({block.trace(i), live_samples(block.trace(i)), 0});
    }
    for (std::size_t m = 0; m < members.size(); ++m) {
      const double later_s = times_->start_s(block.header(members[m]).data()) - start_s;
      traces[m].shift = samples_later(later_s, times_->interval_s(), members[m]);
      const std::int64_t end = traces[m].live.first + traces[m].live.count + traces[m].shift;
      if (traces[m].live.count > 0) cut_.fetch_add(std::max<std::int64_t>(0, end - std::ssize(out)));
    }
    std::erase_if(traces, [](const StackedTrace& trace) { return trace.live.count == 0; });
    stacking_.stack(traces, out, workspace);
    const std::vector<std::int64_t> of = members.empty() ? std::vector<std::int64_t>{first} : members;
    header_->write(block, first, of, std::ssize(members), traces.empty());
    if (!members.empty()) times_->set_start(block.header(first).data(), start_s);
    std::vector<std::byte> header(block.header(first).begin(), block.header(first).end());
    std::ranges::copy(saved, block.header(first).begin());
    return header;
  }

  NamedKeys keys_;
  Stacking stacking_;
  std::optional<Bins> bins_;
  bool has_codes_ = false;                                             // codes were given
  std::string codes_shown_;                                            // how they are given
  std::vector<std::int64_t> codes_{0, 1, 11, 12, 13, 14, 15, 16, 17};  // SEG-Y rev 2.1, bytes 29-30
  bool takes_all_ = false;
  std::optional<TraceTimes> times_;
  std::optional<segy::WordRef> identification_;
  std::unique_ptr<GatherHeader> header_;
  ByteOrder order_ = ByteOrder::big;
  std::int64_t header_bytes_ = 240;
  mutable std::mutex left_out_mutex_;
  mutable TraceCodes left_out_;
  mutable std::atomic<std::int64_t> taken_{0};
  mutable std::atomic<std::int64_t> cut_{0};
  mutable std::atomic<std::int64_t> outside_{0};
};

Bins bins_of(const Arguments& arguments) {
  Bins bins{.word_name = arguments.required_text("by"), .ranges = {}};
  if (arguments.has("number")) bins.number_name = arguments.required_text("number");
  bins.ranges = arguments.ranges("bins", Dimension::number);
  return bins;
}

constexpr Parameter trid_parameter{"trid", "CODE,CODE...", "0,1,11 to 17",
                                   "Trace identification codes (bytes 29-30) of the traces to stack"};

std::vector<Parameter> with_stacking(std::vector<Parameter> own) {
  for (const Parameter& parameter : Stacking::parameters()) own.push_back(parameter);
  own.push_back(trid_parameter);
  return own;
}

}  // namespace

const OperationType& stack() {
  static const OperationType type{
      .name = "stack",
      .summary = "Stacks each gather into one trace",
      .formula =
          "mean: sum(x) / N, N(t) the number of traces that are live at t; median of the live samples; nthroot: "
          "y = sum(sgn(x) |x|^(1/n)) / N, out = sgn(y) |y|^n; diversity: sum(w x) / sum(w), w = 1 / E, E the mean "
          "square in a gate around t",
      .example = "stack by=cdp minfold=3",
      .parameters = with_stacking({NamedKeys::parameter()}),
      .make = [](const Arguments& arguments) { return std::make_unique<Stack>(arguments, std::nullopt); }};
  return type;
}

const OperationType& partialstack() {
  static const OperationType type{
      .name = "partialstack",
      .summary = "Stacks each gather into one trace per range of a word",
      .formula = "as stack, of the traces whose |word| is in [a, b); a range without traces gives a dead trace",
      .example = "partialstack by=offset bins=0-500,500-1000 gather=cdp",
      .parameters =
          with_stacking({{"by", "WORD", "", "Header word whose magnitude is divided into ranges"},
                         {"bins", "A-B,B-C...", "",
                          "Ranges [a, b), in the unit of the word, which is set to the middle of the range"},
                         {"number", "WORD", "none", "Header word that is set to the number of the range, from 1"},
                         NamedKeys::parameter("gather")}),
      .make = [](const Arguments& arguments) { return std::make_unique<Stack>(arguments, bins_of(arguments)); }};
  return type;
}

}  // namespace sill::flow
