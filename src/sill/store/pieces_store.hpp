// A store that reads selected pieces of a file as one contiguous file.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sill/layout/piece_run.hpp"
#include "sill/store/forwarding_store.hpp"

namespace sill {

/// Reads the pieces of another store as if they were contiguous. Errors: as the wrapped store; usage for writes.
class PiecesStore final : public ForwardingStore {
 public:
  /// Local. Wraps `inner`, the store of the file that contains the runs. Precondition: the runs are inside the file,
  /// and their pieces have at least one byte.
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
  std::vector<std::int64_t> begins_;  // beginning of each run in the contiguous view, and the end of the last
};

}  // namespace sill
