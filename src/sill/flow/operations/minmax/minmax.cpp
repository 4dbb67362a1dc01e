#include "sill/flow/operations/minmax/minmax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <span>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/segy/expression/expression.hpp"
#include "sill/formats/segy/samples/sample_statistics.hpp"
#include "sill/survey/select/trace_values.hpp"

namespace sill::flow {
namespace {

// Statistics of values of one kind, from any number of traces in any order.
class Tally {
 public:
  void add(double value, std::int64_t trace) { add(std::span<const double>(&value, 1), trace); }

  // Sums within one call are rounded in the order of the values; sums over calls are exact.
  template <class Value>
  void add(std::span<const Value> values, std::int64_t trace) {
    double smallest = std::numeric_limits<double>::infinity();
    double largest = -smallest;
    double sum = 0.0;
    double squares = 0.0;
    std::int64_t finite = 0;
    for (const Value each : values) {
      const auto value = static_cast<double>(each);
      if (!std::isfinite(value)) continue;
      smallest = std::min(smallest, value);
      largest = std::max(largest, value);
      sum += value;
      squares += value * value;
      ++finite;
    }
    nonfinite_ += std::ssize(values) - finite;
    if (finite == 0) return;
    count_ += finite;
    take({smallest, trace - 1}, {largest, trace - 1});
    (sum < 0.0 ? negative_ : positive_).add(std::abs(sum));
    squares_.add(squares);
  }

  void merge(const Tally& other) {
    count_ += other.count_;
    nonfinite_ += other.nonfinite_;
    take(other.smallest_, other.largest_);
    positive_.merge(other.positive_);
    negative_.merge(other.negative_);
    squares_.merge(other.squares_);
  }

  // Collective. Merges the tallies of all ranks.
  void merge_ranks(Communicator& comm) {
    std::array<std::int64_t, 2> counts{count_, nonfinite_};
    comm.all_reduce(counts, Reduction::sum);
    const std::array<KeyExtreme, 2> own{smallest_, largest_};
    const std::vector<KeyExtreme> all = all_gather_all(comm, std::span<const KeyExtreme>(own));
    for (std::size_t i = 0; i < all.size(); i += 2) take(all[i], all[i + 1]);
    count_ = counts[0];
    nonfinite_ = counts[1];
    for (segy::ExactSum* const sum : {&positive_, &negative_, &squares_}) {
      segy::ExactSum::Digits digits = sum->digits();
      comm.all_reduce(digits, Reduction::sum);
      *sum = {};
      sum->merge(digits);
    }
  }

  [[nodiscard]] std::string text(const std::string& name, bool are_whole) const {
    const std::string left_out =
        nonfinite_ > 0 ? fmt::format("; {} values omitted because they are not finite", format_count(nonfinite_))
                       : std::string();
    if (count_ == 0) return fmt::format("{} has no values{}", name, left_out);
    const auto exact = [&](double value) {
      return are_whole ? fmt::format("{:.0f}", value) : fmt::format("{:.9g}", value);
    };
    const auto n = static_cast<double>(count_);
    return fmt::format("{} from {} (trace {}) to {} (trace {}), mean {:.9g}, rms {:.9g}, of {} values{}", name,
                       exact(smallest_.value), smallest_.trace + 1, exact(largest_.value), largest_.trace + 1,
                       (positive_.value() - negative_.value()) / n, std::sqrt(squares_.value() / n),
                       format_count(count_), left_out);
  }

 private:
  void take(const KeyExtreme& smallest, const KeyExtreme& largest) {
    smallest_.take(smallest, -1.0);
    largest_.take(largest, 1.0);
  }

  std::int64_t count_ = 0;
  std::int64_t nonfinite_ = 0;
  KeyExtreme smallest_;
  KeyExtreme largest_;
  segy::ExactSum positive_;
  segy::ExactSum negative_;
  segy::ExactSum squares_;
};

// Returns the comma-separated entries of a list. Ignores commas in parentheses.
std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : list) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  for (std::string& part : parts) part = trimmed(part);
  return parts;
}

class MinMax final : public Operation {
 public:
  explicit MinMax(const Arguments& arguments)
      : step_(arguments.step()), names_(parts_of(arguments.text("of").value_or("samples"))), tallies_(names_.size()) {}

  void bind(SurveyState& state) override {
    const Arguments arguments(step_);
    values_.clear();
    for (const std::string& name : names_) {
      if (name == "samples") {
        values_.emplace_back();
        continue;
      }
      values_.emplace_back(arguments.at("of", [&] { return segy::Expression::parse(name, *state.words); }));
      const segy::ValueKind kind = values_.back()->kind();
      if (kind != segy::ValueKind::integer && kind != segy::ValueKind::real)
        arguments.refuse("of", fmt::format("'{}' is not a number", name),
                         "name words, expressions of them, or samples");
    }
  }

  [[nodiscard]] Access access() const override {
    Access access{.reports = true};
    for (const auto& value : values_) {
      if (!value) {
        access.reads_samples = true;
        continue;
      }
      access.reads_words.push_back(value->needed_bytes());
      access.reads_position = access.reads_position || value->reads_trace_number();
      access.reads_file = access.reads_file || value->reads_file_number();
      access.can_stop = true;  // a word beyond 64 bits, a remainder by 0
    }
    return access;
  }

  void run(TraceBlock& block, Workspace& /*workspace*/) const override {
    std::vector<Tally> found(values_.size());
    for (std::int64_t i = 0; i < block.count(); ++i) {
      if (block.origin(i).is_neighbour) continue;
      const segy::HeaderView view = block.view(i);
      for (std::size_t v = 0; v < values_.size(); ++v) {
        if (!values_[v]) {
          found[v].add(block.trace(i), view.trace);
          continue;
        }
        try {
          found[v].add(values_[v]->real(view), view.trace);
        } catch (const Error& error) {
          throw_at(error, {.item = i + 1, .item_word = "trace"});
        }
      }
    }
    const std::scoped_lock lock(mutex_);
    for (std::size_t v = 0; v < found.size(); ++v) tallies_[v].merge(found[v]);
  }

  [[nodiscard]] std::vector<std::string> report(const Resources& resources,
                                                std::span<const std::int64_t> /*counts*/) const override {
    std::vector<std::string> lines;
    for (std::size_t v = 0; v < values_.size(); ++v) {
      tallies_[v].merge_ranks(resources.comm);
      lines.push_back(tallies_[v].text(names_[v], values_[v] && values_[v]->kind() == segy::ValueKind::integer));
    }
    return lines;
  }

 private:
  Step step_;
  std::vector<std::string> names_;
  std::vector<std::optional<segy::Expression>> values_;  // nullopt: the samples
  mutable std::mutex mutex_;
  mutable std::vector<Tally> tallies_;
};

}  // namespace

const OperationType& minmax() {
  static const OperationType type{
      .name = "minmax",
      .summary = "Reports the smallest, largest and mean values of samples, words or expressions",
      .formula =
          "mean = sum(x) / n, rms = sqrt(sum(x^2) / n) over the n finite values; if several traces have the extreme "
          "value, the first is reported",
      .example = "minmax samples,offset",
      .positionals = {"of"},
      .parameters = {{"of", "LIST", "samples",
                      "Samples, header words, and expressions in quotes, separated by commas"}},
      .reports = true,
      .make = [](const Arguments& arguments) { return std::make_unique<MinMax>(arguments); }};
  return type;
}

}  // namespace sill::flow
