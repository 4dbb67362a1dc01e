// The data of a rank of FLASH, and the description of its files.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/io/arrays/array_part.hpp"

namespace sill::kernels {

/// The unknowns of a zone. The plot files contain the first ones.
inline constexpr std::array<std::string_view, 24> flash_unknowns{
    "dens", "pres", "temp", "ener", "velx", "vely", "velz", "gamc", "game", "enuc", "gpot", "eint",
    "h1",   "he4",  "c12",  "o16",  "ne20", "mg24", "si28", "s32",  "ar36", "ca40", "fe54", "ni56"};
inline constexpr std::int64_t flash_plotted = 4;
/// Numbers of the blocks next to a block, above and below it in the tree of blocks.
inline constexpr std::int64_t flash_neighbours = 15;
inline constexpr std::int64_t flash_guard_cells = 4;

/// The variables that describe the blocks, before the unknowns of each file.
inline constexpr std::array<std::string_view, 6> flash_tree{"lrefine",     "nodetype",  "gid",
                                                            "coordinates", "blocksize", "bndbox"};

/// Local. Returns the description of a file with the first `unknowns` of `flash_unknowns`, at `points` points per block
/// in each direction.
[[nodiscard]] DatasetDescription flash_description(std::int64_t blocks, std::int64_t points, std::int64_t unknowns,
                                                   ElementType type);

/// Local. Returns the value of an unknown in a block: at a zone or, for the file of corners, at a corner of zones.
[[nodiscard]] double flash_value(std::int64_t block, std::int64_t z, std::int64_t y, std::int64_t x,
                                 std::int64_t unknown);
/// Local. Returns entry `i` of a block in a variable of `flash_tree`.
[[nodiscard]] double flash_tree_value(std::size_t variable, std::int64_t block, std::int64_t i);

/// The data of a rank of FLASH: all unknowns of a zone are adjacent in memory, and zones are stored row by row with
/// guard cells around each block.
class FlashArrays {
 public:
  /// Local. Computes the blocks of a rank, starting at `first_block`, at the end of a step of the program.
  FlashArrays(std::int64_t first_block, std::int64_t blocks, std::int64_t zones);

  std::int64_t first_block;
  std::int64_t blocks;
  std::int64_t zones;
  std::vector<std::int32_t> lrefine;
  std::vector<std::int32_t> nodetype;
  std::vector<std::int32_t> gid;    // 15 per block
  std::vector<double> coordinates;  // 3 per block
  std::vector<double> blocksize;    // 3 per block
  std::vector<double> bndbox;       // 3 x 2 per block
  std::vector<double> unknowns;     // block, z, y, x, unknown: with guard cells
  std::vector<double> corners;      // block, z, y, x, unknown: the unknowns of plot files
};

/// Local. Returns the sections of `arrays` that a rank writes to a file: the first `unknowns` unknowns, at corners of
/// zones if `is_corner`, otherwise at zones.
[[nodiscard]] std::vector<ArrayPart> flash_parts(FlashArrays& arrays, std::int64_t unknowns, bool is_corner);

}  // namespace sill::kernels
