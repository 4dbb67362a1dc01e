#include "sill/formats/solution/solution_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "sill/base/error.hpp"

namespace sill::solution {
namespace {

// A mesh of this size still has fewer than 2^31 points.
constexpr std::int64_t max_sub_elements = 60'000;
constexpr int max_dimensions = 1'000'000;
constexpr std::size_t longest_record_bytes = 14;

[[noreturn]] void refuse_form(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
}

// Writes the records of a problem starting at number `record`, as many as fit.
void write_records(const Form& form, const double* problem_values, std::int64_t record, std::span<char> to) {
  const ExponentForm number = number_form(form);
  const auto bytes = static_cast<std::size_t>(form.record_bytes);
  const std::int64_t points = points_of(form.sub_elements);
  std::int64_t point = record % points;
  const double* from = problem_values + point * form.dimensions + record / points;
  for (std::size_t at = 0; at < to.size(); at += bytes) {
    (void)write_exponent_text(*from, number, to.subspan(at, bytes));
    to[at + bytes - 1] = '\n';
    from += form.dimensions;
    if (++point < points) continue;
    point = 0;
    from += 1 - points * form.dimensions;
  }
}

// Writes bytes `range` of the text of a problem.
void write_problem(const Form& form, const double* problem_values, ByteRange range, std::span<char> to) {
  while (!to.empty()) {
    const std::int64_t record = range.offset / form.record_bytes;
    const std::int64_t skipped = range.offset % form.record_bytes;
    std::int64_t length = 0;
    if (skipped == 0 && range.length >= form.record_bytes) {
      length = range.length - range.length % form.record_bytes;
      write_records(form, problem_values, record, to.first(static_cast<std::size_t>(length)));
    } else {
      std::array<char, longest_record_bytes> text;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled here
      write_records(form, problem_values, record, std::span(text).first(static_cast<std::size_t>(form.record_bytes)));
      length = std::min(form.record_bytes - skipped, range.length);
      std::memcpy(to.data(), text.data() + skipped, static_cast<std::size_t>(length));
    }
    to = to.subspan(static_cast<std::size_t>(length));
    range = {range.offset + length, range.length - length};
  }
}

}  // namespace

void require_possible(const Form& form) {
  if (form.problems < 1) refuse_form("no local problem has a solution to write", "give at least one to any rank");
  if (form.sub_elements < 1 || form.sub_elements > max_sub_elements) {
    refuse_form(fmt::format("a local mesh of {} sub-elements", form.sub_elements),
                fmt::format("give 1 to {}", max_sub_elements));
  }
  if (form.dimensions < 1 || form.dimensions > max_dimensions) {
    refuse_form(fmt::format("{} values per point", form.dimensions), fmt::format("give 1 to {}", max_dimensions));
  }
  if (form.record_bytes != 13 && form.record_bytes != 14) {
    refuse_form(fmt::format("records of {} bytes", form.record_bytes),
                "choose 13, or 14, which is enough for every double");
  }
  if (form.files == Files::shared && form.stride_bytes != 0 && form.stride_bytes < problem_bytes(form)) {
    refuse_form(fmt::format("chunks {} bytes apart that have {} bytes each", form.stride_bytes, problem_bytes(form)),
                "choose a larger distance between chunks");
  }
  if (form.problems > std::numeric_limits<std::int64_t>::max() / chunk_bytes(form)) {
    refuse_form(
        fmt::format("{} local problems of {} bytes each are too many for one file", form.problems, chunk_bytes(form)),
        "write fewer");
  }
  if (form.files == Files::each && form.problems > std::numeric_limits<std::int32_t>::max()) {
    refuse_form(fmt::format("{} files per phase", form.problems), "write a shared file");
  }
}

Form aligned_to(Form form, std::int64_t align_bytes) {
  const std::int64_t bytes = problem_bytes(form);
  if (bytes > std::numeric_limits<std::int64_t>::max() - align_bytes) {
    refuse_form(fmt::format("chunks aligned to {} bytes", align_bytes), "choose a smaller alignment");
  }
  form.stride_bytes = (bytes + align_bytes - 1) / align_bytes * align_bytes;
  return form;
}

std::string problem_folder(std::int64_t problem) { return fmt::format("local{:06}", problem); }
std::string solution_name(std::int64_t step) { return fmt::format("solution{:06}.txt", step); }
std::string index_name(std::int64_t step) { return fmt::format("solution{:06}.index", step); }

std::string solution_path(const std::string& folder, const Form& form, std::int64_t problem, std::int64_t step) {
  if (form.files == Files::shared) return fmt::format("{}/{}", folder, solution_name(step));
  return fmt::format("{}/{}/{}", folder, problem_folder(problem), solution_name(step));
}

void write_text(const Form& form, const double* values, ByteRange range, std::span<std::byte> bytes) {
  std::span<char> to(reinterpret_cast<char*>(bytes.data()), bytes.size());
  const std::int64_t chunk = chunk_bytes(form);
  const std::int64_t text = problem_bytes(form);
  while (!to.empty()) {
    const std::int64_t problem = range.offset / chunk;
    const std::int64_t at = range.offset % chunk;
    const std::int64_t length = std::min((at < text ? text : chunk) - at, range.length);
    const std::span<char> piece = to.first(static_cast<std::size_t>(length));
    if (at < text) {
      write_problem(form, values + problem * values_of(form), {at, length}, piece);
    } else {
      std::fill(piece.begin(), piece.end(), ' ');
      if (at + length == chunk) piece.back() = '\n';
    }
    to = to.subspan(piece.size());
    range = {range.offset + length, range.length - length};
  }
}

std::optional<Misfit> first_misfit(const Form& form, std::span<const double> values) {
  const ExponentForm number = number_form(form);
  const auto width = static_cast<std::size_t>(number.width);
  if (number.max_characters() <= width) return std::nullopt;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double size = -values[i];
    // Nearly all numbers can be tested without printing them; infinities and NaNs always fit.
    const bool is_suspect = size > 0 && (size < 1e-98 || (size > 9e99 && size <= std::numeric_limits<double>::max()));
    if (!is_suspect) continue;
    std::array<char, 32> text;  // NOLINT(cppcoreguidelines-pro-type-member-init): only its length is used
    if (write_exponent_text(values[i], number, text) <= width) continue;
    const auto at = static_cast<std::int64_t>(i);
    return Misfit{.problem = at / values_of(form),
                  .point = at % values_of(form) / form.dimensions,
                  .dimension = static_cast<int>(at % form.dimensions),
                  .value = values[i]};
  }
  return std::nullopt;
}

}  // namespace sill::solution
