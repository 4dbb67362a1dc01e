// Checks a file: reports everything unusual in its headers and, after one pass, in all traces.
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
  /// Bounds of the percentile: the sample of rank ceil(percent / 100 * n), counted from 1, among the n finite samples
  /// in ascending order.
  segy::BoundedValue amplitude;
};

/// Statistics of all samples of a file, except the samples of auxiliary traces.
struct Amplitudes {
  std::int64_t samples = 0;
  std::int64_t zeros = 0;
  std::int64_t nans = 0;
  std::int64_t infinities = 0;
  double smallest = 0.0;  ///< smallest finite sample; 0 if no sample is finite
  double largest = 0.0;
  double rms = 0.0;                     ///< root mean square of the finite samples; infinite if squares exceed the
                                        ///< range of doubles
  std::vector<Percentile> percentiles;  ///< 1, 5, 25, 50, 75, 95, 99; empty without finite samples
  /// Histogram of the finite samples, 4 MB; not set if there are none.
  std::optional<segy::AmplitudeHistogram> histogram;

  [[nodiscard]] std::int64_t finite() const { return samples - nans - infinities; }
};

struct CheckOptions {
  segy::Assumptions assume = {};         ///< facts about the file that override its headers
  const segy::HeaderMap* map = nullptr;  ///< the user's header map, or nullptr
  bool ignores_journal = false;          ///< an edit journal that applies to the file is a major finding, not critical
  bool geometry = true;                  ///< also infer the geometry, for which the headers are read once more
};

struct CheckResult {
  segy::FileDescription file;            ///< traces are counted, even if lengths vary
  std::vector<std::string> text_header;  ///< 40 lines, UTF-8; empty for a Seismic Unix file
  std::vector<Finding> findings;         ///< the worst first
  std::vector<TracePair> duplicates;     ///< the first few, ordered by the repeating trace
  std::vector<SameWord> same_words;      ///< ordered by byte; empty for a file of fewer than two traces
  Amplitudes amplitudes;
  std::optional<SurveyGeometry> geometry;  ///< if requested, except for a file with a critical finding
  std::string no_geometry;                 ///< why `geometry` is not set although it was requested

  /// Local. Returns the grade of the worst finding; info if there are no findings.
  [[nodiscard]] Grade worst() const;
};

/// Collective. Checks one file; of a truncated file, its complete traces. Every trace is read once, in order on each
/// rank and thread. If lengths vary, the index stored next to the file is used, or an index is built. The result is the
/// same on all ranks and for any number of ranks and threads. Uses 5 MB per thread, and 24 bytes per trace of this rank
/// (twice as much with several ranks) to find duplicates. If that exceeds `resources.memory()`, the search for
/// duplicates is skipped, which is a finding. If the memory is too small for the geometry (`find_geometry`),
/// `no_geometry` states so. Errors: io; input if the file cannot be read at all; usage if the map does not fit the
/// file.
[[nodiscard]] CheckResult check(const Resources& resources, const std::string& path, const CheckOptions& options);

}  // namespace sill
