#include "sill/store/posix/mapped_window.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <csetjmp>
#include <csignal>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/store/posix/fetch.hpp"

namespace sill {
namespace {

constexpr std::int64_t window_bytes = 8 << 20;

// Touching a mapped page that the file no longer contains, or that the disk cannot deliver, raises SIGBUS in the thread
// that touched it. The handler jumps back to the copy in progress in that thread; any other SIGBUS goes to the previous
// handler. volatile: the compiler does not see that the handler reads the pointer while a copy runs.
thread_local sigjmp_buf* volatile copy_under_way = nullptr;
struct sigaction previous_action {};

void on_bus_error(int signal, siginfo_t* information, void* context) {
  if (copy_under_way != nullptr) siglongjmp(*copy_under_way, 1);
  if ((previous_action.sa_flags & SA_SIGINFO) != 0 && previous_action.sa_sigaction != nullptr) {
    previous_action.sa_sigaction(signal, information, context);
  } else if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
    previous_action.sa_handler(signal);
  } else {
    ::signal(signal, SIG_DFL);
    ::raise(signal);
  }
}

void install_bus_handler() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &previous_action);
  });
}

[[gnu::noinline]] void copy_parts(const std::byte* from, std::byte* to, const StridedRead& read, std::int64_t count) {
  const auto length = static_cast<std::size_t>(read.length_bytes);
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(to, from, length);
    to += length;
    from += read.stride_bytes;
  }
}

// Copies the items; returns false if a page was not available. The function is then left by a jump, so it must not own
// anything.
bool try_copy_parts(const std::byte* from, std::byte* to, const StridedRead& read, std::int64_t count) {
  sigjmp_buf here;
  if (sigsetjmp(here, 1) != 0) {
    copy_under_way = nullptr;
    return false;
  }
  copy_under_way = &here;
  copy_parts(from, to, read, count);
  copy_under_way = nullptr;
  return true;
}

// A lane and its mapped window.
struct MappedLane {
  LinkedLane* lane = nullptr;
  const std::byte* window = nullptr;
  std::int64_t window_byte = 0;  // of the file, where the window begins
  std::int64_t end_byte = 0;     // of the file, where the window ends
};

// Reads one item; returns true if the lane has more items in this window.
inline bool follow_one(const MappedLane& mapped, std::int64_t max_step_bytes) {
  LinkedLane& lane = *mapped.lane;
  LinkedRead& read = *lane.read;
  std::byte* const item = read.memory + read.items * read.length_bytes;
  std::memcpy(item, mapped.window + (lane.next_byte - mapped.window_byte), static_cast<std::size_t>(read.length_bytes));
  const std::int64_t step = read.distance(read.context, item);
  lane.next_byte += step;
  ++read.items;
  if (step > max_step_bytes || read.items >= read.max_items || lane.next_byte > mapped.end_byte - read.length_bytes)
    return false;
  __builtin_prefetch(mapped.window + (lane.next_byte - mapped.window_byte));
  return true;
}

[[gnu::noinline]] void follow_in_turns(MappedLane* lanes, std::size_t count, std::int64_t max_step_bytes) {
  while (count > 0) {
    for (std::size_t i = 0; i < count;) {
      if (follow_one(lanes[i], max_step_bytes)) {
        ++i;
      } else {
        lanes[i] = lanes[--count];
      }
    }
  }
}

// Follows the lanes; returns false if a page was not available. As for try_copy_parts, it must not own anything.
bool try_follow(MappedLane* lanes, std::size_t count, std::int64_t max_step_bytes) {
  sigjmp_buf here;
  if (sigsetjmp(here, 1) != 0) {
    copy_under_way = nullptr;
    return false;
  }
  copy_under_way = &here;
  follow_in_turns(lanes, count, max_step_bytes);
  copy_under_way = nullptr;
  return true;
}

Error shorter(const std::string& path, std::int64_t byte) {
  return Error({.code = ErrorCode::io,
                .problem = "the file ends before the requested bytes, or the disk failed to deliver them",
                .where = {.file = path, .byte = byte},
                .action = "another program may have truncated the file"});
}

}  // namespace

bool read_through_windows(int descriptor, const std::string& path, const StridedRead& read) {
  install_bus_handler();
  struct stat status {};
  const std::int64_t end = read.offset_bytes + (read.count - 1) * read.stride_bytes + read.length_bytes;
  if (::fstat(descriptor, &status) != 0) throw system_error(errno, "fstat", {.file = path});
  if (status.st_size < end) throw shorter(path, status.st_size);

  const std::int64_t page = sysconf(_SC_PAGESIZE);
  const std::int64_t items_per_window = std::max<std::int64_t>(1, window_bytes / read.stride_bytes);
  for (std::int64_t first = 0; first < read.count; first += items_per_window) {
    const std::int64_t count = std::min(items_per_window, read.count - first);
    const std::int64_t from = read.offset_bytes + first * read.stride_bytes;
    const std::int64_t to = from + (count - 1) * read.stride_bytes + read.length_bytes;
    const std::int64_t mapped_from = from / page * page;
    const auto mapped_bytes = static_cast<std::size_t>(to - mapped_from);
    void* window = ::mmap(nullptr, mapped_bytes, PROT_READ, MAP_SHARED, descriptor, mapped_from);
    if (window == MAP_FAILED) {
      if (first == 0) return false;
      throw system_error(errno, "mmap", {.file = path, .byte = mapped_from});
    }
    ::madvise(window, mapped_bytes, MADV_SEQUENTIAL);
    // Fetches the complete window at once: a page fault makes the system read only a little ahead.
    const ByteRange bytes{from, to - from};
    fetch_unless_cached(descriptor, {&bytes, 1});
    const bool copied = try_copy_parts(static_cast<const std::byte*>(window) + (from - mapped_from),
                                       read.memory + first * read.length_bytes, read, count);
    ::munmap(window, mapped_bytes);
    if (!copied) throw shorter(path, from);
  }
  return true;
}

bool follow_through_windows(int descriptor, const std::string& path, std::span<LinkedLane* const> lanes,
                            std::int64_t max_step_bytes) {
  install_bus_handler();
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw system_error(errno, "fstat", {.file = path});
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  // Unmaps the windows however the function ends.
  struct Windows {
    std::array<std::pair<void*, std::size_t>, max_linked_lanes> mapped;
    std::size_t count = 0;
    ~Windows() {
      while (count > 0) {
        --count;
        ::munmap(mapped[count].first, mapped[count].second);
      }
    }
  } windows;
  std::array<MappedLane, max_linked_lanes> in_turns;
  std::size_t count = 0;
  for (LinkedLane* const next : lanes) {
    LinkedLane& lane = *next;
    if (status.st_size < lane.read->end_byte) throw shorter(path, status.st_size);
    const std::int64_t from = lane.next_byte / page * page;
    const std::int64_t to = std::min(lane.read->end_byte, from + window_bytes);
    if (lane.next_byte > to - lane.read->length_bytes) return false;  // an item as long as a window
    const auto bytes = static_cast<std::size_t>(to - from);
    void* const window = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, from);
    if (window == MAP_FAILED) return false;
    windows.mapped[windows.count++] = {window, bytes};
    ::madvise(window, bytes, MADV_SEQUENTIAL);
    in_turns[count++] = {&lane, static_cast<const std::byte*>(window), from, to};
  }
  const std::int64_t first_byte = lanes.empty() ? 0 : lanes.front()->next_byte;
  if (!try_follow(in_turns.data(), count, max_step_bytes)) throw shorter(path, first_byte);
  return true;
}

}  // namespace sill
