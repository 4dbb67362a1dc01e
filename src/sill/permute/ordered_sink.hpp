// The destination of the items of a permutation, in their final order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "sill/move/mover.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// Receives items in order: either each rank passes its items as soon as they are available, or all ranks pass items
/// together, round by round.
struct OrderedSink {
  /// Local. Writes or processes the bytes of consecutive positions, which begin at byte `offset_bytes` of the output.
  /// Several threads call it concurrently, for each position exactly once. May throw. The function is empty if all
  /// ranks write together.
  std::function<void(std::int64_t offset_bytes, std::span<const std::byte> bytes)> take = {};
  Mover* together = nullptr;  ///< writes its file 0 if all ranks write together; otherwise null
};

/// Local. Returns a sink that writes to file 0 of `mover` by the policy of `mover`. Precondition: `mover` outlives the
/// sink.
[[nodiscard]] inline OrderedSink sink_of(Mover& mover) {
  if (!mover.writes_own()) return {.together = &mover};
  return {.take = [&mover](std::int64_t offset_bytes, std::span<const std::byte> bytes) {
    mover.write_own(0, offset_bytes, bytes);
  }};
}

/// Local. Returns a sink that writes to `store`. Precondition: `store` outlives the sink.
[[nodiscard]] inline OrderedSink sink_of(Store& store) {
  return {.take = [&store](std::int64_t offset_bytes, std::span<const std::byte> bytes) {
    write_at(store, offset_bytes, bytes);
  }};
}

}  // namespace sill
