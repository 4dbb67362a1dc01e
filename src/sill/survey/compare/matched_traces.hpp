// Matches the traces of two surveys that have the same keys.
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

/// Traces whose keys do not occur in the other survey.
struct UnmatchedTraces {
  std::int64_t traces = 0;
  std::vector<NamedTrace> first;  ///< the first five at most, in ascending order
};

struct MatchedTraces {
  /// For each trace of `a` in this rank's range, the trace of `b`, from 0; -1 if there is none.
  std::vector<std::int64_t> partners;
  std::int64_t pairs = 0;  ///< number of pairs on all ranks
  UnmatchedTraces only_a;
  UnmatchedTraces only_b;
};

/// Collective. Matches traces by `keys`, a comma-separated list of words or expressions, which are evaluated with each
/// survey's own words. `ranges` contains one range of traces of `a` per rank, ascending and complete: each rank
/// receives the partners of its range. Reads the headers of both surveys once. Stores two records of the keys for each
/// trace of a rank's block of both surveys; later 16 bytes for each pair, twice, and 8 for each trace of its range.
/// Errors: usage for an invalid key, a key that differs in type between the surveys, a key shared by two traces of one
/// survey (the error names both), and keys that do not fit into the memory of a rank; io.
[[nodiscard]] MatchedTraces match_traces(const Resources& resources, const SurveyReader& a, const SurveyReader& b,
                                         const std::string& keys, std::span<const ItemRange> ranges);

}  // namespace sill
