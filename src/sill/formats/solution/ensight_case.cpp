#include "sill/formats/solution/ensight_case.hpp"

#include <fmt/format.h>

#include <limits>
#include <string_view>
#include <utility>

#include "sill/base/error.hpp"

namespace sill::solution {
namespace {

constexpr std::string_view case_end = ".case";
constexpr std::string_view comment = "# ";

std::string_view file_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

EnsightCase::EnsightCase(const PhaseIndex& phase, std::string path)
    : phase_(phase), path_(std::move(path)), mesh_(phase.form.sub_elements) {
  if (file_part(path_).size() <= case_end.size() || !path_.ends_with(case_end)) {
    throw Error({.code = ErrorCode::usage,
                 .problem = "the name of an EnSight case ends with .case",
                 .where = {.file = path_},
                 .action = "give it this ending; its other files get the same name with other endings"});
  }
  base_ = path_.substr(0, path_.size() - case_end.size());
  if (file_part(base_).find_first_of(" \t\"*") != std::string_view::npos) {
    throw Error({.code = ErrorCode::usage,
                 .problem = "the names of an EnSight case must not contain blanks, quotes or asterisks",
                 .where = {.file = path_},
                 .action = "choose a name without these characters"});
  }
  if (phase_.form.problems > std::numeric_limits<std::int32_t>::max() / mesh_.nodes()) {
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("{} local problems of {} points each are more than an EnSight file can count",
                                        phase_.form.problems, mesh_.nodes()),
                 .where = {.file = path_},
                 .action = "join a phase with less than 2^31 points"});
  }
}

std::string EnsightCase::variable_path(int dimension) const {
  return fmt::format("{}.solution_{}", base_, dimension + 1);
}

std::string EnsightCase::case_text() const {
  std::string text = index_text(phase_, comment);
  text += fmt::format("FORMAT\ntype: ensight gold\n\nGEOMETRY\nmodel: {}.geo\n\nVARIABLE\n", file_part(base_));
  for (int d = 0; d < phase_.form.dimensions; ++d) {
    text += fmt::format("scalar per node: solution_{} {}\n", d + 1, file_part(variable_path(d)));
  }
  return text;
}

std::string EnsightCase::geometry_head() const {
  return fmt::format(
      "Local meshes, one after another\n{} problems, {} sub-elements each\nnode id off\nelement id off\npart\n{:>10}\n"
      "local problems\ncoordinates\n{:>10}\n",
      phase_.form.problems, phase_.form.sub_elements, 1, phase_.form.problems * mesh_.nodes());
}

std::string EnsightCase::triangles_head() const {
  return fmt::format("tria3\n{:>10}\n", phase_.form.problems * mesh_.triangles());
}

std::string EnsightCase::variable_head(int dimension) const {
  return fmt::format("Dimension {} of the solutions, step {}\npart\n{:>10}\ncoordinates\n", dimension + 1, phase_.step,
                     1);
}

ByteRange EnsightCase::coordinates_of(std::int64_t problem, std::size_t axis) const {
  const std::int64_t bytes = mesh_.nodes() * coordinate_bytes;
  return {static_cast<std::int64_t>(geometry_head().size()) +
              (static_cast<std::int64_t>(axis) * phase_.form.problems + problem) * bytes,
          bytes};
}

std::int64_t EnsightCase::triangles_head_offset() const { return coordinates_of(0, 3).offset; }

ByteRange EnsightCase::triangles_of(std::int64_t problem) const {
  const std::int64_t bytes = mesh_.triangles() * triangle_bytes;
  return {triangles_head_offset() + static_cast<std::int64_t>(triangles_head().size()) + problem * bytes, bytes};
}

ByteRange EnsightCase::values_of_problem(std::int64_t problem, int dimension) const {
  const std::int64_t bytes = mesh_.nodes() * phase_.form.record_bytes;
  return {static_cast<std::int64_t>(variable_head(dimension).size()) + problem * bytes, bytes};
}

std::int64_t EnsightCase::geometry_bytes() const { return triangles_of(phase_.form.problems).offset; }

std::int64_t EnsightCase::variable_bytes(int dimension) const {
  return values_of_problem(phase_.form.problems, dimension).offset;
}

PhaseIndex phase_of_case(std::string_view text, const std::string& path) { return parse_index(text, path, comment); }

}  // namespace sill::solution
