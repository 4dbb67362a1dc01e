// Sorting the traces of a survey.
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
  std::vector<segy::TraceKey> keys;         ///< the first counts most
  std::optional<PermutationMethod> method;  ///< empty: chosen
  bool keep_sorting_code = false;           ///< leave bytes 3229-3230 as they are
  bool renumber = false;                    ///< survey/edit/renumbering.hpp
  std::string history;                      ///< a line to be added to the text header, or empty
  /// Called on every rank with what will be done, before it is done; may be empty.
  std::function<void(const PermutationChoice&)> explain;
};

struct SortResult {
  std::int64_t traces = 0;
  std::int64_t trace_bytes = 0;      ///< of all traces
  std::int64_t gathers = 0;          ///< runs of equal first key
  std::int64_t smallest_gather = 0;  ///< traces in it
  std::int64_t largest_gather = 0;
  std::int64_t deviating_traces = 0;  ///< whose headers state a different length than the file is read with
  int sorting_code_before = 0;        ///< of a Seismic Unix file, which has none, 0 both times
  int sorting_code_after = 0;
  std::uint64_t stated_traces_before = 0;  ///< bytes 3513-3520 from revision 2 on, 0 if not stated
  std::uint64_t stated_traces_after = 0;
  std::int64_t trailers_left_away = 0;  ///< of all files but the first, 3200 bytes each
  PermutationChoice choice;
  segy::FileDescription first_input;
};

/// Collective. Writes the traces of `reader`, sorted by the keys, to `output`. Stable: traces of equal keys keep
/// their order. File header, trace headers, samples and data trailers are carried byte for byte; file header and
/// trailers are the first input's, with the sorting code and, of several inputs of revision 2, the number of traces set
/// to what is now true. The output appears under its name only when it is complete. Traces of different lengths can
/// only be gathered.
///
/// The order is proved on the bytes being written: each trace's keys are taken from them again and compared with its
/// predecessor's. Memory: `resources.memory()` and 32 bytes per trace, an equal share of all traces for each rank. Keys
/// that need more (a record has 8 bytes a word of keys and 8 more; sorting needs it twice on several ranks or for keys
/// of 8 bytes at most; with writers=first rank 0 holds the traces of all) take it from that memory.
///
/// Errors: usage (no keys, output is one of the inputs, memory too small, a method that lengths or policy rule out);
/// input (see SurveyReader; no traces; keys that
/// these traces do not have; lengths that contradict, see LengthCheck); io (also when the input changes meanwhile).
[[nodiscard]] SortResult sort(const Resources& resources, const SurveyReader& reader, const SortOptions& options);

}  // namespace sill
