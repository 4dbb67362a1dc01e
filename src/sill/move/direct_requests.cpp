#include "sill/move/direct_requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/plan/part.hpp"
#include "sill/plan/rows.hpp"

namespace sill {
namespace {

// The size of a thread's task if requests go directly from memory.
constexpr std::int64_t direct_task_bytes = 8 << 20;

// The minimum length of runs for which a separate request costs little more than the transfer of its bytes.
constexpr std::int64_t long_request_bytes = 4096;

// Returns true if requests directly from memory are as few and as long as requests from a stage: each extent is
// contiguous or has long runs, and extents do not interleave like the fields of a record.
bool suit_direct_requests(const AccessPlan& plan) {
  int file = -1;
  std::int64_t reach = 0;
  return std::all_of(plan.extents().begin(), plan.extents().end(), [&](const Extent& extent) {
    if (extent.file != std::exchange(file, extent.file)) reach = 0;
    const bool apart = extent.offset_bytes >= reach;
    reach = std::max(reach, extent.bounding_range().end());
    return apart && (extent.steps.empty() || extent.run_bytes >= long_request_bytes);
  });
}

// Returns the tasks of threads. A task consists of consecutive extents of one file.
std::vector<std::span<const Extent>> direct_tasks(const AccessPlan& plan, std::span<const AccessSummary> together,
                                                  int threads) {
  std::vector<std::span<const Extent>> tasks;
  for (const int file : plan.files()) {
    if (touches(together, file)) continue;
    const std::span<const Extent> extents = plan.of_file(file);
    std::size_t begin = 0;
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      bytes += extents[i].total_bytes();
      if (i + 1 < extents.size() && (threads == 1 || bytes < direct_task_bytes)) continue;
      tasks.push_back(extents.subspan(begin, i + 1 - begin));
      begin = i + 1;
      bytes = 0;
    }
  }
  return tasks;
}

}  // namespace

bool touches(std::span<const AccessSummary> summaries, int file) {
  const auto found = std::ranges::lower_bound(summaries, file, {}, &AccessSummary::file);
  return found != summaries.end() && found->file == file;
}

bool is_short_run(const AccessPlan& plan) {
  const std::span<const Extent> extents = plan.extents();
  return extents.empty() ||
         (extents.size() == 1 && extents[0].steps.empty() && extents[0].run_bytes < long_request_bytes);
}

bool is_direct(const Decision& decision, const AccessPlan& mine, bool stay, bool is_of_rank) {
  if (decision.exchanges || std::ranges::any_of(mine.extents(), &Extent::has_code)) return false;
  const bool has_stage = decision.policy.stage_bytes > 0 || decision.policy.writers != Policy::Writers::all;
  if ((has_stage || !stay) && !is_short_run(mine)) return false;
  return decision.policy.call != Policy::Call::mpiio_collective || is_of_rank || suit_direct_requests(mine);
}

void perform_direct(const RoundTools& tools, Operation operation, const AccessPlan& mine,
                    std::span<const AccessSummary> together, RequestBatch& requests, bool here) {
  const auto perform = [&handles = tools.handles, operation](std::span<const Extent> extents) {
    const int file = extents.front().file;
    handles.get(file)->submit_extents(operation, extents);
    if (operation == Operation::write) handles.set_written(file);
  };
  std::vector<std::span<const Extent>> tasks = direct_tasks(mine, together, tools.threads);
  if (here) {
    requests.perform([&] {
      parallel_for(tools.threads, static_cast<std::int64_t>(tasks.size()),
                   [&](std::int64_t task, int) { perform(tasks[static_cast<std::size_t>(task)]); });
    });
  } else {
    for (const std::span<const Extent> task : tasks)
      requests.start(tools.background, [perform, task] { perform(task); });
  }
}

void require_memory(Operation operation, const AccessPlan& plan) {
  const bool writes = operation == Operation::write;
  for (const Extent& extent : plan.extents()) {
    const bool has_code = writes ? extent.encoder != nullptr : extent.decoder != nullptr;
    if (extent.memory != nullptr || has_code) continue;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("an extent of file {} has neither memory nor {}: offset {}, runs of {} bytes",
                                        extent.file, writes ? "an encoder" : "a decoder", extent.offset_bytes,
                                        extent.run_bytes)});
  }
}

void write_packed(Store& store, const Extent& extent) {
  constexpr std::int64_t buffer_bytes = 256 << 10;  // stays in a core's cache
  std::vector<std::byte> packed;
  const std::int64_t total = extent.total_bytes();
  for (std::int64_t at = 0; at < total; at += buffer_bytes) {
    const ByteRange part{at, std::min(buffer_bytes, total - at)};
    packed.resize(static_cast<std::size_t>(part.length));
    pack({&extent, part}, packed);
    for_each_row(extent, part, [&](const Row& row) {
      for (std::int64_t i = 0; i < row.count; ++i) {
        write_at(store, row.file_offset_bytes + i * row.file_stride_bytes,
                 std::span(packed).subspan(static_cast<std::size_t>(row.packed_offset_bytes - at + i * row.run_bytes),
                                           static_cast<std::size_t>(row.run_bytes)));
      }
    });
  }
}

}  // namespace sill
