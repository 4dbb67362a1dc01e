// Collective calls whose results differ in size between ranks.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "sill/comm/agree.hpp"
#include "sill/comm/communicator.hpp"

namespace sill {

/// Collective. Returns every rank's values, concatenated in rank order; sizes may differ. Errors: io, on all ranks, if
/// one rank lacks memory for the result.
template <class T>
[[nodiscard]] std::vector<T> all_gather_all(Communicator& comm, std::span<const T> mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  auto sizes = run_and_agree(comm, [&] { return std::vector<std::int64_t>(static_cast<std::size_t>(comm.size())); });
  const auto bytes = static_cast<std::int64_t>(mine.size_bytes());
  comm.all_gather(std::as_bytes(std::span(&bytes, 1)), std::as_writable_bytes(std::span(sizes)));
  const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  std::vector<T> all = run_and_agree(comm, [&] { return std::vector<T>(static_cast<std::size_t>(total) / sizeof(T)); });
  comm.all_gather_all(std::as_bytes(mine), std::as_writable_bytes(std::span(all)), sizes);
  return all;
}

/// Collective. Sets `values`, a vector or string of any size, to the `values` of rank `root`. Errors: as
/// all_gather_all.
template <class Values>
void broadcast_all(Communicator& comm, Values& values, int root) {
  static_assert(std::is_trivially_copyable_v<typename Values::value_type>);
  auto size = static_cast<std::int64_t>(values.size());
  comm.broadcast(std::as_writable_bytes(std::span(&size, 1)), root);
  run_and_agree(comm, [&] { values.resize(static_cast<std::size_t>(size)); });
  comm.broadcast(std::as_writable_bytes(std::span(values)), root);
}

/// Collective. Runs `work` on rank `root` only, agrees on errors, and returns on all ranks the value that `work`
/// returned: one that can be copied as bytes, or a vector or string. Errors: those of `work`; as all_gather_all.
template <class Work>
[[nodiscard]] auto value_from_rank(Communicator& comm, int root, Work&& work) {
  std::invoke_result_t<Work> value{};
  run_on_rank(comm, root, [&] { value = std::forward<Work>(work)(); });
  if constexpr (std::is_trivially_copyable_v<decltype(value)>)
    comm.broadcast(std::as_writable_bytes(std::span(&value, 1)), root);
  else
    broadcast_all(comm, value, root);
  return value;
}

/// Collective. Returns on rank r the values `parts[r]` of every rank, concatenated in rank order. Precondition:
/// parts.size() == comm.size(). Errors: as all_gather_all.
template <class T>
[[nodiscard]] std::vector<T> all_to_all(Communicator& comm, std::span<const std::span<const T>> parts) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::int64_t> out_counts(ranks);
  std::vector<std::int64_t> in_counts(ranks);
  for (std::size_t r = 0; r < ranks; ++r) out_counts[r] = static_cast<std::int64_t>(parts[r].size());
  comm.all_to_all(out_counts, in_counts);
  const std::int64_t total = std::accumulate(in_counts.begin(), in_counts.end(), std::int64_t{0});
  std::vector<T> all = run_and_agree(comm, [&] { return std::vector<T>(static_cast<std::size_t>(total)); });
  std::vector<Outgoing> sends;
  std::vector<Incoming> receives;
  std::size_t first = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (out_counts[r] > 0) sends.push_back({static_cast<int>(r), std::as_bytes(parts[r])});
    const auto count = static_cast<std::size_t>(in_counts[r]);
    if (count > 0) {
      receives.push_back({static_cast<int>(r), std::as_writable_bytes(std::span(all).subspan(first, count))});
    }
    first += count;
  }
  comm.exchange(sends, receives);
  return all;
}

}  // namespace sill
