#include "sill/survey/select/preview_traces.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "sill/comm/exchange.hpp"

namespace sill {

void keep_first(std::vector<ShownTrace>& traces) {
  constexpr std::size_t max_shown = 5;
  std::ranges::sort(traces, {}, &ShownTrace::trace);
  if (traces.size() > max_shown) traces.resize(max_shown);
}

std::vector<ShownTrace> first_of_all(Communicator& comm, const std::vector<ShownTrace>& mine) {
  std::vector<char> text;  // for each trace: its number, its lines, NUL
  for (const ShownTrace& shown : mine) {
    const auto* const number = reinterpret_cast<const char*>(&shown.trace);
    text.insert(text.end(), number, number + sizeof(shown.trace));
    for (const std::string& line : shown.lines) {
      text.insert(text.end(), line.begin(), line.end());
      text.push_back('\n');
    }
    text.push_back('\0');
  }
  const std::vector<char> all = all_gather_all(comm, std::span<const char>(text));
  std::vector<ShownTrace> traces;
  for (auto at = all.begin(); at != all.end(); ++at) {
    ShownTrace& shown = traces.emplace_back();
    std::memcpy(&shown.trace, &*at, sizeof(shown.trace));
    at += sizeof(shown.trace);
    for (; *at != '\0'; ++at) {
      const auto end = std::find(at, all.end(), '\n');
      shown.lines.emplace_back(at, end);
      at = end;
    }
  }
  keep_first(traces);
  return traces;
}

}  // namespace sill
