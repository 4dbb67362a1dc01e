// Performing a schedule: messages on the calling thread, file requests behind it.
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

namespace sill {

/// What moving has cost this rank.
struct MoveCounts {
  std::int64_t rounds = 0;         ///< in which it took part
  std::int64_t messages = 0;       ///< that it sent with bytes of files
  std::int64_t message_bytes = 0;  ///< in those
  /// Between memory, messages and stages, by the thread that calls: not what jobs put into their stages of what is
  /// lent.
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
  int threads = 1;  ///< of this rank, for requests, and for encoders that several may ask
};

/// How the rounds of a write are performed.
struct WriteTerms {
  bool here =
      false;  ///< the requests of the last round on this thread, as nothing is left that they could overlap with
  /// The memory of this rank's plan stays as it is until the phase is done: then long runs of its own bytes are written
  /// from there, without a copy in a stage.
  bool memory_stays = false;
  std::size_t max_cached_entries = 0;  ///< more parts, segments and requests are not kept to be performed again
};

/// Collective. Performs the rounds of a write. File requests become jobs of `phase`. A rank that fails goes on
/// exchanging; its error is the phase's. Returns the rounds, to be performed again, unless they are too many.
std::optional<std::vector<PlannedRound>> write_rounds(const RoundTools& tools, const Schedule& schedule,
                                                      RequestBatch& phase, const WriteTerms& terms);

/// Collective. The same where memory, extents and encoders of this rank's plan stay as they are until the phase is
/// done: what this rank writes of its own bytes is taken by the jobs, straight into their stages. Encoders that are not
/// for threads are asked by the calling thread before it returns. `all_by_jobs`: there are
/// neither such encoders nor messages in any round; then jobs take their stages themselves, and nobody waits for one
/// here. Until they are done the caller takes none.
void write_lent_rounds(const RoundTools& tools, const Schedule& schedule, bool all_by_jobs, RequestBatch& phase);

/// Collective. Performs the rounds of an earlier write again, `distance_bytes` further on in the files and from the
/// memory that their extents name by now.
void write_rounds_again(const RoundTools& tools, std::span<const PlannedRound> rounds, std::int64_t distance_bytes,
                        RequestBatch& phase, const WriteTerms& terms);

/// Collective. Performs the rounds of a read; the requests of a round overlap with the messages of the one before. All
/// its requests have ended when it returns; how, the phase tells who waits for it.
void read_rounds(const RoundTools& tools, const Schedule& schedule, RequestBatch& phase);

}  // namespace sill
