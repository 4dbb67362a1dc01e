#include "sill/flow/run/pass_tally.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/flow/run/failures.hpp"
#include "sill/flow/run/stated_intervals.hpp"

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

void add_notes(const PassTally& tally, const SurveyState& state, std::vector<std::string>& notes) {
  if (tally.other_intervals.traces > 0) notes.push_back(StatedIntervals(state).word().note(tally.other_intervals));
  if (tally.cleared_mutes > 0)
    notes.push_back(
        fmt::format("the mute times (muts, mute) of {} were set to 0, because samples were moved to other times",
                    format_count(tally.cleared_mutes, "trace")));
  if (tally.decoded.lost > 0) notes.push_back(note_of_lost(tally.decoded.lost));
  if (tally.zeroed_words > 0)
    notes.push_back(
        fmt::format("{} header words that were not finite were set to 0", format_count(tally.zeroed_words)));
  if (tally.nonfinite_traces > 0)
    notes.push_back(
        fmt::format("{} traces were written with samples that are not finite", format_count(tally.nonfinite_traces)));
}

// Reports traces that operations skipped. It is an error if an operation processed none.
void report_auxiliary(Communicator& comm, const SurveyReader& reader, const BoundFlow& flow, const Pass& pass,
                      const PassTally& tally, std::vector<std::string>& notes) {
  TraceCodes max;
  for (std::size_t k = pass.first; k < std::min(pass.end, tally.auxiliary.size()); ++k) {
    if (flow.planned[k].access.takes_auxiliary) continue;
    const TraceCodes& codes = tally.auxiliary[k];
    if (codes.traces() > max.traces()) max = codes;
    if (tally.taken[k] > 0 || codes.empty()) continue;
    run_and_agree(comm, [&] {
      const Error error(
          {.code = ErrorCode::input,
           .problem =
               fmt::format("no trace is seismic data according to the trace identification (bytes 29-30), which is {}",
                           codes.text()),
           .action = "give --auxiliary process, which treats all traces as seismic data"});
      throw error_of_operation(error, k, flow.planned[k].name, {.file = reader.paths().front()});
    });
  }
  if (!max.empty())
    notes.push_back(
        fmt::format("{} traces are not seismic data, and passed operations on samples unchanged: trace "
                    "identification {} (--auxiliary process processes them)",
                    format_count(max.traces()), max.text()));
}

// Adds the counts, then the reports of operations.
void report_operations(const Resources& resources, const BoundFlow& flow, const Pass& pass, const PassTally& tally,
                       std::vector<std::string>& notes) {
  std::vector<std::string> lines;
  std::span<const std::int64_t> left = tally.counted;
  for (std::size_t k = pass.first; k < pass.end; ++k) {
    const Operation& operation = *flow.operations[k];
    const auto names = operation.counts();
    const std::span<const std::int64_t> counts = left.first(names.size());
    left = left.subspan(names.size());
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (counts[i] > 0 && !names[i].first.empty())
        notes.push_back(fmt::format("{}: {} {}", flow.planned[k].name, format_count(counts[i]), names[i].first));
    for (const std::string& line : operation.report(resources, counts))
      lines.push_back(fmt::format("{}: {}", flow.planned[k].name, line));
  }
  std::ranges::move(lines, std::back_inserter(notes));
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

void report_pass(const Resources& resources, const SurveyReader& reader, const BoundFlow& flow, const Pass& pass,
                 const PassOptions& options, const PassTally& tally, PassResult& result) {
  add_notes(tally, flow.states[pass.first], result.notes);
  run_and_agree(resources.comm, [&] {
    require_signal(tally.encoded, options.rules, options.format, options.output,
                   "give --scale fit, which uses the range of the format, or --scale FACTOR");
  });
  // Unsuitable velocities or times often result in zeros only.
  if (!options.output.empty() && pass.needs_samples && tally.met_signal && !tally.wrote_signal && result.traces_out > 0)
    result.notes.emplace_back("all samples of the output are 0, but those of the input are not");
  report_auxiliary(resources.comm, reader, flow, pass, tally, result.notes);
  report_operations(resources, flow, pass, tally, result.notes);
}

}  // namespace sill::flow
