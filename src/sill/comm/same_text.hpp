// Whether ranks were given the same.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sill/comm/communicator.hpp"

namespace sill {

/// Collective. Whether `text()` is the same on all ranks, by its hash. Errors: what `text` throws, on all ranks.
[[nodiscard]] bool is_same_on_all(Communicator& comm, const std::function<std::string()>& text);

/// Collective. Errors: usage, on all ranks, with `problem` and `action`, if `text()` is not the same on all; what
/// `text` throws.
void require_same_on_all(Communicator& comm, const std::function<std::string()>& text, std::string_view problem,
                         std::string_view action = "give all ranks of the communicator the same");

}  // namespace sill
