// Merges files into one: all their traces, in the order of the files, with a rule for each contradiction between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/samples/conversion.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/merge/merge_conflicts.hpp"
#include "sill/survey/merge/merge_rules.hpp"
#include "sill/survey/select/write_selected.hpp"

namespace sill {

/// The files to merge.
struct MergeInputs {
  std::vector<std::string> paths;           ///< each file once, unless the rule is `keep`
  std::optional<MergeConflict> twice = {};  ///< files that were named more than once
};

/// Collective. Applies the rule for files that are named twice to `paths`. A `SurveyReader` of the resulting paths
/// needs `InputRules::may_differ`.
[[nodiscard]] MergeInputs merge_inputs(const Resources& resources, const std::vector<std::string>& paths,
                                       const MergeRules& rules);

struct MergeOptions {
  std::string output;
  MergeRules rules = {};
  OutputMarks marks = {};
  bool dry_run = false;  ///< conflicts are reported, nothing is written
};

struct MergeResult {
  std::vector<MergeConflict> conflicts;  ///< ordered by property
  bool looked_for_repeats = false;       ///< true if traces were compared
  segy::FileForm form;                   ///< form of the output; not set if conflicts of files or headers are refused
  std::int64_t traces = 0;
  std::int64_t bytes = 0;    ///< size of the complete file
  std::int64_t dropped = 0;  ///< traces that an earlier input also contains
  segy::ConversionAccount samples;
  std::int64_t deviating_traces = 0;  ///< traces that state a different number of samples than they have
  std::vector<std::string> notes;     ///< losses and changes in trace headers, one sentence each
};

/// Collective. Writes the traces of all files of `reader` to `options.output`, which appears when it is complete. The
/// output has the form and the file header of the first input; statements that are no longer true are updated. In a dry
/// run refused conflicts are reported with the others; otherwise they are errors. Uses no memory per trace except the
/// memory of `repeated_traces`. Errors: usage (output is an input; the form of the first input cannot hold the traces);
/// input (refused conflicts; samples that the target cannot hold exactly; samples that contradict their format, if
/// formats differ and none was assumed); io.
[[nodiscard]] MergeResult merge(const Resources& resources, const SurveyReader& reader, const MergeInputs& inputs,
                                const MergeOptions& options);

}  // namespace sill
