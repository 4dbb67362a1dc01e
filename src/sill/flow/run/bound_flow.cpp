#include "sill/flow/run/bound_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/flow/operation/dead_traces.hpp"
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

// Applies the operations of a flow, which process single traces, to the headers of one trace after another, until a
// trace passes all of them.
class FirstTrace {
 public:
  FirstTrace(const SurveyReader& reader, const BoundFlow& flow, const segy::DelayWord& delay)
      : reader_(reader), flow_(flow), delay_(delay), positions_(flow.operations.size()) {
    const segy::TrueBytes bytes = delay.needed_bytes();
    bytes_ = {bytes.first, bytes.end - bytes.first};
    for (const PlannedOperation& planned : flow.planned) {
      for (const ByteRange& read : planned.access.reads_words) bytes_ = joined(bytes_, read);
      for (const ByteRange& written : planned.access.writes_words) bytes_ = joined(bytes_, written);
    }
  }

  // Returns the start time of that trace; nullopt if there is none, or an operation fails, as it will again later.
  std::optional<double> start_us() {
    constexpr std::int64_t at_once = 4096;
    for (std::int64_t first = 0; first < reader_.traces() && !is_done_; first += at_once)
      reader_.scan_headers({first, std::min(at_once, reader_.traces() - first)}, bytes_, 1,
                           [this](const HeaderBlock& block, int /*thread*/) {
                             for (std::int64_t i = 0; i < block.count && !is_done_; ++i) pass(block.view(i));
                           });
    return start_us_;
  }

 private:
  void pass(segy::HeaderView view) {
    // Complete headers, for operations that copy them; bytes that were not requested are zero.
    std::vector<std::byte> before(static_cast<std::size_t>(flow_.states.front().header_bytes));
    std::copy_n(view.header + bytes_.offset, bytes_.length, before.begin() + bytes_.offset);
    std::vector<std::byte> after = before;
    try {
      for (std::size_t k = 0; k < flow_.operations.size(); ++k) {
        if (make_usable(flow_.planned[k].access.numbers, before.data(), view.order, NonFinite::zero) > 0)
          after = before;
        view.header = before.data();
        view.trace = ++positions_[k];
        if (!flow_.operations[k]->edit_header(view, after.data())) return;
        before = after;
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

// Collective. Sets the start time of the first trace after the operations of `flow`. If they sort traces, or make
// traces of gathers, the trace is not known before the flow runs, and the start time is not changed.
void find_first_start(Communicator& comm, const SurveyReader& reader, const BoundFlow& flow, SurveyState& state) {
  const auto delay = segy::DelayWord::of(reader.words());
  if (!delay) return;
  state.knows_first = std::ranges::all_of(flow.planned, [](const PlannedOperation& planned) {
    return planned.keys.empty() && planned.access.scope != Scope::gather;
  });
  if (!state.knows_first) return;
  state.start_us =
      value_from_rank(comm, 0, [&] { return FirstTrace(reader, flow, *delay).start_us().value_or(state.start_us); });
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
  if (!(access.reads_samples || access.writes_samples) || access.writes_shape || state.takes_auxiliary)
    access.takes_auxiliary = true;
  access.clear_mute_times(*state.words);
  // A later operation may divide the traces into other ensembles.
  if (access.traces_per_gather > 0)
    state.ensemble = access.traces_per_gather;
  else if (state.ensemble.value_or(1) > 1 && (access.writes_order || access.writes_membership))
    state.ensemble = 0;
  DeadTraces kinds;
  kinds.bind(flow.states.back());
  if (!access.takes_auxiliary) kinds.add_to(access);
  flow.operations.push_back(std::move(operation));
  flow.states.push_back(std::move(state));
}

}  // namespace

BoundFlow bind_flow(const Resources& resources, std::span<const Step> steps, const SurveyReader& reader,
                    bool takes_auxiliary) {
  BoundFlow flow;
  run_and_agree(resources.comm, [&] { require_uniform(reader); });
  flow.states.push_back(state_of(reader));
  flow.states.back().takes_auxiliary = takes_auxiliary;
  flow.states.back().memory_bytes = resources.memory();
  if (std::ranges::any_of(steps, needs_start)) find_first_start(resources.comm, reader, flow, flow.states.back());
  for (const Step& step : steps) {
    for (const Argument& argument : step.arguments)
      if (argument.survey != nullptr) flow.others.push_back(argument.survey);
    if (needs_start(step) && !flow.operations.empty())
      find_first_start(resources.comm, reader, flow, flow.states.back());
    run_and_agree(resources.comm, [&] { bind_step(step, flow); });
  }
  return flow;
}

}  // namespace sill::flow
