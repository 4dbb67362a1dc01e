// Taking a part of a survey: chosen traces, and of them a window of time.
#pragma once

#include <optional>
#include <string>

#include "sill/flow/chosen_traces.hpp"
#include "sill/formats/segy/expression.hpp"
#include "sill/formats/segy/time_window.hpp"

namespace sill {

struct CutOptions {
  std::string output;
  std::optional<segy::Expression> where = {};  ///< a condition; all traces without one
  OutputMarks marks = {};
  std::optional<segy::TimeWindow> window = {};  ///< all samples without one
  HeadersRead headers = {};
};

struct CutResult {
  WrittenTraces written;
  TraceSearch search;  ///< how they were found
};

/// Collective. Writes the traces for which the condition holds, in their order, to `options.output`, which appears when
/// it is complete. Errors: usage (output is an input, no trace is chosen); otherwise as `choose_traces` and
/// `write_chosen`.
[[nodiscard]] CutResult cut(const Resources& resources, const Reader& reader, const CutOptions& options);

}  // namespace sill
