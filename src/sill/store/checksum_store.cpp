#include "sill/store/checksum_store.hpp"

#include <algorithm>

#include "sill/base/crc32.hpp"
#include "sill/plan/rows.hpp"

namespace sill {

BlockChecksums::BlockChecksums(ByteRange covered, std::int64_t block_bytes)
    : covered_(covered),
      block_bytes_(block_bytes),
      shares_(static_cast<std::size_t>((covered.length + block_bytes - 1) / block_bytes)) {}

ByteRange BlockChecksums::block(std::int64_t number) const {
  const std::int64_t first = number * block_bytes_;
  return {covered_.offset + first, std::min(block_bytes_, covered_.length - first)};
}

void BlockChecksums::add(std::int64_t offset_bytes, std::span<const std::byte> bytes) {
  const std::int64_t end = std::min(covered_.end(), offset_bytes + static_cast<std::int64_t>(bytes.size()));
  for (std::int64_t at = std::max(covered_.offset, offset_bytes); at < end;) {
    const std::int64_t number = (at - covered_.offset) / block_bytes_;
    const std::int64_t block_end = block(number).end();
    const std::int64_t piece_end = std::min(end, block_end);
    const std::uint32_t raw = raw_crc32(
        0, bytes.subspan(static_cast<std::size_t>(at - offset_bytes), static_cast<std::size_t>(piece_end - at)));
    shares_[static_cast<std::size_t>(number)] ^= crc32_share(raw, block_end - piece_end);
    at = piece_end;
  }
}

std::vector<std::int64_t> BlockChecksums::shares() const { return {shares_.begin(), shares_.end()}; }

std::vector<std::uint32_t> BlockChecksums::complete(std::span<const std::int64_t> all_shares) const {
  const std::vector<std::byte> zeros(static_cast<std::size_t>(std::min(block_bytes_, covered_.length)));
  const std::uint32_t of_zeros = crc32_of(zeros);
  std::vector<std::uint32_t> sums;
  sums.reserve(all_shares.size());
  for (const std::int64_t share : all_shares) sums.push_back(static_cast<std::uint32_t>(share) ^ of_zeros);
  if (!sums.empty()) {
    const auto last = static_cast<std::size_t>(block(blocks() - 1).length);
    sums.back() = static_cast<std::uint32_t>(all_shares.back()) ^ crc32_of(std::span(zeros).first(last));
  }
  return sums;
}

void ChecksumStore::submit(std::span<const Request> requests) {
  for (const Request& request : requests) {
    if (request.operation != Operation::write) continue;
    std::int64_t at = request.offset_bytes;
    for (const iovec& piece : request.memory) {
      sums_->add(at, {static_cast<const std::byte*>(piece.iov_base), piece.iov_len});
      at += static_cast<std::int64_t>(piece.iov_len);
    }
  }
  ForwardingStore::submit(requests);
}

void ChecksumStore::add(std::span<const Extent> extents) {
  for (const Extent& extent : extents) {
    for_each_run(extent, {0, extent.total_bytes()}, [&](const ExtentRun& run) {
      sums_->add(run.in_file.offset, {run.memory, static_cast<std::size_t>(run.in_file.length)});
    });
  }
}

void ChecksumStore::submit_extents(Operation operation, std::span<const Extent> extents) {
  if (operation == Operation::write && takes_extents()) add(extents);
  ForwardingStore::submit_extents(operation, extents);
}

void ChecksumStore::submit_collective(Operation operation, std::span<const Extent> extents) {
  if (operation == Operation::write) add(extents);
  ForwardingStore::submit_collective(operation, extents);
}

}  // namespace sill
