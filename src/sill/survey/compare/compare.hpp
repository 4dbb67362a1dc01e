// Compares two SEG-Y or Seismic Unix files.
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
  double tolerance = 0.0;            ///< samples that differ by no more than this are treated as equal
  std::vector<std::string> ignored;  ///< names of words of the file header or of the trace headers of `a`;
                                     ///< `@byte:type`: bytes of the trace headers; `text`
  std::string match;  ///< keys by which traces are matched (`match_traces`); empty: traces are compared in order
  /// Called on every rank with the description of each file, once both files are open; may be empty.
  std::function<void(std::span<const segy::FileDescription>)> opened;
  const segy::HeaderMap* map = nullptr;  ///< the user's header map; may be nullptr
  InputRules rules = {};                 ///< for both files
};

/// A header word that differs, with the number of traces and the first of them.
struct WordDifference {
  std::string word;
  std::int64_t traces = 0;       ///< number of traces that differ; 0 for a word of the file header
  std::int64_t first_trace = 0;  ///< from 1; 0 for a word of the file header
  std::int64_t partner = 0;      ///< the trace of `b` that the first trace was compared with
  std::string value_a;
  std::string value_b;
};

/// Traces that differ in the number of samples, or of headers, between the files.
struct NumberDifference {
  std::int64_t traces = 0;
  std::int64_t first_trace = 0;  ///< from 1
  std::int64_t partner = 0;      ///< the trace of `b` that the first trace was compared with
  std::int64_t a = 0;            ///< the number in `first_trace`
  std::int64_t b = 0;
};

struct SampleDifferences {
  std::int64_t samples = 0;       ///< number of samples that differ by more than the tolerance
  std::int64_t traces = 0;        ///< number of traces that contain such samples
  std::int64_t first_trace = 0;   ///< from 1
  std::int64_t partner = 0;       ///< the trace of `b` that the first trace was compared with
  std::int64_t first_sample = 0;  ///< from 1
  double value_a = 0.0;           ///< at `first_sample`
  double value_b = 0.0;
  double largest = 0.0;  ///< largest absolute difference; infinite if a number is compared with a NaN
  /// 200 rms(a - b) / (rms(a) + rms(b)) in per cent, over the samples of all compared traces (Kragh and Christie 2002);
  /// samples that are not finite in `a` or in `b` are skipped.
  double nrms_percent = 0.0;
};

struct CompareResult {
  std::int64_t traces_a = 0;
  std::int64_t traces_b = 0;
  std::int64_t samples_a = 0;  ///< samples per trace of `a`; -1 if lengths vary
  std::int64_t samples_b = 0;
  std::int64_t compared_traces = 0;  ///< traces in both files: by number, or by keys if `match` is given
  UnmatchedTraces only_a;            ///< traces without a partner; empty unless `match` is given
  UnmatchedTraces only_b;
  segy::SampleFormat format_a = segy::SampleFormat::ibm_float;
  segy::SampleFormat format_b = segy::SampleFormat::ibm_float;
  bool kinds_differ = false;  ///< one file is SEG-Y, the other Seismic Unix: only bytes 1-180 of trace headers and the
                              ///< samples were compared
  bool label_differs = false;
  bool text_differs = false;
  bool trailers_differ = false;
  NumberDifference trace_samples;  ///< the samples of these traces were not compared
  NumberDifference trace_headers;
  std::vector<WordDifference> words;  ///< file header first, then trace headers, ordered by byte
  SampleDifferences samples;

  /// Returns true if all samples of the compared traces were compared, and none differs by more than the tolerance.
  [[nodiscard]] bool samples_equal() const {
    return compared_traces > 0 && trace_samples.traces == 0 && samples.samples == 0;
  }
  /// Returns true if no compared data differ.
  [[nodiscard]] bool equal() const {
    const bool one_length_each = samples_a >= 0 && samples_b >= 0;
    return traces_a == traces_b && only_a.traces == 0 && only_b.traces == 0 &&
           (samples_a == samples_b || !one_length_each) && !label_differs && !text_differs && !trailers_differ &&
           trace_samples.traces == 0 && trace_headers.traces == 0 && words.empty() && samples.samples == 0;
  }
};

/// Collective. Compares two files by value: byte order and sample format may differ (but then the words that state them
/// differ). Compares traces in order, as many as both files have, or the traces with the same keys. Compares the
/// headers that both traces have, and their samples if both have the same number. Two NaN are equal, and so are equal
/// infinities and zeros of either sign. Bytes that no standard word covers are compared too. For a SEG-Y file and
/// Seismic Unix data, compares only the elements that both have. Errors: usage for an unknown ignored word or a
/// negative tolerance, or as `match_traces`; io and input as SurveyReader.
[[nodiscard]] CompareResult compare(const Resources& resources, const CompareOptions& options);

}  // namespace sill
