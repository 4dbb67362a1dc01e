// Reading what geometry is inferred from: of some traces, then of all.
#pragma once

#include <cstdint>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/geometry/geometry_plan.hpp"
#include "sill/survey/geometry/geometry_rows.hpp"

namespace sill {

/// A trace that was looked at.
struct LookedAt {
  GeometryRow row;
  TruePoints points;
};

/// Collective. Up to 4,096 traces, on all ranks, in order: all if there are no more, else 256 times 16 consecutive ones
/// from places that depend on the number of traces alone; without those that are auxiliary. Errors: io.
[[nodiscard]] std::vector<LookedAt> look_at_traces(const Resources& resources, const SurveyReader& reader,
                                                   const RowReader& rows);

/// Collective. The first 240 bytes of the headers of the same traces, on all ranks. Errors: io.
[[nodiscard]] std::vector<std::byte> look_at_headers(const Resources& resources, const SurveyReader& reader);

/// Local. How many traces of a survey of `traces` such a look takes one after another.
[[nodiscard]] std::int64_t consecutive_traces(std::int64_t traces);

/// What the headers of all traces state.
struct GeometryColumns {
  HeaderEvidence evidence;  ///< of all ranks
  /// By the words of `plan.held`: of each trace of seismic data of this rank, in trace order.
  std::vector<std::vector<std::int32_t>> held;
  GeometryPlan plan;

  /// Local. The column of a word. Precondition: it is held.
  [[nodiscard]] std::vector<std::int32_t>& of(GeometryWord word);
};

/// Collective. Reads the headers of all traces once, each rank its block. `expected` may be null. Holds four bytes a
/// trace for each word of `plan.held`. Errors: usage, if these and what is then sorted exceed the memory of a rank; io.
[[nodiscard]] GeometryColumns read_columns(const Resources& resources, const SurveyReader& reader,
                                           const RowReader& rows, const GeometryPlan& plan,
                                           const ExpectedPositions* expected);

}  // namespace sill
