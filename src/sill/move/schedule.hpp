// Derives the work of one rank, round by round, from the plans of all ranks: a pure function.
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

/// A part of an extent that is within one segment of a writer's stage.
struct StagedPart : Part {
  std::size_t segment = 0;  ///< index of the segment in the writer's round
};

/// One message between the rank whose extents hold the bytes and the writer of the file range of these bytes (write: to
/// the writer; read: from the writer).
struct Message {
  int peer = 0;
  std::vector<StagedPart> parts;
  std::int64_t bytes = 0;
};

/// A range of a file, and the offset of its image (the copy of its bytes) in the stage.
struct Segment {
  int file = 0;
  ByteRange bytes;
  std::int64_t stage_offset_bytes = 0;
};

/// The work of a rank for one filling of the stages. For a write it sends, receives and copies, then performs the
/// requests; for a read the order is reversed.
struct Round {
  std::vector<Segment> segments;  ///< file ranges whose images are in this rank's stage
  std::vector<StagedPart> own;    ///< bytes moved between this rank's own memory and its own stage
  std::vector<Message> outwards;  ///< bytes of this rank's extents in the stages of other ranks
  std::vector<Message> inwards;   ///< bytes of other ranks' extents in this rank's stage
};

/// A round and its file requests.
struct PlannedRound {
  Round round;
  std::vector<Segment> requests;
};

/// The file domains of one writer, arranged end to end and cut into windows of the size of its stage. Each domain
/// begins at a stage offset that has the same alignment as its file offset.
class WriterWindows {
 public:
  WriterWindows(int writer, std::int64_t stage_bytes, std::int64_t align_bytes);
  /// Local. Appends a domain. Precondition: domains are added in ascending order.
  void add(const FileDomain& domain);

  [[nodiscard]] int writer() const { return writer_; }
  [[nodiscard]] bool empty() const { return placed_.empty(); }
  [[nodiscard]] std::int64_t window_bytes() const { return stage_bytes_; }
  /// Local. Returns true if a window boundary is inside a domain.
  [[nodiscard]] bool cuts_domains() const;
  [[nodiscard]] std::vector<Segment> window(std::int64_t number) const;
  /// Local. Calls `visit(segment)` for each segment of a window, in order.
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
  /// Local. Returns the first window, starting at `number`, in which the plan has bytes.
  [[nodiscard]] std::optional<std::int64_t> next_window(const OrderedExtents& plan, std::int64_t number) const;
  /// Local. Returns the extents of the plan that have bytes in any of the domains.
  [[nodiscard]] std::vector<Extent> extents_within(const AccessPlan& plan) const;

 private:
  struct Placed {
    FileDomain domain;
    std::int64_t start_bytes = 0;
  };

  // Returns the first domain that ends after `start_bytes`.
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

/// Local. Returns the windows of every writer that has domains, ascending by writer. Precondition: domains are in
/// ascending order.
[[nodiscard]] std::vector<WriterWindows> windows_of(std::span<const FileDomain> domains, std::int64_t stage_bytes,
                                                    std::int64_t align_bytes);

/// The work of one rank in a collective access. Round i of all ranks belong together: every message has its
/// counterpart, with the same bytes in the same order, in round i of its peer. All ranks use the same order of rounds
/// and, within a round, of messages by (writer, peer). Ranks that follow this order cannot deadlock.
class Schedule {
 public:
  /// `writers`: all that have domains, in ascending order. `mine`: the plan of this rank. `of_others`: on a writer, the
  /// plans of other ranks within its domains, ascending by rank. Precondition: all of them outlive the schedule.
  Schedule(Operation operation, int rank, std::span<const WriterWindows> writers, const AccessPlan& mine,
           std::span<const OwnedPlan> of_others, std::int64_t max_message_bytes);

  /// Local. Returns the first round, starting at `number`, in which this rank has work.
  [[nodiscard]] std::optional<std::int64_t> next_round(std::int64_t number) const;
  /// Local. Returns the work of this rank in round `number`.
  [[nodiscard]] Round round(std::int64_t number) const;
  /// Local. Returns the messages that this rank would send and receive in round `number`, with their lengths but
  /// without parts. A rank that has failed still exchanges these messages. Memory: one entry per message.
  [[nodiscard]] Round messages_alone(std::int64_t number) const;
  /// Local. Returns the rounds of a write in the order of the source memory of their bytes. Returns none unless sources
  /// of this rank's extents interleave in memory, no messages couple its rounds to other ranks, and the source of a
  /// window fits in a cache.
  [[nodiscard]] std::vector<std::int64_t> rounds_by_source() const;
  /// Local. Returns the bytes to write or read in the segments of a round. Errors: usage if plans for writing overlap.
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
