// Images as the bytes of PNG files, and bytes as text.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sill/flow/view/drawing.hpp"

namespace sill::cli {

/// Local. The bytes of a PNG file. Errors: io, if libpng refuses or there is no memory.
[[nodiscard]] std::string png_of(const flow::view::Image& image);

/// Local. All of a drawing as pixels.
[[nodiscard]] flow::view::Image rendered(const flow::view::Drawing& drawing);

/// Local. Source: RFC 4648, section 4.
[[nodiscard]] std::string base64_of(std::span<const std::byte> bytes);

}  // namespace sill::cli
