// Performing a schedule: messages on the calling thread, file requests on background threads.
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

/// What moving has cost this rank.
struct MoveCounts {
  std::int64_t rounds = 0;         ///< in which it took part
  std::int64_t messages = 0;       ///< that it sent with bytes of files
  std::int64_t message_bytes = 0;  ///< in those
  /// Between memory, messages and stages, by the calling thread; without lent memory that jobs copy to their stages.
  std::int64_t copied_bytes = 0;
  std::int64_t requests = 0;      ///< of staged bytes to files
  std::int64_t buffer_bytes = 0;  ///< of stages and messages at most
};

/// What rounds are performed with.
struct RoundTools {
  Communicator& comm;
  HandleCache& handles;
  IoThreads& background;
  StagePool& stages;
  std::span<std::byte> messages;  ///< room for what is sent or received; as long as the longest message
  MoveCounts& counts;
  int threads = 1;              ///< of this rank, for requests and for encoders that may be called concurrently
  Meter* meter = nullptr;       ///< counts the making of bytes; may be null
  bool reads_in_place = false;  ///< a request may have many pieces of memory without a copy
  /// Reading in place leaves out the gaps between runs: files whose requests cost little more than their bytes.
  bool leaves_gaps = false;
};

/// How the rounds of a write are performed.
struct WriteTerms {
  /// The calling thread performs the requests of the last round, because nothing is left that they could overlap with.
  bool here = false;
  /// The memory of this rank's plan does not change until the batch is done: long runs of its own bytes are then
  /// written from there, without a copy in a stage.
  bool memory_stays = false;
  std::size_t max_cached_entries = 0;  ///< more parts, segments and requests are not cached
};

/// Collective. Performs the rounds of a write. File requests become jobs of `batch`. A rank that fails goes on
/// exchanging; its error is the batch's. Returns the rounds, to be performed again, unless they are too many.
std::optional<std::vector<PlannedRound>> write_rounds(const RoundTools& tools, const Schedule& schedule,
                                                      RequestBatch& batch, const WriteTerms& terms);

/// Collective. Performs the rounds of a write whose memory, extents and encoders do not change until the batch is done:
/// jobs copy this rank's own bytes to their stages. The calling thread calls encoders that are not thread-safe before
/// it returns. `all_by_jobs`: no round has such encoders or messages. Jobs then take their stages themselves, and this
/// call waits for none; until they are done the caller must take no stage.
void write_lent_rounds(const RoundTools& tools, const Schedule& schedule, bool all_by_jobs, RequestBatch& batch);

/// Collective. Performs the rounds of an earlier write again, `distance_bytes` further on in the files and from the
/// memory that their extents name by now.
void write_rounds_again(const RoundTools& tools, std::span<const PlannedRound> rounds, std::int64_t distance_bytes,
                        RequestBatch& batch, const WriteTerms& terms);

/// Collective. Performs the rounds of a read; the requests of a round overlap with the messages of the one before. All
/// requests have ended when it returns; errors are reported by `batch.wait()`.
void read_rounds(const RoundTools& tools, const Schedule& schedule, RequestBatch& batch);

}  // namespace sill
