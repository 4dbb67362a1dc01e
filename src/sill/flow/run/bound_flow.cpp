#include "sill/flow/run/bound_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/flow/operations/operation_types.hpp"
#include "sill/flow/run/header_numbers.hpp"
#include "sill/formats/segy/samples/time_window.hpp"
#include "sill/io/files/small_text.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill::flow {
namespace {

void require_uniform(const SurveyReader& reader) {
  if (reader.is_uniform()) return;
  throw Error({.code = ErrorCode::input,
               .problem = "the traces of the survey differ in length, but a flow needs traces of one length",
               .where = {.file = reader.paths().front()},
               .action = "'sill cut --where \"ns == N\"' writes the traces of length N, 'sill scan --stats' counts the "
                         "traces of each length"});
}

// Returns the keys in the parameter `parameter.survey_by`, by which traces of the survey are found.
std::string survey_keys(const Step& step, const Parameter& parameter) {
  const Arguments arguments(step);
  const Parameter* const by = find_parameter(step, parameter.survey_by);
  if (arguments.has(by->name) || by->default_value.empty()) return arguments.required_text(by->name);
  return std::string(by->default_value);
}

// Returns true if `bind` of an operation uses the start time of the first trace: to count samples, or to examine times
// in a table.
bool needs_start(const Step& step) {
  const OperationType* const type = find_operation_type(step.operation);
  return (type != nullptr && type->needs_start) ||
         std::ranges::any_of(step.arguments, [](const Argument& argument) { return argument.table != nullptr; });
}

// Returns true if the first trace after an operation is not known before the flow runs.
bool reorders(const PlannedOperation& planned) {
  return !planned.keys.empty() || planned.access.scope == Scope::gather;
}

// Applies the first `operations` operations of a flow, which process single traces, to the headers of one trace after
// another, until a trace passes all of them.
class FirstTrace {
 public:
  FirstTrace(const SurveyReader& reader, const BoundFlow& flow, std::size_t operations, const segy::DelayWord& delay)
      : reader_(reader), flow_(flow), delay_(delay), positions_(operations) {
    const segy::TrueBytes bytes = delay.needed_bytes();
    bytes_ = {bytes.first, bytes.end - bytes.first};
    for (const PlannedOperation& planned : std::span(flow.planned).first(operations)) {
      for (const ByteRange& read : planned.access.reads_words) bytes_ = joined(bytes_, read);
      for (const ByteRange& written : planned.access.writes_words) bytes_ = joined(bytes_, written);
    }
  }

  // Returns the start time of that trace; nullopt if there is none, or an operation fails, as it will again later.
  std::optional<double> start_us() {
    constexpr std::int64_t max_at_once = 4096;
    std::int64_t count = 1;  // most flows need only one header, and a request may be slow
    for (std::int64_t first = 0; first < reader_.traces() && !is_done_; first += count) {
      count = first == 0 ? 1 : std::min({4 * count, max_at_once, reader_.traces() - first});
      reader_.scan_headers({first, count}, bytes_, 1, [this](const HeaderBlock& block, int /*thread*/) {
        for (std::int64_t i = 0; i < block.count && !is_done_; ++i) pass(block.view(i));
      });
    }
    return start_us_;
  }

 private:
  void pass(segy::HeaderView view) {
    // Complete headers, for operations that copy them; bytes that were not requested are zero.
    std::vector<std::byte> before(static_cast<std::size_t>(flow_.states.front().header_bytes));
    std::copy_n(view.header + bytes_.offset, bytes_.length, before.begin() + bytes_.offset);
    std::vector<std::byte> after = before;
    try {
      for (std::size_t k = 0; k < positions_.size(); ++k) {
        view.header = before.data();
        view.trace = ++positions_[k];
        if (!flow_.edit_header(k, view, before, after, NonFinite::zero)) return;
      }
    } catch (const Error&) {
      is_done_ = true;
      return;
    }
    is_done_ = true;
    const double start = delay_.start_us(after.data(), view.order);
    // A larger value ends the flow at that trace, or is treated as 0.
    start_us_ = std::abs(start) <= segy::farthest_start_us ? start : 0.0;
  }

  const SurveyReader& reader_;
  const BoundFlow& flow_;
  const segy::DelayWord& delay_;
  ByteRange bytes_;
  std::vector<std::int64_t> positions_;  // of the last trace before each operation, from 1
  bool is_done_ = false;
  std::optional<double> start_us_;
};

// Collective. Sets the start time in the last state of `flow` to that of the first trace after the first `operations`
// operations, none of which reorders traces.
void find_first_start(Communicator& comm, const SurveyReader& reader, BoundFlow& flow, std::size_t operations) {
  const auto delay = segy::DelayWord::of(reader.words());
  if (!delay) return;
  double& start_us = flow.states.back().start_us;
  start_us = value_from_rank(
      comm, 0, [&] { return FirstTrace(reader, flow, operations, *delay).start_us().value_or(start_us); });
}

}  // namespace

SurveyState state_of(const SurveyReader& reader) {
  const segy::FileDescription& file = reader.files().front();
  return {.words = &reader.words(),
          .order = file.byte_order,
          .kind = file.kind,
          .domain = file.domain,
          .depth_hint = file.depth_hint,
          .samples = file.samples,
          .interval_us = file.interval_us,
          .is_interval_assumed = reader.assumptions().interval_us.has_value(),
          .header_bytes = file.header_bytes(),
          .sorting_code = file.sorting_code,
          .measurement_system = file.measurement_system};
}

std::vector<Step> with_files(const Resources& resources, std::vector<Step> steps, const OtherSurveyRules& rules) {
  constexpr std::int64_t max_table_bytes = std::int64_t{64} << 20;
  for (Step& step : steps) {
    for (Argument& argument : step.arguments) {
      if (!argument.value.starts_with('@')) continue;
      const std::string path = argument.value.substr(1);
      const Parameter* const parameter = find_parameter(step, argument.key);
      if (parameter != nullptr && names_survey(*parameter, argument.value))
        argument.survey = std::make_shared<const OtherSurvey>(resources, path, survey_keys(step, *parameter), rules);
      else
        argument.table = std::make_shared<const std::string>(
            read_text_on_all_ranks(resources.comm, path, max_table_bytes, "a table"));
    }
  }
  return steps;
}

namespace {

void bind_step(const Step& step, BoundFlow& flow) {
  const OperationType* const type = find_operation_type(step.operation);
  const Arguments arguments(step, flow.states.back().interval_us * 1e-6);
  if (type == nullptr) arguments.refuse("", "the operation does not exist", "'sill flow --list' lists all operations");
  for (const Parameter& parameter : type->parameters)
    if (parameter.default_value.empty() && !parameter.is_flag && !arguments.has(parameter.name))
      (void)arguments.required_text(parameter.name);
  SurveyState state = flow.states.back();
  std::unique_ptr<Operation> operation = type->make(arguments);
  try {
    operation->bind(state);
  } catch (const Error& error) {
    const bool has_place = !error.parts().where.file.empty();  // a line of a table
    if (error.code() != ErrorCode::usage || step.text == nullptr || has_place ||
        error.parts().problem.find('\n') != std::string::npos)
      throw;
    arguments.refuse("", error.parts().problem, error.parts().action, error.parts().system_error_number);
  }
  flow.planned.push_back({step.operation, operation->access(), operation->keys()});
  Access& access = flow.planned.back().access;
  if (!access.uses_samples() || access.writes_shape || state.takes_auxiliary) access.takes_auxiliary = true;
  access.clear_mute_times(*state.words);
  // A later operation may divide the traces into other ensembles.
  if (access.traces_per_gather > 0)
    state.ensemble = access.traces_per_gather;
  else if (state.ensemble.value_or(1) > 1 && (access.writes_order || access.writes_membership))
    state.ensemble = 0;
  DeadTraces kinds;
  kinds.bind(flow.states.back());
  if (!access.takes_auxiliary) kinds.add_to(access);
  flow.kinds.push_back(kinds);
  flow.operations.push_back(std::move(operation));
  flow.states.push_back(std::move(state));
}

}  // namespace

bool BoundFlow::edit_header(std::size_t k, const segy::HeaderView& trace, std::vector<std::byte>& before,
                            std::vector<std::byte>& after, NonFinite nonfinite) const {
  const Access& access = planned[k].access;
  const bool writes = !access.writes_words.empty();
  if (writes && make_usable(access.numbers, before.data(), trace.order, nonfinite) > 0) after = before;
  // Such traces are set aside.
  if (!access.takes_auxiliary && !access.keeps_auxiliary && !kinds[k].is_seismic(trace.header)) return true;
  const bool stays = operations[k]->edit_header(trace, after.data());
  (void)access.clear_false_words(after.data());
  if (writes) before = after;
  return stays;
}

BoundFlow bind_flow(const Resources& resources, std::span<const Step> steps, const SurveyReader& reader,
                    bool takes_auxiliary) {
  BoundFlow flow;
  run_and_agree(resources.comm, [&] { require_uniform(reader); });
  flow.states.push_back(state_of(reader));
  flow.states.back().takes_auxiliary = takes_auxiliary;
  flow.states.back().memory_bytes = resources.memory();
  if (std::ranges::any_of(steps, needs_start)) find_first_start(resources.comm, reader, flow, 0);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    for (const Argument& argument : steps[k].arguments)
      if (argument.survey != nullptr) flow.others.push_back(argument.survey);
    if (k > 0 && flow.states.back().knows_first && needs_start(steps[k]))
      find_first_start(resources.comm, reader, flow, k);
    run_and_agree(resources.comm, [&] { bind_step(steps[k], flow); });
    if (!flow.states.back().knows_first || !reorders(flow.planned.back())) continue;
    flow.states.back().knows_first = false;
    if (k > 0 && std::ranges::any_of(steps.subspan(k + 1), needs_start))
      find_first_start(resources.comm, reader, flow, k);
  }
  return flow;
}

}  // namespace sill::flow
