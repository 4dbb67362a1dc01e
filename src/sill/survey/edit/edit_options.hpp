// The options and the result of an edit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/io/edit/edit_locks.hpp"
#include "sill/survey/edit/trace_edit.hpp"
#include "sill/survey/select/preview_traces.hpp"

namespace sill {

struct EditOptions {
  HeaderEdits headers;
  bool keep_without_row = false;  ///< traces without a row in the table stay unchanged; otherwise they are an error
  /// The lines of the text header, at most 40 of 80 characters; or 40 lines each for the text header, every extended
  /// text header and every data trailer. Unchanged lines stay the same byte for byte (segy::set_text_lines).
  std::optional<std::vector<std::string>> text;
  std::string history;               ///< a line that is added to the text header, or empty
  std::string output;                ///< empty: the inputs are changed in place
  bool dry_run = false;              ///< nothing is written, and no file is opened for writing
  const EditLocks* locks = nullptr;  ///< locks of all inputs, which were locked before they were read; required for
                                     ///< editing in place
};

struct EditResult {
  std::int64_t traces = 0;
  std::int64_t chosen = 0;       ///< traces for which the condition holds
  std::int64_t changed = 0;      ///< chosen traces that the edit changed
  std::int64_t without_row = 0;  ///< chosen traces without a row in the table
  std::int64_t rows = 0;         ///< rows of the table; rows of the same trace are counted once
  std::int64_t rows_not_found = 0;
  std::int64_t bytes_changed = 0;  ///< bytes changed in place, without the journal
  std::int64_t text_lines = 0;     ///< changed lines of text headers
  std::vector<ShownTrace> shown;   ///< the first five changed traces, before and after
  std::vector<std::string> notes;
};

}  // namespace sill
