// Sorts keyed items over ranks: each rank ends with a section of the sorted order; no rank holds all items.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/comm/exchange.hpp"

namespace sill {

/// A key of `Words` 64-bit words, most significant first, and the number of its item. Records are ordered by key, then
/// by item: item numbers are distinct, so the order is total and the sort is stable.
template <std::size_t Words>
struct KeyRecord {
  std::array<std::uint64_t, Words> key{};
  std::int64_t item = 0;

  friend constexpr auto operator<=>(const KeyRecord&, const KeyRecord&) = default;
};

namespace detail {

/// Sorts records whose items already ascend, least significant digit first, 11 bits per pass. Digits that are the same
/// in every key are skipped. Needs a second array; only for keys of one word.
inline void radix_sort(std::vector<KeyRecord<1>>& records) {
  constexpr unsigned digit_bits = 11;
  constexpr std::size_t digits = std::size_t{1} << digit_bits;
  std::uint64_t any = 0;
  std::uint64_t all = ~std::uint64_t{0};
  for (const KeyRecord<1>& record : records) {
    any |= record.key[0];
    all &= record.key[0];
  }
  const std::uint64_t varying = any & ~all;
  std::vector<KeyRecord<1>> other(records.size());
  for (unsigned shift = 0; shift < 64; shift += digit_bits) {
    if (((varying >> shift) & (digits - 1)) == 0) continue;
    std::array<std::size_t, digits + 1> first{};
    for (const KeyRecord<1>& record : records) ++first[((record.key[0] >> shift) & (digits - 1)) + 1];
    for (std::size_t d = 0; d < digits; ++d) first[d + 1] += first[d];
    for (const KeyRecord<1>& record : records) other[first[(record.key[0] >> shift) & (digits - 1)]++] = record;
    records.swap(other);
  }
}

}  // namespace detail

/// Local. Sorts `records`. Precondition: the items of `records` ascend.
template <std::size_t Words>
void sort_records(std::vector<KeyRecord<Words>>& records) {
  if constexpr (Words == 1) {
    detail::radix_sort(records);
  } else {
    std::sort(records.begin(), records.end());
  }
}

/// Collective. Sorts the records of all ranks together: afterwards each rank holds a sorted run, and every record of a
/// rank precedes all records of the next rank. Run lengths are balanced within a few per cent. Sample sort (Frazer and
/// McKellar 1970). Precondition: the items ascend within each rank, and no two items of all ranks are equal.
template <std::size_t Words>
void sort_distributed(Communicator& comm, std::vector<KeyRecord<Words>>& records) {
  using Record = KeyRecord<Words>;
  run_and_agree(comm, [&] { sort_records(records); });
  const auto ranks = static_cast<std::size_t>(comm.size());
  if (ranks == 1) return;

  // Every rank contributes evenly spaced samples of its run; their quantiles split the records.
  constexpr std::size_t samples_per_rank = 256;
  std::vector<Record> samples;
  for (std::size_t i = 0; i < std::min(samples_per_rank, records.size()); ++i) {
    samples.push_back(records[(2 * i + 1) * records.size() / (2 * std::min(samples_per_rank, records.size()))]);
  }
  samples = all_gather_all(comm, std::span<const Record>(samples));
  std::sort(samples.begin(), samples.end());

  std::vector<std::span<const Record>> parts(ranks);
  auto begin = records.cbegin();
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto end = r + 1 == ranks || samples.empty()
                         ? records.cend()
                         : std::lower_bound(begin, records.cend(), samples[(r + 1) * samples.size() / ranks]);
    parts[r] = std::span<const Record>(begin, end);
    begin = end;
  }
  std::vector<Record> mine = all_to_all(comm, std::span<const std::span<const Record>>(parts));
  std::vector<Record>().swap(records);

  // The received records are sorted runs in rank order.
  std::sort(mine.begin(), mine.end());
  records = std::move(mine);
}

}  // namespace sill
