#include "sill/comm/same_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"

namespace sill {

namespace {

// Returns the names whose texts differ between ranks, compared by their hashes.
std::vector<std::string> names_that_differ(Communicator& comm, const std::function<std::vector<NamedText>()>& texts) {
  std::vector<std::string> names;
  std::vector<std::int64_t> reduced = run_and_agree(comm, [&] {
    std::vector<std::int64_t> hashes;
    for (const NamedText& each : texts()) {
      const auto hash = static_cast<std::int64_t>(std::hash<std::string>()(each.text) >> 1U);
      hashes.insert(hashes.end(), {hash, -hash});
      names.push_back(each.name);
    }
    return hashes;
  });
  comm.all_reduce(reduced, Reduction::min);
  std::vector<std::string> differing;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (reduced[2 * i] != -reduced[2 * i + 1]) differing.push_back(names[i]);
  }
  return differing;
}

}  // namespace

void require_same_on_all(Communicator& comm, const std::function<std::string()>& text, std::string_view problem,
                         std::string_view action) {
  if (names_that_differ(comm, [&] { return std::vector<NamedText>{{"", text()}}; }).empty()) return;
  run_and_agree(comm, [&] {
    throw Error({.code = ErrorCode::usage, .problem = std::string(problem), .action = std::string(action)});
  });
}

void require_same_on_all(Communicator& comm, const std::function<std::vector<NamedText>()>& texts,
                         std::string_view problem) {
  const std::vector<std::string> names = names_that_differ(comm, texts);
  if (names.empty()) return;
  run_and_agree(comm, [&] {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("{} {}", problem, fmt::join(names, ", ")),
                 .action = "pass the same values on all ranks of the communicator"});
  });
}

}  // namespace sill
