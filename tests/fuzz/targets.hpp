// What fuzzers feed with arbitrary bytes: each parser of what users bring. None may crash, hang, or take memory out of
// proportion to its input; errors other than sill::Error are faults.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace sill::fuzz {

struct Target {
  std::string_view name;
  void (*feed)(std::span<const std::byte> input);
};

/// Local. All targets: segy (a whole file, as SEG-Y or Seismic Unix), map (header maps), stanza (extended text headers
/// with a layout), policy, expression (keys, conditions, assignments, evaluated on header bytes), window (windows of
/// time), image (files of VTK, XDMF, MetaImage), hdf5 and zarr (files of arrays, with their elements), survey (a recipe
/// of a whole file and of changes to it, then the operations on it).
[[nodiscard]] std::span<const Target> targets();

}  // namespace sill::fuzz
