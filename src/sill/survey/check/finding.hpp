// What a check finds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sill/base/diagnostic.hpp"

namespace sill {

/// A finding about a file, and how many traces it concerns.
struct Finding {
  std::string kind;  ///< "duplicate-traces": stable, for programs; "description" for what describing the file found
  Diagnostic diagnostic = {};
  std::int64_t traces = 0;                      ///< 0 for what is about the file
  std::vector<std::int64_t> first_traces = {};  ///< the first of them, from 1, in ascending order
};

/// A header word that is the same in all traces.
struct SameWord {
  std::string name;
  int byte = 0;  ///< from 1
  std::string value;
  bool is_zero = false;
};

}  // namespace sill
