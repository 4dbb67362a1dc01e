#include "sill/store/ranged/ranged_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace sill {
namespace {

constexpr std::int64_t cached_block_bytes = std::int64_t{256} << 10U;
constexpr std::int64_t max_gap_blocks = 4;
constexpr std::int64_t request_blocks = 32;
constexpr std::int64_t blocks_at_once = 64;
// A request for few bytes usually reads a header word. Further words follow at nearby bytes, because possible layouts
// of the file differ little. So some bytes around them, or all bytes to the end of the file, are read too, if a request
// is needed anyway. Sequences of such requests are read ahead.
constexpr std::int64_t few_bytes = 4 << 10;
constexpr std::int64_t around_bytes = 64 << 10;
constexpr std::int64_t end_bytes = 1 << 20;
constexpr std::size_t max_announced = std::size_t{1} << 16U;

ByteRange within(ByteRange bytes, std::int64_t end) {
  const std::int64_t begin = std::clamp<std::int64_t>(bytes.offset, 0, end);
  return {begin, std::clamp(bytes.end(), begin, end) - begin};
}

constexpr std::int64_t first_block_of(ByteRange bytes) { return bytes.offset / cached_block_bytes; }
constexpr std::int64_t end_block_of(ByteRange bytes) {
  return (bytes.end() + cached_block_bytes - 1) / cached_block_bytes;
}

// Returns the number of blocks to read for block `next` after block `last`: a small gap between them is read too.
constexpr std::int64_t blocks_to(std::int64_t last, std::int64_t next) {
  return next > last && next - last - 1 <= max_gap_blocks ? next - last : 1;
}

template <class Work>
auto with_retries(const RangedOptions& options, const Work& work) {
  auto delay = options.first_delay;
  for (int retries = options.retries;; --retries, delay *= 2) try {
      return work();
    } catch (const PassingError& error) {
      if (retries > 0) {
        std::this_thread::sleep_for(delay);
        continue;
      }
      ErrorParts parts = error.parts();
      parts.problem += fmt::format(", also after {} retries", options.retries);
      throw Error(parts);
    }
}

std::atomic<std::int64_t> stores = 0;  // opened so far

/// The blocks that a thread announced last.
struct Announced {
  std::int64_t store = 0;  ///< the number of the store, from 1
  std::set<std::int64_t> blocks;
};
thread_local Announced announced;

/// Bytes of the file that go to one piece of memory.
struct Piece {
  ByteRange bytes;
  std::byte* memory = nullptr;
};

class RangedStore final : public Store {
 public:
  RangedStore(std::string url, std::unique_ptr<RangedSource> source, const RangedOptions& options,
              std::shared_ptr<BlockCache> cache)
      : url_(std::move(url)),
        source_(std::move(source)),
        options_(options),
        cache_(std::move(cache)),
        state_(with_retries(options_, [&] { return source_->state(); })),
        file_(cache_->number_of(fmt::format("{} {} {}", url_, state_.bytes, state_.identity))) {}

  [[nodiscard]] const std::string& name() const override { return url_; }
  [[nodiscard]] std::int64_t size_bytes() override { return state_.bytes; }

  void submit(std::span<const Request> requests) override {
    std::vector<Piece> pieces;
    for (const Request& request : requests) {
      if (request.operation != Operation::read) throw read_only_error(url_);
      std::int64_t offset = request.offset_bytes;
      for (const iovec& memory : request.memory) {
        const auto length = static_cast<std::int64_t>(memory.iov_len);
        if (length > 0) pieces.push_back({{offset, length}, static_cast<std::byte*>(memory.iov_base)});
        offset += length;
      }
    }
    if (pieces.size() == 1 && pieces.front().bytes.length < few_bytes) fetch_around(pieces.front().bytes);
    read(pieces);
  }

  void submit_strided(const StridedRead& read) override {
    std::vector<Piece> pieces;
    if (read.length_bytes == 0) return;
    for (std::int64_t i = 0; i < read.count; ++i)
      pieces.push_back(
          {{read.offset_bytes + i * read.stride_bytes, read.length_bytes}, read.memory + i * read.length_bytes});
    this->read(pieces);
  }

  // Reads ahead while items are near one another.
  void submit_linked(std::span<LinkedRead> reads) override {
    for (LinkedRead& read : reads) {
      std::int64_t at = read.offset_bytes;
      std::int64_t fetched_to = 0;
      std::int64_t distance = 0;
      for (read.items = 0; read.items < read.max_items && at <= read.end_byte - read.length_bytes; ++read.items) {
        if (at + read.length_bytes > fetched_to && distance <= max_gap_blocks * cached_block_bytes) {
          const std::int64_t ahead = std::min(read.max_items - read.items, request_blocks) * cached_block_bytes;
          fetched_to = std::min({at + std::max(ahead, read.length_bytes), read.end_byte, state_.bytes});
          if (fetched_to > at) (void)loaded(numbers_of({at, fetched_to - at}));
        }
        std::byte* const item = read.memory + read.items * read.length_bytes;
        const Piece piece{{at, read.length_bytes}, item};
        this->read({&piece, 1});
        distance = read.distance(read.context, item);
        at += distance;
      }
    }
  }
  [[nodiscard]] bool follows_links() const override { return true; }

  // Announced blocks are read with the next block that this thread misses before them.
  void will_need(std::span<const ByteRange> ranges) override {
    announced = {serial_, {}};
    for (const ByteRange& range : ranges) {
      const ByteRange bytes = within(range, state_.bytes);
      for (std::int64_t block = first_block_of(bytes); block < end_block_of(bytes); ++block)
        if (announced.blocks.size() < max_announced) announced.blocks.insert(block);
    }
  }

  void allocate(std::int64_t /*size_bytes*/) override { throw read_only_error(url_); }
  void punch_hole(ByteRange /*bytes*/) override { throw read_only_error(url_); }
  void sync() override {}
  void close() override {}

 private:
  using Blocks = std::map<std::int64_t, std::shared_ptr<BlockCache::Block>>;

  static std::vector<std::int64_t> numbers_of(ByteRange bytes) {
    std::vector<std::int64_t> numbers;
    for (std::int64_t block = first_block_of(bytes); block < end_block_of(bytes); ++block) numbers.push_back(block);
    return numbers;
  }
  [[nodiscard]] ByteRange bytes_of(std::int64_t block) const {
    return within({block * cached_block_bytes, cached_block_bytes}, state_.bytes);
  }

  void fetch_around(ByteRange bytes) {
    const auto is_there = [&](std::int64_t block) { return cache_->contains(file_, block); };
    const std::vector<std::int64_t> needed = numbers_of(within(bytes, state_.bytes));
    if (std::ranges::all_of(needed, is_there)) return;
    const std::int64_t to_end = state_.bytes - bytes.offset;
    const bool is_sequence = is_there(needed.front() - 1) && is_there(needed.front() - max_gap_blocks);
    const std::int64_t after = to_end <= end_bytes ? to_end
                               : is_sequence       ? request_blocks * cached_block_bytes
                                                   : bytes.length + around_bytes;
    (void)loaded(numbers_of(within({bytes.offset - around_bytes, around_bytes + after}, state_.bytes)));
  }

  void read(std::span<const Piece> pieces) {
    for (const Piece& piece : pieces)
      if (piece.bytes.offset < 0 || piece.bytes.end() > state_.bytes)
        throw Error({.code = ErrorCode::io,
                     .problem = fmt::format("reading {} bytes past the end", piece.bytes.end() - state_.bytes),
                     .where = {.file = url_, .byte = piece.bytes.offset},
                     .action = "the file has fewer bytes than its headers state"});
    for (auto piece = pieces.begin(); piece != pieces.end();) {
      if (end_block_of(piece->bytes) - first_block_of(piece->bytes) > blocks_at_once) {
        read_long(*piece++);
        continue;
      }
      std::set<std::int64_t> wanted;
      std::int64_t count = 0;
      auto end = piece;
      for (; end != pieces.end(); ++end) {
        for (const std::int64_t block : numbers_of(end->bytes)) {
          if (wanted.contains(block)) continue;
          count += wanted.empty() ? 1 : blocks_to(*wanted.rbegin(), block);
          wanted.insert(block);
        }
        if (count >= blocks_at_once) {
          ++end;
          break;
        }
      }
      const Blocks blocks = loaded({wanted.begin(), wanted.end()});
      for (; piece != end; ++piece) copy(*piece, blocks);
    }
  }

  void read_long(const Piece& piece) {
    for (std::int64_t done = 0; done < piece.bytes.length;) {
      const std::int64_t first = piece.bytes.offset + done;
      const std::int64_t end =
          std::min(piece.bytes.end(), (first / cached_block_bytes + blocks_at_once) * cached_block_bytes);
      const Piece part{{first, end - first}, piece.memory + done};
      copy(part, loaded(numbers_of(part.bytes)));
      done += part.bytes.length;
    }
  }

  static void copy(const Piece& piece, const Blocks& blocks) {
    for (std::int64_t done = 0; done < piece.bytes.length;) {
      const std::int64_t at = piece.bytes.offset + done;
      const std::int64_t in_block = at % cached_block_bytes;
      const std::int64_t length = std::min(piece.bytes.length - done, cached_block_bytes - in_block);
      std::copy_n(blocks.at(at / cached_block_bytes)->bytes.begin() + in_block, length, piece.memory + done);
      done += length;
    }
  }

  // Returns the blocks with these ascending numbers. This thread reads those that no thread has read or is reading.
  Blocks loaded(const std::vector<std::int64_t>& numbers) {
    Blocks blocks;
    std::vector<std::int64_t> claimed;
    const auto claim = [&](std::int64_t number) {
      BlockCache::Claim made = cache_->claim(file_, number, bytes_of(number).length);
      if (made.must_load) claimed.push_back(number);
      blocks[number] = std::move(made.block);
    };
    try {
      {
        const auto held = cache_->hold();
        std::ranges::for_each(numbers, claim);
      }
      while (true) {
        if (!claimed.empty()) {
          std::ranges::for_each(taken_announcements(claimed), claim);
          fetch(claimed, blocks);
        }
        cache_->finish(file_, std::exchange(claimed, {}), BlockCache::BlockState::ready);
        bool are_ready = true;
        for (const std::int64_t number : numbers) {
          if (cache_->wait(*blocks.at(number))) continue;
          claim(number);  // another thread failed to read it
          are_ready = false;
        }
        if (are_ready) return blocks;
      }
    } catch (...) {
      cache_->finish(file_, claimed, BlockCache::BlockState::failed);
      throw;
    }
  }

  // Returns announced blocks after the first missing one.
  [[nodiscard]] std::vector<std::int64_t> taken_announcements(const std::vector<std::int64_t>& missing) const {
    std::vector<std::int64_t> taken;
    if (announced.store != serial_) return taken;
    for (const std::int64_t number : missing) announced.blocks.erase(number);
    std::int64_t last = missing.front();
    std::int64_t blocks = std::ssize(missing);
    for (auto next = announced.blocks.lower_bound(last); next != announced.blocks.end();) {
      blocks += blocks_to(last, *next);
      if (blocks > blocks_at_once) break;
      last = *next;
      taken.push_back(last);
      next = announced.blocks.erase(next);
    }
    return taken;
  }

  // Reads the blocks that this thread has claimed, and adds blocks between them.
  void fetch(std::vector<std::int64_t>& claimed, const Blocks& blocks) {
    std::vector<std::int64_t> missing = claimed;
    std::ranges::sort(missing);
    Blocks all;
    for (const std::int64_t number : missing) {
      const std::int64_t between_blocks = all.empty() ? 0 : blocks_to(all.rbegin()->first, number) - 1;
      for (std::int64_t gap = number - between_blocks; gap < number; ++gap) {
        BlockCache::Claim between = cache_->claim(file_, gap, bytes_of(gap).length);
        if (between.must_load) {
          claimed.push_back(gap);
        } else {  // read again, because it costs less than another request
          between.block = std::make_shared<BlockCache::Block>();
          between.block->bytes.resize(static_cast<std::size_t>(bytes_of(gap).length));
        }
        all[gap] = std::move(between.block);
      }
      all[number] = blocks.at(number);
    }
    fetch_runs(all);
  }

  void fetch_runs(const Blocks& blocks) {
    std::vector<iovec> memory;
    memory.reserve(blocks.size());  // reads contain pointers to its elements
    std::vector<RangedRead> reads;
    for (auto first = blocks.begin(); first != blocks.end();) {
      auto end = std::next(first);
      std::int64_t count = 1;
      for (; end != blocks.end() && end->first == first->first + count; ++end) ++count;
      const std::int64_t requests = std::max<std::int64_t>(1, count / request_blocks);
      for (std::int64_t i = 0; i < requests; ++i) {
        const std::int64_t length = count * (i + 1) / requests - count * i / requests;
        reads.push_back({.offset_bytes = first->first * cached_block_bytes, .memory = {}});
        const std::size_t begin = memory.size();
        for (std::int64_t k = 0; k < length; ++k, ++first)
          memory.push_back({first->second->bytes.data(), first->second->bytes.size()});
        reads.back().memory = std::span(memory).subspan(begin);
      }
    }
    with_retries(options_, [&] {
      std::erase_if(reads, [](const RangedRead& read) { return read.is_complete; });
      if (!reads.empty()) source_->read(reads);
      if (!source_->reads_one_state() && source_->state() != state_) throw changed_error(url_);
    });
  }

  std::string url_;
  std::unique_ptr<RangedSource> source_;
  RangedOptions options_;
  std::shared_ptr<BlockCache> cache_;
  RangedState state_;
  std::int64_t file_;
  std::int64_t serial_ = ++stores;
};

}  // namespace

Error read_only_error(const std::string& url) {
  return Error({.code = ErrorCode::usage,
                .problem = "remote files can only be read",
                .where = {.file = url},
                .action = "write a file on a file system, and copy it"});
}

Error changed_error(const std::string& url) {
  return Error({.code = ErrorCode::io,
                .problem = "this file was changed after it was opened",
                .where = {.file = url},
                .action = "open it again when no program writes to it"});
}

RangedFiles::RangedFiles(RangedOpener open, const RangedOptions& options)
    : open_(std::move(open)), options_(options), cache_(std::make_shared<BlockCache>(options.cache_bytes)) {}

std::unique_ptr<Store> RangedFiles::open(const std::string& url, OpenMode mode) const {
  if (mode != OpenMode::read) throw read_only_error(url);
  return std::make_unique<RangedStore>(url, open_(url), options_, cache_);
}

Opener RangedFiles::opener(Opener paths, Meter& meter) const {
  return [files = *this, paths = std::move(paths), &meter](const std::string& path, OpenMode mode) {
    return is_url(path) ? open_metered([&] { return files.open(path, mode); }, meter) : paths(path, mode);
  };
}

}  // namespace sill
