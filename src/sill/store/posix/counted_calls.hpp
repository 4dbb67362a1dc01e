// The system's counters of a process's own reads and writes.
#pragma once

#include <cstdint>
#include <optional>

namespace sill {

/// Calls of this process since it began, on files and on all other descriptors.
struct CountedCalls {
  std::int64_t reads = 0;   ///< calls of read(2), pread(2), readv(2) and preadv(2)
  std::int64_t writes = 0;  ///< calls of write(2), pwrite(2), writev(2) and pwritev(2)
  std::int64_t written_bytes = 0;
};

/// Local. Returns the calls of this process, of all threads together (/proc/self/io: syscr, syscw and wchar of
/// proc(5)); nullopt if the system does not count them. The query itself makes a few reads, which the next query
/// counts.
[[nodiscard]] std::optional<CountedCalls> counted_calls();
/// Local. Returns the counters, as counted_calls does. Errors: io if the system does not count the calls.
[[nodiscard]] CountedCalls required_counted_calls();

}  // namespace sill
