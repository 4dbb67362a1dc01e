// Which traces a pass takes, in which order, and where gathers begin: what the headers decide.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/comm/key_sort.hpp"
#include "sill/layout/range.hpp"

namespace sill::flow {

/// The traces that a rank takes, with neighbours that other ranks take.
struct TraceOrder {
  std::vector<std::int64_t> numbers = {};  ///< in the input, in the order of the pass; of a pass that takes all: empty
  ItemRange own = {};  ///< of `numbers`, without neighbours; of all traces, where `numbers` is empty
  std::vector<std::int64_t> gathers = {};  ///< of gathers: where each begins in `own`, and the end of the last
  std::int64_t before = 0;                 ///< traces of lower ranks
  std::int64_t all = 0;                    ///< traces of all ranks
  std::int64_t gathers_before = 0;
  std::int64_t all_gathers = 0;
};

/// Collective. The order of records that are sorted over all ranks, those of equal first `gather_key_bytes` of their
/// keys being a gather (0: none): divided into ranges of about as many traces for each rank, gathers being whole, with
/// `halo` neighbours on each side.
template <std::size_t Words>
[[nodiscard]] TraceOrder order_of(Communicator& comm, std::vector<KeyRecord<Words>> records,
                                  std::int64_t gather_key_bytes, std::int64_t halo);

/// Collective. All `traces`, in the order of the input.
[[nodiscard]] TraceOrder input_order(Communicator& comm, std::int64_t traces);

namespace detail {
/// Collective. `begins` says of each of this rank's traces whether a gather begins with it.
[[nodiscard]] TraceOrder divided(Communicator& comm, std::vector<std::int64_t> numbers, std::vector<char> begins,
                                 bool has_gathers, std::int64_t halo);

/// Local. The first `bytes` bytes of a key, the rest zeros.
template <std::size_t Words>
[[nodiscard]] std::array<std::uint64_t, Words> first_bytes(std::array<std::uint64_t, Words> key, std::int64_t bytes) {
  for (std::size_t w = 0; w < Words; ++w) {
    const std::int64_t kept = std::clamp<std::int64_t>(bytes - 8 * static_cast<std::int64_t>(w), 0, 8);
    key[w] = kept == 0 ? 0 : key[w] >> (64 - 8 * kept) << (64 - 8 * kept);
  }
  return key;
}
}  // namespace detail

template <std::size_t Words>
TraceOrder order_of(Communicator& comm, std::vector<KeyRecord<Words>> records, std::int64_t gather_key_bytes,
                    std::int64_t halo) {
  struct Last {
    std::array<std::uint64_t, Words> key{};
    std::int64_t count = 0;
  };
  const auto gather_key = [&](const KeyRecord<Words>& record) {
    return detail::first_bytes<Words>(record.key, gather_key_bytes);
  };
  std::vector<char> begins(records.size(), 1);
  if (gather_key_bytes > 0) {
    Last mine{.count = std::ssize(records)};
    if (!records.empty()) mine.key = gather_key(records.back());
    const std::vector<Last> last = all_gather_all(comm, std::span<const Last>(&mine, 1));
    for (std::size_t i = 1; i < records.size(); ++i) begins[i] = gather_key(records[i - 1]) != gather_key(records[i]);
    if (!records.empty())
      for (int rank = comm.rank() - 1; rank >= 0; --rank) {
        const Last& other = last[static_cast<std::size_t>(rank)];
        if (other.count == 0) continue;
        begins[0] = other.key != gather_key(records.front());
        break;
      }
  }
  std::vector<std::int64_t> numbers(records.size());
  std::transform(records.begin(), records.end(), numbers.begin(), [](const auto& record) { return record.item; });
  std::vector<KeyRecord<Words>>().swap(records);
  return detail::divided(comm, std::move(numbers), std::move(begins), gather_key_bytes > 0, halo);
}

}  // namespace sill::flow
