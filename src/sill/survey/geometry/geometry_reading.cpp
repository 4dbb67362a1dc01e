#include "sill/survey/geometry/geometry_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <span>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/store/ranged/ranged_source.hpp"

namespace sill {
namespace {

constexpr std::int64_t looks = 256;
constexpr std::int64_t traces_per_look = 16;

// Returns the beginning of group `i`: a pseudo-random position in its section of the traces, so that regular patterns
// in a survey are not missed.
std::int64_t look_begins(std::int64_t i, std::int64_t traces) {
  const ItemRange part = block_of(traces, looks, i);
  // One step of a linear congruential generator (Knuth's MMIX), whose high bits are good.
  const std::uint64_t drawn = (static_cast<std::uint64_t>(i) * 6364136223846793005ULL + 1442695040888963407ULL) >> 33U;
  return part.first + static_cast<std::int64_t>(drawn % static_cast<std::uint64_t>(part.count - traces_per_look + 1));
}

/// The evidence of a rank's traces so far: blocks, by first trace, that are joined when they are adjacent.
class Joined {
 public:
  void add(std::int64_t first, const HeaderEvidence& evidence) {
    const std::lock_guard lock(mutex_);
    auto at = parts_.emplace(first, evidence).first;
    if (at != parts_.begin()) {
      const auto before = std::prev(at);
      if (before->first + seen(before->second) == first) {
        before->second.append(at->second);
        parts_.erase(at);
        at = before;
      }
    }
    const auto after = std::next(at);
    if (after != parts_.end() && at->first + seen(at->second) == after->first) {
      at->second.append(after->second);
      parts_.erase(after);
    }
  }

  // Precondition: all blocks were added.
  [[nodiscard]] HeaderEvidence whole() const { return parts_.empty() ? HeaderEvidence{} : parts_.begin()->second; }

 private:
  static std::int64_t seen(const HeaderEvidence& evidence) { return evidence.traces() + evidence.auxiliary(); }

  std::mutex mutex_;
  std::map<std::int64_t, HeaderEvidence> parts_;
};

bool looks_at_all(std::int64_t traces) { return traces <= looks * traces_per_look; }

// Collective. Visits bytes `part` of the headers of this rank's share of the sampled traces, in order.
template <class Visit>
void look_at_some(const Resources& resources, const SurveyReader& reader, ByteRange part, Visit&& visit) {
  Communicator& comm = resources.comm;
  const std::int64_t traces = reader.traces();
  const bool all = looks_at_all(traces);
  const ItemRange mine = block_of(all ? traces : looks, comm.size(), comm.rank());
  run_and_agree(comm, [&] {
    const auto look = [&](ItemRange some) {
      if (some.empty()) return;
      reader.scan_headers(some, part, 1, [&](const HeaderBlock& block, int /*thread*/) {
        for (std::int64_t i = 0; i < block.count; ++i) visit(block.header(i), block.byte_order);
      });
    };
    if (all) {
      look(mine);
    } else {
      if (std::ranges::any_of(reader.paths(), is_url)) {
        std::vector<std::int64_t> traces_of_looks;
        for (std::int64_t i = mine.first; i < mine.end(); ++i)
          for (std::int64_t k = 0; k < traces_per_look; ++k) traces_of_looks.push_back(look_begins(i, traces) + k);
        reader.will_need_headers(traces_of_looks);
      }
      for (std::int64_t i = mine.first; i < mine.end(); ++i) look({look_begins(i, traces), traces_per_look});
    }
  });
}

void require_room(const Resources& resources, std::int64_t traces, std::size_t columns) {
  // The stored words of a trace, 16 bytes for the column being sorted, and the auxiliary flag.
  const std::int64_t needed = traces * (4 * static_cast<std::int64_t>(columns) + 17);
  const std::int64_t there = resources.memory() + resources.memory_beside_buffers();
  if (needed <= there) return;
  throw Error(
      {.code = ErrorCode::usage,
       .problem = fmt::format("the geometry of {} traces per rank needs {} bytes of memory, but a rank may use {}",
                              traces, needed, there),
       .action = "raise the memory limit, or use ranks on more nodes"});
}

}  // namespace

std::vector<LookedAt> look_at_traces(const Resources& resources, const SurveyReader& reader, const RowReader& rows) {
  std::vector<LookedAt> looked;
  look_at_some(resources, reader, rows.needed_bytes(), [&](const std::byte* header, ByteOrder order) {
    if (!rows.is_auxiliary(header, order)) looked.push_back({rows.words(header, order), rows.points(header, order)});
  });
  return all_gather_all(resources.comm, std::span<const LookedAt>(looked));
}

std::vector<std::byte> look_at_headers(const Resources& resources, const SurveyReader& reader) {
  std::vector<std::byte> headers;
  look_at_some(resources, reader, {0, segy::trace_header_bytes}, [&](const std::byte* header, ByteOrder /*order*/) {
    headers.insert(headers.end(), header, header + segy::trace_header_bytes);
  });
  return all_gather_all(resources.comm, std::span<const std::byte>(headers));
}

std::int64_t consecutive_traces(std::int64_t traces) { return looks_at_all(traces) ? traces : traces_per_look; }

std::vector<std::int32_t>& GeometryColumns::of(GeometryWord word) {
  const auto at = std::find(plan.held.begin(), plan.held.end(), word);
  return held[static_cast<std::size_t>(at - plan.held.begin())];
}

GeometryColumns read_columns(const Resources& resources, const SurveyReader& reader, const RowReader& rows,
                             const GeometryPlan& plan, const ExpectedPositions* expected) {
  Communicator& comm = resources.comm;
  const ItemRange mine = block_of(reader.traces(), comm.size(), comm.rank());
  GeometryColumns columns;
  columns.plan = plan;
  Joined joined;
  resources.begin_stage("reading headers", mine.count * rows.needed_bytes().length);
  run_and_agree(comm, [&] {
    require_room(resources, mine.count, plan.held.size());
    columns.held.resize(plan.held.size());
    for (auto& column : columns.held) column.resize(static_cast<std::size_t>(mine.count));
    std::vector<std::uint8_t> is_auxiliary(static_cast<std::size_t>(mine.count));
    if (mine.empty()) return;
    reader.scan_headers(mine, rows.needed_bytes(), resources.threads(), [&](const HeaderBlock& block, int /*thread*/) {
      HeaderEvidence evidence;
      for (std::int64_t i = 0; i < block.count; ++i) {
        const auto at = static_cast<std::size_t>(block.first_trace + i - mine.first);
        if (rows.is_auxiliary(block.header(i), block.byte_order)) {
          evidence.add_auxiliary();
          is_auxiliary[at] = 1;
          continue;
        }
        GeometryRow row = rows.words(block.header(i), block.byte_order);
        const TruePoint position = rows.position(block.header(i), block.byte_order, plan.positions);
        row.x = position.x;
        row.y = position.y;
        evidence.add(row, block.first_trace + i, expected);
        for (std::size_t c = 0; c < plan.held.size(); ++c) columns.held[c][at] = row[plan.held[c]];
      }
      joined.add(block.first_trace, evidence);
    });
    if (joined.whole().auxiliary() == 0) return;
    for (auto& column : columns.held) {
      std::size_t kept = 0;
      for (std::size_t i = 0; i < column.size(); ++i)
        if (is_auxiliary[i] == 0) column[kept++] = column[i];
      column.resize(kept);
    }
  });
  for (const HeaderEvidence& evidence : all_gather(comm, joined.whole())) columns.evidence.append(evidence);
  return columns;
}

}  // namespace sill
