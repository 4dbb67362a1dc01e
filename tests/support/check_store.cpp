#include "support/check_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/plan/rows.hpp"
#include "sill/store/forwarding_store.hpp"

namespace sill {
namespace {

// As byte numbers from 0, both ends included.
std::string in_words(ByteRange bytes) { return fmt::format("{} to {}", bytes.offset, bytes.end() - 1); }

[[noreturn]] void refuse(const std::string& path, std::int64_t byte, std::string problem) {
  throw Error({.code = ErrorCode::usage,
               .problem = std::move(problem),
               .where = {.file = path, .byte = byte},
               .action = "this is a mistake of the program, found by a checked store"});
}

template <class Visit>
void for_each_run(std::span<const Extent> extents, Visit&& visit) {
  for (const Extent& extent : extents) {
    for_each_row(extent, {0, extent.total_bytes()}, [&](const Row& row) {
      for (std::int64_t i = 0; i < row.count; ++i) {
        visit(ByteRange{row.file_offset_bytes + i * row.file_stride_bytes, row.run_bytes},
              row.memory + i * row.memory_stride_bytes);
      }
    });
  }
}

void poison(void* memory, std::size_t bytes) {
  if (bytes > 0) std::memset(memory, std::to_integer<int>(unread_byte), bytes);
}

class CheckStore final : public ForwardingStore {
 public:
  CheckStore(std::unique_ptr<Store> inner, std::string path, Ledger& ledger)
      : ForwardingStore(std::move(inner)), path_(std::move(path)), ledger_(ledger) {}

  void submit(std::span<const Request> requests) override {
    require_open();
    for (const Request& request : requests) {
      before(request.operation, {request.offset_bytes, length_of(request)});
      if (request.operation == Operation::write) continue;
      for (const iovec& piece : request.memory) poison(piece.iov_base, piece.iov_len);
    }
    inner().submit(requests);
    for (const Request& request : requests) after(request.operation, {request.offset_bytes, length_of(request)});
  }

  void submit_strided(const StridedRead& read) override {
    require_open();
    for (std::int64_t i = 0; i < read.count; ++i) {
      before(Operation::read, {read.offset_bytes + i * read.stride_bytes, read.length_bytes});
    }
    poison(read.memory, static_cast<std::size_t>(read.count * read.length_bytes));
    inner().submit_strided(read);
  }

  // Items are read by requests of this store, one by one.
  void submit_linked(std::span<LinkedRead> reads) override { Store::submit_linked(reads); }
  [[nodiscard]] bool follows_links() const override { return false; }

  void submit_extents(Operation operation, std::span<const Extent> extents) override {
    require_open();
    check(operation, extents);
    inner().submit_extents(operation, extents);
    for_each_run(extents, [&](ByteRange bytes, std::byte*) { after(operation, bytes); });
  }

  void submit_collective(Operation operation, std::span<const Extent> extents) override {
    try {
      require_open();
      check(operation, extents);
    } catch (const Error&) {
      inner().submit_collective(operation, {});  // the other ranks wait for this one
      throw;
    }
    inner().submit_collective(operation, extents);
    for_each_run(extents, [&](ByteRange bytes, std::byte*) { after(operation, bytes); });
  }

  [[nodiscard]] std::int64_t size_bytes() override {
    require_open();
    return inner().size_bytes();
  }
  void allocate(std::int64_t size_bytes) override {
    require_open();
    inner().allocate(size_bytes);
    ledger_.drop(path_, {size_bytes, std::numeric_limits<std::int64_t>::max() - size_bytes});
  }
  void punch_hole(ByteRange bytes) override {
    require_open();
    ledger_.drop(path_, bytes);
    inner().punch_hole(bytes);
  }
  void sync() override {
    require_open();
    inner().sync();
  }
  void close() override {
    require_open();
    is_closed_ = true;
    inner().close();
  }

 private:
  void require_open() const {
    if (is_closed_) refuse(name(), 0, "a file was used after it was closed");
  }
  void before(Operation operation, ByteRange bytes) {
    if (bytes.empty()) return;
    if (operation == Operation::write) {
      ledger_.reserve_files(path_, bytes);
    } else {
      ledger_.need(path_, bytes);
    }
  }
  void after(Operation operation, ByteRange bytes) {
    if (operation == Operation::write && !bytes.empty()) ledger_.fill(path_, bytes);
  }
  void check(Operation operation, std::span<const Extent> extents) {
    for_each_run(extents, [&](ByteRange bytes, std::byte* memory) {
      before(operation, bytes);
      if (operation == Operation::read) poison(memory, static_cast<std::size_t>(bytes.length));
    });
  }

  std::string path_;
  Ledger& ledger_;
  std::atomic<bool> is_closed_{false};
};

}  // namespace

void Ledger::join(Ranges& ranges, ByteRange bytes) {
  std::int64_t begin = bytes.offset;
  std::int64_t end = bytes.end();
  auto next = ranges.upper_bound(begin);
  if (next != ranges.begin() && std::prev(next)->second >= begin) --next;
  while (next != ranges.end() && next->first <= end) {
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = ranges.erase(next);
  }
  ranges.emplace(begin, end);
}

void Ledger::cut(Ranges& ranges, ByteRange bytes) {
  auto next = ranges.upper_bound(bytes.offset);
  if (next != ranges.begin() && std::prev(next)->second > bytes.offset) --next;
  while (next != ranges.end() && next->first < bytes.end()) {
    const auto [begin, end] = *next;
    next = ranges.erase(next);
    if (begin < bytes.offset) ranges.emplace(begin, bytes.offset);
    if (end > bytes.end()) ranges.emplace(bytes.end(), end);
  }
}

std::optional<std::int64_t> Ledger::first_outside(const Ranges& ranges, ByteRange bytes) {
  const auto next = ranges.upper_bound(bytes.offset);
  if (next == ranges.begin() || std::prev(next)->second <= bytes.offset) return bytes.offset;
  const std::int64_t end = std::prev(next)->second;
  return end < bytes.end() ? std::optional(end) : std::nullopt;
}

void Ledger::declare(const std::string& path, const std::vector<ByteRange>& writable) {
  const std::lock_guard lock(mutex_);
  Ranges& ranges = files_[path].writable.emplace();
  for (const ByteRange bytes : writable) {
    if (!bytes.empty()) join(ranges, bytes);
  }
}

void Ledger::next_phase() {
  const std::lock_guard lock(mutex_);
  for (auto& [path, file] : files_) {
    file.in_phase.clear();
    file.claims.clear();
  }
}

std::vector<ByteRange> Ledger::written(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  std::vector<ByteRange> ranges;
  if (const auto found = files_.find(path); found != files_.end()) {
    for (const auto& [begin, end] : found->second.in_phase) ranges.push_back({begin, end - begin});
  }
  return ranges;
}

void Ledger::created(const std::string& path) {
  const std::lock_guard lock(mutex_);
  File& file = files_[path];
  file.is_new = true;
  file.filled.clear();
}

void Ledger::reserve_files(const std::string& path, ByteRange bytes) {
  const std::lock_guard lock(mutex_);
  File& file = files_[path];
  if (file.writable) {
    if (const auto outside = first_outside(*file.writable, bytes)) {
      refuse(path, *outside,
             fmt::format("bytes {} are written, but byte {} is not to be written", in_words(bytes), *outside));
    }
  }
  if (!checks_.overlap) return;
  // The claims of a phase do not overlap, so the last that begins before the end of this one decides.
  const auto next = file.claims.lower_bound(bytes.end());
  if (next != file.claims.begin()) {
    const ByteRange before = std::prev(next)->second;
    if (before.end() > bytes.offset) {
      refuse(path, std::max(before.offset, bytes.offset),
             fmt::format("bytes {} are written after bytes {} in one phase", in_words(bytes), in_words(before)));
    }
  }
  file.claims.emplace(bytes.offset, bytes);
}

void Ledger::fill(const std::string& path, ByteRange bytes) {
  const std::lock_guard lock(mutex_);
  File& file = files_[path];
  join(file.in_phase, bytes);
  join(file.filled, bytes);
}

void Ledger::need(const std::string& path, ByteRange bytes) const {
  const std::lock_guard lock(mutex_);
  const auto found = files_.find(path);
  if (!checks_.unwritten || found == files_.end() || !found->second.is_new) return;
  if (const auto outside = first_outside(found->second.filled, bytes)) {
    refuse(path, *outside, fmt::format("bytes {} are read, but byte {} was never written", in_words(bytes), *outside));
  }
}

void Ledger::drop(const std::string& path, ByteRange bytes) {
  const std::lock_guard lock(mutex_);
  if (const auto found = files_.find(path); found != files_.end()) cut(found->second.filled, bytes);
}

Opener checked(Opener inner, Ledger& ledger) {
  return [inner = std::move(inner), &ledger](const std::string& path, OpenMode mode) -> std::unique_ptr<Store> {
    std::unique_ptr<Store> store = inner(path, mode);
    const bool may_be_new = mode == OpenMode::create || mode == OpenMode::write_or_create;
    if (may_be_new && store->size_bytes() == 0) ledger.created(path);
    return std::make_unique<CheckStore>(std::move(store), path, ledger);
  };
}

}  // namespace sill
