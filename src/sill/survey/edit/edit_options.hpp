// What an edit is to do, and what it did.
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

}  // namespace sill
