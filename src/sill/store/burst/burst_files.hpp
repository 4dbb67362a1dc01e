// Files whose writes go to a log, and from there to the files.
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

/// What is written through `handles` goes to a log, and by `drain` from there to the files: in their order, in long
/// requests.
class BurstFiles {
 public:
  /// Local. `files`, the handles of the files of `paths`, outlive it. So many threads drain, each with a buffer of
  /// `request_bytes`, at multiples of which requests begin and end where bytes go on.
  BurstFiles(std::shared_ptr<BurstLog> log, HandleCache& files, const std::vector<std::string>& paths, int threads = 1,
             std::int64_t request_bytes = LatestBytes::max_request_bytes);
  /// What is not drained is lost.
  ~BurstFiles();

  /// Handles to write by. What the log does not take, as its folder is full, slow or gone, is written to the files,
  /// when all before it is there. Its stores can do nothing else.
  [[nodiscard]] HandleCache& handles() { return handles_; }

  /// Local. What was written so far is to be drained. Precondition: no request is under way.
  void end_call();
  /// Local, from any thread. Brings what calls that have ended wrote into the files; of bytes that were written twice
  /// the later ones. Errors: io; then again the same, for nothing is drained behind an error.
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
  std::map<std::string, int> numbers_;  // of paths
  std::shared_mutex appending_;         // shared by who appends
  std::mutex mutex_;                    // of the next two
  std::unique_ptr<BurstSegment> current_;
  std::vector<std::unique_ptr<BurstSegment>> ended_;
  std::mutex draining_;
  std::optional<Error> failure_;  // of draining
  HandleCache handles_;
};

}  // namespace sill
