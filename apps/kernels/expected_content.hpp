// Compares files with their expected content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "sill/layout/range.hpp"

namespace sill::kernels {

/// Generates the expected bytes `range` of a file. Called with ascending ranges without gaps.
using ExpectedContent = std::function<void(ByteRange range, std::span<std::byte> bytes)>;

/// Local. Reads the file block by block and compares it. Errors: input, with the first byte that differs, or both
/// sizes; io.
void require_content(const std::string& path, std::int64_t size_bytes, const ExpectedContent& expected);

}  // namespace sill::kernels
