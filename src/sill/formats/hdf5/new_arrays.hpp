// New files of HDF5 that consist of contiguous arrays in groups.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "sill/formats/array/element_type.hpp"
#include "sill/formats/array/file_piece.hpp"

namespace sill::hdf5 {

/// A scalar attribute: i8, f8, or ASCII text.
struct ScalarAttribute {
  const char* name;
  std::variant<std::int64_t, double, std::string> value;
};

/// An array with elements. The groups in its path are made if they do not exist.
struct NewArray {
  std::string path = {};
  ElementType type = ElementType::u1;
  std::vector<std::int64_t> shape = {};
  std::span<const ScalarAttribute> attributes = {};
};

/// The arrays of a new file. Consecutive arrays in one group, and of one shape, take the least time.
struct NewArrays {
  std::int64_t count = 0;
  std::function<NewArray(std::int64_t)> array;       ///< returns array i
  std::vector<std::string> groups = {};              ///< more groups, which may be empty
  std::span<const ScalarAttribute> attributes = {};  ///< of the file
};

/// The bytes of a new file except the elements, and the signature, whose bytes make the file valid.
struct ArraysLayout {
  std::vector<FilePiece> header = {};
  std::vector<std::int64_t> begins = {};  ///< first byte of each array
  std::int64_t file_bytes = 0;
};

/// Local. Errors: usage if Sill was built without HDF5, or the library cannot be loaded.
void require_library();

/// Local. Returns the file that the library makes. Errors: as require_library; usage if the library refuses an array;
/// those of NewArrays::array.
[[nodiscard]] ArraysLayout lay_out(const NewArrays& arrays);

}  // namespace sill::hdf5
