#include "sill/formats/solution/phase_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <system_error>
#include <utility>

#include "sill/base/error.hpp"

namespace sill::solution {
namespace {

constexpr std::string_view first_line = "sill solutions 1";
constexpr std::array<std::string_view, 7> facts{"step",         "problems", "sub-elements", "dimensions",
                                                "record-bytes", "files",    "chunk-bytes"};

[[noreturn]] void refuse_index(const std::string& path, std::string problem) {
  throw Error({.code = ErrorCode::input,
               .problem = std::move(problem),
               .where = {.file = path},
               .action = "give the unchanged files that Sill wrote"});
}

}  // namespace

std::string index_text(const PhaseIndex& index, std::string_view before) {
  const Form& form = index.form;
  return fmt::format(
      "{0}{1}\n{0}step {2}\n{0}problems {3}\n{0}sub-elements {4}\n{0}dimensions {5}\n{0}record-bytes {6}\n"
      "{0}files {7}\n{0}chunk-bytes {8}\n",
      before, first_line, index.step, form.problems, form.sub_elements, form.dimensions, form.record_bytes,
      form.files == Files::each ? "each" : "shared", chunk_bytes(form));
}

PhaseIndex parse_index(std::string_view text, const std::string& path, std::string_view before) {
  std::map<std::string, std::string, std::less<>> stated;
  bool is_known = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with(before)) continue;
    line.remove_prefix(before.size());
    if (line == first_line) {
      is_known = true;
      continue;
    }
    const std::string_view fact = line.substr(0, line.find(' '));
    if (!is_known || fact.size() == line.size() || std::find(facts.begin(), facts.end(), fact) == facts.end()) {
      if (!before.empty()) continue;  // an unrelated comment
      refuse_index(path, fmt::format("this is not an index of solution files: {:?}", line.substr(0, 40)));
    }
    if (!stated.emplace(fact, line.substr(fact.size() + 1)).second) {
      refuse_index(path, fmt::format("it states {} twice", fact));
    }
  }
  if (!is_known) refuse_index(path, fmt::format("the line {:?} is missing", first_line));
  const auto word = [&](std::string_view name) {
    const auto found = stated.find(name);
    if (found == stated.end()) refuse_index(path, fmt::format("it does not state {}", name));
    return found->second;
  };
  const auto number = [&](std::string_view name) {
    const std::string value = word(name);
    std::int64_t parsed = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
    if (error != std::errc{} || end != value.data() + value.size() || parsed < 0 || parsed > std::int64_t{1} << 62) {
      refuse_index(path, fmt::format("{:?} is not a number of {}", value, name));
    }
    return parsed;
  };
  PhaseIndex index;
  Form& form = index.form;
  index.step = number("step");
  form.problems = number("problems");
  form.sub_elements = number("sub-elements");
  form.dimensions = static_cast<int>(std::min<std::int64_t>(number("dimensions"), 1 << 30));
  form.record_bytes = static_cast<int>(std::min<std::int64_t>(number("record-bytes"), 1 << 30));
  const std::string files = word("files");
  if (files != "each" && files != "shared")
    refuse_index(path, fmt::format("files {:?} is neither each nor shared", files));
  form.files = files == "each" ? Files::each : Files::shared;
  const std::int64_t chunk = number("chunk-bytes");
  if (form.files == Files::shared) form.stride_bytes = chunk;
  try {
    require_possible(form);
  } catch (const Error& error) {
    refuse_index(path, error.parts().problem);
  }
  if (chunk_bytes(form) != chunk) {
    refuse_index(path, fmt::format("chunks of {} bytes contradict the sizes that it states", chunk));
  }
  if (form.files == Files::shared && chunk == problem_bytes(form)) form.stride_bytes = 0;
  return index;
}

}  // namespace sill::solution
