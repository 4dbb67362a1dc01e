#include "sill/store/burst/burst_files.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"

namespace sill {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t ns_since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
}

// Requests to files begin and end at multiples of it, where what is written goes on there.
constexpr std::int64_t request_bytes = 8 << 20;

// Bytes of a file, and which segment has them.
struct Piece {
  const BurstSegment* segment = nullptr;
  std::int64_t log_byte = 0;
  std::int64_t offset_bytes = 0;
  std::int64_t length = 0;

  [[nodiscard]] std::int64_t end() const { return offset_bytes + length; }
  // From byte `begin` of the file on, at most to `end`.
  [[nodiscard]] Piece part(std::int64_t begin, std::int64_t end_byte) const {
    return {segment, log_byte + begin - offset_bytes, begin, std::min(end(), end_byte) - begin};
  }
};

// Pieces of a file that do not overlap, by their offsets.
class LatestPieces {
 public:
  // Takes the place of what earlier pieces have there.
  void add(const Piece& latest) {
    if (latest.length == 0) return;
    auto next = pieces_.lower_bound(latest.offset_bytes);
    if (next != pieces_.begin()) {
      Piece& before = std::prev(next)->second;
      if (before.end() > latest.end()) put(before.part(latest.end(), before.end()));
      before.length = std::min(before.length, latest.offset_bytes - before.offset_bytes);
    }
    while (next != pieces_.end() && next->first < latest.end()) {
      if (next->second.end() > latest.end()) put(next->second.part(latest.end(), next->second.end()));
      next = pieces_.erase(next);
    }
    put(latest);
  }
  [[nodiscard]] const std::map<std::int64_t, Piece>& all() const { return pieces_; }

 private:
  void put(const Piece& piece) { pieces_.insert_or_assign(piece.offset_bytes, piece); }

  std::map<std::int64_t, Piece> pieces_;
};

// Neighbouring pieces that one request writes.
struct Stretch {
  int file = 0;
  std::vector<Piece> pieces;
};

std::vector<Stretch> stretches_of(int file, const LatestPieces& latest) {
  std::vector<Stretch> stretches;
  std::int64_t reach = -1;
  for (const auto& [offset, whole] : latest.all()) {
    for (std::int64_t at = offset; at < whole.end();) {
      const Piece piece = whole.part(at, at - at % request_bytes + request_bytes);
      if (at != reach || at % request_bytes == 0) stretches.push_back({file, {}});
      stretches.back().pieces.push_back(piece);
      at = reach = piece.end();
    }
  }
  return stretches;
}

}  // namespace

// A file of which only writes are wanted, and those go to a log.
class LoggedStore final : public Store {
 public:
  LoggedStore(BurstFiles& files, int file) : files_(files), file_(file) {}

  [[nodiscard]] const std::string& name() const override { return files_.paths_[static_cast<std::size_t>(file_)]; }
  void submit(std::span<const Request> requests) override { files_.append(file_, requests); }
  void submit_strided(const StridedRead& /*read*/) override { refuse(); }
  [[nodiscard]] std::int64_t size_bytes() override { refuse(); }
  void allocate(std::int64_t /*size_bytes*/) override { refuse(); }
  void punch_hole(ByteRange /*bytes*/) override { refuse(); }
  void sync() override { refuse(); }
  void close() override {}

 private:
  [[noreturn]] void refuse() const {
    throw Error({.code = ErrorCode::usage,
                 .problem = "a file that is written through a log can only be written",
                 .where = {.file = name()}});
  }

  BurstFiles& files_;
  int file_;
};

BurstFiles::BurstFiles(std::shared_ptr<BurstLog> log, HandleCache& files, const std::vector<std::string>& paths)
    : log_(std::move(log)),
      files_(files),
      paths_(paths),
      handles_([this](const std::string& path,
                      OpenMode /*mode*/) { return std::make_unique<LoggedStore>(*this, numbers_.at(path)); },
               paths, OpenMode::write) {
  for (std::size_t i = 0; i < paths.size(); ++i) numbers_.emplace(paths[i], static_cast<int>(i));
}

BurstFiles::~BurstFiles() {
  if (current_) log_->end(std::move(current_));
  for (std::unique_ptr<BurstSegment>& each : ended_) log_->end(std::move(each));
}

bool BurstFiles::try_append(int file, std::span<const Request> requests) {
  if (!log_->is_fast()) return false;
  const std::shared_lock lock(appending_);
  const Clock::time_point begin = Clock::now();
  const std::optional<Error> refused = attempt([&] {
    BurstSegment* segment = nullptr;
    {
      const std::lock_guard of_current(mutex_);
      if (!current_) current_ = log_->begin();
      segment = current_.get();
    }
    segment->append(file, paths_[static_cast<std::size_t>(file)], requests);
  });
  if (refused) return false;
  std::int64_t bytes = 0;
  for (const Request& request : requests) bytes += length_of(request);
  log_->count_appended(bytes, ns_since(begin));
  return true;
}

void BurstFiles::append(int file, std::span<const Request> requests) {
  if (try_append(file, requests)) return;
  end_call();
  drain(1);
  for (const Request& request : requests) log_->count_refused(length_of(request));
  files_.get(file)->submit(requests);
  files_.written(file);
  log_->touch();
}

void BurstFiles::end_call() {
  const std::lock_guard all(appending_);
  const std::lock_guard lock(mutex_);
  if (!current_) return;
  // A log that says nothing of it costs what a killed process had on its way, and no more.
  (void)attempt([&] { current_->seal(); });
  ended_.push_back(std::move(current_));
}

void BurstFiles::drain(int threads) {
  const std::lock_guard alone(draining_);
  if (failure_) throw Error(*failure_);
  std::vector<std::unique_ptr<BurstSegment>> segments;
  {
    const std::lock_guard lock(mutex_);
    segments.swap(ended_);
  }
  failure_ = attempt([&] { bring(segments, threads); });
  for (std::unique_ptr<BurstSegment>& each : segments) log_->end(std::move(each));
  if (failure_) throw Error(*failure_);
}

void BurstFiles::bring(std::span<const std::unique_ptr<BurstSegment>> segments, int threads) {
  const Clock::time_point begin = Clock::now();
  std::map<int, LatestPieces> of_files;
  for (const std::unique_ptr<BurstSegment>& segment : segments) {
    for (const LoggedRun& run : segment->runs())
      of_files[run.file].add({segment.get(), run.log_byte, run.offset_bytes, run.length});
  }
  std::vector<Stretch> stretches;
  for (const auto& [file, latest] : of_files)
    std::ranges::move(stretches_of(file, latest), std::back_inserter(stretches));
  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(threads));
  std::atomic<std::int64_t> bytes{0};
  parallel_for(threads, std::ssize(stretches), [&](std::int64_t task, int thread) {
    const Stretch& stretch = stretches[static_cast<std::size_t>(task)];
    std::vector<std::byte>& buffer = buffers[static_cast<std::size_t>(thread)];
    const std::int64_t first = stretch.pieces.front().offset_bytes;
    buffer.resize(static_cast<std::size_t>(stretch.pieces.back().end() - first));
    for (const Piece& piece : stretch.pieces) {
      piece.segment->read(piece.log_byte,
                          std::span(buffer).subspan(static_cast<std::size_t>(piece.offset_bytes - first),
                                                    static_cast<std::size_t>(piece.length)));
    }
    write_at(*files_.get(stretch.file), first, buffer);
    files_.written(stretch.file);
    bytes += std::ssize(buffer);
    log_->touch();
  });
  log_->count_drained(bytes, ns_since(begin));
}

}  // namespace sill
