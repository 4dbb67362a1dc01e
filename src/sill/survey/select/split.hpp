// Splits a survey into many files, one for each value of its keys.
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
  std::string pattern;                         ///< pattern of the output names (NamePattern)
  std::vector<segy::TraceKey> keys;            ///< at least one
  const segy::HeaderMap* words = nullptr;      ///< words for the placeholders of the pattern; nullptr: the words of the
                                               ///< survey
  std::optional<segy::Expression> where = {};  ///< a condition; without it, all traces
  std::int64_t max_files = 10'000;
  std::vector<std::string> kept = {};  ///< additional files that no output may replace
  OutputMarks marks = {};
};

struct SplitFile {
  std::string path;
  std::int64_t traces = 0;
};

struct SplitResult {
  std::int64_t traces = 0;
  std::int64_t bytes = 0;
  std::int64_t deviating_traces = 0;  ///< traces that state a different number of samples than they have
  std::vector<SplitFile> files;       ///< ordered by keys
};

/// Collective. Writes the traces with equal keys into one file each, in the order of the survey; file header and
/// trailers are copied from the first input. The files get their names when all are complete: an earlier error leaves
/// every target unchanged; an error during naming states which files have their new content. Every rank writes its own
/// files, unless there are fewer than two files per rank, or only one rank writes according to the policy: then all
/// ranks write each file together. Stores a TraceList for each file. Errors: usage (lists for which
/// `require_room_for_list` finds too little memory, an invalid pattern, more files than `max_files`, two files with one
/// name, an output that is an input, no trace); input (a value that cannot be used in a name); otherwise as
/// `write_selected`.
[[nodiscard]] SplitResult split(const Resources& resources, const SurveyReader& reader, const SplitOptions& options);

}  // namespace sill
