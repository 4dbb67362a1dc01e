// Cuts a survey: selects traces, and a time window of their samples.
#pragma once

#include <optional>
#include <string>

#include "sill/formats/segy/expression/expression.hpp"
#include "sill/formats/segy/samples/time_window.hpp"
#include "sill/survey/select/write_selected.hpp"

namespace sill {

struct CutOptions {
  std::string output;
  std::optional<segy::Expression> where = {};  ///< a condition; without it, all traces
  OutputMarks marks = {};
  std::optional<segy::TimeWindow> window = {};  ///< without it, all samples
  HeadersRead headers = {};
};

struct CutResult {
  WrittenTraces written;
  TraceSearch search;  ///< how the traces were found
};

/// Collective. Writes the traces for which the condition holds, in their order, to `options.output`, which appears when
/// it is complete. Errors: usage (output is an input, no trace is selected); otherwise as `select_traces` and
/// `write_selected`.
[[nodiscard]] CutResult cut(const Resources& resources, const SurveyReader& reader, const CutOptions& options);

}  // namespace sill
