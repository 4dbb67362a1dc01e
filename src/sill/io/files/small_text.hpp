// Small texts read whole: options, profiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sill/comm/communicator.hpp"

namespace sill {

/// Local. The content of a file; nothing if it has more than `max_bytes`. Errors: io.
[[nodiscard]] std::optional<std::string> read_small_text(const std::string& path, std::int64_t max_bytes);

/// Collective. The content of a file of which `what` names the kind ("a table"): rank 0 reads it, so that all ranks
/// have the same. Errors: io, also if it is no regular file; usage if it has more than `max_bytes`.
[[nodiscard]] std::string read_text_on_all_ranks(Communicator& comm, const std::string& path, std::int64_t max_bytes,
                                                 std::string_view what);

}  // namespace sill
