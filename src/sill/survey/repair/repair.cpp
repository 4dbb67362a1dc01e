#include "sill/survey/repair/repair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/convert/file_header_repair.hpp"
#include "sill/io/edit/journal_finding.hpp"
#include "sill/io/survey/describe.hpp"
#include "sill/io/survey/index_file.hpp"
#include "sill/io/survey/same_file.hpp"
#include "sill/io/survey/survey_writer.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/convert/convert.hpp"
#include "sill/survey/convert/converted_traces.hpp"
#include "sill/survey/edit/renumbering.hpp"
#include "sill/survey/edit/text_history.hpp"
#include "sill/survey/output/trace_stream.hpp"
#include "sill/survey/repair/copy_as_text.hpp"
#include "sill/survey/repair/header_consistency.hpp"
#include "sill/survey/repair/repair_proof.hpp"
#include "sill/survey/repair/stated_lengths.hpp"

namespace sill {
namespace {

// Returns the evidence about the bytes of a word: the findings about them, or the evidence on their subject.
std::string why_of(const segy::FileDescription& file, int byte, int last_byte) {
  const std::string where = fmt::format("bytes {}-{}", byte, last_byte);
  std::string why;
  for (const Diagnostic& found : file.diagnostics)
    if (found.where == where) why += fmt::format("{}{}; {}", why.empty() ? "" : "; ", found.problem, found.action);
  if (!why.empty()) return why;
  const std::string_view subject = byte == 3501 || byte == 3502 ? "revision" : byte == 3297 ? "byte order" : "traces";
  for (const segy::Evidence& evidence : file.evidence)
    if (evidence.subject == subject) return fmt::format("{} {}: {}", subject, evidence.decided, evidence.by);
  return "as the file is read";
}

// Only one of two byte orders can be right, and nothing in the file states which.
void require_one_byte_order(const segy::FileDescription& file) {
  for (const Diagnostic& found : file.diagnostics)
    if (found.grade == Grade::critical && found.where == "bytes 3297-3300")
      throw Error({.code = ErrorCode::input,
                   .problem = found.problem,
                   .where = {.file = file.path},
                   .clause = found.clause,
                   .action = found.action});
}

/// Repairs an input that is neither a copy in text mode nor refused.
class Repairing {
 public:
  Repairing(const Resources& resources, const RepairOptions& options, const segy::FileDescription& described,
            const segy::HeaderMap* map, const InputRules& rules)
      : resources_(resources),
        comm_(resources.comm),
        options_(options),
        rules_(rules),
        header_from_(described),
        reader_(resources, {options.input}, map,
                {.assume = assumptions_of_traces(described, rules.assume), .takes_damaged = true}),
        from_(reader_.files().front()),
        cut_(run_and_agree(comm_, [&] { return CutTrace(reader_); })) {}

  RepairResult run() {
    result_.traces_in = reader_.traces();
    look_at_samples();
    run_and_agree(comm_, [&] { settle_file_header(); });
    run_and_agree(comm_, [&] { settle_incomplete_trace(); });
    run_and_agree(comm_, [&] { settle_form(); });
    repair_file_header();
    look_at_traces();
    result_.traces_out = form_.traces;
    if (!options_.dry_run) write();
    return std::move(result_);
  }

 private:
  // If trace headers and binary header differ in byte order, the traces are read in their own order, with the values
  // that the binary header states.
  static segy::Assumptions assumptions_of_traces(const segy::FileDescription& described, segy::Assumptions assume) {
    if (!described.order_of_traces) return assume;
    assume.byte_order = described.order_of_traces;
    assume.samples = described.samples;
    if (described.interval_us > 0.0) assume.interval_us = described.interval_us;
    assume.format_code = code_of(described.sample_format);
    assume.revision = described.revision;
    assume.first_trace_byte = described.first_trace_byte;
    assume.extended_text_headers = described.extended_text_headers;
    return assume;
  }

  // Only the user can state the right format: the repair writes the assumed format, and reports what the samples show.
  void look_at_samples() {
    const std::optional<Diagnostic> found = reader_.sample_format_finding(0);
    if (!found || (found->grade < Grade::major && !rules_.assume.format_code)) return;
    run_and_agree(comm_, [&] {
      if (found->grade >= rules_.stops_at)
        throw Error({.code = ErrorCode::input,
                     .problem = found->problem,
                     .where = {.file = options_.input},
                     .clause = found->clause,
                     .action = found->action});
    });
    result_.notes.push_back(fmt::format("{}; {}", found->problem, found->action));
  }

  // Finds the byte order of the file header. Throws an error if sizes would be read differently in that order.
  void settle_file_header() {
    if (from_.kind != segy::FileKind::segy) return;
    header_ = reader_.file_header(0);
    const auto block = std::span<const std::byte>(header_)
                           .subspan(static_cast<std::size_t>(from_.label_bytes + std::int64_t{segy::text_header_bytes}))
                           .first<400>();
    if (!header_from_.order_of_traces) header_from_ = from_;
    // Values that are known only for the traces may be wrong for the file header.
    if (header_from_.order_of_traces || rules_.assume.byte_order)
      header_from_.byte_order = segy::order_of_file_header(block, header_from_.byte_order);
    const bool same_sizes = header_from_.additional_trace_headers == from_.additional_trace_headers &&
                            header_from_.trailers == from_.trailers && header_from_.samples == from_.samples;
    if (header_from_.byte_order == from_.byte_order || same_sizes) return;
    throw Error({.code = ErrorCode::input,
                 .problem = "the binary header and the traces are in different byte orders, so additional trace "
                            "headers or data trailers cannot be counted",
                 .where = {.file = options_.input},
                 .clause = "SEG-Y rev 2.1, bytes 3507-3508 and 3529-3532",
                 .action = "correct the binary header, or assume revision=1"});
  }

  void settle_incomplete_trace() {
    if (!cut_.exists()) {
      if (options_.last_trace) result_.notes.emplace_back("no trace was truncated: --last-trace had no effect");
      return;
    }
    if (header_from_.byte_order != from_.byte_order && from_.kind == segy::FileKind::segy && !rules_.assume.byte_order)
      throw Error({.code = ErrorCode::input,
                   .problem = "the file does not end with a complete trace, and its trace headers seem to be in "
                              "another byte order than the binary header: bytes may be missing inside the file",
                   .where = {.file = options_.input},
                   .action = "get an intact copy of the file; if both orders are correct, give the order of the traces "
                             "with --assume byte_order=big or little"});
    if (!options_.last_trace) cut_.refuse();
    const bool is_padded = *options_.last_trace == LastTrace::pad;
    if (is_padded) padded_ = cut_.padded();
    result_.repairs.push_back(
        {.what = "truncated last trace",
         .where = fmt::format("byte {}", cut_.first_byte() + 1),
         .before = cut_.text(),
         .after = is_padded ? fmt::format("the last {} samples are zero", cut_.missing_samples()) : "omitted",
         .why = fmt::format("--last-trace {}", is_padded ? "pad" : "drop")});
  }

  void settle_form() {
    ConvertOptions wanted;
    wanted.carries_old_texts = false;  // the repaired file follows its own revision
    wanted.byte_order = options_.byte_order;
    wanted.revision = options_.revision;
    // If the revision was detected and not requested, the byte order is unchanged.
    if (!options_.revision && !options_.byte_order && from_.byte_order != ByteOrder::pairwise)
      wanted.byte_order = from_.byte_order;
    // An assumed revision is written, even if another number is stored.
    if (!wanted.revision && from_.kind == segy::FileKind::segy && rules_.assume.revision)
      wanted.revision = revision_of(from_);
    // The bytes of the revision are swapped; 2 is the major number.
    if (!wanted.revision && from_.revision == 2 && from_.revision_major == 0) wanted.revision = segy::Revision::rev2_0;
    form_ = form_of_conversion(reader_, wanted);
    // After a trace is dropped, all lengths may be the same, and differ from that of the file header.
    if (form_.lengths_vary)
      if (const segy::TraceTable table = table_of_output(); table.is_uniform() && table.traces() > 0)
        form_.samples = table.shape_of(0).samples;
    require_label_kept(wanted.revision.has_value());
    if (!padded_.empty()) ++form_.traces;
    const auto left_out = [&](const std::string& what, const char* before) {
      result_.repairs.push_back({.what = what,
                                 .where = "the complete file",
                                 .before = before,
                                 .after = "none",
                                 .why = "a file is its headers and traces, one after another"});
    };
    if (!from_.wrapping.empty()) left_out(from_.wrapping, "marks between records");
    if (from_.is_joined) left_out("joined files", "file headers between traces");
    if (from_.padding_bytes > 0)
      result_.repairs.push_back({.what = "padding at the end",
                                 .where = fmt::format("byte {}", from_.traces_end_byte() + 1),
                                 .before = fmt::format("{} bytes", from_.padding_bytes),
                                 .after = "none",
                                 .why = "all zero, and too few for a trace"});
    const auto transformed = [&](const char* what, ByteOrder before, const std::string& why) {
      if (before == form_.byte_order) return;
      result_.repairs.push_back({.what = fmt::format("byte order of {}", what),
                                 .where = "all words",
                                 .before = std::string(name_of(before)),
                                 .after = std::string(name_of(form_.byte_order)),
                                 .why = why});
    };
    const std::string why = options_.byte_order                       ? "requested"
                            : from_.byte_order == ByteOrder::pairwise ? "no standard allows words swapped in pairs"
                            : from_.byte_order != form_.byte_order
                                ? "SEG-Y allows little-endian words since revision 2.0"
                            : header_from_.byte_order != from_.byte_order ? "the trace headers are in this order"
                                                                          : "";
    if (from_.kind == segy::FileKind::segy) transformed("the binary header", header_from_.byte_order, why);
    transformed("trace headers and samples", from_.byte_order, why);
    if (header_from_.byte_order != from_.byte_order && from_.kind == segy::FileKind::segy)
      result_.notes.push_back(
          fmt::format("samples are assumed to be in {} order, like the trace headers: check some of them",
                      name_of(from_.byte_order)));
  }

  // Revision 0 has no tape label, so a file with a label is unlikely to be of revision 0.
  void require_label_kept(bool is_revision_stated) const {
    if (is_revision_stated || from_.label_bytes == 0 || form_.revision != segy::Revision::rev0) return;
    std::string stated(5, ' ');
    std::memcpy(stated.data(), header_.data() + 4, stated.size());
    throw Error(
        {.code = ErrorCode::input,
         .problem = fmt::format("the file has a tape label of {}, but bytes 3501-3502 contain {}.{}, which is read as "
                                "revision 0, and revision 0 has no label",
                                stated, from_.revision_major, from_.revision_minor),
         .where = {.file = options_.input},
         .clause = "SEG-Y rev 1, clause 3 and bytes 3501-3502",
         .action = fmt::format("if the label is correct, give --assume revision={}; --revision 0 omits the label",
                               stated[2] == '1' ? 1 : 2)});
  }

  void repair_file_header() {
    if (from_.kind != segy::FileKind::segy) return;
    segy::RepairedFileHeader repaired =
        run_and_agree(comm_, [&] { return segy::repair_file_header(header_, header_from_, form_, sets_revision()); });
    note_label(repaired.bytes);
    header_ = std::move(repaired.bytes);
    for (const segy::WordChange& change : repaired.changes)
      result_.repairs.push_back({.what = change.name,
                                 .where = change.byte == change.last_byte
                                              ? fmt::format("byte {}", change.byte)
                                              : fmt::format("bytes {}-{}", change.byte, change.last_byte),
                                 .before = change.before,
                                 .after = change.after,
                                 .why = reason_of(change)});
    std::ranges::move(repaired.notes, std::back_inserter(result_.notes));
  }

  // A tape label also states the revision; it may change or be dropped even if no word changes.
  void note_label(std::span<const std::byte> fresh) {
    const auto old = std::span(header_).first(static_cast<std::size_t>(from_.label_bytes));
    if (old.empty()) return;
    if (form_.revision == segy::Revision::rev0) {
      result_.repairs.push_back({.what = "tape label",
                                 .where = fmt::format("bytes 1-{}", old.size()),
                                 .before = fmt::format("{} bytes", old.size()),
                                 .after = "none",
                                 .why = "revision 0 has none"});
    } else if (!std::ranges::equal(old, fresh.first(old.size()))) {
      const auto revision_in = [](std::span<const std::byte> label) {
        return std::string(reinterpret_cast<const char*>(label.data()) + 4, 5);
      };
      result_.repairs.push_back({.what = "tape label",
                                 .where = "bytes 5-9",
                                 .before = revision_in(old),
                                 .after = revision_in(fresh),
                                 .why = "the revision of the binary header"});
    }
  }

  [[nodiscard]] bool sets_revision() const { return options_.revision || rules_.assume.revision; }

  [[nodiscard]] std::string reason_of(const segy::WordChange& change) const {
    if (options_.revision && (change.byte == 3501 || change.byte == 3502)) return "requested";
    const bool is_of_count = change.byte == 3513 && form_.traces != from_.traces;
    if (is_of_count) return "with the truncated trace";
    // The two bytes of the revision are assessed together.
    if (change.byte == 3501 || change.byte == 3502) return why_of(header_from_, 3501, 3502);
    if (options_.revision && change.before == "none") return fmt::format("revision {} has it", name_of(form_.revision));
    return why_of(header_from_, change.byte, change.last_byte);
  }

  void look_at_traces() {
    shapes_.emplace(reader_, form_, rules_.assume.interval_us.has_value());
    StatedLengths::Found found = shapes_->look(resources_);
    if (!padded_.empty()) shapes_->see(padded_.data(), reader_.traces(), found);
    run_and_agree(comm_, [&] {
      evaluate_stated({from_, rules_.assume, reader_.traces(), form_.traces, cut_.exists()}, *shapes_, found, result_);
    });
  }

  void write() {
    const bool is_segy = from_.kind == segy::FileKind::segy;
    run_and_agree(comm_, [&] {
      if (options_.history.empty()) return;
      const std::int64_t label_bytes = std::ssize(header_) - form_.header_bytes();
      add_history(std::span(header_).subspan(static_cast<std::size_t>(label_bytes)).first<segy::text_header_bytes>(),
                  from_.text_encoding, options_.history, options_.input);
    });
    std::vector<std::byte> trailer;  // on rank 0
    run_on_rank(comm_, 0, [&] {
      if (is_segy) trailer = reader_.file_trailer(0);
    });
    const std::int64_t trailer_bytes = is_segy ? from_.trailers * std::int64_t{segy::text_header_bytes} : 0;
    segy::TraceTable table = run_and_agree(comm_, [&] { return table_of_output(); });
    std::optional<std::int64_t> samples;
    if (table.is_uniform() && table.traces() > 0) samples = table.shape_of(0).samples;
    SurveyWriter writer(resources_, options_.output, std::move(table), trailer_bytes);
    result_.output_bytes = writer.file_bytes();
    writer.write_header(header_);
    // The trace headers were as they should be: only statements of the file header are repaired.
    if (is_segy && from_.may_scale_times &&
        (form_.revision >= segy::Revision::rev1) != (segy::revision_of(from_) >= segy::Revision::rev1))
      result_.notes.push_back(
          fmt::format("bytes 215-216 of the trace headers are not changed: in revision {} they {} the "
                      "times in bytes 95-114",
                      name_of(form_.revision), form_.revision >= segy::Revision::rev1 ? "scale" : "do not scale"));
    auto transformed = run_and_agree(comm_, [&] {
      return std::make_unique<ConvertedTraces>(
          resources_, reader_, form_, segy::ConversionRules{}, segy::TraceHeaderRules{.is_of_output = true},
          result_.notes, [&](std::byte* headers, segy::TraceShape shape) { shapes_->set(headers, shape); });
    });
    const ItemRange own = block_of(reader_.traces(), comm_.size(), comm_.rank());
    resources_.begin_stage("repairing traces", reader_.bytes_of(own));
    stream_traces(resources_, reader_, writer,
                  [&](ItemRange traces, std::span<const std::byte> in, std::span<std::byte> out, int thread) {
                    transformed->transform(traces, in, out, thread);
                  });
    if (!padded_.empty()) write_padded(writer, *transformed);
    writer.write_trailer(trailer);
    std::ranges::move(transformed->conclude().notes, std::back_inserter(result_.notes));
    if (options_.renumber) renumber_written(resources_, writer, form_.traces, form_.byte_order);
    reader_.require_unchanged(comm_);
    writer.share();
    result_.after = proved_repair(resources_, {.before = header_from_,
                                               .form = form_,
                                               .first_trace_byte = std::ssize(header_),
                                               .samples = samples,
                                               .sets_interval_of_traces = shapes_->sets_interval(),
                                               .strict = rules_.stops_at < Grade::critical,
                                               .written = writer.unfinished_path(),
                                               .written_bytes = writer.file_bytes(),
                                               .output = options_.output});
    result_.left = left_findings(*result_.after);
    writer.finish();
  }

  // Returns the positions of the output's traces; a padded trace is the last.
  [[nodiscard]] segy::TraceTable table_of_output() const {
    const int sample_bytes = segy::bytes_of(form_.sample_format);
    std::vector<segy::TraceTable> tables(reader_.tables().begin(), reader_.tables().end());
    if (!padded_.empty()) tables.push_back(segy::TraceTable::uniform(0, *cut_.shape(), 1, sample_bytes));
    return segy::TraceTable::joined(tables, std::ssize(header_), sample_bytes);
  }

  void write_padded(SurveyWriter& writer, ConvertedTraces& transformed) const {
    std::vector<std::byte> trace;
    run_on_rank(comm_, 0, [&] {
      trace.resize(padded_.size());
      try {
        transformed.transform_one(*cut_.shape(), padded_.data(), trace.data(), 0);
      } catch (const Error& error) {
        throw_at(error, {.file = options_.input, .byte = cut_.first_byte()});
      }
    });
    writer.write({comm_.rank() == 0 ? reader_.traces() : form_.traces, comm_.rank() == 0 ? 1 : 0}, trace);
  }

  const Resources& resources_;
  Communicator& comm_;
  const RepairOptions& options_;
  const InputRules& rules_;
  segy::FileDescription header_from_;  // has the byte order of the file header
  SurveyReader reader_;
  const segy::FileDescription& from_;
  CutTrace cut_;
  std::vector<std::byte> header_;
  std::vector<std::byte> padded_;
  segy::FileForm form_;
  std::optional<StatedLengths> shapes_;
  RepairResult result_;
};

}  // namespace

RepairResult repair(const Resources& resources, const segy::HeaderMap* map, const InputRules& rules,
                    const RepairOptions& options) {
  Communicator& comm = resources.comm;
  require_other_file(resources, options.output, with_kept_beside({options.input}));
  if (!rules.ignores_journals) require_no_journal(resources, options.input);
  std::optional<segy::FileDescription> described;
  std::optional<Error> unreadable;
  try {
    described = open_described(resources, options.input, rules.assume, rules.ignores_journals).description;
  } catch (const Error& error) {
    require_known_to_all(comm, error);
    if (error.code() != ErrorCode::input || !begins_with_text_line_ends(resources, options.input)) throw;
    unreadable = error;
  }
  if (unreadable || described->has_text_line_ends) {
    try {
      return undo_copy_as_text(resources, map, rules, options);
    } catch (const Error& error) {
      require_known_to_all(comm, error);
      if (!unreadable || error.code() != ErrorCode::input) throw;
    }
    throw *unreadable;
  }
  run_and_agree(comm, [&] { require_one_byte_order(*described); });
  run_and_agree(comm, [&] {
    if (described->fitting_sample_bytes == 0) return;
    throw Error(
        {.code = ErrorCode::input,
         .problem = fmt::format(
             "according to the sample format, samples have {} bytes, but samples of {} bytes would fit the file",
             segy::bytes_of(described->sample_format), described->fitting_sample_bytes),
         .where = {.file = options.input},
         .clause = "SEG-Y rev 1, bytes 3225-3226",
         .action = "the size does not determine the sample format: if you know the format, give --assume "
                   "sample_format=CODE"});
  });
  require_text_header(comm, options.history, described->kind);
  return Repairing(resources, options, *described, map, rules).run();
}

}  // namespace sill
