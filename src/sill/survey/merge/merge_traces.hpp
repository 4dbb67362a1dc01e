// Traces of several inputs as they become traces of one output.
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

/// What an output is like, and how traces of each input become traces of it. Const functions may be called by several
/// threads.
class MergedTraces {
 public:
  /// Local. `reader` outlives it. The output has the first input's form; samples per trace, lengths and intervals are
  /// as the rules say. Errors: usage, naming what the form cannot hold, or a conversion that there is not; input, for
  /// an interval that trace headers cannot state, and for traces that shall be of one length but have not one number of
  /// headers.
  MergedTraces(const SurveyReader& reader, const MergeRules& rules);

  [[nodiscard]] const segy::FileForm& form() const { return form_; }
  /// Local. Whether headers of the output are made to state how long their traces are.
  [[nodiscard]] bool sets_lengths() const { return all_of_one_length_ || form_.lengths_vary; }
  /// Local. The shape that a trace of the output has.
  [[nodiscard]] segy::TraceShape shape_of(segy::TraceShape before) const;

  /// Local. Turns trace `trace` (counted through all inputs) at `in` into one of the output at `out`. Errors: input, at
  /// the trace, for a sample that the format cannot hold, or a length that its headers cannot state.
  void transform(std::int64_t trace, const std::byte* in, std::byte* out, TraceAccount& account) const;

  /// Local. The same of its first header alone, as far as that does not depend on its samples.
  void transform_header(std::int64_t trace, const std::byte* in, std::byte* out, TraceAccount& account) const;

  /// Local. Bytes of a trace of an input, and of what it becomes.
  [[nodiscard]] std::int64_t bytes_before(std::int64_t trace) const;
  [[nodiscard]] std::int64_t bytes_after(std::int64_t trace) const;

  /// Local. Inputs of one form are turned in one way: how many ways there are, and that of a trace. What is lost
  /// depends on it, so each has its account.
  [[nodiscard]] std::size_t ways() const { return ways_.size(); }
  [[nodiscard]] std::size_t way_number(std::int64_t trace) const {
    return static_cast<std::size_t>(way_of_file_[static_cast<std::size_t>(reader_.file_of(trace))]);
  }
  /// Local. What was lost or is in doubt, a sentence each; `of_ways` has an account of each.
  [[nodiscard]] std::vector<std::string> notes(std::span<const TraceAccount> of_ways) const;
  /// Local. Bytes of the headers of a trace, at most.
  [[nodiscard]] std::int64_t header_bytes() const;

 private:
  // How traces of files of one form are turned.
  struct Way {
    const segy::FileDescription* file;
    std::unique_ptr<TraceConversion> conversion;  // none where bytes stay as they are
    double interval_us;
  };

  [[nodiscard]] const Way& way_of(std::int64_t trace) const { return ways_[way_number(trace)]; }
  void set_lengths(const MergeRules& rules);
  void add_ways(const MergeRules& rules);
  void report_interval(std::byte* header, int headers, double interval_us) const;

  const SurveyReader& reader_;
  segy::FileForm form_;
  bool all_of_one_length_ = false;                   // made so: padded or cut
  std::optional<segy::TraceShapeRule> output_rule_;  // how a reader of the output finds lengths
  std::vector<Way> ways_;
  std::vector<int> way_of_file_;
  std::vector<std::string> doubts_;
  bool sets_intervals_ = false;
  bool keeps_own_intervals_ = false;
};

}  // namespace sill
