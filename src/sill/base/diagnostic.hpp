// Findings about an input that violates its standard.
#pragma once

#include <string>
#include <string_view>

namespace sill {

/// The severity of a finding. A `critical` finding stops the operation by default.
enum class Grade { info, minor, major, critical };

[[nodiscard]] constexpr std::string_view name_of(Grade grade) {
  switch (grade) {
    case Grade::info: return "info";
    case Grade::minor: return "minor";
    case Grade::major: return "major";
    case Grade::critical: return "critical";
  }
  return "critical";
}

/// A finding: the problem, its location ("bytes 3221-3222", "trace 3"), the violated clause, and what was done about
/// it.
struct Diagnostic {
  Grade grade = Grade::info;
  std::string problem;
  std::string where;
  std::string clause;
  std::string action;
};

}  // namespace sill
