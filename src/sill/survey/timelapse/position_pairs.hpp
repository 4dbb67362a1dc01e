// Pairs of traces of two surveys that were recorded at nearly the same positions.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// What makes two traces near each other.
enum class PositionMeasure : std::uint8_t {
  dsdr,    ///< distance of the sources + distance of the receivers, in the unit of the coordinates
  azimuth  ///< difference of the directions from source to receiver, in degrees
};

struct PairingOptions {
  PositionMeasure measure = PositionMeasure::dsdr;
  bool reciprocal = false;  ///< source and receiver of one trace may be exchanged
  double max_distance = std::numeric_limits<double>::max();
  bool reads_times = false;
  bool reuse = false;     ///< each base trace gets its nearest monitor trace, which several may share
  std::string same = {};  ///< keys, separated by commas, that both traces of a pair have alike; or none
};

struct PositionPair {
  std::int64_t base = 0;  ///< trace numbers, from 0
  std::int64_t monitor = 0;
  double distance = 0.0;
  double x = 0.0;  ///< midpoint of source and receiver of the base trace
  double y = 0.0;
  double base_start_us = 0.0;  ///< times of the first samples, where they were asked for
  double monitor_start_us = 0.0;
};

struct PositionPairs {
  std::vector<PositionPair> own;  ///< this rank's share, in the order of the base traces; equal shares
  std::int64_t count = 0;         ///< of all ranks
  std::int64_t auxiliary = 0;     ///< traces of both that are no seismic data, and take no part
};

/// Collective. Pairs traces by their positions. Unless monitor traces may be shared, pairs are taken in the order of
/// (distance, base, monitor), each trace once: what is nearest goes together first, so not every pair is the nearest
/// that it could be. Reads the headers of both surveys once. Rank 0 holds about 350 bytes for each trace. Expected cost
/// O(n log n). Errors: usage, if the memory does not hold that, for a key of text, or if the measurement systems of the
/// surveys differ; input at the trace whose coordinates are no lengths or not finite; input, if no trace of a survey
/// has a position; io.
[[nodiscard]] PositionPairs pair_by_position(const Resources& resources, const SurveyReader& base,
                                             const SurveyReader& monitor, const PairingOptions& options);

}  // namespace sill
