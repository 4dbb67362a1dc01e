// Solution files of multiscale simulations (MHM, whose kernel is MSLIO: F. Z. Boito et al. 2022): the results of local
// problems as text, one value per line.
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

/// The distribution of the results of a phase among files.
enum class Files {
  each,    ///< one file per local problem and output phase
  shared,  ///< one file per phase, with one chunk of text per problem
};

/// The form of the files of a phase. Local problems are numbered from 0 over all ranks.
struct Form {
  std::int64_t problems = 0;
  std::int64_t sub_elements = 64;  ///< segments per edge of a problem's triangle: the refinement of its local mesh
  int dimensions = 1;              ///< values per point
  int record_bytes = 13;           ///< a value and its newline: 13, or 14, which fits every double
  Files files = Files::each;
  /// For a shared file: the distance between the beginnings of consecutive chunks; 0: chunks are contiguous. The space
  /// after the text of a problem in its chunk is filled with blanks and a final newline, so the file remains readable
  /// text.
  std::int64_t stride_bytes = 0;

  friend bool operator==(const Form&, const Form&) = default;
};

/// Local. Verifies a form. Errors: usage if any value is below 1, if the record is neither 13 nor 14 bytes, if chunks
/// would overlap, or if a phase would have more than 2^63 - 1 bytes, or more than 2^31 - 1 files.
void require_possible(const Form& form);

// Precondition of all following functions: the form is possible.

/// Local. Returns the number of nodes of a triangle with this refinement: (s+1)(s+2)/2.
[[nodiscard]] constexpr std::int64_t points_of(std::int64_t sub_elements) {
  return (sub_elements + 1) * (sub_elements + 2) / 2;
}
/// Local. Returns the number of values of a problem in a phase.
[[nodiscard]] constexpr std::int64_t values_of(const Form& form) {
  return points_of(form.sub_elements) * form.dimensions;
}
/// Local. Returns the bytes of a problem in a phase, without the space between chunks.
[[nodiscard]] constexpr std::int64_t problem_bytes(const Form& form) { return values_of(form) * form.record_bytes; }
/// Local. Returns the distance between the beginnings of the texts of consecutive problems, as `write_text` writes
/// them.
[[nodiscard]] constexpr std::int64_t chunk_bytes(const Form& form) {
  return form.files == Files::shared && form.stride_bytes > 0 ? form.stride_bytes : problem_bytes(form);
}
/// Local. Returns the bytes of all files of a phase. Every chunk of a shared file is complete, including the last.
[[nodiscard]] constexpr std::int64_t phase_bytes(const Form& form) { return form.problems * chunk_bytes(form); }
/// Local. Returns the form with chunks that begin at multiples of `align_bytes`. Precondition: align_bytes >= 1.
[[nodiscard]] Form aligned_to(Form form, std::int64_t align_bytes);
/// Local. Returns the format of a value: the record without its newline.
[[nodiscard]] constexpr ExponentForm number_form(const Form& form) {
  return {.width = form.record_bytes - 1, .precision = 5};
}

// Names in the output's folder. The paper on MSLIO (F. Z. Boito et al. 2022) mentions folders and files without stating
// names; Sill defines the names. Numbers have at least six digits.

/// Local. Returns "local000017" for problem 17.
[[nodiscard]] std::string problem_folder(std::int64_t problem);
/// Local. Returns "solution000010.txt" for output step 10: the name of the file of a problem, in the folder of the
/// problem, or of the shared file, in the folder of the output.
[[nodiscard]] std::string solution_name(std::int64_t step);
/// Local. Returns "solution000010.index"; this file is in the output's folder once all files of the phase are complete.
[[nodiscard]] std::string index_name(std::int64_t step);
/// Files that describe a problem in addition to its solutions. They are in the folder of the problem; if all problems
/// share a file, they are in the folder of the output and describe all problems.
inline constexpr std::array<std::string_view, 3> problem_descriptions{"element.txt", "parameters.txt", "mesh.txt"};
inline constexpr std::array<std::string_view, 2> shared_descriptions{"elements.txt", "parameters.txt"};
/// Local. Returns the path of the file in `folder` that contains the solution of `problem`.
[[nodiscard]] std::string solution_path(const std::string& folder, const Form& form, std::int64_t problem,
                                        std::int64_t step);

/// Local. Writes bytes `range` of the chunks of problems. The values of the problems begin at `values`, problem after
/// problem, with all dimensions of a point together. Precondition: bytes.size() == range.length.
void write_text(const Form& form, const double* values, ByteRange range, std::span<std::byte> bytes);

/// A number that does not fit its record of 13 bytes: below 0, with an exponent of three digits.
struct Misfit {
  std::int64_t problem = 0;  ///< from 0, counted from the first problem in `values`
  std::int64_t point = 0;    ///< from 0
  int dimension = 0;         ///< from 0
  double value = 0.0;
};

/// Local. Returns the first misfit in memory order; nullopt if there is none. Precondition: `values` consists of
/// complete problems.
[[nodiscard]] std::optional<Misfit> first_misfit(const Form& form, std::span<const double> values);

}  // namespace sill::solution
