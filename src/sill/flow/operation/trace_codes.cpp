#include "sill/flow/operation/trace_codes.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "sill/base/units.hpp"
#include "sill/comm/exchange.hpp"

namespace sill::flow {

void TraceCodes::add(const TraceCodes& other) {
  for (const auto& [code, traces] : other.traces_) count(code, traces);
}

TraceCodes TraceCodes::of_all(Communicator& comm) const {
  std::vector<double> codes;
  std::vector<std::int64_t> counts;
  for (const auto& [code, traces] : traces_) {
    codes.push_back(code);
    counts.push_back(traces);
  }
  codes = all_gather_all(comm, std::span<const double>(codes));
  counts = all_gather_all(comm, std::span<const std::int64_t>(counts));
  TraceCodes all;
  for (std::size_t i = 0; i < codes.size(); ++i) all.count(codes[i], counts[i]);
  return all;
}

std::string TraceCodes::text() const {
  constexpr std::size_t shown = 5;
  std::string text;
  std::size_t number = 0;
  for (const auto& [code, traces] : traces_) {
    if (number++ == shown) return text + ", ...";
    text +=
        fmt::format("{}{} ({} trace{})", text.empty() ? "" : ", ", code, format_count(traces), traces == 1 ? "" : "s");
  }
  return text;
}

std::int64_t TraceCodes::traces() const {
  std::int64_t all = 0;
  for (const auto& [code, traces] : traces_) all += traces;
  return all;
}

}  // namespace sill::flow
