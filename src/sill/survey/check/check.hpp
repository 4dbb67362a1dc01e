// Checking a file: everything that is odd about it, from its headers and from one pass over all traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/base/diagnostic.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/formats/segy/samples/sample_statistics.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/survey/check/duplicate_traces.hpp"
#include "sill/survey/check/finding.hpp"
#include "sill/survey/geometry/survey_geometry.hpp"

namespace sill {

struct Percentile {
  double percent = 0.0;
  /// The sample of rank ceil(percent / 100 * n), from 1, in ascending order of the n finite samples lies between these.
  segy::BoundedValue amplitude;
};

/// All samples of a file.
struct Amplitudes {
  std::int64_t samples = 0;
  std::int64_t zeros = 0;
  std::int64_t nans = 0;
  std::int64_t infinities = 0;
  double smallest = 0.0;  ///< of the finite ones; 0 without any
  double largest = 0.0;
  double rms = 0.0;                     ///< of the finite ones; infinite where squares are beyond the range of doubles
  std::vector<Percentile> percentiles;  ///< 1, 5, 25, 50, 75, 95, 99; none without finite samples
  /// Of the finite ones, 4 MB; none without any.
  std::optional<segy::AmplitudeHistogram> histogram;

  [[nodiscard]] std::int64_t finite() const { return samples - nans - infinities; }
};

struct CheckOptions {
  segy::Assumptions assume = {};         ///< true of the file, whatever it says
  const segy::HeaderMap* map = nullptr;  ///< what the user says that words mean, or nullptr
  bool ignores_journal = false;          ///< a journal that counts is a major finding, not a critical one
  bool geometry = true;                  ///< also find the geometry, for which the headers are read once more
};

struct CheckResult {
  segy::FileDescription file;            ///< traces counted, also where lengths vary
  std::vector<std::string> text_header;  ///< 40 lines, UTF-8; none of a Seismic Unix file
  std::vector<Finding> findings;         ///< the worst first
  std::vector<TracePair> duplicates;     ///< the first few, by the trace that repeats
  std::vector<SameWord> same_words;      ///< by byte; none of a file of fewer than two traces
  Amplitudes amplitudes;
  std::optional<SurveyGeometry> geometry;  ///< if asked for, and not of a file with a critical finding
  std::string no_geometry;                 ///< why there is none though it was asked for

  /// Local. The grade of the worst finding; info without any.
  [[nodiscard]] Grade worst() const;
};

/// Collective. Checks one file; one that was cut, too: its whole traces. Every trace is read once, in order on each
/// rank and thread; where lengths vary, the index stored beside the file is used or one is made. The result is the same
/// on all ranks and for any number of ranks and threads. Holds 5 MB per thread, and 24 bytes per trace of this rank
/// (twice as much with several ranks) to find duplicates: where that exceeds `resources.memory()`, they are not looked
/// for, which is a finding; where the memory is too small for the geometry (`find_geometry`), `no_geometry` says so.
/// Errors: io; input if the file cannot be read at all; usage if the map does not fit the file.
[[nodiscard]] CheckResult check(const Resources& resources, const std::string& path, const CheckOptions& options);

}  // namespace sill
