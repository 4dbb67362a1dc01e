#include "sill/survey/edit/computed_edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <mutex>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/edit/renumbering.hpp"
#include "sill/survey/edit/text_history.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill {
namespace {

constexpr std::int64_t max_shown_per_chunk = 5;
// Approximate size of a segment of the journal.
constexpr std::int64_t segment_bytes = 1 << 20;
constexpr std::int64_t max_traces_per_segment = 4096;
constexpr std::int64_t min_traces_per_segment = 16;
constexpr std::int64_t overhead_bytes_per_change = 16;

}  // namespace

ComputedEdit::ComputedEdit(const Resources& resources, const SurveyReader& reader, const EditOptions& options)
    : resources_(resources),
      comm_(resources.comm),
      reader_(reader),
      options_(options),
      trace_edit_(run_and_agree(comm_, [&] { return TraceEdit(reader, options.headers); })),
      lengths_(reader, false) {
  result_.traces = reader_.traces();
  make_texts();
  make_chunks();
  if (options_.headers.renumber) number_ensembles();
  look();
}

// Returns the blocks of text of a file that are set, unchanged: for a text of more than 40 lines all blocks, in the
// order in which `sill text` prints them.
std::vector<ComputedEdit::Text> ComputedEdit::texts_of(std::size_t file) const {
  const segy::FileDescription& of = reader_.files()[file];
  const int number = static_cast<int>(file);
  std::vector<Text> texts;
  const auto add = [&](std::span<const std::byte> bytes, std::int64_t begin, std::int64_t at, std::int64_t blocks) {
    for (std::int64_t i = 0; i < blocks; ++i) {
      Text& text = texts.emplace_back();
      text.first_byte = at + i * std::int64_t{segy::text_header_bytes};
      std::ranges::copy(bytes.subspan(static_cast<std::size_t>(text.first_byte - begin), segy::text_header_bytes),
                        text.old.begin());
      text.fresh = text.old;
    }
  };
  const std::vector<std::byte> header = reader_.file_header(number);
  add(header, 0, of.label_bytes, 1);
  const auto lines = options_.text ? std::ssize(*options_.text) : 0;
  constexpr auto lines_per_block = static_cast<std::int64_t>(segy::text_header_lines);
  if (lines <= lines_per_block) return texts;
  add(header, 0, of.label_bytes + segy::file_header_bytes, of.extended_text_headers);
  add(reader_.file_trailer(number), of.traces_end_byte(), of.traces_end_byte(), of.trailers);
  if (lines == std::ssize(texts) * lines_per_block) return texts;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format(
                   "the text has {} lines, but a text header has 40{}", lines,
                   texts.size() > 1
                       ? fmt::format(", and with the {} extended text headers and data trailers of this file {} lines",
                                     texts.size() - 1, texts.size() * lines_per_block)
                       : ""),
               .where = {.file = of.path},
               .clause = "SEG-Y rev 1, bytes 1-3200",
               .action = "give at most 40 lines, or as many as `sill text` prints"});
}

// Computes the blocks of text before and after, on rank 0.
void ComputedEdit::make_texts() {
  if (!options_.text && options_.history.empty()) return;
  run_on_rank(comm_, 0, [&] {
    for (std::size_t f = 0; f < reader_.files().size(); ++f) {
      const segy::FileDescription& file = reader_.files()[f];
      std::vector<Text>& texts = texts_.emplace_back(texts_of(f));
      segy::TextEncoding encoding = file.text_encoding;
      if (options_.text) {
        std::span<const std::string> lines = *options_.text;
        for (Text& text : texts) {
          const auto of_block = reader_.assumptions().text_encoding.value_or(segy::detect_text_encoding(text.old));
          const auto here = lines.first(std::min(lines.size(), segy::text_header_lines));
          segy::set_text_lines(here, of_block, text.fresh);
          lines = lines.subspan(here.size());
        }
        // The standard's first encoding, if the file does not state one.
        const bool is_fresh = encoding == segy::TextEncoding::unknown && texts.front().fresh != texts.front().old;
        if (is_fresh) encoding = segy::TextEncoding::ebcdic;
      }
      if (!options_.history.empty()) add_history(texts.front().fresh, encoding, options_.history, file.path);
      for_changed_lines(f, [&](const Text&, std::size_t) { result_.text_lines += 1; });
    }
  });
  comm_.broadcast(std::as_writable_bytes(std::span(&result_.text_lines, 1)), 0);
}

void ComputedEdit::for_changed_lines(std::size_t file,
                                     const std::function<void(const Text&, std::size_t)>& visit) const {
  for (const Text& text : texts(file))
    for (std::size_t at = 0; at < segy::text_header_bytes; at += segy::text_header_columns)
      if (std::memcmp(&text.old[at], &text.fresh[at], segy::text_header_columns) != 0) visit(text, at);
}

// Divides the traces into chunks; each rank has a block of each file's traces.
void ComputedEdit::make_chunks() {
  std::int64_t bytes_per_trace = 0;
  for (const ByteRange target : trace_edit_.targets()) bytes_per_trace += 2 * target.length + overhead_bytes_per_change;
  if (bytes_per_trace == 0) return;
  const std::int64_t max = std::clamp(segment_bytes / bytes_per_trace, min_traces_per_segment, max_traces_per_segment);
  for (std::size_t f = 0; f < reader_.files().size(); ++f) {
    const ItemRange own = block_of(traces_of(f), comm_.size(), comm_.rank());
    for (std::int64_t first = own.first; first < own.end(); first += max)
      chunks_.push_back({f, {first, std::min(max, own.end() - first)}});
  }
}

ItemRange ComputedEdit::traces_of(std::size_t file) const {
  return {reader_.inputs()[file].first_item, reader_.files()[file].traces};
}

void ComputedEdit::for_traces(const EditChunk& chunk, const EditedTraceVisitor& visit) const {
  const ByteRange needed = needed_bytes();
  const std::int64_t first_of_file = reader_.inputs()[chunk.file].first_item;
  std::vector<std::byte> buffer(static_cast<std::size_t>(needed.end()));
  EnsembleRun ensemble = chunk.before;
  // On one thread, so in trace order.
  reader_.scan_headers(chunk.traces, needed, 1, [&](const HeaderBlock& block, int /*thread*/) {
    for_each_trace(reader_, block.first_trace, block.count, [&](std::int64_t i) {
      const segy::HeaderView view = block.view(i);
      std::copy_n(view.header + needed.offset, needed.length, buffer.data() + needed.offset);
      const TraceFate fate = trace_edit_.apply(view, buffer.data(), {view.trace - first_of_file, ensemble});
      lengths_.see(view.trace - 1, buffer.data());  // an edit may correct the number that a trace states
      visit(view, buffer.data(), fate);
    });
  });
}

// Finds the incomplete ensemble at the beginning of each chunk, with new ensemble numbers, if they are set.
void ComputedEdit::number_ensembles() {
  std::vector<EnsembleEnds> ends = run_and_agree(comm_, [&] { return std::vector<EnsembleEnds>(chunks_.size()); });
  const bool are_set = std::ranges::any_of(
      trace_edit_.targets(), [](ByteRange target) { return segy::overlap(target, ensemble_number_bytes); });
  run_and_agree(comm_, [&] {
    parallel_for(resources_.threads(), std::ssize(chunks_), [&](std::int64_t task, int /*thread*/) {
      const EditChunk& chunk = chunks_[static_cast<std::size_t>(task)];
      EnsembleEnds& own = ends[static_cast<std::size_t>(task)];
      const auto take = [&](const std::byte* header, ByteOrder order) {
        own.add(load<std::int32_t>(header + ensemble_number_bytes.offset, order));
      };
      if (are_set) {
        for_traces(chunk,
                   [&](const segy::HeaderView& old, const std::byte* fresh, TraceFate) { take(fresh, old.order); });
      } else {
        reader_.scan_headers(chunk.traces, ensemble_number_bytes, 1, [&](const HeaderBlock& block, int /*thread*/) {
          for (std::int64_t i = 0; i < block.count; ++i) take(block.header(i), block.byte_order);
        });
      }
    });
  });
  // File by file, because a rank's traces of one file do not follow its traces of another.
  std::size_t next = 0;
  for (std::size_t f = 0; f < reader_.files().size(); ++f) {
    const std::size_t begin = next;
    EnsembleEnds of_file;
    for (; next < chunks_.size() && chunks_[next].file == f; ++next) of_file = joined(of_file, ends[next]);
    EnsembleRun before = run_before(comm_, of_file);
    for (std::size_t c = begin; c < next; ++c) {
      chunks_[c].before = before;
      before = ends[c].after(before);
    }
  }
}

void ComputedEdit::for_changes(const segy::HeaderView& old, const std::byte* fresh,
                               const std::function<void(ByteRange)>& visit) const {
  for (const ByteRange target : trace_edit_.targets())
    if (std::memcmp(old.header + target.offset, fresh + target.offset, static_cast<std::size_t>(target.length)) != 0)
      visit(target);
}

// Computes everything once without writing: errors, counts, journal sizes and the traces that are shown.
void ComputedEdit::look() {
  std::int64_t traces = 0;
  for (const EditChunk& chunk : chunks_) traces += chunk.traces.count;
  resources_.begin_stage("computing words", traces * needed_bytes().length);
  std::mutex mutex;
  std::int64_t first_without_row = std::numeric_limits<std::int64_t>::max();
  std::string key_without_row;
  run_and_agree(comm_, [&] {
    parallel_for(resources_.threads(), std::ssize(chunks_), [&](std::int64_t task, int /*thread*/) {
      EditChunk& chunk = chunks_[static_cast<std::size_t>(task)];
      EditResult seen;
      std::int64_t bytes = 0;
      for_traces(chunk, [&](const segy::HeaderView& old, const std::byte* fresh, TraceFate fate) {
        if (fate == TraceFate::not_chosen) return;
        seen.chosen += 1;
        if (fate == TraceFate::without_row && seen.without_row++ == 0) {
          const std::lock_guard lock(mutex);
          if (old.trace - 1 < first_without_row) {
            first_without_row = old.trace - 1;
            key_without_row = options_.headers.table->key_text(old);
          }
        }
        if (fate != TraceFate::changed) return;
        seen.changed += 1;
        for_changes(old, fresh, [&](ByteRange target) {
          seen.bytes_changed += target.length;
          bytes += 2 * target.length + overhead_bytes_per_change;
        });
        if (seen.changed <= max_shown_per_chunk) seen.shown.push_back({old.trace - 1, trace_edit_.shown(old, fresh)});
      });
      chunk.journal_bytes = bytes;
      const std::lock_guard lock(mutex);
      result_.chosen += seen.chosen;
      result_.changed += seen.changed;
      result_.without_row += seen.without_row;
      result_.bytes_changed += seen.bytes_changed;
      std::ranges::move(seen.shown, std::back_inserter(result_.shown));
      keep_first(result_.shown);
    });
  });
  if (trace_edit_.targets().empty()) result_.chosen = 0;
  std::array<std::int64_t, 4> counts{result_.chosen, result_.changed, result_.without_row, result_.bytes_changed};
  comm_.all_reduce(counts, Reduction::sum);
  result_.chosen = counts[0];
  result_.changed = counts[1];
  result_.without_row = counts[2];
  result_.bytes_changed = counts[3] + result_.text_lines * std::int64_t{segy::text_header_columns};
  result_.shown = first_of_all(comm_, result_.shown);
  if (options_.headers.table == nullptr) return;
  result_.rows = options_.headers.table->rows();
  result_.rows_not_found = options_.headers.table->rows_not_found(comm_);
  if (result_.without_row == 0 || options_.keep_without_row) return;
  const std::int64_t first = all_reduce(comm_, first_without_row, Reduction::min);
  agree(
      comm_, first != first_without_row ? std::nullopt : attempt([&] {
        throw Error(
            {.code = ErrorCode::input,
             .problem = fmt::format("{} of {} traces have no row in the table, the first of them with {}",
                                    result_.without_row, result_.chosen, key_without_row),
             .where = reader_.where(first),
             .action =
                 "nothing was written; select other traces with --where, or keep these unchanged with --missing keep"});
      }));
}

}  // namespace sill
