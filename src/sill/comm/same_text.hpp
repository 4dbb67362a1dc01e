// Verifies that all ranks passed the same arguments.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sill/comm/communicator.hpp"

namespace sill {

/// Collective. Verifies that `text()` is the same on all ranks, by comparing hashes of the texts. For arguments that
/// must be the same: ranks with different file names, for example, would write pieces of different files. Errors:
/// usage, on all ranks, with `problem` and `action`, if the texts differ; any error that `text` throws.
void require_same_on_all(Communicator& comm, const std::function<std::string()>& text, std::string_view problem,
                         std::string_view action = "pass the same values on all ranks of the communicator");

/// An argument that must be the same on all ranks.
struct NamedText {
  std::string name;
  std::string text;
};
/// Collective. Verifies that all arguments that `texts()` returns are the same on all ranks. Precondition: the number
/// of arguments is the same on all ranks. Errors: usage, on all ranks, with `problem` and the names of the arguments
/// that differ; any error that `texts` throws.
void require_same_on_all(Communicator& comm, const std::function<std::vector<NamedText>()>& texts,
                         std::string_view problem);

}  // namespace sill
