// The interface to an open file, independent of where its bytes are stored.
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

/// A contiguous run of a file that begins at `offset_bytes`, and the pieces of memory that hold it, in file order. A
/// store splits requests that exceed the limits of the system (1,024 pieces, 1 GiB); the caller need not.
struct Request {
  Operation operation = Operation::read;
  std::int64_t offset_bytes = 0;
  std::span<const iovec> memory;
};

/// Local. Appends `bytes` at `memory` to the pieces of a request, or extends the last piece if `memory` directly
/// follows it. `first`: the index of the request's first piece in `pieces`.
void append_piece(std::vector<iovec>& pieces, std::byte* memory, std::size_t bytes, std::size_t first = 0);

/// Local. Returns the number of bytes that a request moves.
[[nodiscard]] std::int64_t length_of(const Request& request);

/// Reads the same `length_bytes` of each of `count` items, `stride_bytes` apart, into consecutive memory. This is one
/// request, not one per item: the store decides whether to map the file, to read the gaps too, or to list the items.
/// Precondition: stride_bytes >= length_bytes > 0, count >= 0.
struct StridedRead {
  std::int64_t offset_bytes = 0;
  std::int64_t length_bytes = 0;
  std::int64_t stride_bytes = 0;
  std::int64_t count = 0;
  std::byte* memory = nullptr;  ///< room for count * length_bytes
};

/// Reads the first `length_bytes` of each of at most `max_items` consecutive items into consecutive memory. These bytes
/// of an item state where the next item begins. Bytes at and after byte `end_byte` of the file are not read.
/// Precondition: length_bytes > 0; distance() >= length_bytes.
struct LinkedRead {
  std::int64_t offset_bytes = 0;  ///< first byte of the first item
  std::int64_t end_byte = 0;      ///< at most the size of the file
  std::int64_t length_bytes = 0;
  std::int64_t max_items = 0;
  std::byte* memory = nullptr;  ///< room for max_items * length_bytes
  /// Returns the bytes from the beginning of an item, whose first bytes are at `item`, to the beginning of the next. A
  /// long jump may leave the function, so the function must not own or lock anything.
  std::int64_t (*distance)(const void* context, const std::byte* item) noexcept = nullptr;
  const void* context = nullptr;
  std::int64_t items = 0;  ///< set: the number of items read
};

/// The mode in which a file is opened.
enum class OpenMode {
  read,             ///< for reading; the file must exist
  write,            ///< for writing and reading; the file must exist
  create,           ///< for writing and reading; the file must not exist
  write_or_create,  ///< for writing and reading; contents of an existing file remain
};

/// An open file. All calls are Local. Several threads may call `submit`, `submit_strided` and `size_bytes`
/// concurrently. Errors: io, with the file and the byte. Reading past the end is an error, and so is a short write.
class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  /// Closes the file and ignores errors; call `close` where errors matter.
  virtual ~Store() = default;

  /// Returns the path, for messages.
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// Performs all requests, which are complete when `submit` returns. After an error, some requests may have been
  /// performed.
  virtual void submit(std::span<const Request> requests) = 0;
  virtual void submit_strided(const StridedRead& read) = 0;
  /// Performs all reads and sets their `items`. `items` is less than `max_items` only if the bytes of the next item are
  /// not all before `end_byte`. The default makes one request per item. Stores that follow links faster override it. In
  /// such stores, several reads in one call cost less than the same reads one after another, because each item of a
  /// read must wait for the preceding item.
  virtual void submit_linked(std::span<LinkedRead> reads);
  /// Returns true if `submit_linked` costs less than one request per item.
  [[nodiscard]] virtual bool follows_links() const { return false; }
  /// Moves complete extents, including strides, between the file and memory. The default makes one request per
  /// contiguous stretch of the file. Stores that can pass strides on override it. Preconditions: extents as in an
  /// AccessPlan, without encoders and decoders.
  virtual void submit_extents(Operation operation, std::span<const Extent> extents);
  /// Returns true if `submit_extents` does more than pass requests to `submit`.
  [[nodiscard]] virtual bool takes_extents() const { return false; }
  /// Returns true if the store supports `submit_collective`.
  [[nodiscard]] virtual bool is_collective() const { return false; }
  /// Collective over the ranks that opened the file together. Performs the extents of all these ranks in one call; a
  /// rank may pass none. Preconditions: as submit_extents. Errors: as for all calls; a rank on which the call fails has
  /// still taken part. Also usage, if the store is not collective.
  virtual void submit_collective(Operation operation, std::span<const Extent> extents);
  [[nodiscard]] virtual std::int64_t size_bytes() = 0;
  /// Sets the size of the file to `size_bytes` and reserves its space if the file system can, so that a full disk is
  /// noticed immediately. Bytes not yet written read as zeros.
  virtual void allocate(std::int64_t size_bytes) = 0;
  /// Frees the space of bytes that will not be read again, if the file system can. Their values are then undefined.
  virtual void punch_hole(ByteRange bytes) = 0;
  /// Drops bytes that will not be read again soon from the system's cache. Their values do not change.
  virtual void drop_cache(ByteRange /*bytes*/) {}
  /// Announces that these bytes will be read soon: the system may start fetching them; the call does not wait. The
  /// ranges may extend past the end of the file. Precondition: together the ranges fit easily into the system's cache.
  virtual void will_need(std::span<const ByteRange> /*ranges*/) {}
  /// Returns when everything written so far is on stable storage.
  virtual void sync() = 0;
  virtual void close() = 0;
};

/// Opens files. A program can be given other stores (counting, failing) through its opener.
using Opener = std::function<std::unique_ptr<Store>(const std::string& path, OpenMode mode)>;

/// Local. Reads the `bytes.size()` bytes that begin at `offset_bytes`. Errors: as Store.
void read_at(Store& store, std::int64_t offset_bytes, std::span<std::byte> bytes);

/// Local. Writes `bytes` at `offset_bytes`. Errors: as Store.
void write_at(Store& store, std::int64_t offset_bytes, std::span<const std::byte> bytes);

}  // namespace sill
