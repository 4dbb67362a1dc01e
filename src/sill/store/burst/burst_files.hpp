// Files whose writes go to a log first and are copied from the log into the files later.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/store/burst/burst_log.hpp"
#include "sill/store/burst/latest_bytes.hpp"
#include "sill/store/handle_cache.hpp"

namespace sill {

/// Appends all writes through `handles` to a log. `drain` then copies them into the files, in file order and in long
/// requests.
class BurstFiles {
 public:
  /// Local. Creates the handles. `threads` threads drain, each with a buffer of `request_bytes`. Within contiguous
  /// bytes, requests begin and end at multiples of `request_bytes`. Precondition: `files`, the handles of the files of
  /// `paths`, and `paths` outlive this object.
  BurstFiles(std::shared_ptr<BurstLog> log, HandleCache& files, const std::vector<std::string>& paths, int threads = 1,
             std::int64_t request_bytes = LatestBytes::max_request_bytes);
  /// Local. Discards all writes that were not drained.
  ~BurstFiles();

  /// Local. Returns the handles for writing. Their stores can only write. If the log cannot accept a write because its
  /// folder is full, slow or gone, the earlier writes are drained, and the write goes directly to the file.
  [[nodiscard]] HandleCache& handles() { return handles_; }

  /// Local. Marks everything written so far as ready to be drained. Precondition: no request is in progress.
  void end_call();
  /// Local, from any thread. Copies the writes of all ended calls into the files. Where bytes were written more than
  /// once, the last write wins. Errors: io; every later call throws the same error, because nothing is drained after an
  /// error.
  void drain();

 private:
  friend class LoggedStore;

  void append(int file, std::span<const Request> requests);
  [[nodiscard]] bool try_append(int file, std::span<const Request> requests);
  void bring(std::span<const std::unique_ptr<BurstSegment>> segments);

  std::shared_ptr<BurstLog> log_;
  HandleCache& files_;
  const std::vector<std::string>& paths_;
  int threads_;
  std::int64_t request_bytes_;
  std::map<std::string, int> numbers_;  // by path
  std::shared_mutex appending_;         // shared lock: append; exclusive lock: end a call
  std::mutex mutex_;                    // guards the next two members
  std::unique_ptr<BurstSegment> current_;
  std::vector<std::unique_ptr<BurstSegment>> ended_;
  std::mutex draining_;
  std::optional<Error> failure_;  // the first error of `drain`
  HandleCache handles_;
};

}  // namespace sill
