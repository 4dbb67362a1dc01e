// Finds bytes that number the traces as a grid, if inline and crossline numbers are not at their usual positions.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/detect/byte_labels.hpp"
#include "sill/survey/geometry/survey_geometry.hpp"

namespace sill {

/// Sampled trace headers: 240 bytes each, in trace order.
struct SampledHeaders {
  std::span<const std::byte> bytes;
  ByteOrder byte_order = ByteOrder::big;
  std::int64_t consecutive = 0;  ///< traces per group of consecutive traces; the groups are apart
  std::int64_t traces = 0;       ///< number of traces of the complete survey
};

/// Restricts the candidates.
struct CandidateRules {
  std::span<const segy::ByteLabel> labels = {};  ///< byte labels in the text header
  bool uses_ensemble_coordinates = false;        ///< bytes 181-188 are positions, not numbers
  bool standard_words = true;                    ///< both numbers may be in standard words of bytes 1-28
};

/// Local. Returns up to three pairs of byte positions whose numbers form a grid in trace order, the most probable
/// first: first positions that the text header names, then bytes 181-240, then tracr, fldr, ep and cdp. In a grid, one
/// number (the slow one) is constant or changes in one direction. While it is constant, the other changes by the same
/// step in four of five traces; when it changes, the other starts again; and no pair of numbers recurs. Numbers have
/// four bytes, in bytes 181-240 also two.
[[nodiscard]] std::vector<GridCandidate> grid_candidates(const SampledHeaders& headers, const CandidateRules& rules);

}  // namespace sill
