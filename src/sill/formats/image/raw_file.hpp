// Arrays as bytes without a header, and the texts that describe them: XDMF, and MetaImage (.mhd).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/image/image_file.hpp"

namespace sill::image {

/// Local. Returns the file of the variables that have steps, of one step, or of those that have none: one behind the
/// other at multiples of 8. Errors: usage for u8, which readers of XDMF take for u4; as end_of.
[[nodiscard]] ImageFile raw_file_of(const DatasetDescription& description, bool of_steps);

/// Files of raw bytes: their names from the folder of the text that describes them on.
struct RawFiles {
  std::string constant = {};        ///< of variables without steps; empty: they are left out
  std::int64_t constant_begin = 0;  ///< where they begin
  std::span<const StepFile> steps = {};
  ByteOrder order = ByteOrder::little;
};

/// Local. Returns an XDMF text: a grid for each step, with all variables but those that it leaves out, or one grid, of
/// variables without steps.
/// Errors: as raw_file_of, ncml_of, grid_of. Source: "XDMF Model and Format", version 3.
[[nodiscard]] std::string xdmf_text(const DatasetDescription& description, const RawFiles& files);

/// Local. Returns a MetaImage header of a variable at points of the grid whose elements begin at byte `begin` of
/// `raw_name`. Errors: usage if the variable is none. Source: "MetaIO", tags of MetaImage.
[[nodiscard]] std::string mhd_text(const DatasetDescription& description, const Variable& variable,
                                   const std::string& raw_name, std::int64_t begin);

/// What a text describes: variables in files of bytes.
struct RawContents {
  struct Place {
    std::size_t file = 0;
    std::int64_t begin = 0;
  };
  DatasetDescription description;
  std::vector<std::string> files = {};  ///< from the folder of the text on
  std::int64_t steps = 0;
  /// Of variables without steps, by their place in the description; of others in step s at [s + 1].
  std::vector<std::vector<std::optional<Place>>> places = {};
  ByteOrder order = ByteOrder::little;
};

/// Local. Returns what an XDMF text describes. Errors: input unless it is one grid, or a temporal collection of grids
/// with the same variables (fewer in some where Sill wrote it), each of one DataItem of format Binary, and all of one
/// byte order.
[[nodiscard]] RawContents parse_xdmf(const std::string& text, const std::string& path);

/// Local. Returns what a MetaImage header describes: one variable, named as the file. Errors: input for compressed
/// elements, for lists of files, and for what is no MetaImage.
[[nodiscard]] RawContents parse_mhd(const std::string& text, const std::string& path);

}  // namespace sill::image
