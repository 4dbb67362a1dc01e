// Finds pairs of traces of two surveys that were recorded at nearly the same positions.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sill/formats/segy/description/interval_word.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// The distance measure between two traces.
enum class PositionMeasure : std::uint8_t {
  dsdr,    ///< distance of the sources + distance of the receivers, in the unit of the coordinates
  azimuth  ///< difference of the directions from source to receiver, in degrees
};

struct PairingOptions {
  PositionMeasure measure = PositionMeasure::dsdr;
  bool reciprocal = false;  ///< source and receiver of one trace may be exchanged
  double max_distance = std::numeric_limits<double>::max();
  bool reads_times = false;  ///< also returns the start times of the traces
  bool reuse = false;        ///< each base trace gets its nearest monitor trace, which may have several base traces
  std::string same = {};     ///< keys, separated by commas, that must be equal in both traces of a pair; or empty
};

struct PositionPair {
  std::int64_t base = 0;  ///< trace numbers, from 0
  std::int64_t monitor = 0;
  double distance = 0.0;
  double x = 0.0;  ///< midpoint of source and receiver of the base trace
  double y = 0.0;
  double base_start_us = 0.0;  ///< time of the first sample of each trace, if requested; NaN: the trace is marked as
                               ///< dead, or states another sample interval, which the user has not overridden
  double monitor_start_us = 0.0;
};

struct PositionPairs {
  std::vector<PositionPair> own;  ///< this rank's share, in the order of the base traces; shares are equal
  std::int64_t count = 0;         ///< number of pairs of all ranks
  std::int64_t auxiliary = 0;     ///< traces of both surveys that are not seismic data, and are not paired
  std::array<segy::OtherIntervals, 2> other_intervals;  ///< of base and monitor, if times are requested
};

/// Collective. Pairs traces by their positions. Unless monitor traces may be shared, pairs are selected in the order of
/// (distance, base, monitor), each trace once: the nearest traces are paired first, so the monitor trace of a later
/// pair is not always the nearest one to its base trace. Reads the headers of both surveys once. Rank 0 uses about 350
/// bytes for each trace. Expected cost O(n log n). Errors: usage, if the memory is too small, for a text key, or if the
/// measurement systems of the surveys differ; input at a trace whose coordinates are not lengths or not finite; input,
/// if no trace of a survey has a position; io.
[[nodiscard]] PositionPairs pair_by_position(const Resources& resources, const SurveyReader& base,
                                             const SurveyReader& monitor, const PairingOptions& options);

}  // namespace sill
