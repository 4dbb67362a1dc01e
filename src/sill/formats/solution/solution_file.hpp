// Solution files of multiscale simulations (MHM, MSLIO; FORMATS.md §5): what local problems computed, as text, a value
// a line.
//
//      3.14159e+00      dimension 1 of point 1, "%12.5e" and a newline
//     -2.71828e-03      dimension 1 of point 2
//      ...              then dimension 2 of all points, and so on
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sill/base/exponent_text.hpp"
#include "sill/layout/range.hpp"

namespace sill::solution {

/// Who has a file of its own.
enum class Files {
  each,    ///< every local problem, in every output phase
  shared,  ///< the phase: the text of each problem is a chunk of one file
};

/// What the files of a phase are. Local problems are numbered from 0 through all ranks.
struct Form {
  std::int64_t problems = 0;
  std::int64_t sub_elements = 64;  ///< parts of an edge of a problem's triangle: its local mesh is refined so often
  int dimensions = 1;              ///< values per point
  int record_bytes = 13;           ///< a value and its newline: 13, or 14, in which every double has room
  Files files = Files::each;
  /// Of a shared file: from the beginning of one chunk to that of the next; 0: chunks lie packed. What the text of a
  /// problem leaves of its chunk is blanks, the last of them a newline: so it stays a text that can be read.
  std::int64_t stride_bytes = 0;

  friend bool operator==(const Form&, const Form&) = default;
};

/// Local. Errors: usage if any of it is below 1, if the record is neither 13 nor 14 bytes, if chunks would overlap, or
/// if a phase would have more than 2^63 - 1 bytes, or more than 2^31 - 1 files.
void require_possible(const Form& form);

// Preconditions from here on: the form is possible.

/// Local. Nodes of a triangle that was refined so: (s+1)(s+2)/2.
[[nodiscard]] constexpr std::int64_t points_of(std::int64_t sub_elements) {
  return (sub_elements + 1) * (sub_elements + 2) / 2;
}
/// Local. The values of a problem in a phase.
[[nodiscard]] constexpr std::int64_t values_of(const Form& form) {
  return points_of(form.sub_elements) * form.dimensions;
}
/// Local. The bytes of a problem in a phase, without what may lie between chunks.
[[nodiscard]] constexpr std::int64_t problem_bytes(const Form& form) { return values_of(form) * form.record_bytes; }
/// Local. From the text of one problem to that of the next, as `write_text` makes them one after another.
[[nodiscard]] constexpr std::int64_t chunk_bytes(const Form& form) {
  return form.files == Files::shared && form.stride_bytes > 0 ? form.stride_bytes : problem_bytes(form);
}
/// Local. The bytes of all files of a phase. Every chunk of a shared file is a whole one, the last too.
[[nodiscard]] constexpr std::int64_t phase_bytes(const Form& form) { return form.problems * chunk_bytes(form); }
/// Local. The same form with chunks that begin at multiples of `align_bytes`. Precondition: align_bytes >= 1.
[[nodiscard]] Form aligned_to(Form form, std::int64_t align_bytes);
/// Local. How a value is printed: the record without its newline.
[[nodiscard]] constexpr ExponentForm number_form(const Form& form) {
  return {.width = form.record_bytes - 1, .precision = 5};
}

// Names within the output's folder. The paper mentions folders and files without names; these are Sill's. Numbers have
// six digits, or more where they need them.

/// Local. "local000017": of problem 17.
[[nodiscard]] std::string problem_folder(std::int64_t problem);
/// Local. "solution000010.txt" of output step 10: in a problem's folder its own, in the output's folder the shared one.
[[nodiscard]] std::string solution_name(std::int64_t step);
/// Local. "solution000010.index": in the output's folder, once all files of the phase are complete.
[[nodiscard]] std::string index_name(std::int64_t step);
/// What is known of a problem beside its solutions: in its folder; of all problems, with a shared file: in the
/// output's.
inline constexpr std::array<std::string_view, 3> problem_descriptions{"element.txt", "parameters.txt", "mesh.txt"};
inline constexpr std::array<std::string_view, 2> shared_descriptions{"elements.txt", "parameters.txt"};
/// Local. The file that holds the solution of `problem`, in `folder`.
[[nodiscard]] std::string solution_path(const std::string& folder, const Form& form, std::int64_t problem,
                                        std::int64_t step);

/// Local. Bytes `range` of the chunks of problems whose values begin at `values`, problem after problem, all dimensions
/// of a point together. Precondition: bytes.size() == range.length.
void write_text(const Form& form, const double* values, ByteRange range, std::span<std::byte> bytes);

/// A number that is too long for its record: below 0 with an exponent of three digits, in 13 bytes.
struct Misfit {
  std::int64_t problem = 0;  ///< from 0, the first that `values` holds
  std::int64_t point = 0;    ///< from 0
  int dimension = 0;         ///< from 0
  double value = 0.0;
};

/// Local. The first in memory, if any. Precondition: `values` are those of whole problems.
[[nodiscard]] std::optional<Misfit> first_misfit(const Form& form, std::span<const double> values);

}  // namespace sill::solution
