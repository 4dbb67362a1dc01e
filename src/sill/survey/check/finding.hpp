// The findings of a check.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sill/base/diagnostic.hpp"

namespace sill {

/// A finding about a file, and the number of traces it concerns.
struct Finding {
  std::string kind;  ///< such as "duplicate-traces", stable for programs; "description" for file diagnostics
  Diagnostic diagnostic = {};
  std::int64_t traces = 0;                      ///< number of traces that the finding concerns; 0 if it concerns the
                                                ///< complete file
  std::vector<std::int64_t> first_traces = {};  ///< the first traces that the finding concerns, from 1, in ascending
                                                ///< order
};

/// A header word that is the same in all traces.
struct SameWord {
  std::string name;
  int byte = 0;  ///< from 1
  std::string value;
  bool is_zero = false;
};

}  // namespace sill
