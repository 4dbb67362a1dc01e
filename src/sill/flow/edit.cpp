#include "sill/flow/edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <limits>
#include <mutex>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/flow/key_table.hpp"
#include "sill/flow/renumbering.hpp"
#include "sill/flow/text_history.hpp"
#include "sill/flow/trace_stream.hpp"
#include "sill/io/describe.hpp"
#include "sill/io/index_file.hpp"
#include "sill/io/same_file.hpp"
#include "sill/io/same_reading.hpp"
#include "sill/io/writer.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

constexpr std::int64_t most_shown_of_a_chunk = 5;
// Of a segment of the journal, about.
constexpr std::int64_t segment_bytes = 1 << 20;
constexpr std::int64_t most_traces_a_segment = 4096;
constexpr std::int64_t fewest_traces_a_segment = 16;
constexpr std::int64_t bytes_beside_a_change = 16;

// The traces of a segment: of one file.
struct Chunk {
  std::size_t file = 0;
  ItemRange traces;  // through all files
  std::int64_t journal_bytes = 0;
};

using TextBlock = std::array<std::byte, segy::text_header_bytes>;

class Edit {
 public:
  Edit(const Resources& resources, const Reader& reader, const EditOptions& options)
      : resources_(resources),
        comm_(resources.comm),
        reader_(reader),
        options_(options),
        trace_edit_(together(comm_, [&] { return TraceEdit(reader, options.headers); })) {}

  EditResult run() {
    result_.traces = reader_.traces();
    together(comm_, [&] { require_sense(); });
    make_texts();
    make_chunks();
    if (options_.headers.renumber) number_ensembles();
    look();
    if (!options_.output.empty()) {
      if (!options_.dry_run) write_new_file();
    } else if (!options_.dry_run) {
      change_in_place();
    }
    return std::move(result_);
  }

 private:
  void require_sense() const {
    const auto refuse = [](const char* problem, const char* action) {
      throw Error({.code = ErrorCode::usage, .problem = problem, .action = action});
    };
    const bool sets_text = options_.text || !options_.history.empty();
    if (trace_edit_.targets().empty() && !sets_text)
      refuse("there is nothing to set", "say what: --set, --rescale, --renumber, --text or --history");
    if (sets_text && reader_.files().front().kind == segy::FileKind::seismic_unix)
      refuse("Seismic Unix data has no text header", "convert it to SEG-Y first: sill convert");
    if (options_.headers.renumber && (options_.headers.where || options_.headers.table != nullptr))
      refuse("--renumber counts all traces, and only some are chosen", "renumber in a run of its own");
    if (!options_.output.empty() && reader_.files().size() > 1)
      refuse("several files are to become one", "edit one file into a new one, or join them by sill sort or convert");
  }

  // The text headers, before and after, on rank 0.
  void make_texts() {
    if (!options_.text && options_.history.empty()) return;
    on_rank(comm_, 0, [&] {
      for (std::size_t f = 0; f < reader_.files().size(); ++f) {
        const segy::FileDescription& file = reader_.files()[f];
        const std::vector<std::byte> header = reader_.file_header(static_cast<int>(f));
        TextBlock& old = old_texts_.emplace_back();
        std::copy_n(header.begin() + file.label_bytes, old.size(), old.begin());
        TextBlock& fresh = fresh_texts_.emplace_back(old);
        segy::TextEncoding encoding = file.text_encoding;
        if (options_.text) {
          // What the standard has from the beginning, where the file does not tell.
          if (encoding == segy::TextEncoding::unknown) encoding = segy::TextEncoding::ebcdic;
          segy::encode_text_header(*options_.text, encoding, fresh);
        }
        if (!options_.history.empty()) add_history(fresh, encoding, options_.history, file.path);
        for_changed_lines(f, [&](std::size_t) { result_.text_lines += 1; });
      }
    });
    comm_.broadcast(std::as_writable_bytes(std::span(&result_.text_lines, 1)), 0);
  }

  template <class Visit>
  void for_changed_lines(std::size_t file, Visit&& visit) const {
    for (std::size_t at = 0; at < segy::text_header_bytes; at += segy::text_header_columns)
      if (std::memcmp(&old_texts_[file][at], &fresh_texts_[file][at], segy::text_header_columns) != 0) visit(at);
  }

  // A rank has a block of each file's traces.
  void make_chunks() {
    std::int64_t bytes_a_trace = 0;
    for (const ByteRange target : trace_edit_.targets()) bytes_a_trace += 2 * target.length + bytes_beside_a_change;
    if (bytes_a_trace == 0) return;
    const std::int64_t most = std::clamp(segment_bytes / bytes_a_trace, fewest_traces_a_segment, most_traces_a_segment);
    for (std::size_t f = 0; f < reader_.files().size(); ++f) {
      const ItemRange own = block_of(traces_of(f), comm_.size(), comm_.rank());
      for (std::int64_t first = own.first; first < own.end(); first += most)
        chunks_.push_back({f, {first, std::min(most, own.end() - first)}});
    }
  }

  [[nodiscard]] ItemRange traces_of(std::size_t file) const {
    return {reader_.inputs()[file].first_item, reader_.files()[file].traces};
  }

  // Calls `work(view, fresh, fate)` for the traces of a range within one file. `fresh` is the address of byte 1.
  template <class Work>
  void for_traces(ItemRange traces, Work&& work) const {
    const ByteRange needed = trace_edit_.needed_bytes();
    const std::int64_t first_of_file =
        reader_.inputs()[static_cast<std::size_t>(reader_.file_of(traces.first))].first_item;
    std::vector<std::byte> buffer(static_cast<std::size_t>(needed.end()));
    reader_.scan_headers(traces, needed, 1, [&](const HeaderBlock& block, int /*thread*/) {
      for_each_trace(reader_, block.first_trace, block.count, [&](std::int64_t i) {
        const segy::HeaderView view = block.view(i);
        std::copy_n(view.header + needed.offset, needed.length, buffer.data() + needed.offset);
        const TraceEdit::Place place{view.trace - first_of_file, in_ensemble(view.trace - 1)};
        const TraceFate fate = trace_edit_.apply(view, buffer.data(), place);
        work(view, buffer.data(), fate);
      });
    });
  }

  // Where the traces of this rank stand in their ensembles; of new words, where those are set.
  void number_ensembles() {
    std::int64_t own = 0;
    std::vector<std::int64_t> starts;
    for (const Chunk& chunk : chunks_) {
      starts.push_back(own);
      own += chunk.traces.count;
    }
    std::vector<std::int32_t> ensembles =
        together(comm_, [&] { return std::vector<std::int32_t>(static_cast<std::size_t>(own)); });
    const bool are_set = std::ranges::any_of(
        trace_edit_.targets(), [](ByteRange target) { return segy::overlap(target, ensemble_number_bytes); });
    together(comm_, [&] {
      hand_out(resources_.threads(), std::ssize(chunks_), [&](std::int64_t task, int /*thread*/) {
        const ItemRange traces = chunks_[static_cast<std::size_t>(task)].traces;
        std::int64_t at = starts[static_cast<std::size_t>(task)];
        const auto take = [&](const std::byte* header, ByteOrder order) {
          ensembles[static_cast<std::size_t>(at++)] = load<std::int32_t>(header + ensemble_number_bytes.offset, order);
        };
        if (are_set) {
          for_traces(traces,
                     [&](const segy::HeaderView& old, const std::byte* fresh, TraceFate) { take(fresh, old.order); });
        } else {
          reader_.scan_headers(traces, ensemble_number_bytes, 1, [&](const HeaderBlock& block, int /*thread*/) {
            for (std::int64_t i = 0; i < block.count; ++i) take(block.header(i), block.byte_order);
          });
        }
      });
    });
    // File after file, since a rank's traces of one file do not follow those of another.
    std::int64_t done = 0;
    for (std::size_t f = 0; f < reader_.files().size(); ++f) {
      const ItemRange own_of_file = block_of(traces_of(f), comm_.size(), comm_.rank());
      const std::vector<std::int64_t> numbers = numbers_in_ensembles(
          comm_,
          std::span(ensembles).subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(own_of_file.count)),
          [&](std::int64_t i) { return own_of_file.first + i == traces_of(f).first; });
      ensemble_blocks_.push_back(own_of_file);
      in_ensembles_.push_back(numbers);
      done += own_of_file.count;
    }
  }

  [[nodiscard]] std::int64_t in_ensemble(std::int64_t trace) const {
    if (in_ensembles_.empty()) return 1;
    const auto file = static_cast<std::size_t>(reader_.file_of(trace));
    return in_ensembles_[file][static_cast<std::size_t>(trace - ensemble_blocks_[file].first)];
  }

  // Bytes of the file where a trace begins.
  [[nodiscard]] std::int64_t byte_of(std::size_t file, std::int64_t trace) const {
    return reader_.table(static_cast<int>(file)).bytes_of({trace - reader_.inputs()[file].first_item, 1}).offset;
  }

  template <class Visit>
  void for_changes(const segy::HeaderView& old, const std::byte* fresh, Visit&& visit) const {
    for (const ByteRange target : trace_edit_.targets())
      if (std::memcmp(old.header + target.offset, fresh + target.offset, static_cast<std::size_t>(target.length)) != 0)
        visit(target);
  }

  // Everything is computed once without a byte written: errors, counts, what a journal will hold, what is shown.
  void look() {
    std::int64_t traces = 0;
    for (const Chunk& chunk : chunks_) traces += chunk.traces.count;
    resources_.begin_stage("computing words", traces * trace_edit_.needed_bytes().length);
    std::mutex mutex;
    std::int64_t first_without_row = std::numeric_limits<std::int64_t>::max();
    std::string key_without_row;
    together(comm_, [&] {
      hand_out(resources_.threads(), std::ssize(chunks_), [&](std::int64_t task, int /*thread*/) {
        Chunk& chunk = chunks_[static_cast<std::size_t>(task)];
        EditResult seen;
        std::int64_t bytes = 0;
        for_traces(chunk.traces, [&](const segy::HeaderView& old, const std::byte* fresh, TraceFate fate) {
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
            bytes += 2 * target.length + bytes_beside_a_change;
          });
          if (seen.changed <= most_shown_of_a_chunk)
            seen.shown.push_back({old.trace - 1, trace_edit_.shown(old, fresh)});
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
               .action = "nothing was written; choose others by --where, or leave them as they are by --missing keep"});
        }));
  }

  // In place ----------------------------------------------------------------------------------------------------------

  void change_in_place() {
    if (result_.bytes_changed == 0) return;
    std::vector<std::pair<std::size_t, std::unique_ptr<EditJournal>>> journals;
    for (std::size_t f = 0; f < reader_.files().size(); ++f)
      if (auto journal = prepared(f)) journals.emplace_back(f, std::move(journal));
    std::vector<KeptIndex> indexes;
    for (const auto& [f, journal] : journals) indexes.push_back(kept_index(f));
    resources_.begin_stage("writing words", 0);
    reader_.require_unchanged(comm_);
    try {
      // From the first of these on, whatever ends the process leaves journals, by which all is undone.
      for (const auto& [f, journal] : journals) journal->complete();
      for (const auto& [f, journal] : journals) journal->apply();
      for (const auto& [f, journal] : journals)
        require_same_reading(resources_, reader_.files()[f], reader_.assumptions(), reader_.paths()[f],
                             reader_.paths()[f]);
    } catch (const Error&) {
      undo_all();
      throw;
    }
    for (const auto& [f, journal] : journals) journal->remove();
    for (std::size_t i = 0; i < journals.size(); ++i) renew_index(journals[i].first, indexes[i]);
  }

  // The journal of a file, not yet complete; nothing where no byte of it changes.
  std::unique_ptr<EditJournal> prepared(std::size_t file) {
    std::vector<std::int64_t> sizes;
    std::vector<const Chunk*> chunks;
    for (const Chunk& chunk : chunks_)
      if (chunk.file == file) {
        chunks.push_back(&chunk);
        sizes.push_back(chunk.journal_bytes);
      }
    std::vector<std::byte> text;
    if (!fresh_texts_.empty())
      for_changed_lines(file, [&](std::size_t at) {
        append_change(text, reader_.files()[file].label_bytes + static_cast<std::int64_t>(at),
                      std::span(old_texts_[file]).subspan(at, segy::text_header_columns),
                      std::span(fresh_texts_[file]).subspan(at, segy::text_header_columns));
      });
    sizes.push_back(std::ssize(text));
    std::int64_t bytes = 0;
    for (const std::int64_t size : sizes) bytes += size;
    if (all_reduce(comm_, bytes, Reduction::sum) == 0) return nullptr;
    auto journal = std::make_unique<EditJournal>(resources_, reader_.paths()[file], sizes);
    resources_.begin_stage("writing the journal", 0);
    together(comm_, [&] {
      journal->write_segment(chunks.size(), text);
      hand_out(resources_.threads(), std::ssize(chunks), [&](std::int64_t task, int /*thread*/) {
        const Chunk& chunk = *chunks[static_cast<std::size_t>(task)];
        std::vector<std::byte> changes;
        changes.reserve(static_cast<std::size_t>(chunk.journal_bytes));
        if (chunk.journal_bytes > 0)
          for_traces(chunk.traces, [&](const segy::HeaderView& old, const std::byte* fresh, TraceFate fate) {
            if (fate != TraceFate::changed) return;
            const std::int64_t begin = byte_of(file, old.trace - 1);
            for_changes(old, fresh, [&](ByteRange target) {
              const auto length = static_cast<std::size_t>(target.length);
              append_change(changes, begin + target.offset, {old.header + target.offset, length},
                            {fresh + target.offset, length});
            });
          });
        journal->write_segment(static_cast<std::size_t>(task), changes);
      });
    });
    return journal;
  }

  // After an error, which is the one to be told. What cannot be undone keeps its journal.
  void undo_all() {
    for (const std::string& path : reader_.paths()) {
      try {
        (void)undo_edit(resources_, path);
      } catch (const Error&) {
        continue;
      }
    }
  }

  KeptIndex kept_index(std::size_t file) {
    if (reader_.is_uniform()) return {};
    DescribedFile described = open_described(resources_, reader_.paths()[file], reader_.assumptions());
    return read_index_file(resources_, *described.store, described.description);
  }

  // The index says what it said; only the time that it knows has passed.
  void renew_index(std::size_t file, const KeptIndex& kept) {
    if (!kept.index) return;
    const std::string& path = reader_.paths()[file];
    try {
      DescribedFile described = open_described(resources_, path, reader_.assumptions());
      (void)write_index_file(resources_, *described.store, described.description, *kept.index,
                             stamp_of(resources_, path));
    } catch (const Error& error) {
      result_.notes.push_back(fmt::format("the index kept beside {} could not be renewed, and is out of date: {}", path,
                                          error.parts().problem));
    }
  }

  // Into a new file ---------------------------------------------------------------------------------------------------

  void write_new_file() {
    std::vector<std::byte> header;  // on rank 0
    std::vector<std::byte> trailer;
    on_rank(comm_, 0, [&] {
      header = reader_.file_header(0);
      trailer = reader_.file_trailer(0);
      if (!fresh_texts_.empty())
        std::ranges::copy(fresh_texts_[0], header.begin() + reader_.files().front().label_bytes);
    });
    const segy::FileDescription& file = reader_.files().front();
    segy::TraceTable table = reader_.table(0);
    Writer writer(resources_, options_.output, std::move(table), file.trailers * std::int64_t{segy::text_header_bytes});
    writer.write_header(header);
    resources_.begin_stage("writing traces", reader_.bytes_of(block_of(traces_of(0), comm_.size(), comm_.rank())));
    stream_traces(resources_, reader_, writer,
                  [&](ItemRange traces, std::span<const std::byte> in, std::span<std::byte> out, int /*thread*/) {
                    std::ranges::copy(in, out.begin());
                    if (!trace_edit_.targets().empty()) turn(traces, in, out);
                  });
    writer.write_trailer(trailer);
    if (options_.headers.renumber)
      renumber_written(
          resources_, writer, block_of(traces_of(0), comm_.size(), comm_.rank()),
          [&](std::int64_t trace) {
            return writer.bytes_of({trace, 1}).offset;
          },
          file.byte_order);
    reader_.require_unchanged(comm_);
    writer.share();
    require_same_reading(resources_, file, reader_.assumptions(), writer.unfinished_path(), options_.output);
    writer.finish();
  }

  void turn(ItemRange traces, std::span<const std::byte> in, std::span<std::byte> out) const {
    for_each_trace(reader_, traces.first, traces.count, [&](std::int64_t i) {
      const std::int64_t trace = traces.first + i;
      // The numbers within ensembles follow when all is written.
      (void)trace_edit_.apply(reader_.view(trace, in.data()), out.data(), {trace + 1, 1});
      const auto bytes = static_cast<std::size_t>(reader_.bytes_of({trace, 1}));
      in = in.subspan(bytes);
      out = out.subspan(bytes);
    });
  }

  const Resources& resources_;
  Communicator& comm_;
  const Reader& reader_;
  const EditOptions& options_;
  TraceEdit trace_edit_;
  EditResult result_;
  std::vector<Chunk> chunks_;
  std::vector<TextBlock> old_texts_;  // of each file, on rank 0
  std::vector<TextBlock> fresh_texts_;
  std::vector<ItemRange> ensemble_blocks_;               // of each file, this rank's traces
  std::vector<std::vector<std::int64_t>> in_ensembles_;  // of them
};

}  // namespace

EditResult edit(const Resources& resources, const Reader& reader, const EditOptions& options) {
  if (!options.output.empty()) require_other_file(resources, options.output, with_index_paths(reader.paths()));
  return Edit(resources, reader, options).run();
}

}  // namespace sill
