// An edit as it is computed: what each trace and text header would become, without a byte written.
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

namespace sill {

/// The traces of a part of a journal: of one file.
struct EditChunk {
  std::size_t file = 0;
  ItemRange traces;                ///< through all files
  std::int64_t journal_bytes = 0;  ///< of their changes
  EnsembleRun before = {};         ///< for renumbering: the ensemble that the trace before them ends
};

/// Called for a trace with the address that byte 1 of its header has, as it is and as it would be.
using EditedTraceVisitor = std::function<void(const segy::HeaderView& old, const std::byte* fresh, TraceFate fate)>;

class ComputedEdit {
 public:
  /// Collective. Computes all traces once. `resources`, `reader` and `options` outlive it. Errors: as `edit`, but those
  /// of writing.
  ComputedEdit(const Resources& resources, const SurveyReader& reader, const EditOptions& options);

  [[nodiscard]] const EditResult& result() const { return result_; }
  [[nodiscard]] const TraceEdit& trace_edit() const { return trace_edit_; }
  /// Local. This rank's traces, where words of traces are set.
  [[nodiscard]] std::span<const EditChunk> chunks() const { return chunks_; }
  /// Local. The traces of a file, through all files.
  [[nodiscard]] ItemRange traces_of(std::size_t file) const;

  /// Local. Computes the traces of `chunk` again. Errors: as TraceEdit::apply, with the place of the trace.
  void for_traces(const EditChunk& chunk, const EditedTraceVisitor& visit) const;
  /// Local. Calls `visit` with each stretch of bytes of a trace that gets another value.
  void for_changes(const segy::HeaderView& old, const std::byte* fresh,
                   const std::function<void(ByteRange)>& visit) const;

  /// A block of text, before and after: the text header, an extended one or a data trailer.
  struct Text {
    std::int64_t first_byte;  ///< in the file, from 0
    std::array<std::byte, segy::text_header_bytes> old;
    std::array<std::byte, segy::text_header_bytes> fresh;
  };
  /// Local. The blocks of a file that are set: on rank 0, none elsewhere.
  [[nodiscard]] std::span<const Text> texts(std::size_t file) const {
    return texts_.empty() ? std::span<const Text>() : texts_[file];
  }
  /// Local. Calls `visit` with the block, and the first byte in it, of each line that changes.
  void for_changed_lines(std::size_t file, const std::function<void(const Text&, std::size_t)>& visit) const;

 private:
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
  EditResult result_;
  std::vector<EditChunk> chunks_;
  std::vector<std::vector<Text>> texts_;  // of each file
};

}  // namespace sill
