#include "sill/flow/run/pass_tally.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "sill/base/units.hpp"
#include "sill/comm/exchange.hpp"

namespace sill::flow {
namespace {

// Calls `visit` with each scalar number of an account or a tally.
template <class Tally, class Visit>
void visit_single(Tally& tally, Visit&& visit) {
  for (auto* account : {&tally.decoded, &tally.encoded}) {
    visit(account->samples);
    visit(account->lost);
    visit(account->rounded);
    visit(account->clipped);
    visit(account->zeroed);
    visit(account->largest_relative_error);
  }
  visit(tally.nonfinite_traces);
  visit(tally.zeroed_words);
  visit(tally.cleared_mutes);
  visit(tally.other_intervals.traces);
  visit(tally.other_intervals.first_trace);
  visit(tally.other_intervals.first_us);
  visit(tally.met_signal);
  visit(tally.wrote_signal);
}

template <class T>
void add_each(std::vector<T>& to, const std::vector<T>& other) {
  to.resize(std::max(to.size(), other.size()));
  for (std::size_t i = 0; i < other.size(); ++i) {
    if constexpr (std::is_integral_v<T>) {
      to[i] += other[i];
    } else {
      to[i].add(other[i]);
    }
  }
}

// Removes the numbers of a tally from the front of `numbers` and returns the tally.
PassTally taken_from(std::span<const double>& numbers) {
  const auto next = [&] {
    const double number = numbers.front();
    numbers = numbers.subspan(1);
    return number;
  };
  const auto next_count = [&] { return static_cast<std::int64_t>(next()); };
  PassTally tally;
  visit_single(tally, [&](auto& number) { number = static_cast<std::remove_reference_t<decltype(number)>>(next()); });
  for (std::vector<std::int64_t>* list : {&tally.taken, &tally.counted}) {
    list->resize(static_cast<std::size_t>(next()));
    for (std::int64_t& count : *list) count = next_count();
  }
  tally.auxiliary.resize(static_cast<std::size_t>(next()));
  for (TraceCodes& codes : tally.auxiliary)
    for (std::int64_t left = next_count(); left > 0; --left) {
      const double code = next();
      codes.count(code, next_count());
    }
  return tally;
}

}  // namespace

void PassTally::add(const PassTally& other) {
  other_intervals.add(other.other_intervals);
  decoded.add(other.decoded);
  encoded.add(other.encoded);
  nonfinite_traces += other.nonfinite_traces;
  zeroed_words += other.zeroed_words;
  cleared_mutes += other.cleared_mutes;
  met_signal |= other.met_signal;
  wrote_signal |= other.wrote_signal;
  add_each(taken, other.taken);
  add_each(auxiliary, other.auxiliary);
  add_each(counted, other.counted);
}

PassTally PassTally::of_all(Communicator& comm) const {
  const std::vector<double> mine = numbers();
  const std::vector<double> of_ranks = all_gather_all(comm, std::span<const double>(mine));
  PassTally all;
  for (std::span<const double> left = of_ranks; !left.empty();) all.add(taken_from(left));
  return all;
}

std::vector<double> PassTally::numbers() const {
  std::vector<double> numbers;
  visit_single(*this, [&](const auto& number) { numbers.push_back(static_cast<double>(number)); });
  for (const std::vector<std::int64_t>* list : {&taken, &counted}) {
    numbers.push_back(static_cast<double>(list->size()));
    numbers.insert(numbers.end(), list->begin(), list->end());
  }
  numbers.push_back(static_cast<double>(auxiliary.size()));
  for (const TraceCodes& codes : auxiliary) {
    numbers.push_back(static_cast<double>(codes.by_code().size()));
    for (const auto& [code, traces] : codes.by_code())
      numbers.insert(numbers.end(), {code, static_cast<double>(traces)});
  }
  return numbers;
}

std::string note_of_lost(std::int64_t samples) {
  return fmt::format(
      "{} samples of the input are too small for floats of 4 bytes, with which a flow computes: they became 0, or "
      "changed by more than {:.0f} %",
      format_count(samples), 100.0F * segy::lost_share);
}

PassTally PassTally::from(std::span<const double> numbers) { return taken_from(numbers); }

}  // namespace sill::flow
