#include "sill/survey/sort/sort_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/permute/permutation.hpp"
#include "sill/permute/push.hpp"

namespace sill {
namespace {

constexpr std::int64_t free_bytes_per_trace = 32;

// When the final order is known, Sill stores two numbers per trace: its number and its position in the file of runs.
// If traces differ in length, Sill stores its number, its position in the output and, because a trace may be a chunk of
// its own, the first number of the chunk.
constexpr std::int64_t bytes_per_place = 16;
constexpr std::int64_t bytes_per_place_of_many_lengths = 24;

}  // namespace

SortMemory::SortMemory(const Resources& resources, const SurveyReader& reader, std::int64_t record_bytes,
                       bool sorts_twice)
    : resources_(resources),
      reader_(reader),
      record_bytes_(record_bytes),
      sorts_twice_(sorts_twice),
      all_bytes_(reader.bytes_of({0, reader.traces()})),
      longest_bytes_(reader.longest_trace_bytes()) {}

std::int64_t SortMemory::mean_bytes() const {
  return (all_bytes_ + reader_.traces() - 1) / std::max<std::int64_t>(1, reader_.traces());
}

std::int64_t SortMemory::traces_per_rank() const {
  return (reader_.traces() + resources_.comm.size() - 1) / resources_.comm.size();
}

std::int64_t SortMemory::free_bytes() const {
  return std::min(free_bytes_per_trace * traces_per_rank(), resources_.memory_beside_buffers());
}

// Returns the memory limit minus the part of `bytes_per_trace` * `traces` that exceeds the free bytes.
std::int64_t SortMemory::beside(std::int64_t bytes_per_trace, std::int64_t traces) const {
  return resources_.memory() - std::max<std::int64_t>(0, bytes_per_trace * traces - free_bytes());
}

std::int64_t SortMemory::for_buffers() const {
  return beside(reader_.is_uniform() ? bytes_per_place : bytes_per_place_of_many_lengths, traces_per_rank());
}

void SortMemory::require_for_keys() const {
  const std::int64_t room = beside((sorts_twice_ ? 2 : 1) * record_bytes_, traces_per_rank());
  run_and_agree(resources_.comm, [&] {
    if (room >= 0) return;
    // More memory for buffers would leave less free memory.
    if (free_bytes() < free_bytes_per_trace * traces_per_rank())
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("the keys of {} traces need {} bytes more than a rank may use under the "
                                          "memory limit of this machine or group of processes",
                                          reader_.traces(), -room),
                   .action = "raise the limit, use ranks on more nodes, or name fewer or shorter keys"});
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("the keys of {} traces need {} bytes more than the memory of a rank",
                                        reader_.traces(), -room),
                 .action = fmt::format("give at least --memory {}, use more ranks, or name fewer or shorter keys",
                                       resources_.memory() - room)});
  });
}

void SortMemory::require_for_traces(PermutationMethod method) const {
  const std::int64_t of_gather = longest_bytes_ + overhead_bytes_per_item;
  const std::int64_t of_method = method == PermutationMethod::scatter
                                     ? divide_scatter_memory(0, longest_bytes_, resources_.comm.size(), 1, 0).min_bytes
                                     : of_gather;
  const std::int64_t min = of_method * parts();
  std::int64_t room = for_buffers();
  if (method == PermutationMethod::buckets) room = std::min(room, for_buffers_beside_keys());
  run_and_agree(resources_.comm, [&] {
    if (room >= min) return;
    throw Error(
        {.code = ErrorCode::usage,
         .problem = fmt::format(
             "{} bytes of memory in addition to the keys are not enough for a {} of traces of {}{} bytes",
             std::max<std::int64_t>(0, room), name_of(method), reader_.is_uniform() ? "" : "up to ", longest_bytes_),
         .action = fmt::format("give at least --memory {}", resources_.memory() + min - room)});
  });
}

}  // namespace sill
