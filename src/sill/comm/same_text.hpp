// Whether ranks were given the same.
#pragma once

#include <functional>
#include <string>

#include "sill/comm/communicator.hpp"

namespace sill {

/// Collective. Whether `text()` is the same on all ranks, by its hash. Errors: what `text` throws, on all ranks.
[[nodiscard]] bool is_same_on_all(Communicator& comm, const std::function<std::string()>& text);

}  // namespace sill
