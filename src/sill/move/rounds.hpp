// Performs a schedule: messages on the calling thread, file requests on background threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/move/io_threads.hpp"
#include "sill/move/request_batch.hpp"
#include "sill/move/schedule.hpp"
#include "sill/store/handle_cache.hpp"
#include "sill/store/meter_store.hpp"

namespace sill {

/// Counts of the work of this rank.
struct MoveCounts {
  std::int64_t rounds = 0;         ///< rounds in which the rank took part
  std::int64_t messages = 0;       ///< messages sent with bytes of files
  std::int64_t message_bytes = 0;  ///< bytes in these messages
  /// Bytes that the calling thread copied between memory, messages and stages; excludes lent memory that jobs copy to
  /// their stages.
  std::int64_t copied_bytes = 0;
  std::int64_t requests = 0;      ///< requests of staged bytes to files
  std::int64_t buffer_bytes = 0;  ///< maximum size of stages and messages
};

/// The objects and settings that rounds use.
struct RoundTools {
  Communicator& comm;
  HandleCache& handles;
  IoThreads& background;
  StagePool& stages;
  std::span<std::byte> messages;  ///< memory for sent and received messages; as long as the longest message
  MoveCounts& counts;
  int threads = 1;              ///< threads of this rank, for requests and for encoders that may be called concurrently
  Meter* meter = nullptr;       ///< measures the time to produce bytes; may be null
  bool reads_in_place = false;  ///< a request may have many pieces of memory without a copy
  /// Reading in place skips the gaps between runs. For files whose cost per request is small compared to the cost of
  /// their bytes.
  bool leaves_gaps = false;
};

/// Settings for the rounds of a write.
struct WriteTerms {
  /// The calling thread performs the requests of the last round, because no work is left that could overlap with them.
  bool here = false;
  /// The memory of this rank's plan does not change until the batch is done. Long runs of the rank's own bytes are then
  /// written directly from memory, without a copy in a stage.
  bool memory_stays = false;
  std::size_t max_cached_entries = 0;  ///< rounds with more parts, segments and requests in total are not cached
};

/// Collective. Performs the rounds of a write. File requests become jobs of `batch`. A rank that fails still takes part
/// in the message exchange; the batch reports its error. Returns the planned rounds, for `write_rounds_again`, or
/// nullopt if they cannot be cached (more than `max_cached_entries` entries).
std::optional<std::vector<PlannedRound>> write_rounds(const RoundTools& tools, const Schedule& schedule,
                                                      RequestBatch& batch, const WriteTerms& terms);

/// Collective. Performs the rounds of a write whose memory, extents and encoders do not change until the batch is done:
/// jobs copy this rank's own bytes to their stages. The calling thread calls encoders that are not thread-safe before
/// it returns. `all_by_jobs`: no round has such encoders or messages. Jobs then take their own stages, and this call
/// waits for no stage; the caller must take no stage until the jobs are done.
void write_lent_rounds(const RoundTools& tools, const Schedule& schedule, bool all_by_jobs, RequestBatch& batch);

/// Collective. Performs the rounds of an earlier write again, shifted by `distance_bytes` in the files, and from the
/// current memory of their extents.
void write_rounds_again(const RoundTools& tools, std::span<const PlannedRound> rounds, std::int64_t distance_bytes,
                        RequestBatch& batch, const WriteTerms& terms);

/// Collective. Performs the rounds of a read. The requests of a round overlap with the messages of the previous round.
/// All requests have ended when it returns; `batch.wait()` reports errors.
void read_rounds(const RoundTools& tools, const Schedule& schedule, RequestBatch& batch);

}  // namespace sill
