#include "sill/flow/operations/regularize/regularize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/flow/operation/dead_traces.hpp"
#include "sill/flow/operation/named_keys.hpp"
#include "sill/flow/operations/stack/gather_header.hpp"
#include "sill/formats/segy/words/true_value_writing.hpp"

namespace sill::flow {
namespace {

constexpr std::int64_t max_values_made = 100'000;

// A least-squares line.
struct Line {
  double at_zero = 0.0;
  double slope = 0.0;
};

Line line_through(std::span<const double> x, std::span<const double> y) {
  const auto count = static_cast<double>(x.size());
  double mean_x = 0.0;
  double mean_y = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / count;
    mean_y += y[i] / count;
  }
  double squares = 0.0;
  double products = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    squares += (x[i] - mean_x) * (x[i] - mean_x);
    products += (x[i] - mean_x) * (y[i] - mean_y);
  }
  const double slope = squares > 0.0 ? products / squares : 0.0;
  return {mean_y - slope * mean_x, slope};
}

class Regularize final : public Operation {
 public:
  explicit Regularize(const Arguments& arguments)
      : keys_(arguments),
        name_(arguments.required_text("word")),
        values_(arguments.series("values", Dimension::number, max_values_made)) {
    step_ = values_.size() > 1 ? values_[1] - values_[0] : 1.0;
  }

  void bind(SurveyState& state) override {
    keys_.bind(state);
    dead_.bind(state);
    order_ = state.order;
    samples_ = state.samples;
    header_bytes_ = state.header_bytes;
    word_ = state.words->word(name_);
    segy::require_true_value(*word_, name_);
    // A scalar in the header differs from trace to trace, so `run` repeats this check.
    std::vector<std::byte> header(static_cast<std::size_t>(header_bytes_));
    if (!has_scalar())
      for (const double value : values_) write_value(header.data(), value);
    for (const char* const name : {"sx", "sy", "gx", "gy", "cdpx", "cdpy"})
      if (state.words->find(name) != nullptr) coordinates_.push_back(state.words->word(name));
    header_ = std::make_unique<GatherHeader>(state, keys_.keys());
    state.sort_keys = keys_.keys();
  }

  [[nodiscard]] Access access() const override {
    Access access = Access::of_made_traces(std::ssize(values_), header_bytes_);
    access.read_number({*word_});
    keys_.add_to(access);
    return access;
  }

  [[nodiscard]] std::vector<segy::TraceKey> keys() const override { return keys_.keys(); }

  void run(TraceBlock& block, Workspace& /*workspace*/) const override {
    const std::vector<std::optional<std::int64_t>> taken = nearest_traces(block);
    std::vector<std::vector<std::byte>> headers;
    std::vector<std::vector<float>> samples;
    for (const std::optional<std::int64_t>& trace : taken) {
      headers.emplace_back();
      samples.emplace_back(static_cast<std::size_t>(samples_));
      if (!trace) continue;
      headers.back().assign(block.header(*trace).begin(), block.header(*trace).end());
      std::ranges::copy(block.trace(*trace), samples.back().begin());
    }
    const std::vector<Line> lines = lines_of(block, taken);
    const std::vector<std::byte> missing = missing_header(block, taken);
    const TraceBlock::Origin origin = block.origin(0);
    block.set_count(std::ssize(values_));
    for (std::size_t j = 0; j < values_.size(); ++j) {
      const auto i = static_cast<std::int64_t>(j);
      block.origin(i) = origin;
      std::ranges::copy(samples[j], block.change(i).begin());
      std::byte* const header = block.header(i).data();
      std::ranges::copy(taken[j] ? headers[j] : missing, header);
      if (taken[j] && segy::true_value(*word_, header, order_) != values_[j])
        moved_.fetch_add(1, std::memory_order_relaxed);
      try {
        write_value(header, values_[j]);
      } catch (const Error& error) {
        throw_at(error, {.item = taken[j].value_or(0) + 1, .item_word = "trace"});
      }
      if (taken[j]) continue;
      made_.fetch_add(1, std::memory_order_relaxed);
      for (std::size_t c = 0; c < lines.size(); ++c)
        segy::write_true_value(coordinates_[c], header, order_, lines[c].at_zero + lines[c].slope * values_[j]);
    }
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const override {
    return {{"dead traces inserted at values without a trace", made_.load()},
            {"traces got another " + name_ + ", the nearest value", moved_.load()},
            {"traces omitted, because another trace was nearer to the value, or not dead", repeated_.load()},
            {"traces omitted, because they are outside the range of values", outside_.load()}};
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t /*traces*/) const override {
    return std::ssize(values_) * (2 * 4 * samples_ + 2 * header_bytes_);
  }

 private:
  [[nodiscard]] bool has_scalar() const {
    return word_->scaling.kind == segy::Scaling::Kind::word || word_->scaling.kind == segy::Scaling::Kind::power_of_ten;
  }

  // Sets the word to `value`. Errors: usage, without a position, if it cannot store it.
  void write_value(std::byte* header, double value) const {
    segy::write_true_value(*word_, header, order_, value);
    const double written = segy::true_value(*word_, header, order_);
    constexpr double tolerance = 1e-6;
    if (segy::is_float(word_->type) || std::abs(written - value) <= tolerance * std::abs(step_)) return;
    throw Error(
        {.code = ErrorCode::usage,
         .problem = fmt::format("the word {} cannot store the value {:g}, the nearest is {:g}", name_, value, written),
         .action = "choose values that it can store"});
  }

  // Returns the trace for each value.
  [[nodiscard]] std::vector<std::optional<std::int64_t>> nearest_traces(TraceBlock& block) const {
    std::vector<std::optional<std::int64_t>> taken(values_.size());
    std::vector<std::pair<bool, double>> distances(values_.size());  // whether it is dead, and its distance
    std::int64_t repeated = 0;
    std::int64_t outside = 0;
    for (std::int64_t i = 0; i < block.count(); ++i) {
      const std::byte* const header = block.header(i).data();
      const double place = std::nearbyint((value_of(header) - values_.front()) / step_);
      if (!dead_.is_seismic(header) || !(place >= 0.0 && place < static_cast<double>(values_.size()))) {
        ++outside;
        continue;
      }
      const auto j = static_cast<std::size_t>(place);
      const std::pair distance(dead_.contains(header), std::abs(value_of(header) - values_[j]));
      if (taken[j]) ++repeated;
      if (taken[j] && distance >= distances[j]) continue;
      taken[j] = i;
      distances[j] = distance;
    }
    repeated_.fetch_add(repeated, std::memory_order_relaxed);
    outside_.fetch_add(outside, std::memory_order_relaxed);
    return taken;
  }

  [[nodiscard]] double value_of(const std::byte* header) const { return segy::true_value(*word_, header, order_); }

  // Returns the line of each coordinate as a function of the word.
  [[nodiscard]] std::vector<Line> lines_of(TraceBlock& block,
                                           std::span<const std::optional<std::int64_t>> taken) const {
    std::vector<double> x;
    std::vector<double> y;
    std::vector<Line> lines;
    for (const segy::WordRef& word : coordinates_) {
      x.clear();
      y.clear();
      for (const std::optional<std::int64_t>& trace : taken) {
        if (!trace) continue;
        x.push_back(value_of(block.header(*trace).data()));
        y.push_back(segy::true_value(word, block.header(*trace).data(), order_));
      }
      if (!x.empty()) lines.push_back(line_through(x, y));
    }
    return lines;
  }

  // Returns the header that describes the selected traces, or all traces if none was selected.
  [[nodiscard]] std::vector<std::byte> missing_header(TraceBlock& block,
                                                      std::span<const std::optional<std::int64_t>> taken) const {
    std::vector<std::int64_t> of;
    for (const std::optional<std::int64_t>& trace : taken)
      if (trace) of.push_back(*trace);
    if (of.empty())
      for (std::int64_t i = 0; i < block.count(); ++i) of.push_back(i);
    header_->write(block, of.front(), of, 0, true);
    return {block.header(of.front()).begin(), block.header(of.front()).end()};
  }

  NamedKeys keys_;
  std::string name_;
  std::vector<double> values_;
  double step_ = 1.0;
  std::optional<segy::WordRef> word_;
  std::vector<segy::WordRef> coordinates_;
  DeadTraces dead_;
  std::unique_ptr<GatherHeader> header_;
  ByteOrder order_ = ByteOrder::big;
  std::int64_t samples_ = 0;
  std::int64_t header_bytes_ = 240;
  mutable std::atomic<std::int64_t> made_{0};
  mutable std::atomic<std::int64_t> moved_{0};
  mutable std::atomic<std::int64_t> repeated_{0};
  mutable std::atomic<std::int64_t> outside_{0};
};

}  // namespace

const OperationType& regularize() {
  static const OperationType type{
      .name = "regularize",
      .summary = "Makes gathers with one trace at each of several values of a word: the nearest trace, or a dead one",
      .formula =
          "for each value, the nearest of the traces within half a step, live ones first, whose word is set to the "
          "value; otherwise a "
          "dead trace with the keys, and with coordinates on the least-squares line through the coordinates of the "
          "gather",
      .example = "regularize offset values=100:3000:50 by=cdp",
      .positionals = {"word"},
      .parameters = {{"word", "WORD", "", "Header word to regularize, by its true value (with the scalar applied)"},
                     {"values", "FIRST:LAST:STEP", "", "Values of the word in each gather"},
                     NamedKeys::parameter()},
      .make = [](const Arguments& arguments) { return std::make_unique<Regularize>(arguments); }};
  return type;
}

}  // namespace sill::flow
