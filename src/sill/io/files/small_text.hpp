// Reading of small text files such as options and profiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sill/comm/communicator.hpp"

namespace sill {

/// Local. Returns the content of a file, or nullopt if the file has more than `max_bytes`. Errors: io.
[[nodiscard]] std::optional<std::string> read_small_text(const std::string& path, std::int64_t max_bytes);

/// Collective. Returns the content of a file on all ranks; rank 0 reads it. `what` names the kind of file ("a table").
/// Errors: io, also if it is not a regular file; usage if it has more than `max_bytes`.
[[nodiscard]] std::string read_text_on_all_ranks(Communicator& comm, const std::string& path, std::int64_t max_bytes,
                                                 std::string_view what);

}  // namespace sill
