// Descriptions of raw files of other programs, for visualization programs.
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

/// The contents of the files: the arrays of one variable, row-major, one after another.
struct RawArrays {
  std::vector<std::string> files;  ///< in the order of their steps
  std::string variable = "values";
  ElementType type = ElementType::f4;
  ByteOrder order = ByteOrder::little;
  Index shape;                       ///< shape of a step, slowest dimension first: z, y, x and components
  std::int64_t skipped_bytes = 0;    ///< number of bytes of each file before the first step in it
  std::vector<double> origin = {};   ///< origin of the grid, slowest dimension first; empty: zeros
  std::vector<double> spacing = {};  ///< distance between points; empty: ones
};

/// Local. Writes an XDMF text that describes `arrays` in their files. It has one step per array, or no steps if there
/// is only one array, and appears when it is complete. Returns the number of arrays. Errors: usage for shapes and types
/// that cannot be described; input if the size of a file is not a multiple of the size of an array; io.
std::int64_t describe_arrays(const Resources& resources, const RawArrays& arrays, const std::string& to);

}  // namespace sill
