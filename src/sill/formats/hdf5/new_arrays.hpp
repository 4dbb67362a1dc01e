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

/// Makes the objects of a new file.
class ArrayMaker {
 public:
  ArrayMaker() = default;
  ArrayMaker(const ArrayMaker&) = delete;
  ArrayMaker& operator=(const ArrayMaker&) = delete;
  virtual ~ArrayMaker() = default;
  /// Local. Makes a group, and the groups that contain it, if they do not exist.
  virtual void make_group(const std::string& path) = 0;
  /// Local. Makes an array in a group, which is made if it does not exist; "": the root. Returns its first byte.
  /// Consecutive arrays of one shape take the least time. Precondition: the array has elements.
  [[nodiscard]] virtual std::int64_t make_array(const std::string& group, const std::string& name, ElementType type,
                                                std::span<const std::int64_t> shape,
                                                std::span<const ScalarAttribute> attributes = {}) = 0;
};

/// The bytes of a new file except the elements, and the signature, whose bytes make the file valid.
struct NewArrays {
  std::vector<FilePiece> header = {};
  std::int64_t file_bytes = 0;
};

/// Local. Errors: usage if Sill was built without HDF5, or the library cannot be loaded.
void require_library();

/// Local. Returns the file with the objects that `make` makes, about `count` arrays, and these attributes of its root.
/// Errors: as require_library; usage if the library refuses an object; those of `make`.
[[nodiscard]] NewArrays new_arrays(std::int64_t count, std::span<const ScalarAttribute> attributes,
                                   const std::function<void(ArrayMaker&)>& make);

}  // namespace sill::hdf5
