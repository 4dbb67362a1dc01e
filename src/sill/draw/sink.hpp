// The destination of the bytes of a picture.
#pragma once

#include <functional>
#include <string_view>

namespace sill::draw {

/// Receives the bytes of a file in order.
using Sink = std::function<void(std::string_view)>;

}  // namespace sill::draw
