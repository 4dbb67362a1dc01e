// From what ranks want to what one rank does, round by round: a pure function.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sill/layout/range.hpp"
#include "sill/move/policy/domains.hpp"
#include "sill/plan/access_plan.hpp"
#include "sill/plan/coverage.hpp"
#include "sill/plan/part.hpp"

namespace sill {

/// A part of an extent that lies in one segment of a writer's stage.
struct StagedPart : Part {
  std::size_t segment = 0;  ///< its number among those of the writer's round
};

/// One message between the rank whose extents hold the bytes and the writer of the part of the file where they belong
/// (writing: towards it; reading: from it).
struct Message {
  int peer = 0;
  std::vector<StagedPart> parts;
  std::int64_t bytes = 0;
};

/// A stretch of a file and where its image begins in the stage.
struct Segment {
  int file = 0;
  ByteRange bytes;
  std::int64_t stage_offset_bytes = 0;
};

/// What a rank does with one filling of the stages. For a write it sends, receives and copies, then performs the
/// requests; for a read the requests come first and everything runs backwards.
struct Round {
  std::vector<Segment> segments;  ///< of the files whose images this rank's stage holds
  std::vector<StagedPart> own;    ///< bytes between this rank's own memory and its own stage
  std::vector<Message> outwards;  ///< bytes of this rank's extents in the stages of others
  std::vector<Message> inwards;   ///< bytes of others' extents in this rank's stage
};

/// A round and what it asks of the files.
struct PlannedRound {
  Round round;
  std::vector<Segment> requests;
};

/// The file domains of one writer, laid end to end and cut into windows of the size of its stage. Domains begin where
/// they keep the alignment of their place in the file.
class WriterWindows {
 public:
  WriterWindows(int writer, std::int64_t stage_bytes, std::int64_t align_bytes);
  /// Precondition: domains are added in ascending order.
  void add(const FileDomain& domain);

  [[nodiscard]] int writer() const { return writer_; }
  [[nodiscard]] bool empty() const { return placed_.empty(); }
  [[nodiscard]] std::int64_t window_bytes() const { return stage_bytes_; }
  /// Returns true if a boundary of windows lies within any domain.
  [[nodiscard]] bool cuts_domains() const;
  [[nodiscard]] std::vector<Segment> window(std::int64_t number) const;
  /// Calls `visit(segment)` for the segments of a window, one after another.
  template <class Visit>
  void for_each_segment(std::int64_t number, Visit&& visit) const {
    const std::int64_t first = number * stage_bytes_;
    const std::int64_t end = first + stage_bytes_;
    for (auto placed = first_placed(first); placed != placed_.end() && placed->start_bytes < end; ++placed) {
      const FileDomain& domain = placed->domain;
      const std::int64_t from = std::max(first, placed->start_bytes);
      const std::int64_t to = std::min(end, placed->start_bytes + domain.bytes.length);
      visit(Segment{domain.file, {domain.bytes.offset + from - placed->start_bytes, to - from}, from - first});
    }
  }
  /// The first window from `number` on in which the plan has bytes.
  [[nodiscard]] std::optional<std::int64_t> next_window(const OrderedExtents& plan, std::int64_t number) const;
  /// The extents of the plan that have bytes in any of the domains.
  [[nodiscard]] std::vector<Extent> extents_within(const AccessPlan& plan) const;

 private:
  struct Placed {
    FileDomain domain;
    std::int64_t start_bytes = 0;
  };

  // The first domain that reaches beyond `start_bytes`.
  [[nodiscard]] std::vector<Placed>::const_iterator first_placed(std::int64_t start_bytes) const {
    return std::partition_point(placed_.begin(), placed_.end(), [&](const Placed& each) {
      return each.start_bytes + each.domain.bytes.length <= start_bytes;
    });
  }

  int writer_;
  std::int64_t stage_bytes_;
  std::int64_t align_bytes_;
  std::vector<Placed> placed_;
};

/// Local. The windows of every writer that has domains, ascending by writer. Precondition: domains ascend.
[[nodiscard]] std::vector<WriterWindows> windows_of(std::span<const FileDomain> domains, std::int64_t stage_bytes,
                                                    std::int64_t align_bytes);

/// One rank's part of a collective access. Round i of all ranks belong together: every message meets its counterpart,
/// of the same bytes in the same order, in round i of its peer. Rounds and, within them, messages by (writer, peer) are
/// one order for all ranks, so ranks that follow it cannot deadlock.
class Schedule {
 public:
  /// `writers`: all that have domains, ascending. `mine`: what this rank wants. `of_others`: for a writer, what the
  /// other ranks want within its domains, ascending by rank. All must outlive the schedule.
  Schedule(Operation operation, int rank, std::span<const WriterWindows> writers, const AccessPlan& mine,
           std::span<const OwnedPlan> of_others, std::int64_t max_message_bytes);

  /// Local. The first round from `number` on in which this rank has anything to do.
  [[nodiscard]] std::optional<std::int64_t> next_round(std::int64_t number) const;
  /// Local. What this rank does in round `number`.
  [[nodiscard]] Round round(std::int64_t number) const;
  /// Local. The messages of round `number` as this rank would send and receive them, of so many bytes but without
  /// parts: what a rank that has failed still does. It takes memory for one entry per message.
  [[nodiscard]] Round messages_alone(std::int64_t number) const;
  /// Local. The rounds of a write in the order of the memory that their bytes are made from; none unless extents of
  /// this rank interleave there, no messages tie its rounds to those of others, and what a window is made from may stay
  /// in a cache.
  [[nodiscard]] std::vector<std::int64_t> rounds_by_source() const;
  /// Local. What of the segments of a round is to be written or read. Errors: usage if plans for writing overlap.
  [[nodiscard]] std::vector<Segment> requests_of(const Round& round) const;

 private:
  enum class Detail { parts, bytes };
  void add_messages(int peer, const OrderedExtents& plan, const WriterWindows& windows, std::int64_t number,
                    Detail detail, std::vector<Message>& messages) const;
  [[nodiscard]] Round round(std::int64_t number, Detail detail) const;
  [[nodiscard]] bool has_interleaved_sources() const;

  Operation operation_;
  int rank_;
  std::span<const WriterWindows> writers_;
  const AccessPlan& mine_;
  std::span<const OwnedPlan> of_others_;
  std::int64_t max_message_bytes_;
};

}  // namespace sill
