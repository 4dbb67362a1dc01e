// Sets words of trace headers and the text header: in place, or in a new file.
#pragma once

#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/edit/edit_options.hpp"

namespace sill {

/// Collective. Makes the checks of `edit` that need no trace. Errors: usage: nothing to set; two edits of one byte;
/// several inputs for an output; an output that is an input; a text header for a file without one; and in place, except
/// in a dry run, a file with several names (hard links).
void require_edit(const Resources& resources, const SurveyReader& reader, const EditOptions& options);

/// Collective. Edits the survey of `reader`. All traces are computed before anything is written; the result is the same
/// for any number of ranks and threads. In place, a journal is stored next to each file first. Then the words and lines
/// that change are written; changes close to each other are written together with the unchanged bytes between them. A
/// stored index of traces that fits the file is renewed. Errors: as `require_edit`; input, with the position of the
/// trace: errors of TraceEdit::apply; traces without a row; a file that would be read differently after the edit (the
/// edit is undone); a file that was renamed or changed during the edit; io. After an error each file is unchanged, or
/// has a journal from which it can be restored, with one exception, which the error names: if only some of the journals
/// could be removed, all files are edited.
[[nodiscard]] EditResult edit(const Resources& resources, const SurveyReader& reader, const EditOptions& options);

}  // namespace sill
