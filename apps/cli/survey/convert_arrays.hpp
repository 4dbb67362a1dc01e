// sill convert, to arrays and back.
#pragma once

#include <string>
#include <vector>

#include "cli/session.hpp"

namespace sill::cli {

/// The options of `sill convert` that concern arrays.
struct ArraysArguments {
  std::string dimensions;
  std::vector<std::string> codecs;
  std::string chunks;
  std::string references;  ///< of --virtual
  bool replaces = false;
};

/// Local. Returns true if the options or names are those of a conversion to arrays or from arrays.
[[nodiscard]] bool concerns_arrays(const std::vector<std::string>& files, const std::string& output,
                                   const ArraysArguments& options);

/// Collective. Converts a survey to arrays, or arrays to a survey. Precondition: concerns_arrays returns true.
int convert_arrays(Session& session, const std::vector<std::string>& files, const std::string& output,
                   const ArraysArguments& options);

}  // namespace sill::cli
