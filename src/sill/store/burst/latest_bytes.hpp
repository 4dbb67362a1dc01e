// Runs of logs, brought into their files in long requests.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "sill/store/burst/burst_segment.hpp"
#include "sill/store/handle_cache.hpp"

namespace sill {

/// What runs write into files: of bytes that several have, those of the one that was added last.
class LatestBytes {
 public:
  static constexpr std::int64_t max_request_bytes = 8 << 20;
  /// Local. `log`, which has the bytes of the run, outlives it.
  void add(Store& log, const LoggedRun& run);
  /// Local. Writes all of it, file by file in the order of the bytes, by so many threads, each with a buffer of
  /// `request_bytes`, at multiples of which requests begin and end where bytes go on. `written` is called after each
  /// request, by any thread. Returns how many bytes that are. Errors: io.
  std::int64_t write(HandleCache& files, int threads, std::int64_t request_bytes,
                     const std::function<void()>& written) const;

 private:
  // Bytes of a file, and where a log has them.
  struct Piece {
    Store* log = nullptr;
    std::int64_t log_byte = 0;
    std::int64_t offset_bytes = 0;
    std::int64_t length = 0;

    [[nodiscard]] std::int64_t end() const { return offset_bytes + length; }
    // From byte `begin` of the file on, at most to `end_byte`.
    [[nodiscard]] Piece part(std::int64_t begin, std::int64_t end_byte) const;
  };
  using Pieces = std::map<std::int64_t, Piece>;  // by their offsets; none overlap
  // Neighbouring pieces that one request writes.
  struct Stretch {
    int file = 0;
    std::vector<Piece> pieces;
  };

  [[nodiscard]] std::vector<Stretch> stretches(std::int64_t request_bytes) const;

  std::map<int, Pieces> files_;
};

}  // namespace sill
