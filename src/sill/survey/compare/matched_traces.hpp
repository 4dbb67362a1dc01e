// The traces of two surveys that have the same keys.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/layout/range.hpp"

namespace sill {

/// A trace and its keys.
struct NamedTrace {
  std::int64_t trace = 0;  ///< from 1
  std::string keys;        ///< "iline 5, xline 6"
};

/// Traces whose keys no trace of the other survey has.
struct UnmatchedTraces {
  std::int64_t traces = 0;
  std::vector<NamedTrace> first;  ///< the first five at most, by number
};

struct MatchedTraces {
  /// For each trace of `a` in this rank's range the trace of `b`, from 0; -1: there is none.
  std::vector<std::int64_t> partners;
  std::int64_t pairs = 0;  ///< of all ranks
  UnmatchedTraces only_a;
  UnmatchedTraces only_b;
};

/// Collective. Matches traces by `keys`, a comma-separated list of words or expressions in each survey's own words.
/// `ranges` are the traces of `a` whose partners each rank is to know: one for each rank, ascending, together all of
/// them. Reads the headers of both once. Holds two records of the keys for each trace of a rank's share
/// of both, later 16 bytes for each pair, twice, and 8 for each trace of its range. Errors: usage: a key that is none,
/// that differs in type between the two, or that two traces of one survey share (both are named); keys that the memory
/// of a rank does not hold; io.
[[nodiscard]] MatchedTraces match_traces(const Resources& resources, const SurveyReader& a, const SurveyReader& b,
                                         const std::string& keys, std::span<const ItemRange> ranges);

}  // namespace sill
