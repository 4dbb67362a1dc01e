// Where the bytes of a picture go.
#pragma once

#include <functional>
#include <string_view>

namespace sill::draw {

/// Takes bytes of a file in turn.
using Sink = std::function<void(std::string_view)>;

}  // namespace sill::draw
