// A few traces that are shown to people, found by many ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sill/comm/communicator.hpp"

namespace sill {

/// A trace and lines about it, which hold no ends of line.
struct ShownTrace {
  std::int64_t trace = 0;  ///< from 0, through all files
  std::vector<std::string> lines;
};

/// Local. Keeps the first five of them, in order.
void keep_first(std::vector<ShownTrace>& traces);

/// Collective. The first five of those that all ranks bring, in order. Errors: as all_gather_all.
[[nodiscard]] std::vector<ShownTrace> first_of_all(Communicator& comm, const std::vector<ShownTrace>& mine);

}  // namespace sill
