#include "sill/survey/repair/line_ends.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

constexpr std::int64_t piece_bytes = 2 << 20;
constexpr std::byte carriage_return{'\r'};
constexpr std::byte line_feed{'\n'};

// Bytes of a file, with one byte before and one after, which are needed to recognize line ends at the edges.
class PieceOfText {
 public:
  void read(Store& store, ByteRange range, std::int64_t file_bytes) {
    before_ = range.offset > 0 ? 1 : 0;
    const std::int64_t after = range.end() < file_bytes ? 1 : 0;
    bytes_.resize(static_cast<std::size_t>(before_ + range.length + after));
    length_ = range.length;
    read_at(store, range.offset - before_, bytes_);
  }
  [[nodiscard]] std::int64_t length() const { return length_; }
  [[nodiscard]] std::byte at(std::int64_t i) const { return bytes_[static_cast<std::size_t>(before_ + i)]; }
  // Returns true if `i` is a carriage return followed by a line feed.
  [[nodiscard]] bool is_removed(std::int64_t i) const {
    return at(i) == carriage_return && before_ + i + 1 < std::ssize(bytes_) && at(i + 1) == line_feed;
  }
  [[nodiscard]] bool is_lone(std::int64_t i) const {
    return at(i) == line_feed && (before_ + i == 0 || at(i - 1) != carriage_return);
  }

 private:
  std::vector<std::byte> bytes_;
  std::int64_t before_ = 0;
  std::int64_t length_ = 0;
};

}  // namespace

LineEnds::LineEnds(const Resources& resources, Store& store, std::int64_t file_bytes)
    : resources_(resources), store_(store), file_bytes_(file_bytes) {
  Communicator& comm = resources_.comm;
  const ItemRange block = block_of(file_bytes, comm.size(), comm.rank());
  own_ = {block.first, block.count};
  const std::int64_t pieces = (own_.length + piece_bytes - 1) / piece_bytes;
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t lone = none;
  resources_.begin_stage("counting line ends", own_.length);
  run_and_agree(comm, [&] {
    removed_of_piece_.resize(static_cast<std::size_t>(pieces));
    const int threads = resources_.threads();
    std::vector<PieceOfText> of_threads(static_cast<std::size_t>(threads));
    std::vector<std::int64_t> lone_of_threads(static_cast<std::size_t>(threads), none);
    parallel_for(threads, pieces, [&](std::int64_t task, int thread) {
      PieceOfText& text = of_threads[static_cast<std::size_t>(thread)];
      text.read(store_, piece(task), file_bytes_);
      std::int64_t removed = 0;
      for (std::int64_t i = 0; i < text.length(); ++i) {
        if (text.is_removed(i)) ++removed;
        if (text.is_lone(i)) {
          std::int64_t& first = lone_of_threads[static_cast<std::size_t>(thread)];
          first = std::min(first, piece(task).offset + i);
        }
      }
      removed_of_piece_[static_cast<std::size_t>(task)] = removed;
      count_done(resources_.progress, text.length());
    });
    lone = *std::ranges::min_element(lone_of_threads);
  });
  std::int64_t removed = 0;
  for (const std::int64_t of_piece : removed_of_piece_) removed += of_piece;
  const ExclusiveSum removed_of_all = exclusive_sum(comm, removed);
  removed_before_ = removed_of_all.before;
  pairs_ = removed_of_all.all;
  lone = all_reduce(comm, lone, Reduction::min);
  if (lone != none) first_lone_byte_ = lone;
}

ByteRange LineEnds::piece(std::int64_t index) const {
  const std::int64_t first = index * piece_bytes;
  return {own_.offset + first, std::min(piece_bytes, own_.length - first)};
}

// Every rank makes the same number of rounds, because ranks may write together.
void LineEnds::undo(OutputFile& out) const {
  Communicator& comm = resources_.comm;
  const std::int64_t rounds = all_reduce(comm, std::ssize(removed_of_piece_), Reduction::max);
  resources_.begin_stage("removing carriage returns", own_.length);
  PieceOfText text;
  std::vector<std::byte> kept;
  std::int64_t removed = removed_before_;
  for (std::int64_t round = 0; round < rounds; ++round) {
    std::vector<Extent> extents;
    run_and_agree(comm, [&] {
      if (round >= std::ssize(removed_of_piece_)) return;
      const ByteRange range = piece(round);
      text.read(store_, range, file_bytes_);
      kept.clear();
      for (std::int64_t i = 0; i < text.length(); ++i)
        if (!text.is_removed(i)) kept.push_back(text.at(i));
      if (!kept.empty()) extents.push_back(contiguous(0, {range.offset - removed, std::ssize(kept)}, kept.data()));
      removed += text.length() - std::ssize(kept);
      count_done(resources_.progress, range.length);
    });
    out.write(std::move(extents));
  }
}

}  // namespace sill
