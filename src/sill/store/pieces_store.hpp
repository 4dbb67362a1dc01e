// A file read as the pieces of it that matter, one after another.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sill/layout/piece_run.hpp"
#include "sill/store/forwarding_store.hpp"

namespace sill {

/// Reads the pieces of another store as if nothing lay between them. Errors: as the wrapped store's; usage for writing.
class PiecesStore final : public ForwardingStore {
 public:
  /// Precondition: the runs lie inside the file, and have pieces of at least one byte.
  PiecesStore(std::unique_ptr<Store> inner, std::vector<PieceRun> runs);

  void submit(std::span<const Request> requests) override;
  void submit_strided(const StridedRead& read) override;
  void submit_linked(std::span<LinkedRead> reads) override { Store::submit_linked(reads); }
  [[nodiscard]] bool follows_links() const override { return false; }
  void submit_extents(Operation operation, std::span<const Extent> extents) override {
    Store::submit_extents(operation, extents);
  }
  [[nodiscard]] bool takes_extents() const override { return false; }
  [[nodiscard]] bool is_collective() const override { return false; }
  [[nodiscard]] std::int64_t size_bytes() override { return begins_.back(); }
  void allocate(std::int64_t size_bytes) override;
  void punch_hole(ByteRange bytes) override;
  void drop_cache(ByteRange /*bytes*/) override {}
  void will_need(std::span<const ByteRange> /*ranges*/) override {}

 private:
  std::vector<PieceRun> runs_;
  std::vector<std::int64_t> begins_;  // of each run in what is read, and the end of the last
};

}  // namespace sill
