#include "sill/flow/run/bound_flow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/flow/operation/dead_traces.hpp"
#include "sill/flow/operations/operation_types.hpp"
#include "sill/formats/segy/samples/time_window.hpp"
#include "sill/io/files/small_text.hpp"

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

double first_start_us(Communicator& comm, const SurveyReader& reader) {
  return value_from_rank(comm, 0, [&] {
    double start_us = 0;
    const auto delay = segy::DelayWord::of(reader.words());
    if (reader.traces() == 0 || !delay) return start_us;
    const segy::TrueBytes bytes = delay->needed_bytes();
    reader.scan_headers({0, 1}, {bytes.first, bytes.end - bytes.first}, 1,
                        [&](const HeaderBlock& block, int /*thread*/) {
                          const double start = delay->start_us(block.header(0), block.byte_order);
                          // A larger value ends the flow at that trace, or is treated as 0.
                          if (std::abs(start) <= segy::farthest_start_us) start_us = start;
                        });
    return start_us;
  });
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

BoundFlow bind_flow(const Resources& resources, std::span<const Step> steps, const SurveyReader& reader,
                    double start_us, bool takes_auxiliary) {
  require_uniform(reader);
  BoundFlow flow;
  flow.states.push_back(state_of(reader));
  flow.states.back().start_us = start_us;
  flow.states.back().takes_auxiliary = takes_auxiliary;
  flow.states.back().memory_bytes = resources.memory();
  for (const Step& step : steps) {
    for (const Argument& argument : step.arguments)
      if (argument.survey != nullptr) flow.others.push_back(argument.survey);
    const OperationType* const type = find_operation_type(step.operation);
    const Arguments arguments(step, flow.states.back().interval_us * 1e-6);
    if (type == nullptr)
      arguments.refuse("", "the operation does not exist", "'sill flow --list' lists all operations");
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
  return flow;
}

}  // namespace sill::flow
