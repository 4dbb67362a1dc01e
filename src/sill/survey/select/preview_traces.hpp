// The first few traces of a result, shown to the user and collected from all ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sill/comm/communicator.hpp"

namespace sill {

/// A trace and the text lines that describe it. The lines contain no newline characters.
struct ShownTrace {
  std::int64_t trace = 0;  ///< from 0, through all files
  std::vector<std::string> lines;
};

/// Local. Retains only the five traces with the lowest numbers, in ascending order.
void keep_first(std::vector<ShownTrace>& traces);

/// Collective. Returns the first five of the traces that all ranks pass, in ascending order. Errors: as all_gather_all.
[[nodiscard]] std::vector<ShownTrace> first_of_all(Communicator& comm, const std::vector<ShownTrace>& mine);

}  // namespace sill
