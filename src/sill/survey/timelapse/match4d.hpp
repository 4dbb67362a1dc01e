// Matches two surveys of one area at different times: pairs of traces that were recorded at nearly the same positions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sill/formats/segy/samples/time_window.hpp"
#include "sill/survey/select/write_selected.hpp"
#include "sill/survey/timelapse/position_pairs.hpp"
#include "sill/survey/timelapse/repeatability.hpp"

namespace sill {

struct Match4dOptions {
  std::string base_output;
  std::string monitor_output;
  PairingOptions pairing;
  std::optional<segy::TimeWindow> window;  ///< window in which pairs are compared; without it, no comparison
  double max_lag_us = 0.0;                 ///< maximum lag of correlations
  std::string distance_word;  ///< word that receives the distance of the pair in both outputs; none if empty
  bool renumber = false;
  std::string history;
};

struct Match4dPair {
  PositionPair pair;
  Repeatability likeness;
  bool is_between_samples = false;  ///< the samples of the traces are at different times: only the shift is measured
};

struct Match4dResult {
  std::int64_t pairs = 0;
  std::int64_t auxiliary = 0;        ///< traces of both surveys that are not seismic data
  std::int64_t between_samples = 0;  ///< on rank 0: pairs of which only the shift is measured
  std::int64_t left_out = 0;         ///< on rank 0: pairs that are not compared: a trace is marked as dead, or states
                                     ///< another sample interval
  std::vector<std::string> notes;    ///< about traces that state another interval
  std::vector<Match4dPair> all;      ///< on rank 0, in the order of the base traces
  WrittenTraces base;
  WrittenTraces monitor;
};

/// Collective. Pairs the traces of the surveys by their positions (`pair_by_position`), compares each pair in the
/// window, and writes the traces of all pairs into two corresponding files: trace i of both is pair i, in the order of
/// the base traces. Both files appear when both are complete. Only headers are read until traces are compared and
/// written. Errors: usage, if there is no pair, or if a window is given and the sample intervals differ or are not
/// known, or samples are or may be in depth; input at a trace whose time or distance does not fit into its words; as
/// `pair_by_position` and `write_selected`. Precondition: with a window, `require_sample_format` was called for both
/// readers.
[[nodiscard]] Match4dResult match4d(const Resources& resources, const SurveyReader& base, const SurveyReader& monitor,
                                    const Match4dOptions& options);

}  // namespace sill
