// The ranks a test under MPI runs on, and what they need to compare together.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/comm/exchange.hpp"

namespace sill::test {

/// Collective at the first call. All ranks; freed by the end of MPI. Tests that need no more of MPI are compiled once
/// for all of them.
[[nodiscard]] Communicator& world();

/// Collective. Whether `holds` is true on every rank. A rank whose work throws counts as false: properties must come to
/// the same end on all ranks, or they would shrink apart.
template <class Holds>
[[nodiscard]] bool everywhere(Communicator& comm, Holds&& holds) {
  std::int64_t mine = 0;
  try {
    mine = holds() ? 1 : 0;
  } catch (const std::exception&) {
    mine = 0;
  }
  return all_reduce(comm, mine, Reduction::min) == 1;
}

/// Collective. Whether every rank brings the same text.
[[nodiscard]] inline bool same_everywhere(Communicator& comm, const std::string& text) {
  const std::vector<char> all = all_gather_all(comm, std::span<const char>(text));
  const std::vector<std::int64_t> sizes = all_gather(comm, static_cast<std::int64_t>(text.size()));
  std::size_t at = 0;
  for (const std::int64_t size : sizes) {
    if (std::string(all.data() + at, static_cast<std::size_t>(size)) != text) return false;
    at += static_cast<std::size_t>(size);
  }
  return true;
}

/// Collective. The text of rank 0.
[[nodiscard]] inline std::string of_first_rank(Communicator& comm, std::string text) {
  auto size = static_cast<std::int64_t>(text.size());
  comm.broadcast(std::as_writable_bytes(std::span(&size, 1)), 0);
  text.resize(static_cast<std::size_t>(size));
  comm.broadcast(std::as_writable_bytes(std::span(text)), 0);
  return text;
}

}  // namespace sill::test
