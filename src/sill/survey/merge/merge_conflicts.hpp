// Finds the contradictions between files to merge, in their descriptions and their headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/layout/range.hpp"
#include "sill/survey/merge/merge_rules.hpp"

namespace sill {

/// One property in which inputs contradict each other.
struct MergeConflict {
  MergeProperty property = MergeProperty::files;
  MergeRule rule = MergeRule::refuse;  ///< the rule that applies
  std::string found;                   ///< "little in b.sgy and 2 more; big in a.sgy"
  std::string file;                    ///< the first input that contradicts the others
  bool cannot_keep = false;            ///< the first input has no place for the data that `keep` would retain

  /// Local. Returns a description of the rule's effect.
  [[nodiscard]] std::string_view does() const;
};

/// Local. Returns the differences between the descriptions of the files, considering the first file and all files with
/// traces. Errors: input, if the files differ in the number of additional trace headers, for which there is no rule.
[[nodiscard]] std::vector<MergeConflict> conflicts_of_forms(std::span<const segy::FileDescription> files,
                                                            const MergeRules& rules);

/// The differences of file headers and trailers from the first input's, and the resulting header and trailers of an
/// output.
struct HeaderConflicts {
  std::vector<MergeConflict> conflicts;
  std::vector<ByteRange> cleared;  ///< ranges of the binary header that are set to 0, counted from 0 in its 400 bytes;
                                   ///< on rank 0
  std::vector<std::byte> trailer;  ///< trailers of the output; on rank 0
  std::int64_t trailers = 0;       ///< number of trailer blocks of 3200 bytes
};

/// Collective. Compares file headers and trailers. Rank 0 reads the headers, one file after another. Errors: io.
[[nodiscard]] HeaderConflicts conflicts_of_headers(const Resources& resources, const SurveyReader& reader,
                                                   const MergeRules& rules);

/// Collective. Returns contradictions of trace headers to the sorting code and to the trace numbers within the file.
/// Sorting codes 2 and 5 are retained only if the ensemble numbers (bytes 21-24) or field records (bytes 9-12) of no
/// two inputs overlap; codes 6 to 9 can never be proved. Reads the ensemble number or the field record of each trace if
/// all inputs have code 2 or 5, and, unless `renumbers`, the first and the last header of each input. Errors: io.
[[nodiscard]] std::vector<MergeConflict> conflicts_of_traces(const Resources& resources, const SurveyReader& reader,
                                                             const MergeRules& rules, bool renumbers);

/// Collective. Returns the conflicts that rank 0 found, on every rank.
[[nodiscard]] std::vector<MergeConflict> shared(Communicator& comm, std::span<const MergeConflict> of_rank_0);

/// Local. Checks that no conflict is refused. Errors: input, naming all refused conflicts and the available rules.
void require_agreement(std::span<const MergeConflict> conflicts);

}  // namespace sill
