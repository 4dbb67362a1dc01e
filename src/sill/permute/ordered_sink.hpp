// Where the items of a permutation go once they are in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "sill/move/mover.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// Takes items in order: each rank its own, as soon as they are there, or all ranks together, round by round.
struct OrderedSink {
  /// Local. Takes the bytes of consecutive positions, which begin at byte `offset_bytes` of the output. Called by
  /// several threads at once, each position exactly once. May throw. Whatever takes them: a file, or an operation that
  /// works on them in memory. Empty where ranks write together.
  std::function<void(std::int64_t offset_bytes, std::span<const std::byte> bytes)> take = {};
  Mover* together = nullptr;  ///< otherwise: writes its file 0
};

/// Local. Into file 0 of `mover`, which outlives the sink, as its policy says.
[[nodiscard]] inline OrderedSink sink_of(Mover& mover) {
  if (!mover.writes_own()) return {.together = &mover};
  return {.take = [&mover](std::int64_t offset_bytes, std::span<const std::byte> bytes) {
    mover.write_own(0, offset_bytes, bytes);
  }};
}

/// Local. Into `store`, which outlives the sink.
[[nodiscard]] inline OrderedSink sink_of(Store& store) {
  return {.take = [&store](std::int64_t offset_bytes, std::span<const std::byte> bytes) {
    write_at(store, offset_bytes, bytes);
  }};
}

}  // namespace sill
