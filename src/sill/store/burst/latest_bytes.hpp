// Copies runs from logs into their files in long requests.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "sill/store/burst/burst_segment.hpp"
#include "sill/store/handle_cache.hpp"

namespace sill {

/// Collects the bytes that runs write into files. Where runs overlap, the bytes of the run that was added last are
/// written.
class LatestBytes {
 public:
  static constexpr std::int64_t max_request_bytes = 8 << 20;
  /// Local. Adds a run. Precondition: `log`, which holds the bytes of the run, outlives this object.
  void add(Store& log, const LoggedRun& run);
  /// Local. Writes all bytes, file by file in file order, with `threads` threads, each with a buffer of
  /// `request_bytes`. Within contiguous bytes, requests begin and end at multiples of `request_bytes`. Any thread may
  /// call `written`, once after each request. Returns the number of bytes written. Errors: io.
  std::int64_t write(HandleCache& files, int threads, std::int64_t request_bytes,
                     const std::function<void()>& written) const;

 private:
  // Bytes of a file, and their position in a log.
  struct Piece {
    Store* log = nullptr;
    std::int64_t log_byte = 0;
    std::int64_t offset_bytes = 0;
    std::int64_t length = 0;

    [[nodiscard]] std::int64_t end() const { return offset_bytes + length; }
    // Returns the bytes from byte `begin` of the file to `end_byte` at most.
    [[nodiscard]] Piece part(std::int64_t begin, std::int64_t end_byte) const;
  };
  using Pieces = std::map<std::int64_t, Piece>;  // by offset, without overlaps
  // Neighbouring pieces that one request writes.
  struct Stretch {
    int file = 0;
    std::vector<Piece> pieces;
  };

  [[nodiscard]] std::vector<Stretch> stretches(std::int64_t request_bytes) const;

  std::map<int, Pieces> files_;
};

}  // namespace sill
