// More memory than there is: addresses whose pages are the same few over and over, and a store that keeps nothing.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "store/idle_store.hpp"

namespace sill::test {

/// Addresses for any number of bytes; byte i is byte i modulo `fold_bytes` of one small piece of memory.
class FoldedMemory {
 public:
  static constexpr std::int64_t fold_bytes = std::int64_t{16} << 20U;

  explicit FoldedMemory(std::int64_t bytes) : bytes_((bytes + fold_bytes - 1) / fold_bytes * fold_bytes) {
    const int file = ::memfd_create("sill-test", 0);
    if (file < 0 || ::ftruncate(file, fold_bytes) != 0) throw std::runtime_error("no memory file");
    void* const room = ::mmap(nullptr, size(bytes_), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) throw std::runtime_error("no addresses");
    memory_ = static_cast<std::byte*>(room);
    for (std::int64_t at = 0; at < bytes_; at += fold_bytes) {
      if (::mmap(memory_ + at, size(fold_bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) ==
          MAP_FAILED) {
        throw std::runtime_error("no mapping");
      }
    }
    ::close(file);
  }
  FoldedMemory(const FoldedMemory&) = delete;
  FoldedMemory& operator=(const FoldedMemory&) = delete;
  ~FoldedMemory() { ::munmap(memory_, size(bytes_)); }

  [[nodiscard]] std::byte* data() const { return memory_; }

  /// Byte i of the fold becomes a value that encodes its place.
  void fill() const {
    for (std::int64_t i = 0; i < fold_bytes; ++i) memory_[i] = value_at(i);
  }
  [[nodiscard]] static std::byte value_at(std::int64_t i) {
    const std::int64_t place = i % fold_bytes;
    return static_cast<std::byte>(place ^ (place >> 8U) ^ (place >> 16U));
  }

 private:
  static std::size_t size(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

  std::int64_t bytes_;
  std::byte* memory_ = nullptr;
};

/// What went into a SinkStore.
struct Sink {
  std::atomic<std::int64_t> requests{0};
  std::atomic<std::int64_t> bytes{0};
  std::atomic<std::int64_t> wrong_bytes{0};  ///< pieces that do not hold what they should
};

/// Keeps nothing of what is written, but looks at it: byte i of the file, counted from `first_byte`, must be that of
/// folded memory. Reading gives those bytes.
class SinkStore final : public IdleStore {
 public:
  SinkStore(std::string name, Sink& sink, std::int64_t first_byte, const FoldedMemory& expected)
      : IdleStore(std::move(name)), sink_(sink), first_byte_(first_byte), expected_(expected) {}
  void submit(std::span<const Request> requests) override {
    for (const Request& request : requests) {
      ++sink_.requests;
      std::int64_t at = request.offset_bytes - first_byte_;
      for (const iovec& piece : request.memory) {
        auto* memory = static_cast<std::byte*>(piece.iov_base);
        for (auto left = static_cast<std::int64_t>(piece.iov_len); left > 0;) {
          const std::int64_t in_fold = at % FoldedMemory::fold_bytes;
          const std::int64_t length = std::min(left, FoldedMemory::fold_bytes - in_fold);
          const std::byte* const expected = expected_.data() + in_fold;
          if (request.operation == Operation::read) {
            std::memcpy(memory, expected, static_cast<std::size_t>(length));
          } else if (std::memcmp(memory, expected, static_cast<std::size_t>(length)) != 0) {
            sink_.wrong_bytes += length;
          }
          sink_.bytes += length;
          memory += length;
          at += length;
          left -= length;
        }
      }
    }
  }
  void submit_strided(const StridedRead& /*read*/) override { throw std::logic_error("not used"); }

 private:
  Sink& sink_;
  std::int64_t first_byte_;
  const FoldedMemory& expected_;
};

/// Local. An opener of such stores; `sink` and `expected` outlive them.
[[nodiscard]] inline Opener sinks(Sink& sink, std::int64_t first_byte, const FoldedMemory& expected) {
  return [&sink, first_byte, &expected](const std::string& path, OpenMode /*mode*/) {
    return std::make_unique<SinkStore>(path, sink, first_byte, expected);
  };
}

}  // namespace sill::test
