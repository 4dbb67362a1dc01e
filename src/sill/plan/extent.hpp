// The interface between formats and movers: bytes of a file and their positions in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sill/layout/range.hpp"
#include "sill/plan/steps.hpp"

namespace sill {

/// Makes the bytes of an extent when they are needed, instead of storing them in memory: text, another number format,
/// an interleaving. The rank that owns the extent calls it, on the thread of the collective call and during the call.
/// If `is_for_threads`, several threads of the rank may call it concurrently and, if memory was lent to the call
/// (`Memory::lent`), also after the call, until its requests are complete.
class Encoder {
 public:
  virtual ~Encoder() = default;
  /// Local. Fills `bytes` with bytes `range` of the extent, counted from its first byte and without its gaps; `range`
  /// and `bytes` have the same length. The same range always gives the same bytes. May throw.
  virtual void fill(ByteRange range, std::span<std::byte> bytes) const = 0;
  /// Local. Returns true if several threads may call `fill` concurrently: useful if making bytes takes longer than
  /// moving them.
  [[nodiscard]] virtual bool is_for_threads() const { return false; }
  /// Local. Returns the approximate position in memory of the data for the bytes starting at `packed`; null if unknown.
  [[nodiscard]] virtual const std::byte* source_of(std::int64_t /*packed*/) const { return nullptr; }
};

/// Receives the bytes of an extent that was read; the inverse of an Encoder.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Local. Processes bytes `range` of the extent. Every byte is passed once. Ranges are passed in any order, because
  /// several ranks may send them. May throw.
  virtual void take(ByteRange range, std::span<const std::byte> bytes) = 0;
  /// Local. Returns the final position of `range` in memory, if it has the same number of bytes as in the file: the
  /// bytes may be read directly into that memory, and `take` is then called with it. Returns null if that is not
  /// possible.
  [[nodiscard]] virtual std::byte* place_of(ByteRange /*range*/) const { return nullptr; }
};

/// A run of `run_bytes`, contiguous in file and memory, repeated by every step, outermost first: a contiguous piece
/// without steps, a plane with one step, a block of a volume with two. It is stored in this form, never as a list of
/// its runs.
///
/// The memory side is an address or, if given, `encoder` (for writing) or `decoder` (for reading).
struct Extent {
  int file = 0;
  std::int64_t offset_bytes = 0;  ///< of the first run in the file
  std::int64_t run_bytes = 0;
  Steps steps = {};
  std::byte* memory = nullptr;  ///< of the first run; not modified when writing to a file
  const Encoder* encoder = nullptr;
  Decoder* decoder = nullptr;

  /// Local. Returns true if an encoder produces the bytes or a decoder consumes them; false if they are in memory.
  [[nodiscard]] bool has_code() const { return encoder != nullptr || decoder != nullptr; }
  /// Local. Return true if the extent has an encoder that several threads may call concurrently, or that only the
  /// caller may call.
  [[nodiscard]] bool is_for_threads() const { return encoder != nullptr && encoder->is_for_threads(); }
  [[nodiscard]] bool is_for_caller() const { return encoder != nullptr && !encoder->is_for_threads(); }
  /// Local. Returns the number of bytes of all its runs together.
  [[nodiscard]] std::int64_t total_bytes() const;
  /// Local. Returns the range from its first byte in the file to its last, including gaps. Precondition: as in an
  /// AccessPlan.
  [[nodiscard]] ByteRange bounding_range() const;
  /// Local. Returns how many of its bytes are before byte `file_offset_bytes` of the file. Precondition: as in an
  /// AccessPlan.
  [[nodiscard]] std::int64_t bytes_before(std::int64_t file_offset_bytes) const;
  /// Local. Returns its bytes, counted without gaps, that are in `window` of the file. Precondition: as above.
  [[nodiscard]] ByteRange packed_within(ByteRange window) const;
  /// Local. Returns the file offset of byte `packed`, counted without gaps. Preconditions: as above; 0 <= packed <
  /// total_bytes().
  [[nodiscard]] std::int64_t file_offset_of(std::int64_t packed) const;

  friend bool operator==(const Extent&, const Extent&) = default;
};

/// Local. Returns an extent for the range `bytes` of file `file`, from or to consecutive `memory`.
[[nodiscard]] inline Extent contiguous(int file, ByteRange bytes, std::byte* memory) {
  return {.file = file, .offset_bytes = bytes.offset, .run_bytes = bytes.length, .memory = memory};
}
/// Local. Returns an extent for writing from `memory`, which is only read. (One type of extent serves reads and writes;
/// its address is not const.)
[[nodiscard]] inline Extent contiguous(int file, ByteRange bytes, const std::byte* memory) {
  return contiguous(file, bytes, const_cast<std::byte*>(memory));
}

}  // namespace sill
