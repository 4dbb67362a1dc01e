// The last writes of a mover, for the next may be the same further on in the files, as those of a time loop are: then
// what was found out and planned holds (docs/adr/0019-the-last-write-again.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/move/access_lists.hpp"
#include "sill/move/domains.hpp"
#include "sill/move/schedule.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill {

/// What ranks found out together about who does what in an access.
struct ExchangePlan {
  std::vector<WriterWindows> writers;
  PlansOfOthers others;
  std::vector<OwnedPlan> of_others;  ///< the same
  bool cuts_files = false;           ///< where the alignment says
};

/// Local. Whether any file has boundaries of domains or windows within. Precondition: domains of a file are neighbours.
[[nodiscard]] bool do_cut_files(std::span<const WriterWindows> writers, std::span<const FileDomain> domains);

/// A write of more extents, or parts of them, than this is found out anew each time.
inline constexpr std::size_t max_cached = 1 << 16;

struct LastWrite {
  bool is_known = false;  ///< to be the whole of it, on this rank
  bool is_direct = false;
  AccessPlan plan;  ///< where the rounds have it, in the memory of the last write
  std::vector<AccessSummary> shares;
  std::vector<AccessSummary> of_several;  ///< with Call::mpiio_collective: those of files that several ranks hold
  ExchangePlan course;
  std::vector<PlannedRound> rounds;

  /// Local. How much further on a write is, if that is all it differs in. Requests of aligned files keep their
  /// alignment.
  [[nodiscard]] std::optional<std::int64_t> distance_to(const AccessPlan& mine, bool direct,
                                                        std::int64_t align_bytes) const;
};

/// The latest first. Two, for records and their headers, which take turns.
using LastWrites = std::array<LastWrite, 2>;

/// Collective. Looks among `known` for one that this write only differs from by being further on, by the same distance
/// on every rank, and makes it the latest; that distance. If there is none, the latest is empty afterwards, and the
/// oldest is forgotten.
[[nodiscard]] std::optional<std::int64_t> recall(Communicator& comm, LastWrites& known, const AccessPlan& mine,
                                                 bool direct, std::int64_t align_bytes);

}  // namespace sill
