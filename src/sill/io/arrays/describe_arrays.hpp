// Files of bytes that other programs wrote, described for programs of visualization.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/array/element_type.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/layout/box.hpp"

namespace sill {

/// What the files hold: the arrays of one variable, row-major, one after another.
struct RawArrays {
  std::vector<std::string> files;  ///< in the order of their steps
  std::string variable = "values";
  ElementType type = ElementType::f4;
  ByteOrder order = ByteOrder::little;
  Index shape;                       ///< of a step, slowest first: z, y, x and components
  std::int64_t skipped_bytes = 0;    ///< of each file, before its first step
  std::vector<double> origin = {};   ///< of the grid, slowest first; empty: zeros
  std::vector<double> spacing = {};  ///< empty: ones
};

/// Local. Writes an XDMF text, which appears when it is complete, that describes `arrays` where they lie: a step for
/// each array, or no steps if there is one alone. Returns how many arrays there are. Errors: usage for shapes and types
/// that cannot be described; input if the bytes of a file are not a number
/// of whole arrays; io.
std::int64_t describe_arrays(const Resources& resources, const RawArrays& arrays, const std::string& to);

}  // namespace sill
