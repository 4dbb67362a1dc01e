// VTK's files of regular grids: .vti, and .pvd, which lists those of the steps of a simulation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/image/image_file.hpp"

namespace sill::image {

/// Local. Returns the file of the variables that have steps, of one step, or of those that have none. Variables at
/// points of the grid are point data, all others field data; arrays lie behind the text, each after its size, at
/// multiples of
/// 8. Errors: usage for text, which VTK has no arrays of; as ncml_of, end_of, grid_of. Source: "VTK XML File Formats",
/// ImageData, appended data in raw encoding.
[[nodiscard]] ImageFile vti_file_of(const DatasetDescription& description, bool of_steps);

/// Local. Returns the text before the arrays in the file of a step that leaves some variables out: as long as that of
/// all, with the others at the same bytes. The places of those left out are holes. Errors: as vti_file_of.
[[nodiscard]] std::string vti_text_of_step(const DatasetDescription& description, const LeftOut& left_out);

/// Local. Returns what the file is whose first bytes are `first_bytes`, or nothing if the text before its arrays has
/// more bytes. Errors: input if it is no .vti file with one piece and raw appended data without compression, or a
/// damaged one, or an array ends beyond the file.
[[nodiscard]] std::optional<ImageContents> parse_vti(std::span<const std::byte> first_bytes, std::int64_t file_bytes,
                                                     const std::string& path);

/// Local. Returns the text of a .pvd file.
[[nodiscard]] std::string pvd_text(std::span<const StepFile> steps);

/// Local. Returns the steps that a .pvd file lists, in its order. Errors: input if it is none.
[[nodiscard]] std::vector<StepFile> parse_pvd(const std::string& text, const std::string& path);

}  // namespace sill::image
