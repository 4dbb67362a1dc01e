// What a rank of FLASH has, and what its files describe.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/io/arrays/array_part.hpp"

namespace sill::kernels {

/// The unknowns of a zone, of which the plot files hold the first.
inline constexpr std::array<std::string_view, 24> flash_unknowns{
    "dens", "pres", "temp", "ener", "velx", "vely", "velz", "gamc", "game", "enuc", "gpot", "eint",
    "h1",   "he4",  "c12",  "o16",  "ne20", "mg24", "si28", "s32",  "ar36", "ca40", "fe54", "ni56"};
inline constexpr std::int64_t flash_plotted = 4;
/// Numbers of blocks beside, above and below a block, as the tree of blocks has them.
inline constexpr std::int64_t flash_neighbours = 15;
inline constexpr std::int64_t flash_guard_cells = 4;

/// The variables that describe the blocks, before the unknowns of each file.
inline constexpr std::array<std::string_view, 6> flash_tree{"lrefine",     "nodetype",  "gid",
                                                            "coordinates", "blocksize", "bndbox"};

/// Local. Returns the description of a file with the first `unknowns` of these at `points` points of a block in each
/// direction.
[[nodiscard]] DatasetDescription flash_description(std::int64_t blocks, std::int64_t points, std::int64_t unknowns,
                                                   ElementType type);

/// Local. Returns the value of an unknown at a zone of a block, or at a corner.
[[nodiscard]] double flash_value(std::int64_t block, std::int64_t z, std::int64_t y, std::int64_t x,
                                 std::int64_t unknown);
/// Local. Returns an entry of a variable of the tree: `i` of a block.
[[nodiscard]] double flash_tree_value(std::size_t variable, std::int64_t block, std::int64_t i);

/// What a rank of FLASH has: all unknowns of a zone lie together, zones row by row with guard cells around each block.
class FlashArrays {
 public:
  /// Local. The blocks of a rank from `first_block` on, as a step of the program leaves them.
  FlashArrays(std::int64_t first_block, std::int64_t blocks, std::int64_t zones);

  std::int64_t first_block;
  std::int64_t blocks;
  std::int64_t zones;
  std::vector<std::int32_t> lrefine;
  std::vector<std::int32_t> nodetype;
  std::vector<std::int32_t> gid;    // 15 a block
  std::vector<double> coordinates;  // 3 a block
  std::vector<double> blocksize;    // 3 a block
  std::vector<double> bndbox;       // 3 x 2 a block
  std::vector<double> unknowns;     // block, z, y, x, unknown: with guard cells
  std::vector<double> corners;      // block, z, y, x, unknown: those of plot files
};

/// Local. Returns what a rank brings to a file with the first `unknowns` at zones, or at corners of zones: parts of
/// `arrays`.
[[nodiscard]] std::vector<ArrayPart> flash_parts(FlashArrays& arrays, std::int64_t unknowns, bool is_corner);

}  // namespace sill::kernels
