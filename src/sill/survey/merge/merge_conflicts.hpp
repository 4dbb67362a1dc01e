// In what files that are to be merged contradict each other, by what they are and by their file headers.
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
  MergeRule rule = MergeRule::refuse;  ///< the one that counts
  std::string found;                   ///< "little in b.sgy and 2 more; big in a.sgy"
  std::string file;                    ///< the first input that contradicts
  bool cannot_keep = false;            ///< the first input has no place for what the rule `keep` carries

  /// Local. What the rule does.
  [[nodiscard]] std::string_view does() const;
};

/// Local. In what the descriptions of the files differ: those of files with traces, and of the first. Errors: input,
/// if they differ in the number of additional trace headers, which no rule is for.
[[nodiscard]] std::vector<MergeConflict> conflicts_of_forms(std::span<const segy::FileDescription> files,
                                                            const MergeRules& rules);

/// In what file headers and trailers differ from the first input's, and what an output gets of them.
struct HeaderConflicts {
  std::vector<MergeConflict> conflicts;
  std::vector<ByteRange> cleared;  ///< of the binary header, from 0 in its 400 bytes; on rank 0
  std::vector<std::byte> trailer;  ///< of the output; on rank 0
  std::int64_t trailers = 0;       ///< how many blocks of 3200 bytes those are
};

/// Collective. Rank 0 reads the headers, one file after another. Errors: io.
[[nodiscard]] HeaderConflicts conflicts_of_headers(const Resources& resources, const SurveyReader& reader,
                                                   const MergeRules& rules);

/// Collective. What trace headers state against the sorting code and the numbers in the file: codes 2 and 5 stay only
/// if the ensemble numbers (bytes 21-24) or field records (bytes 9-12) of no two inputs overlap, codes 6 to 9 are never
/// proved. Reads those four bytes of each trace where all inputs have code 2 or 5, and, unless `renumbers`, the first
/// and the last header of each input. Errors: io.
[[nodiscard]] std::vector<MergeConflict> conflicts_of_traces(const Resources& resources, const SurveyReader& reader,
                                                             const MergeRules& rules, bool renumbers);

/// Collective. The conflicts that rank 0 found, on every rank.
[[nodiscard]] std::vector<MergeConflict> shared(Communicator& comm, std::span<const MergeConflict> of_rank_0);

/// Local. Errors: input, naming all that are refused, and the rules there are.
void require_agreement(std::span<const MergeConflict> conflicts);

}  // namespace sill
