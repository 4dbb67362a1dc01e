// Random accesses of several ranks to several files, and what they must come to, byte by byte.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "plan/every_byte.hpp"
#include "sill/layout/grid_decomposition.hpp"
#include "sill/layout/item_list.hpp"
#include "sill/plan/access_plan.hpp"
#include "sill/plan/subarray.hpp"

namespace sill::test {

using FileContents = std::vector<std::vector<std::byte>>;  ///< by file number

/// Stands behind an extent in place of memory: the extent's bytes in the order of the file.
class Coder final : public Encoder, public Decoder {
 public:
  /// `source`: where its bytes are said to be made from; null: nowhere in particular.
  explicit Coder(std::vector<std::byte> all, const std::byte* source = nullptr)
      : bytes(std::move(all)), source_(source), taken_(bytes.size()) {}
  void fill(ByteRange range, std::span<std::byte> to) const override {
    if (std::cmp_not_equal(to.size(), range.length)) throw std::logic_error("a range and its room differ in length");
    std::copy_n(bytes.begin() + range.offset, range.length, to.begin());
  }
  [[nodiscard]] const std::byte* source_of(std::int64_t packed) const override {
    return source_ == nullptr ? nullptr : source_ + packed;
  }
  void take(ByteRange range, std::span<const std::byte> from) override {
    if (std::cmp_not_equal(from.size(), range.length)) throw std::logic_error("a range and its bytes differ in length");
    for (std::int64_t i = range.offset; i < range.end(); ++i) {
      if (taken_.at(static_cast<std::size_t>(i))) throw std::logic_error("a byte comes twice");
      taken_[static_cast<std::size_t>(i)] = true;
    }
    std::copy(from.begin(), from.end(), bytes.begin() + range.offset);
  }

  std::vector<std::byte> bytes;

 private:
  const std::byte* source_;
  std::vector<bool> taken_;
};

/// What every rank wants and the memory it has. Copies of a rank's extents point to the same memory.
struct Access {
  struct Piece {
    Extent extent;          // as a program gives it: steps in any order, perhaps interleaving
    std::size_t block = 0;  // that it points into, if it has no coder
    Coder* coder = nullptr;
  };
  struct Rank {
    std::vector<Piece> pieces;
    std::vector<std::unique_ptr<std::vector<std::byte>>> blocks;
    std::vector<std::unique_ptr<Coder>> coders;

    [[nodiscard]] std::vector<Extent> extents() const {
      std::vector<Extent> all;
      for (const Piece& piece : pieces) all.push_back(piece.extent);
      return all;
    }
    /// The same without the memory, as others know it.
    [[nodiscard]] std::vector<Extent> file_side() const {
      std::vector<Extent> all = extents();
      for (Extent& extent : all) {
        extent.memory = nullptr;
        extent.encoder = nullptr;
        extent.decoder = nullptr;
      }
      return all;
    }
  };
  std::vector<Rank> ranks;
  std::unique_ptr<std::vector<std::byte>> sources;  ///< of coders, to be compared by place and never read

  /// Local. The same further on in the files, of other bytes.
  void move_along(std::int64_t distance_bytes) {
    const auto change = [](std::vector<std::byte>& bytes) {
      for (std::byte& byte : bytes) byte ^= std::byte{0x5A};
    };
    for (Rank& rank : ranks) {
      for (Piece& piece : rank.pieces) piece.extent.offset_bytes += distance_bytes;
      for (const auto& block : rank.blocks) change(*block);
      for (const auto& coder : rank.coders) change(coder->bytes);
    }
  }
};

/// Makes accesses at random, region by region; equal seeds give equal accesses.
class AccessMaker {
 public:
  using Random = std::mt19937_64;

  AccessMaker(std::uint64_t seed, std::size_t ranks, Operation operation) : random_(seed), operation_(operation) {
    access_.ranks.resize(ranks);
    access_.sources = std::make_unique<std::vector<std::byte>>(1 << 16);
    // Only some of the ranks hold anything, not always the lowest.
    const std::size_t holders = 1 + random_() % ranks;
    const std::size_t first = random_() % ranks;
    for (std::size_t i = 0; i < holders; ++i) holders_.push_back((first + i) % ranks);
  }

  /// A number from `min` to `max`.
  std::int64_t between(std::int64_t min, std::int64_t max) {
    return min + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(max - min + 1));
  }
  bool once_in(int times) { return between(1, times) == 1; }

  /// Adds accesses to bytes of `room` of file `file`, distributed to the ranks. Those of a write are disjoint.
  void add_region(int file, ByteRange room) {
    if (room.empty()) return;
    taken_.assign(static_cast<std::size_t>(room.length), false);
    room_ = room;
    file_ = file;
    switch (between(0, 4)) {
      case 0: add_pieces(); break;
      case 1: add_strided(); break;
      case 2: add_tangled(); break;
      case 3: add_items(); break;
      default: add_grid(); break;
    }
    if (once_in(3)) fill_gaps();
  }

  /// Writes: regions side by side in each file. Reads: regions anywhere, also over each other.
  void add_regions(int files, std::int64_t file_bytes) {
    for (int file = 0; file < files; ++file) {
      if (operation_ == Operation::write) {
        for (std::int64_t at = once_in(2) ? 0 : between(0, file_bytes); at < file_bytes;) {
          const ByteRange room{at, std::min(file_bytes - at, between(1, std::max<std::int64_t>(1, file_bytes / 2)))};
          if (!once_in(4)) add_region(file, room);
          at = room.end();
        }
      } else {
        for (std::int64_t regions = between(0, 4); regions > 0; --regions) {
          const std::int64_t length = between(0, file_bytes);
          add_region(file, {between(0, file_bytes - length), length});
        }
      }
    }
  }

  [[nodiscard]] Access take() {
    for (Access::Rank& rank : access_.ranks) {
      if (once_in(2)) std::shuffle(rank.pieces.begin(), rank.pieces.end(), random_);
    }
    return std::move(access_);
  }

 private:
  Access::Rank& any_holder() { return access_.ranks[holders_[random_() % holders_.size()]]; }

  std::byte* new_block(Access::Rank& rank, std::int64_t bytes) {
    auto& block = rank.blocks.emplace_back(std::make_unique<std::vector<std::byte>>(static_cast<std::size_t>(bytes)));
    for (std::byte& byte : *block) byte = static_cast<std::byte>(random_());
    return block->data();
  }

  void add(Access::Rank& rank, Extent extent) {
    for_each_byte(extent, [&](std::int64_t at, std::byte*) {
      const auto place = static_cast<std::size_t>(at - room_.offset);
      if (operation_ == Operation::write && taken_.at(place)) throw std::logic_error("bytes are given out twice");
      taken_.at(place) = true;
    });
    rank.pieces.push_back({std::move(extent), rank.blocks.size() - 1, nullptr});
  }

  // Gives the extent an encoder or decoder in place of memory.
  void add_coded(Access::Rank& rank, Extent extent) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(extent.total_bytes()));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random_());
    // Of some the sources interleave, so that rounds are performed in their order.
    const std::byte* const source = once_in(2) ? access_.sources->data() + between(0, 100) : nullptr;
    rank.coders.push_back(std::make_unique<Coder>(std::move(bytes), source));
    Coder* const coder = rank.coders.back().get();
    extent.memory = nullptr;
    if (operation_ == Operation::write) {
      extent.encoder = coder;
    } else {
      extent.decoder = coder;
    }
    add(rank, std::move(extent));
    rank.pieces.back().coder = coder;
  }

  // Memory for an extent whose file side is complete: its dimensions in any order, some backwards, with margins.
  void add_with_memory(Access::Rank& rank, Extent extent, bool may_be_coded = true) {
    if (may_be_coded && once_in(5)) return add_coded(rank, std::move(extent));
    std::vector<std::size_t> order(extent.steps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (once_in(2)) {
      std::shuffle(order.begin(), order.end(), random_);
    } else {
      std::reverse(order.begin(), order.end());
    }
    const bool dense = once_in(2);
    std::int64_t stride = extent.run_bytes;
    std::int64_t first = 0;
    for (const std::size_t step : order) {
      if (!dense) stride += between(0, 5);
      const std::int64_t count = extent.steps[step].count;
      const bool backwards = !dense && once_in(3);
      extent.steps[step].memory_stride_bytes = backwards ? -stride : stride;
      if (backwards) first += (count - 1) * stride;
      stride *= count;
    }
    const std::int64_t before = between(0, 3);
    extent.memory = new_block(rank, before + stride + between(0, 3)) + before + first;
    add(rank, std::move(extent));
  }

  void deal(std::vector<ByteRange> pieces) {
    // Each rank's pieces lie in one block, in this order or another, so that some touch in memory as well.
    if (once_in(2)) std::shuffle(pieces.begin(), pieces.end(), random_);
    std::vector<std::vector<ByteRange>> of_ranks(access_.ranks.size());
    for (const ByteRange piece : pieces) of_ranks[holders_[random_() % holders_.size()]].push_back(piece);
    for (std::size_t r = 0; r < of_ranks.size(); ++r) {
      Access::Rank& rank = access_.ranks[r];
      std::int64_t bytes = 0;
      for (const ByteRange piece : of_ranks[r]) bytes += piece.length;
      if (bytes == 0) continue;
      if (once_in(6)) {
        for (const ByteRange piece : of_ranks[r])
          add_coded(rank, contiguous(file_, piece, static_cast<std::byte*>(nullptr)));
        continue;
      }
      std::byte* at = new_block(rank, bytes);
      for (const ByteRange piece : of_ranks[r]) {
        add(rank, contiguous(file_, piece, at));
        at += piece.length;
      }
    }
  }

  // Contiguous pieces with and without gaps between them.
  void add_pieces() {
    std::vector<ByteRange> pieces;
    const std::int64_t longest = between(1, room_.length);
    for (std::int64_t at = room_.offset; at < room_.end() && pieces.size() < 40;) {
      const std::int64_t length = std::min(room_.end() - at, between(1, longest));
      if (!once_in(4)) pieces.push_back({at, length});
      at += length;
    }
    deal(std::move(pieces));
  }

  void fill_gaps() {
    std::vector<ByteRange> gaps;
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      if (taken_[i]) continue;
      const std::int64_t at = room_.offset + static_cast<std::int64_t>(i);
      if (!gaps.empty() && gaps.back().end() == at) {
        ++gaps.back().length;
      } else {
        gaps.push_back({at, 1});
      }
    }
    if (gaps.size() <= 200) deal(std::move(gaps));
  }

  // Runs with steps that nest, and others' in turn with them.
  void add_strided() {
    Extent extent{.file = file_, .offset_bytes = room_.offset, .run_bytes = between(1, 24)};
    std::int64_t span = extent.run_bytes;
    if (span > room_.length) return;
    const auto repeat = [&](std::int64_t times) {
      for (; times > 0; --times) {
        const std::int64_t stride = span + (once_in(2) ? between(0, 9) : 0);
        const std::int64_t max = 1 + (room_.length - span) / stride;
        const std::int64_t count = between(1, std::min<std::int64_t>(max, 12));
        extent.steps.push_back({count, stride, 0});
        span += (count - 1) * stride;
      }
    };
    repeat(between(0, 1));
    const std::int64_t slot_bytes = span;
    const std::int64_t slots = between(1, std::min<std::int64_t>(4, room_.length / slot_bytes));
    span *= slots;
    repeat(between(0, 2));
    if (once_in(2)) std::shuffle(extent.steps.begin(), extent.steps.end(), random_);
    for (std::int64_t slot = 0; slot < slots; ++slot) {
      if (slots > 1 && once_in(4)) continue;
      Extent one = extent;
      one.offset_bytes += slot * slot_bytes;
      add_with_memory(any_holder(), std::move(one));
    }
  }

  // Steps that need not nest; what of them is free is taken.
  void add_tangled() {
    for (int attempts = 0; attempts < 20; ++attempts) {
      Extent extent{.file = file_, .offset_bytes = room_.offset + between(0, 5), .run_bytes = between(1, 4)};
      for (std::int64_t steps = between(1, 3); steps > 0; --steps)
        extent.steps.push_back({between(1, 5), between(1, 30), 0});
      std::vector<bool> would_take = taken_;
      bool fits = true;
      for_each_byte(extent, [&](std::int64_t at, std::byte*) {
        const std::int64_t place = at - room_.offset;
        fits = fits && place < room_.length &&
               (operation_ == Operation::read || !would_take[static_cast<std::size_t>(place)]);
        if (fits) would_take[static_cast<std::size_t>(place)] = true;
      });
      if (fits) add_with_memory(any_holder(), std::move(extent), false);
    }
  }

  void add_items() {
    ItemList list{room_.offset, between(1, 24), 0};
    list.count = std::min<std::int64_t>(60, room_.length / list.item_bytes);
    std::vector<std::vector<std::int64_t>> of_ranks(access_.ranks.size());
    for (std::int64_t item = 0; item < list.count; ++item) {
      if (!once_in(5)) of_ranks[holders_[random_() % holders_.size()]].push_back(item);
    }
    for (std::size_t r = 0; r < of_ranks.size(); ++r) {
      if (of_ranks[r].empty()) continue;
      if (once_in(2)) std::shuffle(of_ranks[r].begin(), of_ranks[r].end(), random_);
      Access::Rank& rank = access_.ranks[r];
      std::byte* const memory = new_block(rank, static_cast<std::int64_t>(of_ranks[r].size()) * list.item_bytes);
      for (Extent& extent : listed(file_, list, of_ranks[r], memory)) add(rank, std::move(extent));
    }
  }

  // An array of up to four dimensions, perhaps of several interleaved components, each cut into boxes of its own.
  void add_grid() {
    const auto dimensions = static_cast<std::size_t>(between(1, 4));
    const std::int64_t element_bytes = between(1, 24);
    const std::int64_t components = between(1, 3);
    Index shape(dimensions);
    std::int64_t bytes = element_bytes * components;
    for (std::int64_t& length : shape) {
      length = between(0, 7);
      while (length > 1 && bytes * length > room_.length) --length;
      bytes *= std::max<std::int64_t>(1, length);
    }
    if (bytes > room_.length) return;
    // In the file, too, the dimensions may have any order.
    std::vector<std::size_t> order(dimensions);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (once_in(3)) std::shuffle(order.begin(), order.end(), random_);
    FileArray array{file_, room_.offset, element_bytes, Index(dimensions)};
    std::int64_t stride = element_bytes * components;
    for (std::size_t i = dimensions; i-- > 0;) {
      array.strides_bytes[order[i]] = stride;
      stride *= shape[order[i]];
    }
    for (std::int64_t component = 0; component < components; ++component, array.first_byte += element_bytes) {
      if (components > 1 && once_in(4)) continue;
      const GridDecomposition grid = any_decomposition(shape);
      for (std::int64_t part = 0; part < grid.parts(); ++part) add_box(array, grid.box_of(part), shape);
    }
  }

  GridDecomposition any_decomposition(const Index& shape) {
    if (once_in(2)) {
      Index parts;
      for (std::size_t d = 0; d < shape.size(); ++d) parts.push_back(between(1, 3));
      return GridDecomposition::blocks(shape, parts);
    }
    std::vector<std::vector<std::int64_t>> cuts;
    for (const std::int64_t length : shape) {
      std::vector<std::int64_t> of_dimension{0, length};
      for (std::int64_t more = between(0, 2); more > 0; --more) of_dimension.push_back(between(0, length));
      std::sort(of_dimension.begin(), of_dimension.end());
      cuts.push_back(of_dimension);
    }
    return GridDecomposition::irregular(cuts);
  }

  void add_box(const FileArray& array, Box box, const Index& shape) {
    if (box.empty() || once_in(8)) return;
    Index before;
    Index after;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      before.push_back(once_in(2) ? 0 : between(0, 2));
      after.push_back(once_in(2) ? 0 : between(0, 2));
    }
    // Ghosts are read with the box; a write leaves them out.
    if (operation_ == Operation::read) box = with_margin(box, before, after, shape);
    add_with_memory(any_holder(), subarray(array, box, nullptr, Index(shape.size(), 0)));
  }

  Random random_;
  Operation operation_;
  Access access_;
  std::vector<std::size_t> holders_;
  std::vector<bool> taken_;  // bytes of the room
  ByteRange room_;
  int file_ = 0;
};

/// Local. The value that a byte of a piece has, by its place in the file, ascending.
template <class Visit>
void for_each_value(const Access::Piece& piece, Visit&& visit) {
  if (piece.coder == nullptr) {
    for_each_byte(piece.extent, [&](std::int64_t at, std::byte* memory) { visit(at, *memory); });
    return;
  }
  std::vector<std::int64_t> places;
  for_each_byte(piece.extent, [&](std::int64_t at, std::byte*) { places.push_back(at); });
  std::sort(places.begin(), places.end());
  for (std::size_t i = 0; i < places.size(); ++i) visit(places[i], piece.coder->bytes[i]);
}

/// Local. Does to `files` what a write must do; files grow to where it reaches.
inline void write_into(FileContents& files, const Access& access) {
  for (const Access::Rank& rank : access.ranks) {
    for (const Access::Piece& piece : rank.pieces) {
      for_each_value(piece, [&](std::int64_t at, std::byte value) {
        auto& file = files.at(static_cast<std::size_t>(piece.extent.file));
        if (std::cmp_greater_equal(at, file.size())) file.resize(static_cast<std::size_t>(at) + 1);
        file[static_cast<std::size_t>(at)] = value;
      });
    }
  }
}

/// A rank's memory and coders as they are at one time.
class Snapshot {
 public:
  explicit Snapshot(const Access::Rank& rank) {
    for (const auto& block : rank.blocks) blocks_.push_back(*block);
    for (const auto& coder : rank.coders) coded_.push_back(coder->bytes);
  }

  /// Does to it what reading from `files` must do to `rank`, of which it was taken.
  void read_from(const FileContents& files, const Access::Rank& rank) {
    for (const Access::Piece& piece : rank.pieces) {
      const auto& file = files.at(static_cast<std::size_t>(piece.extent.file));
      if (piece.coder == nullptr) {
        const std::byte* const begin = rank.blocks[piece.block]->data();
        for_each_byte(piece.extent, [&](std::int64_t at, std::byte* memory) {
          blocks_[piece.block].at(static_cast<std::size_t>(memory - begin)) = file.at(static_cast<std::size_t>(at));
        });
        continue;
      }
      std::size_t coder = 0;
      while (rank.coders[coder].get() != piece.coder) ++coder;
      std::size_t i = 0;
      for_each_value(piece,
                     [&](std::int64_t at, std::byte) { coded_[coder][i++] = file.at(static_cast<std::size_t>(at)); });
    }
  }

  friend bool operator==(const Snapshot&, const Snapshot&) = default;

 private:
  FileContents blocks_;
  FileContents coded_;
};

}  // namespace sill::test
