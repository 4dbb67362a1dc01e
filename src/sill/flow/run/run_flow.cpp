#include "sill/flow/run/run_flow.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "sill/base/checksum.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/flow/operations/operation_types.hpp"
#include "sill/flow/run/explanation.hpp"
#include "sill/flow/run/resumable_output.hpp"
#include "sill/flow/value/flow_text.hpp"
#include "sill/io/survey/file_stamp.hpp"
#include "sill/io/survey/same_file.hpp"
#include "sill/store/part/part_file.hpp"
#include "sill/store/posix/folder.hpp"
#include "sill/store/posix/unnamed_file.hpp"
#include "sill/store/ranged/ranged_source.hpp"
#include "sill/survey/select/name_pattern.hpp"

namespace sill::flow {
namespace {

// A file between two passes: a part file that never gets its target's name, so that it is also removed on a signal.
class ScratchFile {
 public:
  /// Collective. Creates the part file for `target`.
  ScratchFile(Communicator& comm, std::string target) : target_(std::move(target)) {
    path_ = value_from_rank(comm, 0, [&] { return part_.emplace(target_).path(); });
  }

  [[nodiscard]] const std::string& target() const { return target_; }
  /// Local. Returns the part file on rank 0; otherwise nullptr.
  [[nodiscard]] PartFile* part() { return part_ ? &*part_ : nullptr; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string target_;
  std::string path_;
  std::optional<PartFile> part_;
};

// Runs `work`. An error at a trace of an intermediate file, which is the result of `passes` passes, names the survey
// instead of that file.
template <class Work>
auto on_traces_between(const SurveyReader& reader, const ScratchFile* between, std::size_t passes, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const Error& error) {
    const Where& where = error.parts().where;
    if (between == nullptr || where.file != between->path() || error.code() != ErrorCode::input || !where.item) throw;
    throw_at(error, {.file = reader.paths().front(),
                     .item = where.item,
                     .item_word = fmt::format("{} after pass {}", where.item_word, passes)});
  }
}

std::vector<std::string> history_of(const std::vector<Step>& steps) {
  std::vector<std::string> lines;
  for (const Step& step : steps) lines.push_back("SILL FLOW " + inline_text({step}));
  return lines;
}

// Integer formats can store scaled amplitudes only if the user states a scale or another format.
void require_format(const SurveyReader& reader, const BoundFlow& flow, const FlowOptions& options) {
  const segy::SampleFormat format = reader.files().front().sample_format;
  const bool is_float = format == segy::SampleFormat::ibm_float || format == segy::SampleFormat::ieee_float ||
                        format == segy::SampleFormat::ieee_double;
  if (is_float || options.format || options.scale.is_given() || options.output.empty()) return;
  const auto changes = [](const PlannedOperation& operation) { return operation.access.changes_amplitudes; };
  const auto found = std::ranges::find_if(flow.planned, changes);
  if (found == flow.planned.end()) return;
  throw Error(
      {.code = ErrorCode::usage,
       .problem = fmt::format("{} changes the scale of amplitudes, but the samples of the survey have the format {}",
                              found->name, segy::name_of(format)),
       .where = {.file = reader.paths().front()},
       .action = "give --sample-format ieee, or --scale fit, which uses the range of the format, or this format as "
                 "--sample-format if the scale is correct"});
}

// Checks what the output must be able to store.
void require_output(const SurveyReader& reader, const FlowOptions& options) {
  if (NamePattern::has_places(options.output)) {
    const std::vector<segy::TraceKey> keys = NamePattern::keys_of(options.output, reader.words());
    (void)NamePattern(options.output, keys, reader.words());
    if (std::ranges::any_of(keys, &segy::TraceKey::reads_file_number))
      throw Error({.code = ErrorCode::usage,
                   .problem = "the number of the file is not known when the output is divided",
                   .action = "store it in a header word with 'header WORD=file', and name this word in the pattern"});
  }
  const segy::FileDescription& file = reader.files().front();
  if (options.history != History::extended || segy::revision_of(file) >= segy::Revision::rev1) return;
  throw Error({.code = ErrorCode::usage,
               .problem = file.kind == segy::FileKind::segy ? "files of revision 0 have no extended text headers"
                                                            : "Seismic Unix files have no extended text headers",
               .where = {.file = file.path},
               .action = "omit --history extended, or convert the input to --revision 1 first"});
}

// Scales the result of all passes, which the last pass wrote.
ConvertResult scale(const Resources& resources, const SurveyReader& input, const SurveyReader& written,
                    const FlowOptions& options, segy::SampleFormat format, const std::string& output, PartFile* part) {
  ConvertOptions wanted;
  wanted.output = output;
  wanted.part = part;
  wanted.sample_format = format;
  wanted.samples = options.rules;
  wanted.scale = options.scale;
  if (input.files().front().kind == segy::FileKind::segy) {
    // The file between passes may have a later revision, but its trace headers are those of the input.
    wanted.revision = segy::revision_of(input.files().front());
    wanted.headers.is_of_output = true;
    wanted.byte_order = written.files().front().byte_order;
  }
  ConvertResult scaled = convert(resources, written, wanted);
  scaled.notes.push_back(fmt::format("samples were multiplied by {}", scaled.scale));
  return scaled;
}

// Returns the files of the survey and of other surveys that operations read.
std::vector<std::string> inputs_of(const SurveyReader& reader, std::span<const Step> steps) {
  std::vector<std::string> inputs = reader.paths();
  std::ranges::move(surveys_read_by(steps), std::back_inserter(inputs));
  return inputs;
}

// Divides the result of the last pass by a pattern.
void divide(const Resources& resources, const SurveyReader& written, const SurveyReader& reader,
            std::span<const Step> steps, const FlowOptions& options, FlowResult& result) {
  SplitOptions wanted{.pattern = options.output,
                      .keys = NamePattern::keys_of(options.output, reader.words()),
                      .words = &reader.words()};
  wanted.kept = with_kept_beside(inputs_of(reader, steps));
  wanted.kept.insert(wanted.kept.end(), options.others.begin(), options.others.end());
  result.files = split(resources, written, wanted).files;
}

// Collective. Checks that neither the output nor files that operations write are inputs, and that their folders exist.
void require_other_outputs(const Resources& resources, const SurveyReader& reader, std::span<const Step> steps,
                           const std::string& output) {
  std::vector<std::string> files = files_written_by(steps);
  run_on_rank(resources.comm, 0, [&] {
    for (const std::string& file : files) require_writable_folder(std::filesystem::path(file).parent_path().string());
  });
  if (!output.empty()) files.push_back(output);
  if (files.empty()) return;
  require_other_files(resources, files, with_kept_beside(inputs_of(reader, steps)));
}

// Throws if the run cannot be resumed: only the last pass can be resumed, and reports of operations cover all traces.
void require_resumable(const SurveyReader& reader, const FlowOptions& options, const BoundFlow& flow) {
  const bool reports = std::ranges::any_of(flow.planned, [](const auto& planned) { return planned.access.reports; });
  const char* const what = options.output.empty()                        ? "without an output"
                           : NamePattern::has_places(options.output)     ? "into files by a pattern"
                           : unnamed_file_at(options.output).has_value() ? "into a stream"
                           : options.scale.is_given()                    ? "with --scale"
                           : std::ranges::any_of(reader.paths(), is_url) ? "of remote files"
                           : reports                                     ? "whose operations report on all traces"
                                                                         : nullptr;
  if (what == nullptr) return;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("a flow {} cannot continue an interrupted run", what),
               .action = "omit --resume, or write to one file without it"});
}

// Returns, in lines, everything on which the bytes of the output depend.
std::vector<std::string> lines_of_run(const SurveyReader& reader, const std::vector<Step>& steps,
                                      const FlowOptions& options, segy::SampleFormat format) {
  std::vector<std::string> lines{fmt::format("program {}", SILL_VERSION)};
  const auto add_file = [&lines](const char* what, const std::string& path) {
    const FileStamp stamp = own_stamp_of(path);
    lines.push_back(fmt::format("{} {}, {} bytes, changed at {} ns", what,
                                std::filesystem::path(path).filename().string(), stamp.bytes, stamp.changed_ns));
  };
  for (const std::string& path : reader.paths()) add_file("input", path);
  for (const std::string& stated : reader.assumptions().stated) lines.push_back("assumed " + stated);
  for (const Step& step : steps) {
    lines.push_back("operation " + inline_text({step}));
    for (const Argument& argument : step.arguments) {
      if (argument.table)
        lines.push_back(fmt::format("table {}, checksum {:016x}", argument.value, checksum_of(*argument.table)));
      if (!argument.survey) continue;
      for (const std::string& path : argument.survey->reader().paths()) add_file("survey", path);
    }
  }
  std::string words;
  for (const segy::MapWord& word : reader.words().all())
    words +=
        fmt::format("{}@{}:{}{},{},{},{};", fmt::join(word.names, ","), word.byte, static_cast<int>(word.type.kind),
                    word.type.bytes, word.scalar, word.factor, word.has_exponent);
  lines.push_back(fmt::format("header words, checksum {:016x}", checksum_of(words)));
  lines.push_back(fmt::format("samples {}, clip {}, accept-loss {}, nonfinite {} {}, auxiliary {}, history {}",
                              segy::name_of(format), options.rules.clip, options.rules.accept_loss,
                              static_cast<int>(options.nonfinite), options.rules.nonfinite_to_zero,
                              options.takes_auxiliary, static_cast<int>(options.history)));
  for (std::string& line : lines) std::ranges::replace(line, '\n', ' ');
  return lines;
}

// Returns the folder of the output, without placeholders of a pattern.
std::filesystem::path scratch_folder_of(const FlowOptions& options) {
  if (!options.scratch.empty()) return options.scratch;
  std::filesystem::path folder = std::filesystem::path(options.output).parent_path();
  while (NamePattern::has_places(folder.string())) folder = folder.parent_path();
  return folder.empty() ? "." : folder;
}

// Returns the name next to which a pass (from 0) writes temporary files.
std::string scratch_target_of(const FlowOptions& options, std::size_t pass) {
  const bool has_name = !options.output.empty() && !NamePattern::has_places(options.output);
  // File systems allow at most 255 bytes per name, so a longer name would leave no room for the ending.
  constexpr std::size_t max = 200;
  const std::string name = has_name ? std::filesystem::path(options.output).filename().string() : "flow";
  return (scratch_folder_of(options) / fmt::format("{}.pass{}", name.substr(0, max), pass + 1)).string();
}

// A flow whose passes are planned: each pass writes a file that the next one reads. The last one writes the output, or
// a file that is then scaled or divided.
class FlowRun {
 public:
  FlowRun(const Resources& resources, const SurveyReader& reader, const std::vector<Step>& steps,
          const FlowOptions& options, BoundFlow& flow, std::span<const Pass> passes, const PlannedOutput& output)
      : resources_(resources),
        reader_(reader),
        steps_(steps),
        options_(options),
        flow_(flow),
        passes_(passes),
        format_(output.format),
        is_pattern_(NamePattern::has_places(options.output)),
        is_scaled_(output.is_scaled) {}

  /// Collective. Runs the flow and adds the results to `result`.
  void run(FlowResult& result) {
    if (options_.resume) resume(result);
    for (std::size_t p = 0; p < passes_.size(); ++p) run_pass_into_file(p, result);
    if (is_scaled_) scale_written(result);
    if (is_pattern_) divide(resources_, *between_, reader_, steps_, options_, result);
    // The remains of an earlier run that could be resumed are no longer useful.
    if (!options_.output.empty() && !is_pattern_ && !resumed_)
      run_on_rank(resources_.comm, 0, [&] { remove_resumable_output(options_.output); });
  }

 private:
  void resume(FlowResult& result) {
    durable_.policy.sync = Policy::Sync::close;
    std::vector<std::string> lines;
    run_on_rank(resources_.comm, 0, [&] { lines = lines_of_run(reader_, steps_, options_, format_); });
    resumed_.emplace(durable_, options_.output, lines);
    if (resumed_->finished_before() > 0)
      result.notes.push_back(fmt::format("{} {} of the output were kept from an interrupted run",
                                         format_count(resumed_->finished_before()),
                                         passes_.back().has_gathers ? "gathers" : "traces"));
  }

  [[nodiscard]] bool is_last(std::size_t pass) const { return pass + 1 == passes_.size(); }
  // Returns true if a pass writes a file that is read again.
  [[nodiscard]] bool writes_between(std::size_t pass) const { return !is_last(pass) || is_scaled_ || is_pattern_; }

  PassOptions pass_options(std::size_t p) {
    PassOptions of_pass;
    if (is_last(p)) {
      of_pass = {.output = options_.output,
                 .format = format_,
                 .rules = options_.rules,
                 .history = {options_.history, history_of(steps_)}};
      if (resumed_) {
        of_pass.part = resumed_->part();
        of_pass.resumed = &*resumed_;
      }
    }
    of_pass.input = &reader_;
    if (!is_last(p) || is_scaled_) {
      of_pass.format = format_after(flow_, passes_[p], reader_);
      of_pass.use = FileUse::next_pass;
    }
    if (passes_.size() > 1) of_pass.stage_prefix = fmt::format("pass {} of {}: ", p + 1, passes_.size());
    of_pass.nonfinite = options_.nonfinite;
    of_pass.sort_method = options_.sort_method;
    of_pass.scratch_target = scratch_target_of(options_, p);
    return of_pass;
  }

  void run_pass_into_file(std::size_t p, FlowResult& result) {
    PassOptions of_pass = pass_options(p);
    std::unique_ptr<ScratchFile> target;
    if (writes_between(p)) {
      target = std::make_unique<ScratchFile>(resources_.comm, of_pass.scratch_target);
      of_pass.output = target->target();
      of_pass.part = target->part();
    }
    PassResult done = on_traces_between(reader_, written_.get(), p, [&] {
      return run_pass(of_pass.resumed != nullptr ? durable_ : resources_, between_ ? *between_ : reader_, flow_,
                      passes_[p], of_pass);
    });
    result.zeroed += done.zeroed + done.samples.zeroed;
    std::ranges::move(done.notes, std::back_inserter(result.notes));
    if (is_last(p)) {
      result.traces_out = done.traces_out;
      result.bytes_out = done.bytes_out;
      result.samples = done.samples;
      if (resumed_) resumed_->commit();
    }
    if (target) read_from(std::move(target), done.assume, of_pass.format);
  }

  void scale_written(FlowResult& result) {
    std::unique_ptr<ScratchFile> target;
    if (is_pattern_)
      target = std::make_unique<ScratchFile>(resources_.comm, scratch_target_of(options_, passes_.size()));
    ConvertResult scaled = on_traces_between(reader_, written_.get(), passes_.size(), [&] {
      return scale(resources_, reader_, *between_, options_, format_, target ? target->target() : options_.output,
                   target ? target->part() : nullptr);
    });
    result.bytes_out = scaled.output_bytes;
    result.samples = scaled.samples;
    result.zeroed += scaled.samples.zeroed;
    std::ranges::move(scaled.notes, std::back_inserter(result.notes));
    if (target) read_from(std::move(target), {}, format_);
  }

  // The next pass reads `file`, of this format. The format is assumed: samples of a flow may look like another one.
  void read_from(std::unique_ptr<ScratchFile> file, segy::Assumptions assume, segy::SampleFormat format) {
    between_.reset();
    written_ = std::move(file);
    assume.format_code = segy::code_of(format);
    between_ = std::make_unique<SurveyReader>(resources_, std::vector<std::string>{written_->path()}, nullptr,
                                              InputRules{.assume = assume});
  }

  const Resources& resources_;
  const SurveyReader& reader_;
  const std::vector<Step>& steps_;
  const FlowOptions& options_;
  BoundFlow& flow_;
  std::span<const Pass> passes_;
  segy::SampleFormat format_;
  bool is_pattern_;
  bool is_scaled_;
  Resources durable_ = resources_;          // a resumable run syncs the files that it records
  std::optional<ResumableOutput> resumed_;  // with --resume
  std::unique_ptr<ScratchFile> written_;    // by the previous pass
  std::unique_ptr<SurveyReader> between_;   // reads `written_`
};

}  // namespace

FlowResult run_flow(const Resources& resources, const SurveyReader& reader, const std::vector<Step>& given,
                    const FlowOptions& options) {
  Communicator& comm = resources.comm;
  FlowResult result;
  result.traces_in = reader.traces();
  const bool is_pattern = NamePattern::has_places(options.output);
  require_other_outputs(resources, reader, given, is_pattern ? std::string() : options.output);
  const std::vector<Step> steps = with_files(resources, given, {options.map, options.input_rules, options.nonfinite});
  BoundFlow flow = bind_flow(resources, steps, reader, options.takes_auxiliary);
  const PlannedOutput output{.path = options.output,
                             .format = options.format.value_or(reader.files().front().sample_format),
                             .is_scaled = options.scale.is_given() && !options.output.empty(),
                             .sort_method = options.sort_method};
  const std::vector<Pass> passes = run_and_agree(comm, [&] {
    if (output.is_scaled) require_scale(options.scale, output.format);
    if (options.resume) require_resumable(reader, options, flow);
    require_format(reader, flow, options);
    require_output(reader, options);
    return plan_passes(flow.planned);
  });
  if (options.explain)
    options.explain(run_and_agree(comm, [&] { return explanation_of(resources, reader, flow, passes, output); }));
  result.passes = std::ssize(passes);
  result.samples_out = flow.states.back().samples;
  if (!options.dry_run) FlowRun(resources, reader, steps, options, flow, passes, output).run(result);
  return result;
}

}  // namespace sill::flow
