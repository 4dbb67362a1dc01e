// Small texts read whole: options, profiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sill {

/// Local. The content of a file; nothing if it has more than `max_bytes`. Errors: io.
[[nodiscard]] std::optional<std::string> read_small_text(const std::string& path, std::int64_t max_bytes);

}  // namespace sill
