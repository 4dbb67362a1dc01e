// Reads values of header words and expressions: the values of some traces, the extremes of all, and the order by them.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sill/formats/segy/words/key.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/layout/range.hpp"

namespace sill {

/// Collective. Returns the values of `keys` for this rank's `traces`: the values of the first key, trace by trace, then
/// the values of the second key, and so on; NaN for text. Ranges of ranks may overlap or be empty; each rank reads its
/// headers once. Errors: usage for traces that do not exist; io; input if a trace does not have a value.
[[nodiscard]] std::vector<double> read_values(const Resources& resources, const SurveyReader& reader, ItemRange traces,
                                              std::span<const segy::TraceKey> keys);

/// A value and the first trace that has it, from 0; -1 if there is none.
struct KeyExtreme {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::int64_t trace = -1;

  /// Local. Takes another value if it is larger (`sign` 1) or smaller (-1), or equal and of an earlier trace.
  void take(const KeyExtreme& other, double sign) {
    const double difference = sign * (other.value - value);
    if (other.trace >= 0 && (trace < 0 || difference > 0.0 || (difference == 0.0 && other.trace < trace)))
      *this = other;
  }
};

struct KeyExtremes {
  KeyExtreme smallest;
  KeyExtreme largest;
};

/// Collective. Returns the smallest and the largest finite value of a key over all traces, and the first traces that
/// have them. Errors: as `read_values`.
[[nodiscard]] KeyExtremes find_extremes(const Resources& resources, const SurveyReader& reader,
                                        const segy::TraceKey& key);

/// Collective. Returns this rank's block (block_of) of the numbers of all traces, from 0, in the order of `keys`;
/// traces with equal keys are in the order of the survey. Stores two records of the keys for each trace of a rank's
/// share. Errors: as `read_values`; usage for keys of more than 64 bytes.
[[nodiscard]] std::vector<std::int64_t> find_order(const Resources& resources, const SurveyReader& reader,
                                                   std::span<const segy::TraceKey> keys);

}  // namespace sill
