// Writing a survey into many files, one for each value of its keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/formats/segy/expression/expression.hpp"
#include "sill/formats/segy/words/key.hpp"
#include "sill/survey/select/write_selected.hpp"

namespace sill {

struct SplitOptions {
  std::string pattern;                         ///< of the outputs' names, as NamePattern reads it
  std::vector<segy::TraceKey> keys;            ///< at least one
  const segy::HeaderMap* words = nullptr;      ///< that the pattern's places name; nullptr: those of the survey
  std::optional<segy::Expression> where = {};  ///< a condition; all traces without one
  std::int64_t max_files = 10'000;
  std::vector<std::string> kept = {};  ///< files beside the inputs that no output may replace
  OutputMarks marks = {};
};

struct SplitFile {
  std::string path;
  std::int64_t traces = 0;
};

struct SplitResult {
  std::int64_t traces = 0;
  std::int64_t bytes = 0;
  std::int64_t deviating_traces = 0;  ///< which state another number of samples than they have
  std::vector<SplitFile> files;       ///< in the order of the keys
};

/// Collective. Writes the traces with equal keys into a file of their own, in the order of the survey; file header and
/// trailers are the first input's. The files get their names when all are complete: an error before leaves every target
/// as it was; one while they are named says which have their new content. Every rank writes files of its own, unless
/// there are fewer than two for each, or one rank alone writes by the policy: then all write each file together. Holds
/// a TraceList for each file. Errors: usage (lists for which `require_room_for_list` finds no room, a bad
/// pattern, more files than `max_files`, two files of one name, an output that is an input, no trace); input (a value
/// that cannot be part of a name); otherwise as `write_selected`.
[[nodiscard]] SplitResult split(const Resources& resources, const SurveyReader& reader, const SplitOptions& options);

}  // namespace sill
