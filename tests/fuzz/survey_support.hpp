// What operations on fuzzed surveys share, and what is required of every result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sill/base/error.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/compare/compare.hpp"
#include "sill/survey/convert/convert.hpp"

namespace sill::fuzz {

/// A file, and what there is to work on it.
struct SurveyFile {
  const Resources& resources;
  std::string path;
  std::string output;  ///< where something can be made of it
  std::int64_t bytes = 0;
};

/// Local. Throws std::logic_error, which means a fault, unless it holds.
inline void require(bool holds, const std::string& fault) {
  if (!holds) throw std::logic_error(fault);
}

/// Local. How often each kind of work was done, not refused: a target that reaches nothing finds nothing.
[[nodiscard]] inline std::map<std::string, std::int64_t, std::less<>>& work_done() {
  static std::map<std::string, std::int64_t, std::less<>> done;
  return done;
}

/// Local. Whether the work was done; refused is as well. An error of the system is a fault: the file is there, and all
/// of it.
template <class Work>
bool is_done(std::string_view what, Work&& work) {
  try {
    work();
    ++work_done()[std::string(what)];
    return true;
  } catch (const Error& error) {
    require(error.parts().problem.size() < 10'000, fmt::format("{}: an endless message", what));
    require(error.code() != ErrorCode::io, fmt::format("{}: {}", what, error.what()));
    return false;
  }
}

/// Local. Headers and samples of each trace, as they lie in the file.
[[nodiscard]] std::vector<std::vector<std::byte>> traces_of(const SurveyReader& reader);

/// Local. What was written can be read, by whoever could read what it was made of.
[[nodiscard]] SurveyReader read_again(const Resources& resources, const std::string& path, std::string_view what);

[[nodiscard]] CompareResult compared(const Resources& resources, const std::string& a, const std::string& b);

/// Local. One of 256 conversions, in which no sample can be refused.
[[nodiscard]] ConvertOptions conversion_to(const std::string& output, unsigned form);

}  // namespace sill::fuzz
