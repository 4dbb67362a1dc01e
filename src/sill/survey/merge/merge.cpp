#include "sill/survey/merge/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/survey/index_file.hpp"
#include "sill/io/survey/same_file.hpp"
#include "sill/io/survey/survey_writer.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/edit/renumbering.hpp"
#include "sill/survey/edit/text_history.hpp"
#include "sill/survey/merge/merge_traces.hpp"
#include "sill/survey/merge/repeated_traces.hpp"
#include "sill/survey/output/file_ends.hpp"
#include "sill/survey/output/finish_output.hpp"
#include "sill/survey/output/length_check.hpp"
#include "sill/survey/output/trace_stream.hpp"

namespace sill {
namespace {

// The traces of all inputs that are not dropped, with new numbers.
class KeptTraces {
 public:
  KeptTraces(const SurveyReader& reader, std::vector<std::int64_t> dropped)
      : all_(reader.traces()), dropped_(std::move(dropped)) {}

  [[nodiscard]] std::int64_t count() const { return all_ - std::ssize(dropped_); }

  // Returns the number of traces of a range that are not dropped.
  [[nodiscard]] std::int64_t kept_of(ItemRange traces) const {
    const auto begin = std::ranges::lower_bound(dropped_, traces.first);
    return traces.count - (std::lower_bound(begin, dropped_.end(), traces.end()) - begin);
  }

  // Calls `visit(ItemRange)` for the runs of original traces that a range of remaining traces consists of.
  template <class Visit>
  void for_runs(ItemRange kept, Visit&& visit) const {
    // Before dropped trace j there are dropped_[j] - j remaining traces.
    std::size_t next = 0;
    for (std::size_t end = dropped_.size(); next < end;) {
      const std::size_t middle = (next + end) / 2;
      if (dropped_[middle] - static_cast<std::int64_t>(middle) <= kept.first) {
        next = middle + 1;
      } else {
        end = middle;
      }
    }
    for (std::int64_t at = kept.first + static_cast<std::int64_t>(next), left = kept.count; left > 0; ++next) {
      const std::int64_t end = next < dropped_.size() ? dropped_[next] : all_;
      const std::int64_t run = std::min(left, end - at);
      if (run > 0) visit(ItemRange{at, run});
      left -= run;
      at = end + 1;
    }
  }

 private:
  std::int64_t all_;
  std::vector<std::int64_t> dropped_;  // ascending
};

// Returns the positions of the output's traces.
segy::TraceTable table_of(const SurveyReader& reader, const KeptTraces& kept, const MergedTraces& merged,
                          std::int64_t first_byte) {
  const int sample_bytes = segy::bytes_of(merged.form().sample_format);
  std::vector<segy::TraceStretch> stretches;
  std::int64_t traces = 0;
  std::int64_t end_byte = first_byte;
  for (std::size_t file = 0; file < reader.files().size(); ++file) {
    const segy::TraceTable& table = reader.table(static_cast<int>(file));
    for (std::size_t i = 0; i < table.stretches().size(); ++i) {
      const ItemRange in_file = table.traces_of(i);
      const std::int64_t count = kept.kept_of({reader.inputs()[file].first_item + in_file.first, in_file.count});
      if (count == 0) continue;
      const segy::TraceShape shape = merged.shape_of(table.stretches()[i].shape());
      if (stretches.empty() || stretches.back().shape() != shape)
        stretches.push_back(
            {traces, end_byte, static_cast<std::uint32_t>(shape.samples), static_cast<std::uint32_t>(shape.headers)});
      traces += count;
      end_byte += count * shape.bytes(sample_bytes);
    }
  }
  return {std::move(stretches), traces, end_byte, sample_bytes};
}

class Merge {
 public:
  Merge(const Resources& resources, const SurveyReader& reader, const MergeOptions& options, const MergedTraces& merged,
        const HeaderConflicts& headers, KeptTraces kept, MergeResult& result)
      : resources_(resources),
        comm_(resources.comm),
        reader_(reader),
        options_(options),
        merged_(merged),
        headers_(headers),
        kept_(std::move(kept)),
        result_(result),
        lengths_(reader, false),
        accounts_(merged.ways(), std::vector<TraceAccount>(static_cast<std::size_t>(stream_threads(resources)))),
        rounded_(static_cast<std::size_t>(stream_threads(resources)),
                 std::vector<std::int64_t>(reader.files().size(), 0)) {}

  void write() {
    const std::vector<std::byte> header = file_header();
    const segy::FileDescription& first = reader_.files().front();
    segy::TraceTable table =
        run_and_agree(comm_, [&] { return table_of(reader_, kept_, merged_, first.first_trace_byte); });
    const std::int64_t trailer_bytes = headers_.trailers * std::int64_t{segy::text_header_bytes};
    result_.bytes = table.end_byte() + trailer_bytes;
    const MeantReading meant = meant_of(table);
    SurveyWriter writer(resources_, options_.output, std::move(table), trailer_bytes);
    writer.write_header(header);
    const ItemRange own = block_of(kept_.count(), resources_.comm.size(), resources_.comm.rank());
    resources_.begin_stage("merging traces", bytes_of(own));
    stream_traces(resources_, source(), &writer,
                  [&](ItemRange traces, std::span<const std::byte> in, std::span<std::byte> out, int thread) {
                    transform(traces, in.data(), out.data(), static_cast<std::size_t>(thread));
                  });
    writer.write_trailer(headers_.trailer);
    conclude();
    if (options_.marks.renumber) renumber_written(resources_, writer, kept_.count(), merged_.form().byte_order);
    finish_output(resources_, reader_, writer, options_.output, meant);
  }

 private:
  [[nodiscard]] MeantReading meant_of(const segy::TraceTable& table) const {
    MeantReading meant = read_as_input(reader_);
    const segy::FileForm& form = merged_.form();
    if (form.samples != meant.file.samples) meant.assume.samples.reset();
    if (form.lengths_vary != meant.file.lengths_vary) meant.assume.lengths_vary.reset();
    meant.file.samples = form.samples;
    meant.file.traces = table.traces();
    meant.file.lengths_vary = form.lengths_vary;
    meant.file.trailers = headers_.trailers;
    meant.has_one_length = form.lengths_vary && table.is_uniform() && table.traces() > 0;
    if (meant.has_one_length) meant.file.samples = table.shape_of(0).samples;
    return meant;
  }

  // Returns the first input's file header, with outdated statements updated, on rank 0.
  std::vector<std::byte> file_header() {
    const segy::FileDescription& first = reader_.files().front();
    EndsChange change{.has_one_length = stated_length(), .traces = kept_.count(), .history = options_.marks.history};
    const auto is_sorting = [](const MergeConflict& conflict) {
      return conflict.property == MergeProperty::sorting && conflict.rule == MergeRule::clear;
    };
    if (std::ranges::any_of(result_.conflicts, is_sorting)) change.sorting_code = 0;
    if (merged_.form().samples != first.samples) change.samples = merged_.form().samples;
    if (headers_.trailers != first.trailers) change.trailers = headers_.trailers;
    std::vector<std::byte> header = file_ends(comm_, reader_, change).header;
    run_on_rank(comm_, 0, [&] {
      const std::int64_t binary_at = first.label_bytes + std::int64_t{segy::text_header_bytes};
      for (const ByteRange& range : headers_.cleared)
        std::fill_n(header.begin() + binary_at + range.offset, range.length, std::byte{0});
    });
    return header;
  }

  // Returns the new statement on one length for inputs of which some promise one length and some do not; nothing if it
  // is unchanged.
  [[nodiscard]] std::optional<bool> stated_length() const {
    if (merged_.form().lengths_vary) return false;
    const segy::FileDescription& first = reader_.files().front();
    const bool has_promise = std::ranges::any_of(reader_.files(), [](const segy::FileDescription& file) {
      return !file.lengths_vary && !file.may_vary_in_length;
    });
    if (first.lengths_vary || (first.may_vary_in_length && has_promise)) return true;
    return {};
  }

  [[nodiscard]] std::int64_t bytes_of(ItemRange kept) const {
    std::int64_t bytes = 0;
    kept_.for_runs(kept, [&](ItemRange run) { bytes += reader_.bytes_of(run); });
    return bytes;
  }

  [[nodiscard]] TraceSource source() const {
    return {kept_.count(), reader_.longest_trace_bytes(), [this](ItemRange kept) { return bytes_of(kept); },
            [this](ItemRange kept, std::span<std::byte> into) {
              kept_.for_runs(kept, [&](ItemRange run) {
                const auto bytes = static_cast<std::size_t>(reader_.bytes_of(run));
                reader_.read_own(run, into.first(bytes));
                into = into.subspan(bytes);
              });
            }};
  }

  void transform(ItemRange kept, const std::byte* in, std::byte* out, std::size_t thread) {
    kept_.for_runs(kept, [&](ItemRange run) {
      for (std::int64_t trace = run.first; trace < run.end(); ++trace) {
        lengths_.see(trace, in);
        TraceAccount& account = accounts_[merged_.way_number(trace)][thread];
        const std::int64_t before = account.samples.rounded;
        merged_.transform(trace, in, out, account);
        rounded_[thread][static_cast<std::size_t>(reader_.file_of(trace))] += account.samples.rounded - before;
        in += merged_.bytes_before(trace);
        out += merged_.bytes_after(trace);
      }
    });
  }

  void conclude() {
    std::vector<TraceAccount> of_ways;
    for (const std::vector<TraceAccount>& of_threads : accounts_) {
      of_ways.push_back(joined(comm_, of_threads, merged_.header_bytes()));
      result_.samples.add(of_ways.back().samples);
    }
    if (!merged_.sets_lengths()) result_.deviating_traces = all_reduce(comm_, lengths_.deviating(), Reduction::sum);
    std::ranges::copy(merged_.notes(of_ways), std::back_inserter(result_.notes));
    if (result_.samples.rounded > 0 && options_.rules.of(MergeProperty::format) == MergeRule::exact) refuse_rounded();
  }

  // Collective. Throws an error that names the first input with rounded samples.
  void refuse_rounded() {
    std::vector<std::int64_t> of_files(reader_.files().size(), 0);
    for (const std::vector<std::int64_t>& of_thread : rounded_)
      std::ranges::transform(of_files, of_thread, of_files.begin(), std::plus());
    comm_.all_reduce(of_files, Reduction::sum);
    run_and_agree(comm_, [&] {
      const auto is_rounded = [](std::int64_t samples) { return samples > 0; };
      const auto file = std::ranges::find_if(of_files, is_rounded) - of_files.begin();
      const auto others = std::ranges::count_if(of_files, is_rounded) - 1;
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format(
                       "{} samples{} have no exact value in the format of the first input, {} (largest relative error "
                       "{:.3g})",
                       result_.samples.rounded, others > 0 ? fmt::format(" of this and {} more inputs", others) : "",
                       segy::name_of(merged_.form().sample_format), result_.samples.largest_relative_error),
                   .where = {.file = reader_.paths()[static_cast<std::size_t>(file)]},
                   .clause = "SEG-Y rev 1, bytes 3225-3226",
                   .action = "give --on format=round, or name an input of the wider format first"});
    });
  }

  const Resources& resources_;
  Communicator& comm_;
  const SurveyReader& reader_;
  const MergeOptions& options_;
  const MergedTraces& merged_;
  const HeaderConflicts& headers_;
  KeptTraces kept_;
  MergeResult& result_;
  LengthCheck lengths_;
  std::vector<std::vector<TraceAccount>> accounts_;  // for each conversion and thread
  std::vector<std::vector<std::int64_t>> rounded_;   // samples, for each thread and input
};

bool is_refused(std::span<const MergeConflict> conflicts) {
  return std::ranges::any_of(conflicts,
                             [](const MergeConflict& conflict) { return conflict.rule == MergeRule::refuse; });
}

MergeConflict conflict_of(const SurveyReader& reader, const RepeatedTraces& repeated, const MergeRules& rules) {
  const Where first = reader.where(repeated.first->first);
  const Where repeat = reader.where(repeated.first->repeat);
  return {MergeProperty::duplicates, rules.of(MergeProperty::duplicates),
          fmt::format("{} traces; the first is trace {} of {}, which is trace {} of {}", repeated.traces.size(),
                      *repeat.item, repeat.file, *first.item, first.file),
          repeat.file};
}

}  // namespace

MergeInputs merge_inputs(const Resources& resources, const std::vector<std::string>& paths, const MergeRules& rules) {
  const std::vector<std::int64_t> firsts = first_of_same_files(resources, paths);
  MergeInputs inputs;
  const MergeRule rule = rules.of(MergeProperty::files);
  std::int64_t repeats = 0;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto first = static_cast<std::size_t>(firsts[i]);
    if (first != i && repeats++ == 0)
      inputs.twice = MergeConflict{
          MergeProperty::files, rule,
          paths[i] == paths[first] ? "named twice: " + paths[i] : fmt::format("{} is {}", paths[i], paths[first]),
          paths[i]};
    if (first == i || rule == MergeRule::keep) inputs.paths.push_back(paths[i]);
  }
  if (repeats > 1) inputs.twice->found += fmt::format("; {} more", repeats - 1);
  return inputs;
}

MergeResult merge(const Resources& resources, const SurveyReader& reader, const MergeInputs& inputs,
                  const MergeOptions& options) {
  Communicator& comm = resources.comm;
  if (!options.dry_run) require_other_file(resources, options.output, with_kept_beside(reader.paths()));
  require_text_header(comm, options.marks.history, reader.files().front().kind);
  MergeResult result;
  if (inputs.twice) result.conflicts.push_back(*inputs.twice);
  const auto add = [&](std::vector<MergeConflict> found) {
    std::ranges::move(found, std::back_inserter(result.conflicts));
    std::ranges::stable_sort(result.conflicts, {}, &MergeConflict::property);
  };
  const auto ends_here = [&] {
    if (!options.dry_run) run_and_agree(comm, [&] { require_agreement(result.conflicts); });
    return is_refused(result.conflicts);
  };
  add(run_and_agree(comm, [&] { return conflicts_of_forms(reader.files(), options.rules); }));
  HeaderConflicts headers = conflicts_of_headers(resources, reader, options.rules);
  add(std::move(headers.conflicts));
  add(conflicts_of_traces(resources, reader, options.rules, options.marks.renumber));
  result.traces = reader.traces();
  if (ends_here()) return result;

  const segy::SampleFormat format = reader.files().front().sample_format;
  if (std::ranges::any_of(reader.files(), [&](const auto& file) { return file.sample_format != format; }))
    reader.require_sample_format();
  const MergedTraces merged = run_and_agree(comm, [&] { return MergedTraces(reader, options.rules); });
  result.form = merged.form();
  RepeatedTraces repeated;
  if (reader.files().size() > 1 && options.rules.of(MergeProperty::duplicates) != MergeRule::keep) {
    repeated = repeated_traces(resources, reader, merged);
    result.looked_for_repeats = true;
    if (repeated.shared_bins > 0)
      result.notes.push_back(fmt::format("traces of more than one input are in {} bins (pairs of iline and xline)",
                                         format_count(repeated.shared_bins)));
    if (repeated.first) add({conflict_of(reader, repeated, options.rules)});
  }
  if (ends_here()) return result;
  result.dropped = std::ssize(repeated.traces);
  result.traces -= result.dropped;
  if (options.dry_run) return result;
  Merge(resources, reader, options, merged, headers, KeptTraces(reader, std::move(repeated.traces)), result).write();
  return result;
}

}  // namespace sill
