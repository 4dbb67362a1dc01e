#include "sill/survey/select/preview_traces.hpp"

#include <algorithm>
#include <span>

#include "sill/comm/exchange.hpp"
#include "sill/comm/packer.hpp"

namespace sill {

void keep_first(std::vector<ShownTrace>& traces) {
  constexpr std::size_t max_shown = 5;
  std::ranges::sort(traces, {}, &ShownTrace::trace);
  if (traces.size() > max_shown) traces.resize(max_shown);
}

std::vector<ShownTrace> first_of_all(Communicator& comm, const std::vector<ShownTrace>& mine) {
  Packer packer;
  packer.size(mine);
  for (const ShownTrace& each : mine) packer(each.trace, each.lines);
  const std::vector<std::byte> own = packer.take();
  const std::vector<std::byte> all = all_gather_all(comm, std::span(own));
  Unpacker unpacker(all);
  std::vector<ShownTrace> traces;
  for (int rank = 0; rank < comm.size(); ++rank) {
    for (auto rest = unpacker.next<std::size_t>(); rest > 0; --rest) {
      ShownTrace& shown = traces.emplace_back();
      unpacker(shown.trace, shown.lines);
    }
  }
  keep_first(traces);
  return traces;
}

}  // namespace sill
