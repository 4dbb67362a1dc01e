// The index of an output phase: a small text that describes the solution files of the phase. It exists only if these
// files are complete.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sill/formats/solution/solution_file.hpp"

namespace sill::solution {

struct PhaseIndex {
  Form form;
  std::int64_t step = 0;

  friend bool operator==(const PhaseIndex&, const PhaseIndex&) = default;
};

/// Local. Returns one line per value, "problems 1024"; `before` precedes each line, for files with comments.
[[nodiscard]] std::string index_text(const PhaseIndex& index, std::string_view before = "");

/// Local. Parses the text that `index_text` wrote; the text may contain other lines if they do not begin with `before`.
/// `path` is for messages. Errors: input for any other text: a line is missing, duplicate, unknown or not a number, or
/// the form is not possible.
[[nodiscard]] PhaseIndex parse_index(std::string_view text, const std::string& path, std::string_view before = "");

}  // namespace sill::solution
