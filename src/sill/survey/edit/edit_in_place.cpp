#include "sill/survey/edit/edit_in_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/edit/edit_journal.hpp"
#include "sill/io/survey/compare_descriptions.hpp"
#include "sill/io/survey/describe.hpp"
#include "sill/io/survey/index_file.hpp"

namespace sill {
namespace {

// Maximum number of bytes that identify a file and that no edit changes: the binary header, or the first samples of
// Seismic Unix data.
constexpr std::int64_t max_bytes_to_know_by = 400;

class EditInPlace {
 public:
  EditInPlace(const Resources& resources, const EditLocks& locks, const SurveyReader& reader, const ComputedEdit& edit,
              EditResult& result)
      : resources_(resources), comm_(resources.comm), locks_(locks), reader_(reader), edit_(edit), result_(result) {}

  void run() {
    if (result_.bytes_changed == 0) return;
    for (std::size_t f = 0; f < reader_.files().size(); ++f) prepare(f);
    for (Prepared& one : prepared_) one.index = kept_index(one.file);
    resources_.begin_stage("writing words", 0);
    for (Prepared& one : prepared_) one.stamp = stamp_of(resources_, one.journal->path());
    reader_.require_unchanged(comm_);
    locks_.require_same_files();
    try {
      // From the first call on, a process that ends early leaves journals, from which everything can be undone.
      for (const Prepared& one : prepared_) one.journal->complete();
      for (const Prepared& one : prepared_) {
        // Writing the journals, and the words of the files before, took time: the file may have changed.
        require_stamp(one);
        one.journal->apply();
      }
      for (const Prepared& one : prepared_)
        require_same_reading(resources_, reader_.files()[one.file], reader_.assumptions(), reader_.paths()[one.file],
                             reader_.paths()[one.file]);
      locks_.require_same_files();
    } catch (const Error& error) {
      require_known_to_all(comm_, error);
      withdraw_after(error);
    }
    remove_journals();
  }

 private:
  struct Prepared {
    std::size_t file;
    std::unique_ptr<EditJournal> journal;
    FileStamp stamp = {};  // at the time its journal was written
    StoredIndex index = {};
  };

  void require_stamp(const Prepared& one) {
    const bool is_same = stamp_of(resources_, one.journal->path()) == one.stamp;
    run_and_agree(comm_, [&] {
      if (is_same) return;
      throw Error(
          {.code = ErrorCode::input,
           .problem = "the file was changed, or another took its name, while its edit was prepared",
           .where = {.file = one.journal->path()},
           .action = "the file contains no change of this edit; run the edit when no other program writes the file"});
    });
  }

  // Writes the journal of a file, which is not yet marked complete; no journal if no byte of the file changes.
  void prepare(std::size_t file) {
    std::vector<std::int64_t> sizes;
    std::vector<const EditChunk*> chunks;
    for (const EditChunk& chunk : edit_.chunks())
      if (chunk.file == file) {
        chunks.push_back(&chunk);
        sizes.push_back(chunk.journal_bytes);
      }
    // The texts before and after the traces are separate segments: bytes between changes of one segment may be written
    // with them.
    std::array<std::vector<std::byte>, 2> texts;
    const std::int64_t first_trace_byte = reader_.files()[file].first_trace_byte;
    edit_.for_changed_lines(file, [&](const ComputedEdit::Text& lines, std::size_t at) {
      append_change(texts[lines.first_byte < first_trace_byte ? 0 : 1],
                    lines.first_byte + static_cast<std::int64_t>(at),
                    std::span(lines.old).subspan(at, segy::text_header_columns),
                    std::span(lines.fresh).subspan(at, segy::text_header_columns));
    });
    for (const auto& text : texts) sizes.push_back(std::ssize(text));
    std::int64_t bytes = 0;
    for (const std::int64_t size : sizes) bytes += size;
    if (all_reduce(comm_, bytes, Reduction::sum) == 0) return;
    auto journal = std::make_unique<EditJournal>(resources_, locks_, file, untouched_of(file), sizes);
    resources_.begin_stage("writing the journal", 0);
    run_and_agree(comm_, [&] {
      for (std::size_t i = 0; i < texts.size(); ++i) journal->write_segment(chunks.size() + i, texts[i]);
      parallel_for(resources_.threads(), std::ssize(chunks), [&](std::int64_t task, int /*thread*/) {
        const EditChunk& chunk = *chunks[static_cast<std::size_t>(task)];
        std::vector<std::byte> changes;
        changes.reserve(static_cast<std::size_t>(chunk.journal_bytes));
        if (chunk.journal_bytes > 0)
          edit_.for_traces(chunk, [&](const segy::HeaderView& old, const std::byte* fresh, TraceFate fate) {
            if (fate != TraceFate::changed) return;
            const std::int64_t begin = byte_of(file, old.trace - 1);
            edit_.for_changes(old, fresh, [&](ByteRange target) {
              const auto length = static_cast<std::size_t>(target.length);
              append_change(changes, begin + target.offset, {old.header + target.offset, length},
                            {fresh + target.offset, length});
            });
          });
        journal->write_segment(static_cast<std::size_t>(task), changes);
      });
    });
    prepared_.push_back({.file = file, .journal = std::move(journal)});
  }

  [[nodiscard]] ByteRange untouched_of(std::size_t file) const {
    const segy::FileDescription& description = reader_.files()[file];
    if (description.kind == segy::FileKind::segy)
      return {description.label_bytes + std::int64_t{segy::text_header_bytes}, max_bytes_to_know_by};
    const ByteRange trace = reader_.table(static_cast<int>(file)).bytes_of({0, 1});
    const std::int64_t headers = std::min<std::int64_t>(trace.length, segy::trace_header_bytes);
    return {trace.offset + headers, std::min(trace.length - headers, max_bytes_to_know_by)};
  }

  // Returns the byte of the file where a trace begins.
  [[nodiscard]] std::int64_t byte_of(std::size_t file, std::int64_t trace) const {
    return reader_.table(static_cast<int>(file)).bytes_of({trace - reader_.inputs()[file].first_item, 1}).offset;
  }

  // Takes back what was written, and throws `error`. If a file cannot be restored, its journal remains, and the error
  // names it.
  [[noreturn]] void withdraw_after(const Error& error) {
    std::vector<std::string> left;
    for (const Prepared& one : prepared_) {
      try {
        one.journal->withdraw();
      } catch (const Error& trouble) {
        require_known_to_all(comm_, trouble);
        left.push_back(fmt::format("{} ({})", one.journal->path(), trouble.parts().problem));
      }
    }
    if (left.empty()) throw error;
    ErrorParts parts = error.parts();
    parts.action = fmt::format(
        "the edit is not undone, or its journal still exists: {}. When the cause is removed, and the edited file has "
        "its name again: sill edit FILE --recover. Until then files with a journal are refused",
        fmt::join(left, ", "));
    run_and_agree(comm_, [&] { throw Error(parts); });
    throw error;
  }

  void remove_journals() {
    std::vector<std::string> kept;
    std::optional<Error> trouble;
    std::size_t removed = 0;
    for (const Prepared& one : prepared_) {
      try {
        if (std::string note = one.journal->remove(); !note.empty()) result_.notes.push_back(std::move(note));
        ++removed;
      } catch (const Error& error) {
        require_known_to_all(comm_, error);
        kept.push_back(one.journal->journal_path());
        if (!trouble) trouble = error;
      }
    }
    if (trouble && removed == 0) withdraw_after(*trouble);
    for (const Prepared& one : prepared_) renew_index(one.file, one.index);
    if (!trouble) return;
    // Other journals are already removed, so the edit remains: undoing it in some files would leave neither the old nor
    // the new state.
    ErrorParts parts = trouble->parts();
    parts.problem = fmt::format("all files are edited, but not all journals could be removed: {}", parts.problem);
    parts.action = fmt::format("remove {}: until then its file is refused, and the next edit undoes this edit",
                               fmt::join(kept, ", "));
    run_and_agree(comm_, [&] { throw Error(parts); });
  }

  StoredIndex kept_index(std::size_t file) {
    DescribedFile described = open_described(resources_, reader_.paths()[file], reader_.assumptions());
    return read_index_file(resources_, *described.store, described.description);
  }

  // Positions of traces are unchanged; the words that the index stores are read again.
  void renew_index(std::size_t file, const StoredIndex& kept) {
    if (!kept.index) return;
    const std::string& path = reader_.paths()[file];
    try {
      DescribedFile described = open_described(resources_, path, reader_.assumptions());
      (void)write_index_file(
          resources_, *described.store, described.description, *kept.index,
          kept.words ? std::vector(kept.words->words().begin(), kept.words->words().end()) : std::vector<IndexWord>(),
          stamp_of(resources_, path));
    } catch (const Error& error) {
      require_known_to_all(comm_, error);
      result_.notes.push_back(fmt::format("the index stored next to {} could not be updated, and is out of date: {}",
                                          path, error.parts().problem));
    }
  }

  const Resources& resources_;
  Communicator& comm_;
  const EditLocks& locks_;
  const SurveyReader& reader_;
  const ComputedEdit& edit_;
  EditResult& result_;
  std::vector<Prepared> prepared_;
};

}  // namespace

void edit_in_place(const Resources& resources, const EditLocks& locks, const SurveyReader& reader,
                   const ComputedEdit& edit, EditResult& result) {
  run_and_agree(resources.comm, [&] {
    for (const segy::FileDescription& file : reader.files())
      if (!file.wrapping.empty() || file.is_joined)
        throw Error({.code = ErrorCode::input,
                     .problem = fmt::format("this is SEG-Y with additional bytes between its headers and traces ({}), "
                                            "and cannot be edited in place",
                                            file.wrapping.empty() ? "joined files" : file.wrapping),
                     .where = {.file = file.path},
                     .action = "write a new file with -o, or 'sill repair' it first"});
  });
  EditInPlace(resources, locks, reader, edit, result).run();
}

}  // namespace sill
