// A store with collective calls, for tests of what is put around one.
#pragma once

#include <string>
#include <vector>

#include "sill/store/store.hpp"

namespace sill::test {

/// Moves nothing; tells how many extents each collective call brought.
class CollectiveStore final : public Store {
 public:
  explicit CollectiveStore(std::vector<std::size_t>& calls) : calls_(calls) {}
  [[nodiscard]] const std::string& name() const override { return name_; }
  void submit(std::span<const Request> /*requests*/) override {}
  void submit_strided(const StridedRead& /*read*/) override {}
  [[nodiscard]] bool is_collective() const override { return true; }
  void submit_collective(Operation /*operation*/, std::span<const Extent> extents) override {
    calls_.push_back(extents.size());
  }
  [[nodiscard]] std::int64_t size_bytes() override { return 0; }
  void allocate(std::int64_t /*size_bytes*/) override {}
  void discard(ByteRange /*bytes*/) override {}
  void sync() override {}
  void close() override {}

 private:
  std::string name_ = "file";
  std::vector<std::size_t>& calls_;
};

}  // namespace sill::test
