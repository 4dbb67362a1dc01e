// Reads the headers from which geometry is inferred: first of some traces, then of all.
#pragma once

#include <cstdint>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/geometry/geometry_plan.hpp"
#include "sill/survey/geometry/geometry_rows.hpp"

namespace sill {

/// A sampled trace.
struct LookedAt {
  GeometryRow row;
  TruePoints points;
};

/// Collective. Returns up to 4,096 traces, on all ranks, in order: all traces if there are no more, else 256 groups of
/// 16 consecutive traces, whose positions depend only on the number of traces. Auxiliary traces are omitted. Errors:
/// io.
[[nodiscard]] std::vector<LookedAt> look_at_traces(const Resources& resources, const SurveyReader& reader,
                                                   const RowReader& rows);

/// Collective. Returns the first 240 bytes of the headers of the sampled traces, including auxiliary ones, on all
/// ranks. Errors: io.
[[nodiscard]] std::vector<std::byte> look_at_headers(const Resources& resources, const SurveyReader& reader);

/// Local. Returns the number of consecutive traces per group in a sample of a survey of `traces` traces.
[[nodiscard]] std::int64_t consecutive_traces(std::int64_t traces);

/// The header data of all traces.
struct GeometryColumns {
  HeaderEvidence evidence;  ///< evidence of the traces of all ranks
  /// For each word of `plan.held`, the values of this rank's traces of seismic data, in trace order.
  std::vector<std::vector<std::int32_t>> held;
  GeometryPlan plan;

  /// Local. Returns the column of a word. Precondition: the plan stores the word.
  [[nodiscard]] std::vector<std::int32_t>& of(GeometryWord word);
};

/// Collective. Reads the headers of all traces once; each rank reads its block. `expected` may be nullptr. Uses four
/// bytes per trace for each word of `plan.held`. Errors: usage, if these bytes and the data sorted later exceed the
/// memory of a rank; io.
[[nodiscard]] GeometryColumns read_columns(const Resources& resources, const SurveyReader& reader,
                                           const RowReader& rows, const GeometryPlan& plan,
                                           const ExpectedPositions* expected);

}  // namespace sill
