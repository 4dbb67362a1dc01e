// Arrays as bytes without a header, and the texts that describe them: XDMF and MetaImage (.mhd).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/image/image_file.hpp"

namespace sill::image {

/// Local. Returns the layout of a file: of one step of the variables with steps if `of_steps`, otherwise of the
/// variables without steps. Arrays follow each other at multiples of 8. Errors: usage for u8, which readers of XDMF
/// read as u4; otherwise as end_of.
[[nodiscard]] ImageFile raw_file_of(const DatasetDescription& description, bool of_steps);

/// Raw data files. Their names are relative to the folder of the text file that describes them.
struct RawFiles {
  std::string constant = {};        ///< file of the variables without steps; empty: they are omitted
  std::int64_t constant_begin = 0;  ///< first byte of these variables
  std::span<const StepFile> steps = {};
  ByteOrder order = ByteOrder::little;
};

/// Local. Returns an XDMF text: one grid per step, with all variables except those that the step omits, or one grid
/// with the variables without steps. Errors: as raw_file_of, ncml_of, grid_of. Source: "XDMF Model and Format", version
/// 3.
[[nodiscard]] std::string xdmf_text(const DatasetDescription& description, const RawFiles& files);

/// Local. Returns a MetaImage header of a variable at points of the grid whose elements begin at byte `begin` of
/// `raw_name`. Errors: usage if the values of the variable are not at points of the grid. Source: "MetaIO", tags of
/// MetaImage.
[[nodiscard]] std::string mhd_text(const DatasetDescription& description, const Variable& variable,
                                   const std::string& raw_name, std::int64_t begin);

/// The variables in raw data files that a text describes.
struct RawContents {
  struct Place {
    std::size_t file = 0;
    std::int64_t begin = 0;
    std::int64_t stride = 0;  ///< bytes from one element to the next; 0: they are contiguous
  };
  DatasetDescription description;
  std::vector<std::string> files = {};  ///< relative to the folder of the text
  std::int64_t steps = 0;
  /// Element [0] contains the positions of variables without steps, element [s + 1] the positions of the other
  /// variables in step s. The index of a position is the index of the variable in the description; nullopt if the text
  /// does not contain the variable.
  std::vector<std::vector<std::optional<Place>>> places = {};
  ByteOrder order = ByteOrder::little;
};

/// Local. Returns the contents that an XDMF text describes. Errors: input unless the text contains one grid, or a
/// temporal collection of grids with the same variables (in files of Sill, some steps may have fewer), each variable
/// with one DataItem of format Binary, and all of one byte order.
[[nodiscard]] RawContents parse_xdmf(const std::string& text, const std::string& path);

/// Local. Returns the contents that a MetaImage header describes: one variable, named after the file. Errors: input for
/// compressed elements, for lists of files, and for a text that is not a MetaImage header.
[[nodiscard]] RawContents parse_mhd(const std::string& text, const std::string& path);

}  // namespace sill::image
