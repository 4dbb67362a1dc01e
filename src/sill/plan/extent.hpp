// The one thing formats and movers share: bytes of a file and where they lie in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sill/layout/range.hpp"
#include "sill/plan/steps.hpp"

namespace sill {

/// Makes bytes of an extent when they are needed, instead of having them lie in memory: text, another number format,
/// an interleaving. Called by the rank whose extent it is: on the thread of the collective call, while that lasts; or,
/// where it says that it may be, on several threads of the rank at once, and then, if memory was lent to the call
/// (`Memory::lent`), also after it, until its requests are done.
class Encoder {
 public:
  virtual ~Encoder() = default;
  /// Local. Fills `bytes` with bytes `range` of the extent, counted from its first byte and without its gaps; `range`
  /// and `bytes` have the same length. The same range always gives the same bytes. May throw.
  virtual void fill(ByteRange range, std::span<std::byte> bytes) const = 0;
  /// Local. Whether several threads may call `fill` at once: worth it where making bytes takes longer than moving them.
  [[nodiscard]] virtual bool is_for_threads() const { return false; }
  /// Local. Where in memory the bytes from `packed` on are made from, roughly; null if that is nowhere in particular.
  [[nodiscard]] virtual const std::byte* source_of(std::int64_t /*packed*/) const { return nullptr; }
};

/// Takes the bytes of an extent that was read, the way an Encoder makes them.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Local. Takes bytes `range` of the extent. Every byte comes once; ranges come in any order, for several ranks may
  /// bring them. May throw.
  virtual void take(ByteRange range, std::span<const std::byte> bytes) = 0;
  /// Local. Where `range` ends up in memory, as many bytes as in the file: it may be read to there, and `take` is
  /// called with that memory then. Null where that cannot be.
  [[nodiscard]] virtual std::byte* place_of(ByteRange /*range*/) const { return nullptr; }
};

/// A run of `run_bytes`, contiguous in file and memory, repeated by every step, outermost first: a contiguous piece
/// without steps, a plane with one, a block of a volume with two. It is kept so, never as a list of its runs.
///
/// The memory side is an address; or, when `encoder` (writing) or `decoder` (reading) is given, that.
struct Extent {
  int file = 0;
  std::int64_t offset_bytes = 0;  ///< of the first run in the file
  std::int64_t run_bytes = 0;
  Steps steps = {};
  std::byte* memory = nullptr;  ///< of the first run; only read when writing to a file
  const Encoder* encoder = nullptr;
  Decoder* decoder = nullptr;

  /// Local. Whether its bytes are made or taken by code instead of lying in memory.
  [[nodiscard]] bool has_code() const { return encoder != nullptr || decoder != nullptr; }
  /// Local. Whether it has an encoder that several threads may ask; that only the caller may ask.
  [[nodiscard]] bool is_for_threads() const { return encoder != nullptr && encoder->is_for_threads(); }
  [[nodiscard]] bool is_for_caller() const { return encoder != nullptr && !encoder->is_for_threads(); }
  /// Local. The bytes of all its runs together.
  [[nodiscard]] std::int64_t total_bytes() const;
  /// Local. From its first byte in the file to its last, gaps included. Precondition: as in an AccessPlan.
  [[nodiscard]] ByteRange bounding_range() const;
  /// Local. How many of its bytes lie before byte `file_offset_bytes` of the file. Precondition: as in an AccessPlan.
  [[nodiscard]] std::int64_t bytes_before(std::int64_t file_offset_bytes) const;
  /// Local. Which of its bytes, counted without the gaps, lie in `window` of the file. Precondition: as above.
  [[nodiscard]] ByteRange packed_within(ByteRange window) const;
  /// Local. Where byte `packed`, counted without the gaps, lies in the file. Preconditions: as above; 0 <= packed <
  /// total_bytes().
  [[nodiscard]] std::int64_t file_offset_of(std::int64_t packed) const;

  friend bool operator==(const Extent&, const Extent&) = default;
};

/// Local. `bytes` of file `file` from, or to, consecutive `memory`.
[[nodiscard]] inline Extent contiguous(int file, ByteRange bytes, std::byte* memory) {
  return {.file = file, .offset_bytes = bytes.offset, .run_bytes = bytes.length, .memory = memory};
}
/// Local. The same for writing: memory that is only read. (One type of extent serves both ways; it has no const.)
[[nodiscard]] inline Extent contiguous(int file, ByteRange bytes, const std::byte* memory) {
  return contiguous(file, bytes, const_cast<std::byte*>(memory));
}

}  // namespace sill
