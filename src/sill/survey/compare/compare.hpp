// Comparing two SEG-Y or Seismic Unix files.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/input_rules.hpp"
#include "sill/survey/compare/matched_traces.hpp"

namespace sill {

struct CompareOptions {
  std::string a;
  std::string b;
  double tolerance = 0.0;  ///< samples no further apart than this count as equal
  std::vector<std::string>
      ignored;        ///< words of either header by any name, those of traces as `a` has them; `@byte:type`; `text`
  std::string match;  ///< traces with the same keys are compared, as `match_traces` has it; empty: traces in order
  /// Called on every rank with what each of the two files is, once both are open; may be empty.
  std::function<void(std::span<const segy::FileDescription>)> opened;
  const segy::HeaderMap* map = nullptr;  ///< what the user says that words mean; may be nullptr
  InputRules rules = {};                 ///< of both files
};

/// How often a header word differs, and where first.
struct WordDifference {
  std::string word;
  std::int64_t traces = 0;       ///< in how many traces; 0 for a word of the file header
  std::int64_t first_trace = 0;  ///< from 1; 0 for a word of the file header
  std::int64_t partner = 0;      ///< the trace of `b` that it was compared with
  std::string value_a;
  std::string value_b;
};

/// Traces that have not as many samples, or headers, in both files.
struct NumberDifference {
  std::int64_t traces = 0;
  std::int64_t first_trace = 0;  ///< from 1
  std::int64_t partner = 0;      ///< the trace of `b` that it was compared with
  std::int64_t a = 0;            ///< there
  std::int64_t b = 0;
};

struct SampleDifferences {
  std::int64_t samples = 0;       ///< how many differ by more than the tolerance
  std::int64_t traces = 0;        ///< in how many traces
  std::int64_t first_trace = 0;   ///< from 1
  std::int64_t partner = 0;       ///< the trace of `b` that it was compared with
  std::int64_t first_sample = 0;  ///< from 1
  double value_a = 0.0;           ///< there
  double value_b = 0.0;
  double largest = 0.0;  ///< absolute difference of two numbers; infinite if a number meets a NaN
  /// 200 rms(a - b) / (rms(a) + rms(b)) in per cent, over the samples of all compared traces (Kragh and Christie 2002);
  /// samples that are no finite numbers in both are left out.
  double nrms_percent = 0.0;
};

struct CompareResult {
  std::int64_t traces_a = 0;
  std::int64_t traces_b = 0;
  std::int64_t samples_a = 0;  ///< of each trace; -1 where lengths vary
  std::int64_t samples_b = 0;
  std::int64_t compared_traces = 0;  ///< that both have: by number, or by keys if these were to be matched
  UnmatchedTraces only_a;            ///< without a partner; none unless traces were to be matched
  UnmatchedTraces only_b;
  segy::SampleFormat format_a = segy::SampleFormat::ibm_float;
  segy::SampleFormat format_b = segy::SampleFormat::ibm_float;
  bool kinds_differ = false;  ///< SEG-Y and Seismic Unix: bytes 1-180 of the trace headers and samples were compared
  bool label_differs = false;
  bool text_differs = false;
  bool trailers_differ = false;
  NumberDifference trace_samples;  ///< such traces' samples were not compared
  NumberDifference trace_headers;
  std::vector<WordDifference> words;  ///< file header first, then trace headers, by byte
  SampleDifferences samples;

  /// Whether all samples of the compared traces were compared, and none differs by more than the tolerance.
  [[nodiscard]] bool samples_equal() const {
    return compared_traces > 0 && trace_samples.traces == 0 && samples.samples == 0;
  }
  /// In all that was compared.
  [[nodiscard]] bool equal() const {
    const bool one_length_each = samples_a >= 0 && samples_b >= 0;
    return traces_a == traces_b && only_a.traces == 0 && only_b.traces == 0 &&
           (samples_a == samples_b || !one_length_each) && !label_differs && !text_differs && !trailers_differ &&
           trace_samples.traces == 0 && trace_headers.traces == 0 && words.empty() && samples.samples == 0;
  }
};

/// Collective. Compares by value: byte order and sample format may differ (their words then do). Traces are compared in
/// order, as many as both files have, or those that have the same keys: the headers that both have, and samples if both
/// have as many. Two NaN are equal,
/// and so are equal infinities and zeros of either sign. Bytes that no standard word covers are compared too. Of a
/// SEG-Y file and Seismic Unix data only what both have is compared. Errors: usage for an unknown ignored word or a
/// negative tolerance, or as `match_traces`; io and input as SurveyReader.
[[nodiscard]] CompareResult compare(const Resources& resources, const CompareOptions& options);

}  // namespace sill
