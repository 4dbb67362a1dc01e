#include "sill/flow/operations/operation_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <list>

#include "sill/base/error.hpp"
#include "sill/flow/operations/agc/agc.hpp"
#include "sill/flow/operations/angles/angles.hpp"
#include "sill/flow/operations/attribute/attribute.hpp"
#include "sill/flow/operations/bandpass/bandpass.hpp"
#include "sill/flow/operations/bin/bin.hpp"
#include "sill/flow/operations/convolve/convolve.hpp"
#include "sill/flow/operations/debias/debias.hpp"
#include "sill/flow/operations/decon/decon.hpp"
#include "sill/flow/operations/despike/despike.hpp"
#include "sill/flow/operations/fk/fk.hpp"
#include "sill/flow/operations/fxdecon/fxdecon.hpp"
#include "sill/flow/operations/gain/gain.hpp"
#include "sill/flow/operations/header/header.hpp"
#include "sill/flow/operations/interpolate/interpolate.hpp"
#include "sill/flow/operations/math/math.hpp"
#include "sill/flow/operations/minmax/minmax.hpp"
#include "sill/flow/operations/mix/mix.hpp"
#include "sill/flow/operations/mute/mute.hpp"
#include "sill/flow/operations/nmo/nmo.hpp"
#include "sill/flow/operations/normalize/normalize.hpp"
#include "sill/flow/operations/ormsby/ormsby.hpp"
#include "sill/flow/operations/radon/radon.hpp"
#include "sill/flow/operations/regularize/regularize.hpp"
#include "sill/flow/operations/resample/resample.hpp"
#include "sill/flow/operations/select/select.hpp"
#include "sill/flow/operations/semblance/semblance.hpp"
#include "sill/flow/operations/shift/shift.hpp"
#include "sill/flow/operations/sort/sort.hpp"
#include "sill/flow/operations/spectrum/spectrum.hpp"
#include "sill/flow/operations/stack/stack.hpp"
#include "sill/flow/operations/taper/taper.hpp"
#include "sill/flow/operations/trim/trim.hpp"
#include "sill/flow/operations/velocity/velocity.hpp"
#include "sill/flow/operations/window/window.hpp"
#include "sill/formats/file_ending.hpp"

namespace sill::flow {
namespace {

struct Types {
  std::list<OperationType> of_user;
  std::vector<const OperationType*> all{
      &fk(),       &autocorrelate(), &interpolate(),  &regularize(), &supergather(), &angles(),   &anglestack(),
      &math(),     &match(),         &bin(),          &cmpbin(),     &velocity(),    &fxdecon(),  &semblance(),
      &trim(),     &convolve(),      &correlate(),    &decon(),      &agc(),         &bandpass(), &bandstop(),
      &debias(),   &gain(),          &header(),       &highpass(),   &kill(),        &lmo(),      &lowpass(),
      &minmax(),   &mix(),           &mute(),         &nmo(),        &ormsby(),      &shift(),    &flow::sort(),
      &spectrum(), &stack(),         &statics(),      &normalize(),  &attribute(),   &despike(),  &envelope(),
      &notch(),    &phase(),         &partialstack(), &polarity(),   &radon(),       &resample(), &select(),
      &taper(),    &window()};

  Types() { sort(); }
  void sort() { std::ranges::sort(all, {}, &OperationType::name); }
};

Types& types() {
  static Types types;
  return types;
}

}  // namespace

std::span<const OperationType* const> operation_types() { return types().all; }

const OperationType* find_operation_type(std::string_view name) {
  const auto found = std::ranges::find(types().all, name, &OperationType::name);
  return found == types().all.end() ? nullptr : *found;
}

const Parameter* find_parameter(const Step& step, std::string_view name) {
  const OperationType* const type = find_operation_type(step.operation);
  if (type == nullptr) return nullptr;
  const auto found = std::ranges::find(type->parameters, name, &Parameter::name);
  return found == type->parameters.end() ? nullptr : &*found;
}

bool names_survey(const Parameter& parameter, const std::string& value) {
  if (parameter.survey_by.empty() || !value.starts_with('@')) return false;
  return !parameter.may_be_table || is_survey_name(value.substr(1));
}

std::vector<std::string> files_written_by(std::span<const Step> steps) {
  std::vector<std::string> files;
  for (const Step& step : steps)
    for (const Argument& argument : step.arguments) {
      const Parameter* const parameter = find_parameter(step, argument.key);
      if (parameter != nullptr && parameter->is_output) files.push_back(argument.value);
    }
  return files;
}

bool report_anything(std::span<const Step> steps) {
  const auto reports = [](const Step& step) {
    const OperationType* const type = find_operation_type(step.operation);
    return type != nullptr && type->reports;
  };
  return std::ranges::any_of(steps, reports) || !files_written_by(steps).empty();
}

std::vector<std::string> surveys_read_by(std::span<const Step> steps) {
  std::vector<std::string> files;
  for (const Step& step : steps)
    for (const Argument& argument : step.arguments) {
      const Parameter* const parameter = find_parameter(step, argument.key);
      if (parameter != nullptr && names_survey(*parameter, argument.value)) files.push_back(argument.value.substr(1));
    }
  return files;
}

void add_operation_type(OperationType type) {
  if (find_operation_type(type.name) != nullptr)
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("the operation '{}' already exists", type.name),
                 .action = "give the new operation another name"});
  types().all.push_back(&types().of_user.emplace_back(std::move(type)));
  types().sort();
}

}  // namespace sill::flow
