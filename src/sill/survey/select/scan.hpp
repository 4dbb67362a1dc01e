// Looking at header words of a survey without touching its samples.
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

/// What a key's values are like.
struct KeyRange {
  std::string key;  ///< as the user wrote it
  segy::WordValue smallest;
  segy::WordValue largest;               ///< NaN if there is one
  std::optional<std::int64_t> distinct;  ///< how many different values, where asked for
};

struct ScanResult {
  std::int64_t traces = 0;
  std::vector<KeyRange> ranges;  ///< empty without traces
  std::optional<bool> in_order;  ///< whether each trace's keys are no less than those before it, where asked for
};

/// Local. One key for every word of the map that the traces have, in order of their bytes; none for words that the
/// latest revision of the standard no longer has.
[[nodiscard]] std::vector<segy::TraceKey> all_words(const segy::HeaderMap& map);

struct ScanOptions {
  ItemRange traces;  ///< from 0; must exist
  std::vector<segy::TraceKey> keys;
  bool statistics = false;  ///< also count distinct values, exactly
  /// Given, on rank 0, lines of comma-separated values in trace order: first `trace,KEY,…`, then one line per trace,
  /// traces counted from 1. May be empty; may throw.
  std::function<void(std::string_view)> csv;
  /// With statistics: also find out whether the traces are in lexicographic order of all keys, in the direction of
  /// each.
  bool order = true;
};

/// Collective. Reads the header bytes that the keys need, once, and returns statistics of their values; for statistics
/// again where half of the memory does not hold the distinct values, each pass counting some. For values, holds the
/// text of 65,536 traces per rank. Errors: usage without keys; io; input if a trace has no such key; what `csv` throws.
[[nodiscard]] ScanResult scan(const Resources& resources, const SurveyReader& reader, const ScanOptions& options);

}  // namespace sill
