// A store with collective calls, for tests of what is put around one.
#pragma once

#include <vector>

#include "store/idle_store.hpp"

namespace sill::test {

/// Moves nothing; reports how many extents each collective call brought.
class CollectiveStore final : public IdleStore {
 public:
  explicit CollectiveStore(std::vector<std::size_t>& calls) : IdleStore("file"), calls_(calls) {}
  [[nodiscard]] bool is_collective() const override { return true; }
  void submit_collective(Operation /*operation*/, std::span<const Extent> extents) override {
    calls_.push_back(extents.size());
  }

 private:
  std::vector<std::size_t>& calls_;
};

}  // namespace sill::test
