// The index of an output phase: a small text whose existence means that its solution files are complete; it describes
// them.
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

/// Local. A line a fact, "problems 1024"; `before` stands before each, for files whose readers know comments.
[[nodiscard]] std::string index_text(const PhaseIndex& index, std::string_view before = "");

/// Local. What `index_text` wrote, from a text in which other lines may stand beside those that begin with `before`.
/// `path` is for messages. Errors: input for anything else: a line is missing, given twice, unknown or no number, or
/// the form is none that can be.
[[nodiscard]] PhaseIndex parse_index(std::string_view text, const std::string& path, std::string_view before = "");

}  // namespace sill::solution
