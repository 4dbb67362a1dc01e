#include "sill/move/collective_files.hpp"

#include <algorithm>

#include "sill/comm/agree.hpp"
#include "sill/move/parts.hpp"
#include "sill/plan/rows.hpp"

namespace sill {
namespace {

bool has_code(const Extent& extent) { return extent.encoder != nullptr || extent.decoder != nullptr; }

std::int64_t coded_bytes(std::span<const Extent> extents) {
  std::int64_t bytes = 0;
  for (const Extent& extent : extents) bytes += has_code(extent) ? extent.total_bytes() : 0;
  return bytes;
}

// What has an encoder or decoder goes through a tile, in pieces that fit: as extents of contiguous memory.
class Tiles {
 public:
  Tiles(Operation operation, std::span<const Extent> extents, std::int64_t tile_bytes)
      : operation_(operation), extents_(extents), tile_bytes_(tile_bytes) {}

  // The extents of the next call: everything that has an address with the first, then a tile at a time.
  std::vector<Extent> next() {
    std::vector<Extent> call;
    if (calls_++ == 0) {
      for (const Extent& extent : extents_) {
        if (!has_code(extent)) call.push_back(extent);
      }
    }
    parts_.clear();
    tile_.clear();
    std::int64_t room = tile_bytes_;
    while (extent_ < extents_.size() && room > 0) {
      const Extent& extent = extents_[extent_];
      const std::int64_t left = has_code(extent) ? extent.total_bytes() - done_ : 0;
      if (left == 0) {
        ++extent_;
        done_ = 0;
        continue;
      }
      const std::int64_t length = std::min(left, room);
      parts_.push_back({&extent, {done_, length}});
      done_ += length;
      room -= length;
    }
    tile_.resize(static_cast<std::size_t>(tile_bytes_ - room));
    std::byte* at = tile_.data();
    for (const Part& part : parts_) {
      if (operation_ == Operation::write) pack(part, {at, static_cast<std::size_t>(part.packed.length)});
      for_each_row(*part.extent, part.packed, [&](const Row& row) {
        Extent piece = contiguous(part.extent->file, {row.file_offset_bytes, row.run_bytes}, at);
        piece.steps = {{row.count, row.file_stride_bytes, row.run_bytes}};
        call.push_back(std::move(piece));
        at += row.count * row.run_bytes;
      });
    }
    // As in a plan: tidy and ascending.
    const AccessPlan plan = AccessPlan::for_reading(std::move(call));
    return {plan.extents().begin(), plan.extents().end()};
  }

  // To be called after the tile was read.
  void take() {
    std::size_t at = 0;
    for (const Part& part : parts_) {
      const auto length = static_cast<std::size_t>(part.packed.length);
      unpack(part, std::span(tile_).subspan(at, length));
      at += length;
    }
  }

 private:
  Operation operation_;
  std::span<const Extent> extents_;
  std::int64_t tile_bytes_;
  int calls_ = 0;
  std::size_t extent_ = 0;
  std::int64_t done_ = 0;
  std::vector<Part> parts_;
  std::vector<std::byte> tile_;
};

}  // namespace

CollectiveFiles::CollectiveFiles(Communicator& comm, CollectiveOpener open, std::span<const std::string> paths,
                                 OpenMode mode, std::int64_t most_open, std::int64_t tile_bytes, bool durable)
    : comm_(comm),
      open_(std::move(open)),
      paths_(paths),
      mode_(mode),
      most_open_(most_open),
      tile_bytes_(tile_bytes),
      durable_(durable) {}

void CollectiveFiles::perform(Operation operation, const AccessPlan& mine, std::span<const Share> shares) {
  std::map<int, std::vector<int>> batch;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    batch[shares[i].file].push_back(shares[i].rank);
    const bool last_of_file = i + 1 == shares.size() || shares[i + 1].file != shares[i].file;
    if (last_of_file && (static_cast<std::int64_t>(batch.size()) == most_open_ || i + 1 == shares.size())) {
      perform_batch(operation, mine, batch);
      batch.clear();
    }
  }
}

void CollectiveFiles::perform_batch(Operation operation, const AccessPlan& mine,
                                    const std::map<int, std::vector<int>>& owners) {
  // Handles of other owners are of no use, and there must be room for those of this batch.
  std::vector<int> unfit;
  std::int64_t wanted = 0;
  for (const auto& [file, ranks] : owners) {
    const auto found = handles_.find(file);
    if (found != handles_.end() && found->second.owners != ranks) unfit.push_back(file);
    if (found == handles_.end()) ++wanted;
  }
  for (const auto& [file, handle] : handles_) {
    if (static_cast<std::int64_t>(handles_.size()) + wanted - static_cast<std::int64_t>(unfit.size()) <= most_open_) {
      break;
    }
    if (owners.find(file) == owners.end()) unfit.push_back(file);
  }
  close_files(unfit);

  const auto is_mine = [&](const std::vector<int>& ranks) {
    return std::binary_search(ranks.begin(), ranks.end(), comm_.rank());
  };
  std::optional<Error> failure;
  for (const auto& [file, ranks] : owners) {
    Handle& handle = handles_[file];
    if (!handle.owners.empty()) continue;
    handle.owners = ranks;
    if (!is_mine(ranks)) continue;
    // Also after a failure: the other owners of the next file wait for this rank.
    const auto failed = attempt([&, file = file, &ranks = ranks] {
      handle.store = open_(comm_, ranks, paths_[static_cast<std::size_t>(file)], mode_);
    });
    if (failed && !failure) failure = failed;
  }
  try {
    agree(comm_, failure);
  } catch (...) {
    for (const auto& [file, ranks] : owners) handles_.erase(file);
    throw;
  }

  // How many calls a file takes is the most that any of its owners needs.
  std::vector<std::int64_t> tiles = together(comm_, [&] { return std::vector<std::int64_t>(owners.size()); });
  auto tile = tiles.begin();
  for (const auto& [file, ranks] : owners) {
    *tile++ = std::max<std::int64_t>(1, (coded_bytes(mine.of_file(file)) + tile_bytes_ - 1) / tile_bytes_);
  }
  comm_.all_reduce(tiles, Reduction::max);
  tile = tiles.begin();
  for (const auto& [file, ranks] : owners) {
    const std::int64_t calls = *tile++;
    Handle& handle = handles_[file];
    handle.is_written = handle.is_written || operation == Operation::write;
    if (!handle.store) continue;
    const auto failed =
        attempt([&, file = file] { perform_file(operation, *handle.store, mine.of_file(file), calls); });
    if (failed && !failure) failure = failed;
  }
  agree(comm_, failure);
}

void CollectiveFiles::perform_file(Operation operation, Store& store, std::span<const Extent> extents,
                                   std::int64_t calls) {
  Tiles tiles(operation, extents, tile_bytes_);
  std::optional<Error> failure;
  const auto note = [&](const std::optional<Error>& failed) {
    if (failed && !failure) failure = failed;
  };
  for (std::int64_t i = 0; i < calls; ++i) {
    std::vector<Extent> call;
    if (!failure) note(attempt([&] { call = tiles.next(); }));
    if (failure) call.clear();
    note(attempt([&] { store.submit_collective(operation, call); }));
    if (!failure && operation == Operation::read) note(attempt([&] { tiles.take(); }));
  }
  if (failure) throw *failure;
}

void CollectiveFiles::sync() {
  std::optional<Error> failure;
  for (auto& [file, handle] : handles_) {
    if (handle.is_written && handle.store) {
      const auto failed = attempt([&] { handle.store->sync(); });
      if (failed && !failure) failure = failed;
    }
    handle.is_written = false;
  }
  agree(comm_, failure);
}

void CollectiveFiles::close() {
  std::vector<int> all;
  for (const auto& [file, handle] : handles_) all.push_back(file);
  close_files(all);
}

void CollectiveFiles::close_files(std::span<const int> files) {
  if (files.empty()) return;
  std::optional<Error> failure;
  for (const int file : files) {
    Handle& handle = handles_.at(file);
    if (handle.store) {
      const auto failed = attempt([&] {
        if (durable_ && handle.is_written) handle.store->sync();
        handle.store->close();
      });
      if (failed && !failure) failure = failed;
    }
    handles_.erase(file);
  }
  agree(comm_, failure);
}

}  // namespace sill
