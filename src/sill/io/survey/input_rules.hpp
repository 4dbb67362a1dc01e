// How inputs are to be taken: what the user says that they are, and how bad a finding may be.
#pragma once

#include "sill/base/diagnostic.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"

namespace sill {

struct InputRules {
  segy::Assumptions assume = {};     ///< true of every input
  Grade stops_at = Grade::critical;  ///< a file with a finding of this grade, or a worse one, is refused
  /// Files that do not make one survey are accepted, and one file several times: for callers that treat each by itself.
  bool may_differ = false;
  bool ignores_journals =
      false;  ///< files with a journal that counts beside them are read on, which is a major finding
  bool despite_journals = false;  ///< also half edited files: for what words mean in them, which no edit changes
  /// Read what is left of a damaged file, such as the whole traces of one that was cut, in spite of critical findings.
  bool takes_damaged = false;
  /// Take the header words that indexes beside the files store; without it an index is looked for only where traces
  /// differ in length.
  bool index_words = false;
};

}  // namespace sill
