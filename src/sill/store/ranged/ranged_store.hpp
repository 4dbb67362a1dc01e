// Reading remote files through blocks in memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "sill/store/meter_store.hpp"
#include "sill/store/ranged/block_cache.hpp"
#include "sill/store/ranged/ranged_source.hpp"
#include "sill/store/store.hpp"

namespace sill {

struct RangedOptions {
  std::int64_t cache_bytes = std::int64_t{256} << 20U;  ///< of all files together
  int retries = 4;                                      ///< after the first attempt
  std::chrono::milliseconds first_delay{250};           ///< before the first retry; each further delay is twice as long
};

/// Opens remote files, which share one cache:
///
///     RangedFiles files(open_source);
///     Opener open = files.opener(open_posix, meter);
///
/// A file is read in blocks of 256 KiB. A request reads a run of missing blocks, with the blocks of gaps of at most
/// 1 MiB between them, which cost less time than another request. Runs of 16 MiB and more are read by requests of at
/// least 8 MiB. The requests for one call of a store are made at once, for up to 16 MiB.
///
/// Stores only read. Errors of their calls, also io: a request failed, after retries if the error may pass; the file
/// was changed since it was opened. Also usage: the call would write.
class RangedFiles {
 public:
  explicit RangedFiles(RangedOpener open, const RangedOptions& options = {});

  /// Local. Opens a remote file, which takes one request. Errors: usage for another mode than read; as `open`.
  [[nodiscard]] std::unique_ptr<Store> open(const std::string& url, OpenMode mode) const;
  /// Local. Returns an opener of URLs (`is_url`), whose stores are counted in `meter`, that passes all other paths to
  /// `paths`. It may outlive this object. Precondition: `meter` outlives the stores.
  [[nodiscard]] Opener opener(Opener paths, Meter& meter) const;

 private:
  RangedOpener open_;
  RangedOptions options_;
  std::shared_ptr<BlockCache> cache_;
};

}  // namespace sill
