// One open file, whoever holds its bytes.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sill/plan/access_plan.hpp"

namespace sill {

/// A contiguous run of a file from `offset_bytes` on, and the pieces of memory that hold it, in file order.
/// A store cuts what the system cannot take at once (1,024 pieces, 1 GiB); the caller need not.
struct Request {
  Operation operation = Operation::read;
  std::int64_t offset_bytes = 0;
  std::span<const iovec> memory;
};

/// Local. Appends `bytes` at `memory` to the pieces of a request, or extends the last piece if they follow it. `first`:
/// the index of the request's first piece in `pieces`.
void append_piece(std::vector<iovec>& pieces, std::byte* memory, std::size_t bytes, std::size_t first = 0);

/// Local. Returns the bytes that a request moves.
[[nodiscard]] std::int64_t length_of(const Request& request);

/// The same `length_bytes` of each of `count` items that lie `stride_bytes` apart, read into consecutive memory. It is
/// one request, not one an item: a store may map, sieve or list it as serves best.
/// Precondition: stride_bytes >= length_bytes > 0, count >= 0.
struct StridedRead {
  std::int64_t offset_bytes = 0;
  std::int64_t length_bytes = 0;
  std::int64_t stride_bytes = 0;
  std::int64_t count = 0;
  std::byte* memory = nullptr;  ///< room for count * length_bytes
};

/// The first `length_bytes` of each of at most `max_items` items, which lie one after another and state in these bytes
/// where the next begins, read into consecutive memory. Nothing from byte `end_byte` of the file on is read.
/// Precondition: length_bytes > 0; distance() >= length_bytes.
struct LinkedRead {
  std::int64_t offset_bytes = 0;  ///< of the first item
  std::int64_t end_byte = 0;      ///< at most the size of the file
  std::int64_t length_bytes = 0;
  std::int64_t max_items = 0;
  std::byte* memory = nullptr;  ///< room for max_items * length_bytes
  /// Bytes from the beginning of the item whose first bytes are given to that of the next. It may be left by a jump, so
  /// it must own and lock nothing.
  std::int64_t (*distance)(const void* context, const std::byte* item) noexcept = nullptr;
  const void* context = nullptr;
  std::int64_t items = 0;  ///< set: how many were read
};

/// How a file is opened.
enum class OpenMode {
  read,             ///< it must exist
  write,            ///< it must exist; for writing and reading
  create,           ///< it must not exist; for writing and reading
  write_or_create,  ///< it may exist, and is then kept as it is; for writing and reading
};

/// An open file. All calls are Local. `submit`, `submit_strided`, `size_bytes` may be called by several threads at
/// once. Errors: io, naming the file and the byte. Reading past the end is an error, and so is a short write.
class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  /// Closes; errors of that closing are lost, so call `close` where they matter.
  virtual ~Store() = default;

  /// The path, for messages.
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// Performs all requests; complete when it returns. After an error some may have been performed.
  virtual void submit(std::span<const Request> requests) = 0;
  virtual void submit_strided(const StridedRead& read) = 0;
  /// Performs all reads and sets their `items`: fewer than `max_items` only if the bytes of the next item do not all
  /// lie before `end_byte`. Here: a request for each item; a store that can follow items at less cost does, and several
  /// reads at once cost it less than one after the other, since each item has to wait for the one before.
  virtual void submit_linked(std::span<LinkedRead> reads);
  /// Whether `submit_linked` costs less than a request for each item.
  [[nodiscard]] virtual bool follows_links() const { return false; }
  /// Performs whole extents, strides included, from or to their memory. Here: a request for each stretch that is
  /// contiguous in the file; a store that can hand strides on as such does. Preconditions: extents as in an AccessPlan,
  /// none with an encoder or decoder.
  virtual void submit_extents(Operation operation, std::span<const Extent> extents);
  /// Whether `submit_extents` is more than requests handed to `submit`.
  [[nodiscard]] virtual bool takes_extents() const { return false; }
  /// Whether `submit_collective` is there.
  [[nodiscard]] virtual bool is_collective() const { return false; }
  /// Collective over the ranks that opened the file together. Performs the extents of all those ranks in one call; a
  /// rank may bring none. Preconditions: as submit_extents. Errors: as everywhere; a rank on which it fails has still
  /// taken its part. Usage if the store is not collective.
  virtual void submit_collective(Operation operation, std::span<const Extent> extents);
  [[nodiscard]] virtual std::int64_t size_bytes() = 0;
  /// Makes the file `size_bytes` long and reserves its space where the file system can, so that a full disk is noticed
  /// at once. Bytes not yet written read as zeros.
  virtual void allocate(std::int64_t size_bytes) = 0;
  /// Gives back the space of bytes that will not be read again, as far as the file system can. Their values are then
  /// undefined.
  virtual void punch_hole(ByteRange bytes) = 0;
  /// Drops bytes that will not be read again soon from the system's cache. Their values do not change.
  virtual void drop_cache(ByteRange /*bytes*/) {}
  /// These bytes will be read soon: the system may begin to fetch them, and this does not wait for it. They may lie
  /// past the end. Precondition: all together are no more than the system's cache can well spare.
  virtual void will_need(std::span<const ByteRange> /*ranges*/) {}
  /// Returns when all that was written is on stable storage.
  virtual void sync() = 0;
  virtual void close() = 0;
};

/// Opens files; how a program is given other stores (counting, failing) than the plain ones.
using Opener = std::function<std::unique_ptr<Store>(const std::string& path, OpenMode mode)>;

/// Local. Reads `bytes.size()` bytes from `offset_bytes`.
void read_at(Store& store, std::int64_t offset_bytes, std::span<std::byte> bytes);

/// Local. Writes `bytes` at `offset_bytes`.
void write_at(Store& store, std::int64_t offset_bytes, std::span<const std::byte> bytes);

}  // namespace sill
