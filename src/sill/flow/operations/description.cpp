#include "sill/flow/operations/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sill/flow/value/flow_text.hpp"
#include "sill/formats/segy/expression/assignment.hpp"
#include "sill/formats/segy/words/words.hpp"

namespace sill::flow {
namespace {

// Returns the words of the standard in any of the ranges.
std::string words_in(const std::vector<ByteRange>& ranges) {
  std::string text;
  for (const segy::Word& word : segy::trace_words()) {
    const ByteRange bytes{word.byte - 1, word.type.bytes};
    const auto overlaps = [&](ByteRange range) { return segy::overlap(bytes, range); };
    if (std::ranges::any_of(ranges, overlaps)) text += (text.empty() ? "" : " ") + std::string(word.shown_name());
  }
  return text;
}

// Describes what the example of a type reads and writes in a survey with the words of the standard.
std::string access_text(const OperationType& type) {
  std::vector<Step> steps = parse_steps(type.example);
  for (Argument& argument : steps.front().arguments)
    if (argument.value.starts_with('@')) argument.table = std::make_shared<std::string>("1\n");
  const std::unique_ptr<Operation> operation = type.make(Arguments(steps.front()));
  SurveyState state;
  state.words = &segy::HeaderMap::standard();
  state.samples = 1001;
  state.interval_us = 2000.0;
  operation->bind(state);
  const Access access = operation->access();
  constexpr std::array<std::string_view, 3> scopes{"each trace by itself", "each trace with its neighbours",
                                                   "all traces of a gather"};
  std::string reads = words_in(access.reads_words);
  std::string writes = words_in(access.writes_words);
  const auto add = [](std::string& text, bool holds, std::string_view what) {
    if (holds) text += (text.empty() ? "" : ", ") + std::string(what);
  };
  add(reads, access.reads_samples, "samples");
  add(reads, access.reads_position, "trace numbers");
  add(reads, access.reads_file, "file numbers");
  add(reads, access.reports, "which traces exist");
  add(writes, access.writes_samples, "samples");
  add(writes, access.writes_shape, "number or interval of samples");
  add(writes, access.writes_membership, "which traces exist");
  add(writes, access.writes_order, "order");
  return fmt::format("  scope    {}\n  reads    {}\n  writes   {}\n", scopes[static_cast<std::size_t>(access.scope)],
                     reads.empty() ? "nothing" : reads, writes.empty() ? "nothing" : writes);
}

}  // namespace

std::string text_of(const Parameter& parameter) {
  std::string text(parameter.text);
  if (!parameter.is_flag)
    text += parameter.default_value.empty() ? ". Required" : fmt::format(". Default: {}", parameter.default_value);
  return text;
}

std::string description_of(const OperationType& type) {
  std::string text =
      fmt::format("{}: {}\n\n  {}\n\n  example: {}\n\n", type.name, type.summary, type.formula, type.example);
  for (const Parameter& parameter : type.parameters) {
    const bool is_positional = std::ranges::find(type.positionals, parameter.name) != type.positionals.end();
    const std::string form = parameter.is_flag ? std::string(parameter.name)
                                               : fmt::format("{}{}={}{}", is_positional ? "[" : "", parameter.name,
                                                             is_positional ? "]" : "", parameter.form);
    text += fmt::format("  {:<34} {}.\n", form, text_of(parameter));
  }
  return text + "\n" + access_text(type);
}

}  // namespace sill::flow
