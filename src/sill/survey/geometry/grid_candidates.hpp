// Finding bytes that number the traces as a grid, where inlines and crosslines are not where they are looked for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/detect/byte_labels.hpp"
#include "sill/survey/geometry/survey_geometry.hpp"

namespace sill {

/// Trace headers that were looked at: 240 bytes each, in trace order.
struct SampledHeaders {
  std::span<const std::byte> bytes;
  ByteOrder byte_order = ByteOrder::big;
  std::int64_t consecutive = 0;  ///< so many follow one another; then others, further on, do
  std::int64_t traces = 0;       ///< of the whole survey
};

/// Which candidates are sought.
struct CandidateRules {
  std::span<const segy::ByteLabel> labels = {};  ///< of the text header
  bool uses_ensemble_coordinates = false;        ///< bytes 181-188 are positions: they are no numbers
  bool standard_words = true;                    ///< both numbers may lie in words that the standard has in bytes 1-28
};

/// Local. Up to three pairs of places whose numbers make a grid in the order of the traces, the likeliest first: those
/// that the text header names, then those of bytes 181-240, then tracr, fldr, ep and cdp. One number (the slow one)
/// stays or goes one way; while it stays, the other goes on by one step in four of five traces; when it changes, the
/// other begins again; and no pair of numbers comes back. Numbers are of four bytes, in bytes 181-240 also of two.
[[nodiscard]] std::vector<GridCandidate> grid_candidates(const SampledHeaders& headers, const CandidateRules& rules);

}  // namespace sill
