#include "sill/move/schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "sill/move/policy/policy_chooser.hpp"

namespace sill {

WriterWindows::WriterWindows(int writer, std::int64_t stage_bytes, std::int64_t align_bytes)
    : writer_(writer), stage_bytes_(stage_bytes), align_bytes_(align_bytes) {}

void WriterWindows::add(const FileDomain& domain) {
  std::int64_t start = placed_.empty() ? 0 : placed_.back().start_bytes + placed_.back().domain.bytes.length;
  const std::int64_t wanted = domain.bytes.offset % align_bytes_;
  const std::int64_t found = start % align_bytes_;
  start += wanted - found + (wanted < found ? align_bytes_ : 0);
  placed_.push_back({domain, start});
}

bool WriterWindows::cuts_domains() const {
  return std::any_of(placed_.begin(), placed_.end(), [&](const Placed& each) {
    return each.start_bytes / stage_bytes_ != (each.start_bytes + each.domain.bytes.length - 1) / stage_bytes_;
  });
}

std::vector<Segment> WriterWindows::window(std::int64_t number) const {
  std::vector<Segment> segments;
  for_each_segment(number, [&](const Segment& segment) { segments.push_back(segment); });
  return segments;
}

std::optional<std::int64_t> WriterWindows::next_window(const OrderedExtents& plan, std::int64_t number) const {
  const std::int64_t first = number * stage_bytes_;
  auto placed = first_placed(first);
  const std::span<const Extent> extents = plan.extents();
  auto extent = extents.begin();
  while (placed != placed_.end()) {
    const FileDomain& domain = placed->domain;
    // Advances to the next file in both lists.
    extent = std::partition_point(extent, extents.end(), [&](const Extent& each) { return each.file < domain.file; });
    if (extent == extents.end()) return std::nullopt;
    if (extent->file > domain.file) {
      const int file = extent->file;
      placed = std::partition_point(placed, placed_.end(), [&](const Placed& each) { return each.domain.file < file; });
      continue;
    }
    const std::int64_t from = domain.bytes.offset + std::max<std::int64_t>(0, first - placed->start_bytes);
    const std::optional<std::int64_t> at = plan.next_byte(domain.file, from);
    if (at && *at < domain.bytes.end()) {
      return (placed->start_bytes + *at - domain.bytes.offset) / stage_bytes_;
    }
    ++placed;
  }
  return std::nullopt;
}

std::vector<Extent> WriterWindows::extents_within(const AccessPlan& plan) const {
  std::vector<const Extent*> found;
  for (const Placed& placed : placed_) {
    plan.for_each_within(placed.domain.file, placed.domain.bytes,
                         [&](const Extent& extent, ByteRange) { found.push_back(&extent); });
  }
  // An extent may overlap several domains.
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<Extent> extents;
  extents.reserve(found.size());
  for (const Extent* extent : found) extents.push_back(*extent);
  return extents;
}

std::vector<WriterWindows> windows_of(std::span<const FileDomain> domains, std::int64_t stage_bytes,
                                      std::int64_t align_bytes) {
  std::map<int, WriterWindows> by_writer;
  for (const FileDomain& domain : domains) {
    by_writer.try_emplace(domain.writer, domain.writer, stage_bytes, align_bytes).first->second.add(domain);
  }
  std::vector<WriterWindows> windows;
  for (auto& [writer, of_writer] : by_writer) windows.push_back(std::move(of_writer));
  return windows;
}

Schedule::Schedule(Operation operation, int rank, std::span<const WriterWindows> writers, const AccessPlan& mine,
                   std::span<const OwnedPlan> of_others, std::int64_t max_message_bytes)
    : operation_(operation),
      rank_(rank),
      writers_(writers),
      mine_(mine),
      of_others_(of_others),
      max_message_bytes_(max_message_bytes) {}

std::optional<std::int64_t> Schedule::next_round(std::int64_t number) const {
  std::optional<std::int64_t> next;
  const auto consider = [&](std::optional<std::int64_t> found) {
    if (found && (!next || *found < *next)) next = found;
  };
  for (const WriterWindows& windows : writers_) {
    consider(windows.next_window(mine_, number));
    if (windows.writer() != rank_) continue;
    for (const OwnedPlan& other : of_others_) consider(windows.next_window(*other.plan, number));
  }
  return next;
}

Round Schedule::round(std::int64_t number) const { return round(number, Detail::parts); }

Round Schedule::messages_alone(std::int64_t number) const { return round(number, Detail::bytes); }

Round Schedule::round(std::int64_t number, Detail detail) const {
  Round round;
  for (const WriterWindows& windows : writers_) {
    if (windows.writer() != rank_) {
      add_messages(windows.writer(), mine_, windows, number, detail, round.outwards);
      continue;
    }
    for (const OwnedPlan& other : of_others_) {
      add_messages(other.rank, *other.plan, windows, number, detail, round.inwards);
    }
    if (detail == Detail::bytes) continue;
    round.segments = windows.window(number);
    for (std::size_t i = 0; i < round.segments.size(); ++i) {
      const Segment& segment = round.segments[i];
      mine_.for_each_within(segment.file, segment.bytes, [&](const Extent& extent, ByteRange packed) {
        round.own.push_back({{&extent, packed}, i});
      });
    }
  }
  return round;
}

bool Schedule::has_interleaved_sources() const {
  constexpr std::size_t few = 4096;  // with more extents, such as those of listed elements, each is short
  const std::span<const Extent> extents = mine_.extents();
  if (!of_others_.empty() || writers_.size() != 1 || writers_.front().writer() != rank_) return false;
  if (extents.size() < 2 || extents.size() > few || writers_.front().window_bytes() > cached_stage_bytes) return false;
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> sources;  // first and last address of each extent
  for (const Extent& extent : extents) {
    if (extent.encoder == nullptr) continue;
    const auto first = reinterpret_cast<std::uintptr_t>(extent.encoder->source_of(0));
    const auto last = reinterpret_cast<std::uintptr_t>(extent.encoder->source_of(extent.total_bytes() - 1));
    if (first != 0) sources.push_back(std::minmax(first, last));
  }
  std::ranges::sort(sources);
  const auto overlap = [](const auto& a, const auto& b) { return b.first <= a.second; };
  return std::ranges::adjacent_find(sources, overlap) != sources.end();
}

std::vector<std::int64_t> Schedule::rounds_by_source() const {
  if (!has_interleaved_sources()) return {};
  std::vector<std::pair<std::uintptr_t, std::int64_t>> rounds;
  for (auto number = next_round(0); number; number = next_round(*number + 1)) {
    const Round own = round(*number);
    const Part& first = own.own.front();
    const Encoder* const encoder = first.extent->encoder;
    const std::byte* const source = encoder == nullptr ? first.extent->memory : encoder->source_of(first.packed.offset);
    rounds.emplace_back(reinterpret_cast<std::uintptr_t>(source), *number);
  }
  std::ranges::sort(rounds);
  std::vector<std::int64_t> numbers(rounds.size());
  std::ranges::transform(rounds, numbers.begin(), &std::pair<std::uintptr_t, std::int64_t>::second);
  return numbers;
}

std::vector<Segment> Schedule::requests_of(const Round& round) const {
  std::vector<OwnedPlan> all{{&mine_, rank_}};
  all.insert(all.end(), of_others_.begin(), of_others_.end());
  std::vector<Segment> requests;
  for (const Segment& segment : round.segments) {
    const std::vector<ByteRange> wanted = operation_ == Operation::write
                                              ? written_within(segment.file, segment.bytes, all)
                                              : read_within(segment.file, segment.bytes, all);
    for (const ByteRange bytes : wanted) {
      requests.push_back({segment.file, bytes, segment.stage_offset_bytes + bytes.offset - segment.bytes.offset});
    }
  }
  return requests;
}

void Schedule::add_messages(int peer, const OrderedExtents& plan, const WriterWindows& windows, std::int64_t number,
                            Detail detail, std::vector<Message>& messages) const {
  const std::size_t first = messages.size();
  std::size_t place = 0;
  windows.for_each_segment(number, [&](const Segment& segment) {
    plan.for_each_within(segment.file, segment.bytes, [&](const Extent& extent, ByteRange packed) {
      // Cut by bytes, never by extents: the peer may divide the same bytes into other extents.
      while (!packed.empty()) {
        if (messages.size() == first || messages.back().bytes == max_message_bytes_) messages.push_back({peer, {}, 0});
        Message& message = messages.back();
        const std::int64_t length = std::min(packed.length, max_message_bytes_ - message.bytes);
        if (detail == Detail::parts) message.parts.push_back({{&extent, {packed.offset, length}}, place});
        message.bytes += length;
        packed = {packed.offset + length, packed.length - length};
      }
    });
    ++place;
  });
}

}  // namespace sill
