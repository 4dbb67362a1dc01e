// Converts traces of several inputs to traces of one output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/convert/trace_conversion.hpp"
#include "sill/survey/merge/merge_rules.hpp"

namespace sill {

/// The form of an output, and the conversion of each input's traces to that form. Const functions may be called by
/// several threads.
class MergedTraces {
 public:
  /// Local. Determines the form of the output and the conversions. `reader` must outlive this object. The output has
  /// the form of the first input; samples per trace, lengths and intervals follow the rules. Errors: usage, naming a
  /// property that the form cannot hold or a conversion that does not exist; input, for an interval that trace headers
  /// cannot state, and for traces that must have one length but differ in the number of headers.
  MergedTraces(const SurveyReader& reader, const MergeRules& rules);

  [[nodiscard]] const segy::FileForm& form() const { return form_; }
  /// Local. Returns true if headers of the output are changed to state the lengths of their traces.
  [[nodiscard]] bool sets_lengths() const { return all_of_one_length_ || form_.lengths_vary; }
  /// Local. Returns the shape that a trace has in the output.
  [[nodiscard]] segy::TraceShape shape_of(segy::TraceShape before) const;

  /// Local. Converts trace `trace` (numbered through all inputs) at `in` into a trace of the output at `out`. Errors:
  /// input, at the trace, for a sample that the format cannot hold, or a length that its headers cannot state.
  void transform(std::int64_t trace, const std::byte* in, std::byte* out, TraceAccount& account) const;

  /// Local. Converts only the first header of a trace, except for words that depend on its samples.
  void transform_header(std::int64_t trace, const std::byte* in, std::byte* out, TraceAccount& account) const;

  /// Local. Returns the size in bytes of a trace in its input, and in the output.
  [[nodiscard]] std::int64_t bytes_before(std::int64_t trace) const;
  [[nodiscard]] std::int64_t bytes_after(std::int64_t trace) const;

  /// Local. Return the number of different conversions; the index of the conversion of a trace. Inputs of one form
  /// share a conversion. Each conversion has its own counts, because losses depend on it.
  [[nodiscard]] std::size_t ways() const { return ways_.size(); }
  [[nodiscard]] std::size_t way_number(std::int64_t trace) const {
    return static_cast<std::size_t>(way_of_file_[static_cast<std::size_t>(reader_.file_of(trace))]);
  }
  /// Local. Returns losses and warnings, one sentence each; `of_ways` contains the counts of each conversion.
  [[nodiscard]] std::vector<std::string> notes(std::span<const TraceAccount> of_ways) const;
  /// Local. Returns the maximum size in bytes of the headers of a trace.
  [[nodiscard]] std::int64_t header_bytes() const;

 private:
  // The conversion of the traces of files of one form.
  struct Way {
    const segy::FileDescription* file;
    std::unique_ptr<TraceConversion> conversion;  // nullptr if bytes are unchanged
    double interval_us;
  };

  [[nodiscard]] const Way& way_of(std::int64_t trace) const { return ways_[way_number(trace)]; }
  void set_lengths(const MergeRules& rules);
  void add_ways(const MergeRules& rules);
  void report_interval(std::byte* header, int headers, double interval_us) const;

  const SurveyReader& reader_;
  segy::FileForm form_;
  bool all_of_one_length_ = false;                   // by padding or cutting
  std::optional<segy::TraceShapeRule> output_rule_;  // how a reader of the output determines lengths
  std::vector<Way> ways_;
  std::vector<int> way_of_file_;
  std::vector<std::string> doubts_;
  bool sets_intervals_ = false;
  bool keeps_own_intervals_ = false;
};

}  // namespace sill
