// Merging files into one: all their traces, in the order of the files, with a rule for each contradiction between them.
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

/// The files to be merged.
struct MergeInputs {
  std::vector<std::string> paths;           ///< each file once, unless the rule is to keep it
  std::optional<MergeConflict> twice = {};  ///< files that were named more than once
};

/// Collective. `paths` by the rule for files that are named twice. A `SurveyReader` of the result's paths then needs
/// `InputRules::may_differ`.
[[nodiscard]] MergeInputs merge_inputs(const Resources& resources, const std::vector<std::string>& paths,
                                       const MergeRules& rules);

struct MergeOptions {
  std::string output;
  MergeRules rules = {};
  OutputMarks marks = {};
  bool dry_run = false;  ///< conflicts are found, nothing is written
};

struct MergeResult {
  std::vector<MergeConflict> conflicts;  ///< by property
  bool looked_for_repeats = false;       ///< whether traces were compared
  segy::FileForm form;                   ///< of the output; without a plan, where something is refused, as it is made
  std::int64_t traces = 0;
  std::int64_t bytes = 0;    ///< of the whole file
  std::int64_t dropped = 0;  ///< traces that an earlier input has
  segy::ConversionAccount samples;
  std::int64_t deviating_traces = 0;  ///< which state another number of samples than they have
  std::vector<std::string> notes;     ///< what was lost or set in trace headers, a sentence each
};

/// Collective. Writes the traces of all files of `reader` into `options.output`, which appears when it is complete; its
/// form and its file header are the first's, with what is no longer true set. In a dry run conflicts that are refused
/// are reported with the others; otherwise they are errors. Holds nothing a trace but what `repeated_traces` takes.
/// Errors: usage (output is an input; what the first input's form cannot hold); input (what is refused, what the target
/// cannot hold exactly; samples that contradict their format, where formats differ and none was assumed); io.
[[nodiscard]] MergeResult merge(const Resources& resources, const SurveyReader& reader, const MergeInputs& inputs,
                                const MergeOptions& options);

}  // namespace sill
