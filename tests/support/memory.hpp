// What this process takes by `new`: counted, and refused when told to. A program that uses it links sill_test_memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sill::test {

/// While it lives, `new` of more than some bytes at once throws std::bad_alloc, in all threads of this process.
class LimitedMemory {
 public:
  explicit LimitedMemory(std::size_t max_bytes_at_once);
  LimitedMemory(const LimitedMemory&) = delete;
  LimitedMemory& operator=(const LimitedMemory&) = delete;
  ~LimitedMemory();
};

/// While it lives, one `new` throws std::bad_alloc, the `nth` of all threads of this process, from 1.
class RefusedMemory {
 public:
  explicit RefusedMemory(std::int64_t nth);
  RefusedMemory(const RefusedMemory&) = delete;
  RefusedMemory& operator=(const RefusedMemory&) = delete;
  ~RefusedMemory();
  /// Whether it came to that.
  [[nodiscard]] bool has_struck() const;
};

/// Bytes held by `new`. The most bytes that were held at once since it was made, beyond those held then. What libraries
/// in other languages hold, MPI among them, is not counted.
class HeldMemory {
 public:
  HeldMemory();
  [[nodiscard]] std::int64_t max_bytes() const;
  /// Those held now.
  [[nodiscard]] std::int64_t bytes() const;

 private:
  std::int64_t before_bytes_;
};

}  // namespace sill::test
