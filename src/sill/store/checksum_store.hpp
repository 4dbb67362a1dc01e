// Checksums of blocks of a file, computed while the bytes are written.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sill/layout/range.hpp"
#include "sill/store/forwarding_store.hpp"

namespace sill {

/// The CRC-32 of each block of a range of a file. Several stores, threads and ranks may write the range, each byte at
/// most once and in any order. Bytes that are not written are treated as zeros.
class BlockChecksums {
 public:
  /// Local. Divides `covered` into blocks of `block_bytes`; the last block may be shorter. Precondition: block_bytes >
  /// 0.
  BlockChecksums(ByteRange covered, std::int64_t block_bytes);

  [[nodiscard]] ByteRange covered() const { return covered_; }
  [[nodiscard]] std::int64_t blocks() const { return static_cast<std::int64_t>(shares_.size()); }
  /// Local. Returns the range of a block in the file.
  [[nodiscard]] ByteRange block(std::int64_t number) const;

  /// Local, from any thread. Adds bytes that are written at `offset_bytes`; bytes outside the range are ignored.
  void add(std::int64_t offset_bytes, std::span<const std::byte> bytes);

  /// Local. Returns, per block, the contribution of the bytes that this rank wrote. The exclusive or of the
  /// contributions of all ranks is the argument of `complete`.
  [[nodiscard]] std::vector<std::int64_t> shares() const;
  /// Local. Returns the checksums of the blocks, computed from the combined contributions of all ranks.
  [[nodiscard]] std::vector<std::uint32_t> complete(std::span<const std::int64_t> all_shares) const;

 private:
  ByteRange covered_;
  std::int64_t block_bytes_;
  std::vector<std::atomic<std::uint32_t>> shares_;
};

/// A store that adds the bytes written through it to the checksums of blocks.
class ChecksumStore final : public ForwardingStore {
 public:
  /// Local. Wraps `inner`. Precondition: `inner` is not null.
  ChecksumStore(std::unique_ptr<Store> inner, std::shared_ptr<BlockChecksums> sums)
      : ForwardingStore(std::move(inner)), sums_(std::move(sums)) {}

  void submit(std::span<const Request> requests) override;
  void submit_extents(Operation operation, std::span<const Extent> extents) override;
  void submit_collective(Operation operation, std::span<const Extent> extents) override;

 private:
  void add(std::span<const Extent> extents);

  std::shared_ptr<BlockChecksums> sums_;
};

}  // namespace sill
