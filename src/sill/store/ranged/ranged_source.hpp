// A file of which another system returns ranges of bytes, such as an object store or a web server.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "sill/base/error.hpp"

namespace sill {

/// The state of a remote file. Two states are equal if the file was not changed between them, as far as the server
/// states it.
struct RangedState {
  std::int64_t bytes = 0;
  std::string identity;  ///< such as an ETag or the time of the last change; may be empty

  friend bool operator==(const RangedState&, const RangedState&) = default;
};

/// A range of a file, and the pieces of memory that receive it, in file order.
struct RangedRead {
  std::int64_t offset_bytes = 0;
  std::span<const iovec> memory;
  bool is_complete = false;  ///< set by the source
};

/// An error that may pass: the store repeats the request.
class PassingError : public Error {
 public:
  explicit PassingError(const Error& error) : Error(error) {}
};

/// A remote file. All calls are Local; several threads may call concurrently. Errors: io, as PassingError if the
/// request may succeed later.
class RangedSource {
 public:
  RangedSource() = default;
  RangedSource(const RangedSource&) = delete;
  RangedSource& operator=(const RangedSource&) = delete;
  virtual ~RangedSource() = default;

  /// Asks for the current state of the file.
  [[nodiscard]] virtual RangedState state() = 0;
  /// Performs all reads at once, each by one request, and marks those that are complete, even if it throws.
  virtual void read(std::span<RangedRead> reads) = 0;
  /// Returns true if `read` throws `changed_error` unless the file is in the state that the first call of `state`
  /// returned. Otherwise the store asks for the state after each call of `read`.
  [[nodiscard]] virtual bool reads_one_state() const = 0;
};

/// Opens a remote file. Errors: as RangedSource; usage.
using RangedOpener = std::function<std::unique_ptr<RangedSource>(const std::string& url)>;

/// Local. Returns true if a path names a remote file: it contains "://".
[[nodiscard]] inline bool is_url(const std::string& path) { return path.find("://") != std::string::npos; }

/// Local. Returns the error of a URL that is named as an output.
[[nodiscard]] Error read_only_error(const std::string& url);

/// Local. Returns the error of a remote file that was changed after it was opened.
[[nodiscard]] Error changed_error(const std::string& url);

}  // namespace sill
