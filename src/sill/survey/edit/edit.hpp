// Setting words of trace headers and the text header: in place, or into a new file.
#pragma once

#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/edit/edit_options.hpp"

namespace sill {

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
/// again: with one exception, which the error names. Where some journals could be removed and others not, all files
/// are edited.
[[nodiscard]] EditResult edit(const Resources& resources, const SurveyReader& reader, const EditOptions& options);

}  // namespace sill
