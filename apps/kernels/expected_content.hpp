// Files compared with what must be in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "sill/layout/range.hpp"

namespace sill::kernels {

/// Makes what must be in the bytes `range` of a file; called with ascending ranges that leave no gap.
using ExpectedContent = std::function<void(ByteRange range, std::span<std::byte> bytes)>;

/// Local. Reads the file, a part at a time. Errors: input, naming the first byte that differs, or both sizes; io.
void require_content(const std::string& path, std::int64_t size_bytes, const ExpectedContent& expected);

}  // namespace sill::kernels
