// Scans header words of a survey without reading its samples.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/segy/words/key.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// The range of a key's values.
struct KeyRange {
  std::string key;  ///< as the user wrote it
  segy::WordValue smallest;
  segy::WordValue largest;               ///< NaN if some value is NaN
  std::optional<std::int64_t> distinct;  ///< number of distinct values, if requested
};

struct ScanResult {
  std::int64_t traces = 0;
  std::vector<KeyRange> ranges;  ///< empty without traces
  std::optional<bool> in_order;  ///< true if no trace has smaller keys than the trace before; nullopt if not requested
};

/// Local. Returns one key for every word of the map that the traces have, ordered by byte; omits words that the latest
/// revision of the standard no longer defines.
[[nodiscard]] std::vector<segy::TraceKey> all_words(const segy::HeaderMap& map);

struct ScanOptions {
  ItemRange traces;  ///< from 0; must exist
  std::vector<segy::TraceKey> keys;
  bool statistics = false;  ///< also count distinct values, exactly
  /// If given, called on rank 0 with lines of comma-separated values in trace order: first `trace,KEY,…`, then one line
  /// per trace, with traces counted from 1. May be empty; may throw.
  std::function<void(std::string_view)> csv;
  /// With statistics: also determine whether the traces are in lexicographic order of all keys, in the direction of
  /// each key.
  bool order = true;
};

/// Collective. Reads the header bytes that the keys need, once, and returns statistics of their values. Statistics need
/// further passes if half of the memory does not hold the distinct values; each pass counts some of them. With `csv`,
/// stores the text of 65,536 traces per rank. Errors: usage without keys; io; input if a trace does not have a key;
/// exceptions of `csv`.
[[nodiscard]] ScanResult scan(const Resources& resources, const SurveyReader& reader, const ScanOptions& options);

}  // namespace sill
