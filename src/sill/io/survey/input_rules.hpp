// Rules for inputs: the user's assumptions about them, and the findings that are accepted.
#pragma once

#include "sill/base/diagnostic.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"

namespace sill {

struct InputRules {
  segy::Assumptions assume = {};     ///< applied to every input
  Grade stops_at = Grade::critical;  ///< a file with a finding of this grade or a worse one is rejected
  /// Accepts files that do not form one survey, and repeated files: for callers that process each file independently.
  bool may_differ = false;
  bool ignores_journals = false;  ///< accepts files with a journal that applies, as a major finding
  bool despite_journals = false;  ///< also reads half-edited files: for the meaning of their words, which edits do not
                                  ///< change
  /// Reads the usable part of a damaged file, such as the complete traces of a truncated one, in spite of critical
  /// findings.
  bool takes_damaged = false;
  /// Uses the header words in the indexes stored next to the files. If false, an index is read only if traces differ in
  /// length.
  bool index_words = false;
};

}  // namespace sill
