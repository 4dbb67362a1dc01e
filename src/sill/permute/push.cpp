#include "sill/permute/push.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/large_pages.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/permute/item_runs.hpp"
#include "sill/permute/positions.hpp"

namespace sill {
namespace {

// The size of a piece: long enough for efficient disk requests and for messages to many ranks.
constexpr std::int64_t min_piece_bytes = 4 << 20;
constexpr std::int64_t piece_bytes_per_rank = 64 << 10;
// The size of a piece on a single rank. A pass may read little of a piece; this size still gives enough requests for a
// disk that serves many at once.
constexpr std::int64_t piece_bytes_alone = 64 << 20;
constexpr std::int64_t min_pieces_per_thread = 4;
// Memory per item of a piece in addition to its bytes: its position, its owner, its entries when it is read (one piece
// of memory, possibly one for a gap before it) and its pointer when it is inspected.
constexpr std::int64_t push_overhead_bytes_per_item = 8 + 4 + 2 * 16 + 8;
// A message contains the position of each item in addition to its bytes.
constexpr std::int64_t position_bytes = sizeof(std::int64_t);

// Number of pieces that ranks exchange between two checks for errors.
constexpr std::int64_t rounds_between_checks = 64;

constexpr int nobody = -1;

using Bytes = std::unique_ptr<std::byte[]>;  // not cleared, because that would touch all pages
Bytes bytes_for(std::int64_t count) { return Bytes(new std::byte[static_cast<std::size_t>(count)]); }

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

// A piece of a rank's block, and the destination of each of its items in this pass.
struct Piece {
  ItemRange items;
  std::vector<int> owners;               // of each item; `nobody`: not in this pass
  std::vector<std::byte*> places;        // of each item in the window or in a message; null: not in this pass
  std::vector<std::int64_t> counts;      // of the items for each other rank
  std::vector<std::int64_t> first_byte;  // of the message to each rank
  std::vector<std::int64_t> placed;      // items in each message so far
  Bytes messages;
  std::int64_t wanted = 0;
};

std::int64_t message_bytes(std::int64_t items, std::int64_t item_bytes) {
  return items * (position_bytes + item_bytes);
}

class Scatter {
 public:
  Scatter(Communicator& comm, const Permutation& job)
      : comm_(comm),
        job_(job),
        ranks_(comm.size()),
        memory_bytes_(job.sink.together != nullptr ? job.memory_bytes / 2 : job.memory_bytes),
        item_bytes_(job.output_items.item_bytes),
        items_(job.output_items.count),
        block_(block_of(items_, ranks_, comm.rank())) {}

  void perform() {
    first_position_.assign(1, 0);
    for (const std::int64_t count : all_gather(comm_, own_positions())) {
      first_position_.push_back(first_position_.back() + count);
    }
    divide_memory();
    position_of_ = positions_of_block(comm_, job_.sources, items_, memory_bytes_ / 8);
    shorten_pieces();
    allocate();
    for (std::int64_t pass = 0; pass < passes_; ++pass) {
      enter(pass);
      // Ranks agree on errors before anything is written: a rank that failed has continued to send, with wrong bytes.
      agree(comm_, ranks_ == 1 ? read_alone() : read_and_exchange());
      run_and_agree(comm_, [&] {
        if (pass + 1 < passes_) fetch_for(pass + 1);
        enter(pass);
        pass_window_on();
      });
      if (job_.sink.together != nullptr) job_.sink.together->write(plan_of_window());
    }
    if (job_.sink.together != nullptr) job_.sink.together->wait();
  }

 private:
  [[nodiscard]] std::int64_t own_positions() const { return static_cast<std::int64_t>(job_.sources.size()); }
  [[nodiscard]] std::int64_t message_bytes(std::int64_t items) const { return sill::message_bytes(items, item_bytes_); }
  [[nodiscard]] std::int64_t pieces_of(ItemRange block) const {
    return (block.count + piece_items_ - 1) / piece_items_;
  }
  [[nodiscard]] ItemRange window() const { return windows_[index(comm_.rank())]; }
  // Returns the positions that rank `rank` holds in memory in pass `pass`.
  [[nodiscard]] ItemRange window_of(int rank, std::int64_t pass) const {
    const std::int64_t first = first_position_[index(rank)];
    return block_of(ItemRange{first, first_position_[index(rank) + 1] - first}, passes_, pass);
  }

  void enter(std::int64_t pass) {
    for (int rank = 0; rank < ranks_; ++rank) windows_[index(rank)] = window_of(rank, pass);
  }

  // Asks the system to fetch the first half of the bytes that a pass reads, while the window of the preceding pass is
  // written.
  void fetch_for(std::int64_t pass) {
    if (ranks_ > 1) return;  // pieces may still be in use for sending
    enter(pass);
    std::int64_t fetched = 0;
    for (std::int64_t round = 0; round < rounds_ && 2 * fetched < window().count; ++round) {
      plan(pieces_.front(), round);
      readers_.front().will_need(pieces_.front().items, pieces_.front().places);
      fetched += pieces_.front().wanted;
    }
  }

  void divide_memory() {
    memory_ = divide_scatter_memory(memory_bytes_, item_bytes_, ranks_, job_.threads, job_.bridge_bytes);
    run_and_agree(comm_, [&] {
      if (memory_.window_items > 0) return;
      throw Error(
          {.code = ErrorCode::usage,
           .problem = fmt::format("{} bytes of memory are not enough to scatter items of {} bytes over {} ranks",
                                  std::max<std::int64_t>(0, memory_bytes_), item_bytes_, ranks_),
           .action = fmt::format("give at least {} bytes more", memory_.min_bytes - memory_bytes_)});
    });
    const std::int64_t passes = (own_positions() + memory_.window_items - 1) / memory_.window_items;
    passes_ = std::max<std::int64_t>(1, all_reduce(comm_, passes, Reduction::max));
    windows_.resize(index(ranks_));
    piece_items_ = all_reduce(comm_, memory_.piece_items, Reduction::min);
    if (ranks_ > 1) return;
    const std::int64_t for_each_thread = items_ / (min_pieces_per_thread * memory_.threads);
    piece_items_ = std::min(piece_items_, std::max(for_each_thread, 1 + min_piece_bytes / item_bytes_));
  }

  // Pieces have the same length on all ranks, so each rank knows how many bytes it receives in a round: between none
  // and the complete pieces of all ranks. Halves the pieces until the bytes fit into the memory for messages.
  void shorten_pieces() {
    while (true) {
      rounds_ = pieces_of(block_of(items_, ranks_, 0));
      const auto row_bytes = static_cast<std::int64_t>(sizeof(std::uint32_t)) * ranks_;
      table_rounds_ = std::clamp<std::int64_t>(memory_.table_bytes / row_bytes, 1, std::max<std::int64_t>(1, rounds_));
      run_and_agree(comm_, [&] { table_.resize(index(table_rounds_ * ranks_)); });
      if (ranks_ == 1) return;
      std::int64_t max = 0;
      for (std::int64_t pass = 0; pass < passes_; ++pass) {
        for (std::int64_t first = 0; first < rounds_; first += table_rounds_) {
          fill_table(window_of(comm_.rank(), pass), first);
          for (std::int64_t round = first; round < std::min(rounds_, first + table_rounds_); ++round) {
            std::int64_t bytes = 0;
            for (int rank = 0; rank < ranks_; ++rank) bytes += message_bytes(arriving(round, rank));
            max = std::max(max, bytes);
          }
        }
      }
      const bool fits = max <= memory_.received_bytes;
      if (all_reduce(comm_, fits ? 1 : 0, Reduction::min) == 1) {
        received_bytes_ = max;
        return;
      }
      piece_items_ = std::max<std::int64_t>(1, piece_items_ / 2);
    }
  }

  void allocate() {
    run_and_agree(comm_, [&] {
      const std::int64_t window_bytes = (own_positions() + passes_ - 1) / passes_ * item_bytes_;
      window_ = bytes_for(window_bytes);
      prefer_large_pages({window_.get(), index(window_bytes)});
      received_ = bytes_for(received_bytes_);
      pieces_.resize(index(ranks_ == 1 ? memory_.threads : 2));
      for (Piece& piece : pieces_) {
        piece.owners.resize(index(piece_items_));
        piece.places.resize(index(piece_items_));
        piece.counts.resize(index(ranks_));
        piece.first_byte.resize(index(ranks_));
        piece.placed.resize(index(ranks_));
        if (ranks_ > 1) piece.messages = bytes_for(message_bytes(piece_items_));
      }
      readers_.assign(index(memory_.threads), PlacedReader(job_.inputs, memory_.bridge_bytes, job_.inputs_after));
    });
  }

  // Counts the items that the other ranks will send for `window`, by round and rank, for the rounds from `first` that
  // fit in the table.
  void fill_table(ItemRange window, std::int64_t first) {
    table_first_ = first;
    std::fill(table_.begin(), table_.end(), 0U);
    const std::int64_t own_first = first_position_[index(comm_.rank())];
    for (const std::int64_t item : job_.sources.subspan(index(window.first - own_first), index(window.count))) {
      const auto reader = static_cast<int>(part_holding(item, items_, ranks_));
      const std::int64_t round = (item - block_of(items_, ranks_, reader).first) / piece_items_ - first;
      if (reader != comm_.rank() && round >= 0 && round < table_rounds_) ++table_[index(round * ranks_ + reader)];
    }
  }
  [[nodiscard]] std::int64_t arriving(std::int64_t round, int from) const {
    return table_[index((round - table_first_) * ranks_ + from)];
  }

  // Sets `piece` to the items of this rank that are sent in a round, with their destinations.
  void plan(Piece& piece, std::int64_t round) const {
    piece.items = intersection(block_, {block_.first + round * piece_items_, piece_items_});
    const std::int64_t* const positions = position_of_.data() + (piece.items.first - block_.first);
    const auto count = index(piece.items.count);
    const int own = comm_.rank();
    std::fill(piece.counts.begin(), piece.counts.end(), 0);
    piece.wanted = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const int owner = owner_of(positions[i]);
      piece.owners[i] = owner;
      if (owner == nobody) continue;
      ++piece.wanted;
      if (owner != own) ++piece.counts[index(owner)];
    }
    // A message contains the positions first, then the items.
    std::int64_t end = 0;
    for (int rank = 0; rank < ranks_; ++rank) {
      piece.first_byte[index(rank)] = end;
      end += message_bytes(piece.counts[index(rank)]);
    }
    std::fill(piece.placed.begin(), piece.placed.end(), 0);
    for (std::size_t i = 0; i < count; ++i) {
      const int owner = piece.owners[i];
      if (owner == nobody) {
        piece.places[i] = nullptr;
      } else if (owner == own) {
        piece.places[i] = window_.get() + (positions[i] - window().first) * item_bytes_;
      } else {
        std::byte* const message = piece.messages.get() + piece.first_byte[index(owner)];
        const std::int64_t at = piece.placed[index(owner)]++;
        std::memcpy(message + at * position_bytes, &positions[i], position_bytes);
        piece.places[i] = message + piece.counts[index(owner)] * position_bytes + at * item_bytes_;
      }
    }
  }

  // Returns the rank whose window contains `position`, or `nobody`.
  [[nodiscard]] int owner_of(std::int64_t position) const {
    const auto after = std::upper_bound(first_position_.begin(), first_position_.end(), position);
    const auto rank = after - first_position_.begin() - 1;
    const ItemRange there = windows_[index(rank)];
    return position >= there.first && position < there.end() ? static_cast<int>(rank) : nobody;
  }

  // Reads block `part` of `parts` of a piece.
  void read(const Piece& piece, int part, int parts, PlacedReader& reader) const {
    const ItemRange items = block_of(piece.items, parts, part);
    reader.read(items, std::span(piece.places).subspan(index(items.first - piece.items.first), index(items.count)));
  }

  void count_read(const Piece& piece) const { count_done(job_.progress, piece.wanted * item_bytes_); }

  [[nodiscard]] std::optional<Error> read_alone() {
    return attempt([&] {
      parallel_for(memory_.threads, rounds_, [&](std::int64_t round, int thread) {
        Piece& piece = pieces_[index(thread)];
        plan(piece, round);
        read(piece, 0, 1, readers_[index(thread)]);
        count_read(piece);
      });
    });
  }

  // Reads the piece of a round while the preceding piece is sent. A rank that failed continues to send.
  [[nodiscard]] std::optional<Error> read_and_exchange() {
    const int parts = memory_.threads == 1 ? 1 : 2 * memory_.threads;
    std::optional<Error> failure;
    for (std::int64_t round = -1; round < rounds_; ++round) {
      if (round >= 0 && round % table_rounds_ == 0) fill_table(window(), round);
      const Piece& sent = pieces_[index((round + 2) % 2)];
      Piece& next = pieces_[index((round + 1) % 2)];
      const bool reads = round + 1 < rounds_;
      if (reads) plan(next, round + 1);
      bool sends = round >= 0;
      std::atomic<int> part{0};
      const auto failed = attempt([&] {
        run_on_threads(reads && !failure ? memory_.threads : 1, [&](int thread) {
          if (thread == 0 && std::exchange(sends, false)) exchange(sent, round);
          if (!reads || failure) return;
          for (int mine = part++; mine < parts; mine = part++) read(next, mine, parts, readers_[index(thread)]);
        });
        if (reads) count_read(next);
      });
      // If the system gave no threads, the piece was not sent yet.
      if (sends) exchange(sent, round);
      keep_first(failure, failed);
      if (round % rounds_between_checks == rounds_between_checks - 1) agree(comm_, failure);
    }
    return failure;
  }

  void exchange(const Piece& sent, std::int64_t round) {
    std::vector<Outgoing> sends;
    std::vector<Incoming> receives;
    std::byte* to = received_.get();
    for (int rank = 0; rank < ranks_; ++rank) {
      const std::int64_t out = message_bytes(sent.counts[index(rank)]);
      if (out > 0) sends.push_back({rank, {sent.messages.get() + sent.first_byte[index(rank)], index(out)}});
      const std::int64_t in = message_bytes(arriving(round, rank));
      if (in > 0) receives.push_back({rank, {to, index(in)}});
      to += in;
    }
    if (!sends.empty() || !receives.empty()) comm_.exchange(sends, receives);
    for (const Incoming& message : receives) unpack(message.bytes.data(), arriving(round, message.peer));
  }

  void unpack(const std::byte* message, std::int64_t count) {
    const std::byte* item = message + count * position_bytes;
    for (std::int64_t i = 0; i < count; ++i, item += item_bytes_) {
      std::int64_t position = 0;
      std::memcpy(&position, message + i * position_bytes, position_bytes);
      const std::int64_t at = position - window().first;
      if (at < 0 || at >= window().count) {
        throw Error({.code = ErrorCode::io,
                     .problem = fmt::format("an item arrived for position {}, which belongs to another rank", position),
                     .action = "this is an error in Sill: please report it"});
      }
      std::memcpy(window_.get() + at * item_bytes_, item, index(item_bytes_));
    }
  }

  // Returns the plan to write the window together with the other ranks.
  [[nodiscard]] AccessPlan plan_of_window() const {
    if (window().empty()) return {};
    return AccessPlan::for_writing({contiguous(0, job_.output_items.bytes_of(window()), window_.get())});
  }

  void pass_window_on() {
    std::int64_t chunk_items = ranks_ == 1 ? piece_items_ : std::max<std::int64_t>(1, piece_items_ / memory_.threads);
    if (job_.chunk_bytes > 0) {
      chunk_items = std::min(chunk_items, std::max<std::int64_t>(1, job_.chunk_bytes / item_bytes_));
    }
    const std::int64_t chunks = (window().count + chunk_items - 1) / chunk_items;
    std::vector<std::vector<std::byte*>> pointers(index(memory_.threads));
    parallel_for(memory_.threads, chunks, [&](std::int64_t chunk, int thread) {
      const std::int64_t first = chunk * chunk_items;  // in the window
      const std::int64_t count = std::min(chunk_items, window().count - first);
      const std::int64_t position = window().first + first;
      std::byte* const bytes = window_.get() + first * item_bytes_;
      if (job_.inspect) {
        std::vector<std::byte*>& items = pointers[index(thread)];
        items.resize(index(count));
        for (std::int64_t i = 0; i < count; ++i) items[index(i)] = bytes + i * item_bytes_;
        const std::int64_t own_first = first_position_[index(comm_.rank())];
        job_.inspect(position, job_.sources.subspan(index(position - own_first), index(count)), items);
      }
      if (job_.sink.take) {
        job_.sink.take(job_.output_items.bytes_of({position, count}).offset, {bytes, index(count * item_bytes_)});
      }
      count_done(job_.progress, count * item_bytes_);
    });
  }

  Communicator& comm_;
  const Permutation& job_;
  const int ranks_;
  const std::int64_t memory_bytes_;  // if ranks write together, without the mover's half
  const std::int64_t item_bytes_;
  const std::int64_t items_;
  const ItemRange block_;                     // of the input, read by this rank
  std::vector<std::int64_t> first_position_;  // of each rank, then the end
  std::vector<std::int64_t> position_of_;     // each item of the block
  std::vector<ItemRange> windows_;            // of each rank in this pass

  ScatterMemory memory_;
  std::int64_t passes_ = 0;
  std::int64_t rounds_ = 0;  // pieces of the longest block
  std::int64_t piece_items_ = 0;
  std::int64_t received_bytes_ = 0;  // maximum in a round
  std::vector<Piece> pieces_;        // one being sent and one being read; on a single rank, one per thread
  std::vector<PlacedReader> readers_;
  Bytes received_;
  Bytes window_;

  std::vector<std::uint32_t> table_;  // items that will arrive, per round from table_first_ and rank
  std::int64_t table_first_ = 0;
  std::int64_t table_rounds_ = 0;
};

}  // namespace

ScatterMemory divide_scatter_memory(std::int64_t memory_bytes, std::int64_t item_bytes, int ranks, int threads,
                                    std::int64_t bridge_bytes) {
  const std::int64_t bytes_per_item = message_bytes(1, item_bytes) + push_overhead_bytes_per_item;
  ScatterMemory memory;
  memory.min_bytes = 2 * bytes_per_item * (ranks == 1 ? 1 : ranks + 3);
  if (memory_bytes < memory.min_bytes) return memory;
  memory.threads = static_cast<int>(std::clamp<std::int64_t>(memory_bytes / (2 * bytes_per_item), 1, threads));
  // Two pieces are in use: one is sent, one is read. On a single rank each thread has its own piece and reads items
  // directly to their positions in the window, so a piece takes only its overhead.
  const std::int64_t pieces = ranks == 1 ? memory.threads : 2;
  const std::int64_t held = ranks == 1 ? push_overhead_bytes_per_item : bytes_per_item;
  const std::int64_t wished = ranks == 1 ? piece_bytes_alone : std::max(min_piece_bytes, piece_bytes_per_rank * ranks);
  memory.piece_items = std::max<std::int64_t>(1, std::min(wished / bytes_per_item, memory_bytes / 8 / pieces / held));
  memory.received_bytes = ranks > 1 ? std::max(memory_bytes / 8, message_bytes(ranks, item_bytes)) : 0;
  memory.table_bytes = ranks > 1 ? memory_bytes / 32 : 0;
  memory.bridge_bytes = std::min(bridge_bytes, memory_bytes / 64 / memory.threads);
  const std::int64_t window_bytes = memory_bytes - pieces * memory.piece_items * held - memory.received_bytes -
                                    memory.table_bytes - memory.threads * memory.bridge_bytes;
  memory.window_items = std::max<std::int64_t>(1, window_bytes / item_bytes);
  return memory;
}

void permute_by_push(Communicator& comm, const Permutation& permutation) { Scatter(comm, permutation).perform(); }

}  // namespace sill
