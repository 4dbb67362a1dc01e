// A computed edit: the new content of each trace header and text header, computed before any byte is written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sill/formats/segy/text/text_header.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/layout/range.hpp"
#include "sill/survey/edit/edit_options.hpp"
#include "sill/survey/edit/trace_edit.hpp"
#include "sill/survey/output/length_check.hpp"

namespace sill {

/// The traces of one segment of a journal, all in one file.
struct EditChunk {
  std::size_t file = 0;
  ItemRange traces;                ///< numbered through all files
  std::int64_t journal_bytes = 0;  ///< size of the changes of `traces` in the journal
  EnsembleRun before = {};         ///< for renumbering: the ensemble at the end of the traces before `traces`
};

/// Called for a trace with the old header and the new one. `fresh` is the address that byte 1 of the new header has.
using EditedTraceVisitor = std::function<void(const segy::HeaderView& old, const std::byte* fresh, TraceFate fate)>;

class ComputedEdit {
 public:
  /// Collective. Computes all traces once. `resources`, `reader` and `options` must outlive this object. Errors: as
  /// `edit`, except errors of writing.
  ComputedEdit(const Resources& resources, const SurveyReader& reader, const EditOptions& options);

  [[nodiscard]] const EditResult& result() const { return result_; }
  [[nodiscard]] const TraceEdit& trace_edit() const { return trace_edit_; }
  /// Local. Returns the chunks of this rank's traces; none if the edit sets no words of traces.
  [[nodiscard]] std::span<const EditChunk> chunks() const { return chunks_; }
  /// Local. Returns the traces of a file, numbered through all files.
  [[nodiscard]] ItemRange traces_of(std::size_t file) const;

  /// Local. Computes the traces of `chunk` again. Errors: as LengthCheck and TraceEdit::apply, with the position of the
  /// trace.
  void for_traces(const EditChunk& chunk, const EditedTraceVisitor& visit) const;
  /// Local. Calls `visit` with each range of bytes of a trace that changes.
  void for_changes(const segy::HeaderView& old, const std::byte* fresh,
                   const std::function<void(ByteRange)>& visit) const;

  /// A block of text, before and after the edit: the text header, an extended text header or a data trailer.
  struct Text {
    std::int64_t first_byte;  ///< in the file, from 0
    std::array<std::byte, segy::text_header_bytes> old;
    std::array<std::byte, segy::text_header_bytes> fresh;
  };
  /// Local. On rank 0, returns the blocks of a file that the edit sets; on other ranks, returns none.
  [[nodiscard]] std::span<const Text> texts(std::size_t file) const {
    return texts_.empty() ? std::span<const Text>() : texts_[file];
  }
  /// Local. Calls `visit` with the block and the offset in it, for each line that changes.
  void for_changed_lines(std::size_t file, const std::function<void(const Text&, std::size_t)>& visit) const;

 private:
  /// Local. Returns the bytes of a trace that `for_traces` reads.
  [[nodiscard]] ByteRange needed_bytes() const { return joined(trace_edit_.needed_bytes(), lengths_.needed_bytes()); }
  void make_texts();
  [[nodiscard]] std::vector<Text> texts_of(std::size_t file) const;
  void make_chunks();
  void number_ensembles();
  void look();

  const Resources& resources_;
  Communicator& comm_;
  const SurveyReader& reader_;
  const EditOptions& options_;
  TraceEdit trace_edit_;
  mutable LengthCheck lengths_;
  EditResult result_;
  std::vector<EditChunk> chunks_;
  std::vector<std::vector<Text>> texts_;  // text blocks of each file
};

}  // namespace sill
