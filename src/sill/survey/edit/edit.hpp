// Setting words of trace headers and the text header: in place, or into a new file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/io/edit/edit_locks.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/edit/trace_edit.hpp"
#include "sill/survey/select/preview_traces.hpp"

namespace sill {

struct EditOptions {
  HeaderEdits headers;
  bool keep_without_row = false;  ///< traces that the table has no row for stay; else they are an error
  /// The lines of the text header, at most 40 of 80 characters; or 40 of it, of each extended text header and of each
  /// data trailer. Those that are as the file has them stay byte for byte (segy::set_text_lines).
  std::optional<std::vector<std::string>> text;
  std::string history;               ///< a line to be added to the text header, or empty
  std::string output;                ///< empty: the inputs are changed where they are
  bool dry_run = false;              ///< nothing is written, nor opened for writing
  const EditLocks* locks = nullptr;  ///< of all inputs, held since before they are read; needed where they are changed
};

struct EditResult {
  std::int64_t traces = 0;
  std::int64_t chosen = 0;       ///< that the condition holds for
  std::int64_t changed = 0;      ///< of them
  std::int64_t without_row = 0;  ///< of them
  std::int64_t rows = 0;         ///< of the table, those of one trace counted once
  std::int64_t rows_not_found = 0;
  std::int64_t bytes_changed = 0;  ///< written in place, the journal apart
  std::int64_t text_lines = 0;     ///< of text headers that are changed
  std::vector<ShownTrace> shown;   ///< before and after, the first five that are changed
  std::vector<std::string> notes;
};

/// Collective. What `edit` refuses before it looks at any trace. Errors: usage: nothing to set, two edits of one byte,
/// several inputs for an output, an output that is an input, a text header where there is none, and in place, but for a
/// dry run, a file with several names (hard links).
void require_edit(const Resources& resources, const SurveyReader& reader, const EditOptions& options);

/// Collective. Edits the survey of `reader`. All traces are computed before anything is written; the result is the same
/// for any ranks and threads. In place, words and lines that get another value are written, near ones with the
/// bytes between them as they are, after a journal was kept beside each file; a kept index of traces that fits is
/// renewed. Errors: as `require_edit`; input, with the place of the trace: what TraceEdit::apply refuses, traces
/// without a row, a file that would be read otherwise after the edit (it is undone), a file that another took the name
/// of or that was changed meanwhile; io. After an error each file is as it was, or has a journal by which it can be had
/// again: with one exception, of which the error tells. Where some journals could be removed and others not, all files
/// are edited.
[[nodiscard]] EditResult edit(const Resources& resources, const SurveyReader& reader, const EditOptions& options);

}  // namespace sill
