// What a reader noticed about an input that is not as its standard says.
#pragma once

#include <string>
#include <string_view>

namespace sill {

/// How bad it is. `critical` stops by default.
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

/// One finding: what, where ("bytes 3221-3222", "trace 3"), which clause, and what was done about it.
struct Diagnostic {
  Grade grade = Grade::info;
  std::string problem;
  std::string where;
  std::string clause;
  std::string action;
};

}  // namespace sill
