// Checksums of blocks of a file, taken of the bytes that are written to it.
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

/// The CRC-32 of each block of a range of a file, of which several stores, threads and ranks write each byte at most
/// once, in any order; bytes that nobody writes are zeros.
class BlockChecksums {
 public:
  /// Local. Precondition: block_bytes > 0. The last block may be shorter.
  BlockChecksums(ByteRange covered, std::int64_t block_bytes);

  [[nodiscard]] ByteRange covered() const { return covered_; }
  [[nodiscard]] std::int64_t blocks() const { return static_cast<std::int64_t>(shares_.size()); }
  /// Local. Where a block lies in the file.
  [[nodiscard]] ByteRange block(std::int64_t number) const;

  /// Local, from any thread. Takes bytes that are written from `offset_bytes` on; those beside the range do not count.
  void add(std::int64_t offset_bytes, std::span<const std::byte> bytes);

  /// Local. What this rank wrote adds to the checksum of each block. The exclusive or over all ranks gives `complete`.
  [[nodiscard]] std::vector<std::int64_t> shares() const;
  /// Local. The checksums of blocks, of the shares of all ranks together.
  [[nodiscard]] std::vector<std::uint32_t> complete(std::span<const std::int64_t> all_shares) const;

 private:
  ByteRange covered_;
  std::int64_t block_bytes_;
  std::vector<std::atomic<std::uint32_t>> shares_;
};

/// Takes the checksums of what is written through it.
class ChecksumStore final : public ForwardingStore {
 public:
  /// Precondition: `inner` is not null.
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
