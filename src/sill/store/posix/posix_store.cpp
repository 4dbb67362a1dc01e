#include "sill/store/posix/posix_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/store/part/part_name.hpp"
#include "sill/store/posix/fetch.hpp"
#include "sill/store/posix/folder.hpp"
#include "sill/store/posix/mapped_window.hpp"
#include "sill/store/posix/stale_pages.hpp"
#include "sill/store/posix/unnamed_file.hpp"
#include "sill/store/ranged/ranged_source.hpp"

namespace sill {
namespace {

constexpr std::size_t pieces_per_call = 1024;  // IOV_MAX of Linux
constexpr std::size_t largest_call_bytes = (std::size_t{1} << 30U) - 4096;

// Items closer than this are read through a mapped window: the system then maps many of their pages per fault, whereas
// one call per item costs 0.4 us. With larger strides, most pages of a window would not be needed.
constexpr std::int64_t max_mapped_stride_bytes = 64 * 1024;
// Fewer items are read faster by calls than by mapping and unmapping a window.
constexpr std::int64_t min_mapped_items = 32;

// The pieces still to be moved, split to the limits of one call.
class PieceQueue {
 public:
  explicit PieceQueue(std::span<const iovec> pieces) : left_(pieces) {}

  [[nodiscard]] bool empty() {
    while (!left_.empty() && done_of_first_ == left_.front().iov_len) advance();
    return left_.empty();
  }

  [[nodiscard]] std::span<const iovec> next_call() {
    std::size_t count = 0;
    std::size_t bytes = 0;
    std::size_t skip = done_of_first_;
    for (const iovec& piece : left_) {
      if (count == pieces_per_call || bytes == largest_call_bytes) break;
      const std::size_t length = std::min(piece.iov_len - skip, largest_call_bytes - bytes);
      call_[count++] = {static_cast<std::byte*>(piece.iov_base) + skip, length};
      bytes += length;
      skip = 0;
    }
    return {call_.data(), count};
  }

  void moved(std::size_t bytes) {
    while (bytes > 0) {
      const std::size_t step = std::min(bytes, left_.front().iov_len - done_of_first_);
      done_of_first_ += step;
      bytes -= step;
      if (done_of_first_ == left_.front().iov_len) advance();
    }
  }

 private:
  void advance() {
    left_ = left_.subspan(1);
    done_of_first_ = 0;
  }

  std::span<const iovec> left_;
  std::size_t done_of_first_ = 0;
  std::array<iovec, pieces_per_call> call_;
};

class PosixStore final : public Store {
 public:
  PosixStore(std::string path, int descriptor, bool has_name)
      : path_(std::move(path)), descriptor_(descriptor), has_name_(has_name) {}
  PosixStore(const PosixStore&) = delete;
  PosixStore& operator=(const PosixStore&) = delete;
  ~PosixStore() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  [[nodiscard]] const std::string& name() const override { return path_; }

  void submit(std::span<const Request> requests) override {
    for (const Request& request : requests) move(request);
  }

  void submit_strided(const StridedRead& read) override {
    if (read.stride_bytes <= max_mapped_stride_bytes && read.count >= min_mapped_items) {
      if (read_through_windows(descriptor_, path_, read)) return;
    }
    for (std::int64_t i = 0; i < read.count; ++i) {
      read_at(*this, read.offset_bytes + i * read.stride_bytes,
              {read.memory + i * read.length_bytes, static_cast<std::size_t>(read.length_bytes)});
    }
  }

  void submit_linked(std::span<LinkedRead> reads) override {
    for (; reads.size() > max_linked_lanes; reads = reads.subspan(max_linked_lanes))
      follow(reads.first(max_linked_lanes));
    follow(reads);
  }
  [[nodiscard]] bool follows_links() const override { return true; }

  [[nodiscard]] std::int64_t size_bytes() override {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) throw system_error(errno, "fstat", {.file = path_});
    return status.st_size;
  }

  void allocate(std::int64_t size_bytes) override {
    int result = 0;
    do {
      result = size_bytes > 0 ? ::fallocate(descriptor_, 0, 0, size_bytes) : 0;
    } while (result != 0 && errno == EINTR);
    if (result != 0 && errno != EOPNOTSUPP && errno != ENOSYS) {
      throw system_error(errno, fmt::format("reserving {} bytes", size_bytes), {.file = path_});
    }
    if (::ftruncate(descriptor_, size_bytes) != 0) {
      throw system_error(errno, fmt::format("setting the size to {} bytes", size_bytes), {.file = path_});
    }
  }

  void punch_hole(ByteRange bytes) override {
    // Complete blocks only, so that no byte outside the range is touched. If the file system cannot punch holes, the
    // space stays allocated.
    constexpr std::int64_t block_bytes = 4096;
    const std::int64_t first = (bytes.offset + block_bytes - 1) / block_bytes * block_bytes;
    const std::int64_t end = bytes.end() / block_bytes * block_bytes;
    if (end > first) (void)::fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, first, end - first);
  }

  void drop_cache(ByteRange bytes) override {
    (void)::posix_fadvise(descriptor_, bytes.offset, bytes.length, POSIX_FADV_DONTNEED);
  }

  void will_need(std::span<const ByteRange> ranges) override { fetch_unless_cached(descriptor_, ranges); }

  void sync() override {
    if (::fsync(descriptor_) != 0) throw system_error(errno, "fsync", {.file = path_});
  }

  void close() override {
    if (looked_ms_ >= 0) require_name();
    if (::close(std::exchange(descriptor_, -1)) != 0) throw system_error(errno, "close", {.file = path_});
  }

 private:
  // Lanes with near items use windows. After a window, and after each far item, one call reads the next item and its
  // length.
  void follow(std::span<LinkedRead> reads) {
    std::array<LinkedLane*, max_linked_lanes> near{};
    std::array<LinkedLane, max_linked_lanes> lanes;
    std::array<bool, max_linked_lanes> is_near{};
    bool can_map = true;
    for (std::size_t i = 0; i < reads.size(); ++i) {
      reads[i].items = 0;
      lanes[i] = {&reads[i], reads[i].offset_bytes};
      is_near[i] = true;
    }
    for (bool goes_on = true; goes_on;) {
      std::size_t count = 0;
      for (std::size_t i = 0; i < reads.size(); ++i) {
        if (can_map && is_near[i] && lanes[i].goes_on()) near[count++] = &lanes[i];
      }
      if (count > 0)
        can_map = follow_through_windows(descriptor_, path_, {near.data(), count}, max_mapped_stride_bytes);
      goes_on = false;
      for (std::size_t i = 0; i < reads.size(); ++i) {
        if (!lanes[i].goes_on()) continue;
        goes_on = true;
        is_near[i] = read_one(lanes[i]) <= max_mapped_stride_bytes;
      }
    }
  }

  // Reads one item; returns its length.
  std::int64_t read_one(LinkedLane& lane) {
    LinkedRead& read = *lane.read;
    std::byte* const item = read.memory + read.items * read.length_bytes;
    read_at(*this, lane.next_byte, {item, static_cast<std::size_t>(read.length_bytes)});
    const std::int64_t step = read.distance(read.context, item);
    lane.next_byte += step;
    ++read.items;
    return step;
  }

  void move(const Request& request) {
    const bool reading = request.operation == Operation::read;
    std::int64_t at = request.offset_bytes;
    PieceQueue queue(request.memory);
    while (!queue.empty()) {
      const std::span<const iovec> call = queue.next_call();
      const ssize_t moved = moved_by_one_call(reading, call, at);
      if (moved < 0) {
        if (errno == EINTR) continue;
        throw system_error(errno, reading ? "reading" : "writing", {.file = path_, .byte = at});
      }
      if (moved == 0) {
        throw Error({.code = ErrorCode::io,
                     .problem = reading ? "the file ends before the requested bytes"
                                        : "the system wrote nothing and gave no reason",
                     .where = {.file = path_, .byte = at},
                     .action = reading ? "another program may have truncated the file" : ""});
      }
      queue.moved(static_cast<std::size_t>(moved));
      at += moved;
    }
    if (!reading) look_now_and_then();
  }

  // Tests about once per second that the file still has a name. The system does not report that a file was removed, and
  // all bytes then written to it are lost.
  void look_now_and_then() {
    if (!has_name_) return;
    constexpr std::int64_t between_looks_ms = 1000;
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &now);  // for each write: costs nanoseconds, is exact to milliseconds
    const std::int64_t now_ms = std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
    const std::int64_t before_ms = looked_ms_.load(std::memory_order_relaxed);
    if (before_ms >= 0 && now_ms - before_ms < between_looks_ms) return;
    looked_ms_.store(now_ms, std::memory_order_relaxed);
    if (before_ms >= 0) require_name();
  }

  void require_name() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) throw system_error(errno, "fstat", {.file = path_});
    if (status.st_nlink > 0) return;
    throw Error({.code = ErrorCode::io,
                 .problem = "the file was removed while it was written, and its data are lost",
                 .where = {.file = path_},
                 .action = "do not move or remove the files of a run before it has ended"});
  }

  // Moves one piece without a list: for a list of pieces the system first copies the list.
  [[nodiscard]] ssize_t moved_by_one_call(bool reading, std::span<const iovec> call, std::int64_t at) const {
    if (call.size() == 1) {
      const iovec& piece = call.front();
      return reading ? ::pread(descriptor_, piece.iov_base, piece.iov_len, at)
                     : ::pwrite(descriptor_, piece.iov_base, piece.iov_len, at);
    }
    const int count = static_cast<int>(call.size());
    return reading ? ::preadv(descriptor_, call.data(), count, at) : ::pwritev(descriptor_, call.data(), count, at);
  }

  std::string path_;
  int descriptor_;
  bool has_name_;
  std::atomic<std::int64_t> looked_ms_{-1};  // last time the file was seen to have a name; -1: nothing was written
};

int flags_of(OpenMode mode) {
  switch (mode) {
    case OpenMode::read: return O_RDONLY | O_CLOEXEC;
    case OpenMode::write: return O_RDWR | O_CLOEXEC;
    case OpenMode::create: return O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
    case OpenMode::write_or_create: return O_RDWR | O_CREAT | O_CLOEXEC;
  }
  return O_RDONLY;
}

struct stat require_regular(int descriptor, const std::string& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw system_error(errno, "fstat", {.file = path});
  if (S_ISDIR(status.st_mode)) throw system_error(EISDIR, "opening", {.file = path});
  if (!S_ISREG(status.st_mode)) {
    throw Error({.code = ErrorCode::io,
                 .problem = "not a regular file",
                 .where = {.file = path},
                 .action = "name a file on disk; pipes and devices cannot be read at arbitrary positions"});
  }
  return status;
}

}  // namespace

void refuse_unseen_part(const std::string& path) {
  throw Error({.code = ErrorCode::io,
               .problem =
                   "this rank does not find the unfinished file of this output: it was removed, or the ranks see "
                   "different folders under its path",
               .where = {.file = target_of_part(path)},
               .action = "start all ranks in one folder, or name the output by its absolute path; its folder must be "
                         "the same on all nodes",
               .system_error_number = ENOENT});
}

std::unique_ptr<Store> open_posix(const std::string& path, OpenMode mode) {
  const std::string shown_path = target_of_part(path);
  const bool is_written_part = mode == OpenMode::write && shown_path != path;
  // O_NONBLOCK: opening a pipe without a writer must not wait forever; it has no effect on regular files.
  const int flags = flags_of(mode) | O_NONBLOCK | (is_written_part ? O_NOFOLLOW : 0);
  const int descriptor = ::open(path.c_str(), flags, 0666);
  if (descriptor < 0) {
    const int reason = errno;
    if (reason == ENOENT && is_written_part) refuse_unseen_part(path);
    if (reason == ENOENT && is_url(path))
      throw Error({.code = ErrorCode::usage,
                   .problem = "URLs cannot be opened here",
                   .where = {.file = path},
                   .action = "copy the file to a file system; in Python, sill.open reads surveys from URLs"});
    if (reason == ENOENT) refuse_dangling_link(path);
    throw system_error(reason, "opening", {.file = path});
  }
  auto store = std::make_unique<PosixStore>(mode == OpenMode::read ? path : shown_path, descriptor,
                                            !unnamed_file_at(path).has_value());
  // The shared lock protects a part file that is being read, for example to rescue it, from removal as a leftover.
  if (mode == OpenMode::read && shown_path != path) (void)::flock(descriptor, LOCK_SH | LOCK_NB);
  drop_stale_pages(descriptor, require_regular(descriptor, path).st_dev);
  return store;
}

std::unique_ptr<Store> open_stored_beside(const std::string& path, std::int64_t& owner) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
  if (descriptor < 0) {
    if (errno != ELOOP) throw system_error(errno, "opening", {.file = path});
    throw Error({.code = ErrorCode::io,
                 .problem = "this is a symbolic link, which is not followed here",
                 .where = {.file = path},
                 .action = "remove it",
                 .system_error_number = ELOOP});
  }
  auto store = std::make_unique<PosixStore>(path, descriptor, true);
  owner = static_cast<std::int64_t>(require_regular(descriptor, path).st_uid);
  return store;
}

}  // namespace sill
