// Sorts the traces of a survey.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sill/choose/permutation_method.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/words/key.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

struct SortOptions {
  std::string output;
  std::vector<segy::TraceKey> keys;         ///< in order of significance
  std::optional<PermutationMethod> method;  ///< empty: chosen automatically
  bool keep_sorting_code = false;           ///< leave bytes 3229-3230 unchanged
  bool renumber = false;                    ///< survey/edit/renumbering.hpp
  std::string history;                      ///< a line that is added to the text header, or empty
  /// Called on every rank with the chosen method, before it is used; may be empty.
  std::function<void(const PermutationChoice&)> explain;
};

struct SortResult {
  std::int64_t traces = 0;
  std::int64_t trace_bytes = 0;      ///< size of all traces
  std::int64_t gathers = 0;          ///< runs of equal first key
  std::int64_t smallest_gather = 0;  ///< number of traces in the smallest gather
  std::int64_t largest_gather = 0;
  std::int64_t deviating_traces = 0;  ///< traces whose headers state a different length than the file is read with
  int sorting_code_before = 0;        ///< sorting code of the first input; 0 for a Seismic Unix file, which has no
                                      ///< sorting code
  int sorting_code_after = 0;
  std::uint64_t stated_traces_before = 0;  ///< bytes 3513-3520, revision 2 or later, 0 if not stated
  std::uint64_t stated_traces_after = 0;
  std::int64_t trailers_left_away = 0;  ///< number of omitted trailers: trailers of all files except the first, 3200
                                        ///< bytes each
  PermutationChoice choice;
  segy::FileDescription first_input;
};

/// Collective. Writes the traces of `reader`, sorted by the keys, to `output`. The sort is stable: traces with equal
/// keys retain their order. File header, trace headers, samples and data trailers are copied byte for byte. File header
/// and trailers are copied from the first input; the sorting code and, with several inputs of revision 2, the number of
/// traces are set to their new values. The output appears under its name only when it is complete. Traces of different
/// lengths can only be sorted by a gather.
///
/// The order is proved on the bytes being written: each trace's keys are extracted from them again and compared with
/// its predecessor's. Memory: `resources.memory()` and 32 bytes per trace, for an equal share of all traces per rank.
/// Keys that need more take it from `resources.memory()`: a record has 8 bytes per word of keys and 8 more; sorting
/// needs it twice on several ranks or for keys of at most 8 bytes; with writers=first rank 0 stores the records of all
/// traces.
///
/// Errors: usage (no keys, output is one of the inputs, memory too small, a method that lengths or policy exclude);
/// input (see SurveyReader; no traces; keys that these traces do not have; contradicting lengths, see LengthCheck); io
/// (even if the input changes during the sort).
[[nodiscard]] SortResult sort(const Resources& resources, const SurveyReader& reader, const SortOptions& options);

}  // namespace sill
