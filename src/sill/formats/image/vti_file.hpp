// VTK's files of grids: .vti, .vtr, .vts, and .pvd, which lists the files of the steps of a simulation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/image/image_file.hpp"
#include "sill/formats/image/vtk_grid.hpp"

namespace sill::image {

/// Local. Returns the layout of a file: of one step of the variables with steps if `of_steps`, otherwise of the
/// variables without steps; if the grid has coordinates, the file of a step contains all variables. Variables at points
/// become point data, those of cells cell data, all others field data. Arrays follow the text, each after its size, at
/// multiples of 8. Precondition: `grid` is the grid of the dataset. Errors: usage for text, because VTK has no text
/// arrays; otherwise as ncml_of, end_of. Source: "VTK XML File Formats", ImageData, RectilinearGrid, StructuredGrid,
/// appended data in raw encoding.
[[nodiscard]] ImageFile vtk_file_of(const DatasetDescription& description, const VtkGrid& grid, bool of_steps);
/// Local. Returns the layout of a .vti file whose position is stated by `origin` and `spacing`.
[[nodiscard]] ImageFile vti_file_of(const DatasetDescription& description, bool of_steps);

/// Local. Returns the text before the arrays in the file of a step that omits some variables: this text is as long as
/// the text of a step with all variables, and the remaining variables are at the same bytes. The positions of omitted
/// variables are holes. If the grid has coordinates and the dataset no steps, it is the text of its only file. Errors:
/// as vtk_file_of.
[[nodiscard]] std::string vtk_text_of_step(const DatasetDescription& description, const VtkGrid& grid,
                                           const LeftOut& left_out);

/// Local. Returns the contents of the file whose first bytes are `first_bytes`, or nullopt if `first_bytes` do not
/// contain the complete text before the arrays. Errors: input if it is not a .vti file, or a .vtr or .vts file of Sill,
/// with one piece and uncompressed raw appended data, if it is damaged, or if an array ends beyond the file.
[[nodiscard]] std::optional<ImageContents> parse_vti(std::span<const std::byte> first_bytes, std::int64_t file_bytes,
                                                     const std::string& path);

/// Local. Returns the text of a .pvd file.
[[nodiscard]] std::string pvd_text(std::span<const StepFile> steps);

/// Local. Returns the steps that a .pvd file lists, in its order. Errors: input if it is not a .pvd file.
[[nodiscard]] std::vector<StepFile> parse_pvd(const std::string& text, const std::string& path);

}  // namespace sill::image
