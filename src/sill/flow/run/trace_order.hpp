// The traces that a pass reads, their order, and the starts of gathers, as determined by the headers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/comm/key_sort.hpp"
#include "sill/layout/range.hpp"
#include "sill/survey/geometry/gather_mask.hpp"

namespace sill::flow {

/// The traces of a rank, with neighbours that belong to other ranks.
struct TraceOrder {
  std::vector<std::int64_t> numbers = {};  ///< trace numbers in the input, in the order of the pass; empty: all traces
  ItemRange own = {};  ///< range of `numbers`, without neighbours; range of all traces if `numbers` is empty
  std::vector<std::int64_t> gathers = {};  ///< for gathers: start of each gather in `own`, and the end of the last
  std::int64_t before = 0;                 ///< number of traces on lower ranks
  std::int64_t all = 0;                    ///< number of traces on all ranks
  std::int64_t gathers_before = 0;
  std::int64_t all_gathers = 0;

  /// Local. Returns the number in the input of trace `i` of this rank; a neighbour may precede or follow its traces.
  [[nodiscard]] std::int64_t number_of(std::int64_t i) const {
    return numbers.empty() ? own.first + i : numbers[static_cast<std::size_t>(own.first + i)];
  }
};

/// Collective. Returns the order of records that are sorted over all ranks. Records with equal first `gather_key_bytes`
/// of their keys form a gather (0: no gathers). Divides the order into ranges of about equal numbers of traces for each
/// rank, with complete gathers and with `halo` neighbours on each side.
template <std::size_t Words>
[[nodiscard]] TraceOrder order_of(Communicator& comm, std::vector<KeyRecord<Words>> records,
                                  std::int64_t gather_key_bytes, std::int64_t halo);

/// Collective. Returns an order that leaves all `traces` traces of the input in input order.
[[nodiscard]] TraceOrder input_order(Communicator& comm, std::int64_t traces);

namespace detail {
/// Collective. Divides the traces `numbers` among the ranks. `begins[i]` is not 0 if a gather starts at this rank's
/// trace `numbers[i]`.
[[nodiscard]] TraceOrder divided(Communicator& comm, std::vector<std::int64_t> numbers, std::vector<char> begins,
                                 bool has_gathers, std::int64_t halo);
}  // namespace detail

template <std::size_t Words>
TraceOrder order_of(Communicator& comm, std::vector<KeyRecord<Words>> records, std::int64_t gather_key_bytes,
                    std::int64_t halo) {
  struct Last {
    KeyRecord<Words> record;
    std::int64_t count = 0;
  };
  std::vector<char> begins(records.size(), 1);
  if (gather_key_bytes > 0) {
    const GatherMask<Words> mask(gather_key_bytes);
    const std::vector<Last> last =
        all_gather(comm, records.empty() ? Last{} : Last{records.back(), std::ssize(records)});
    for (std::size_t i = 1; i < records.size(); ++i) begins[i] = mask.same(records[i - 1], records[i]) ? 0 : 1;
    for (int rank = comm.rank() - 1; rank >= 0 && !records.empty(); --rank) {
      const Last& other = last[static_cast<std::size_t>(rank)];
      if (other.count == 0) continue;
      begins[0] = mask.same(other.record, records.front()) ? 0 : 1;
      break;
    }
  }
  std::vector<std::int64_t> numbers(records.size());
  std::transform(records.begin(), records.end(), numbers.begin(), [](const auto& record) { return record.item; });
  std::vector<KeyRecord<Words>>().swap(records);
  return detail::divided(comm, std::move(numbers), std::move(begins), gather_key_bytes > 0, halo);
}

}  // namespace sill::flow
