#include "sill/store/burst/burst_files.hpp"

#include <chrono>
#include <utility>

#include "sill/comm/agree.hpp"

namespace sill {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t ns_since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
}

}  // namespace

// A file that can only be written, and whose writes go to a log.
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

BurstFiles::BurstFiles(std::shared_ptr<BurstLog> log, HandleCache& files, const std::vector<std::string>& paths,
                       int threads, std::int64_t request_bytes)
    : log_(std::move(log)),
      files_(files),
      paths_(paths),
      threads_(threads),
      request_bytes_(request_bytes),
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
  drain();
  for (const Request& request : requests) log_->count_refused(length_of(request));
  files_.get(file)->submit(requests);
  files_.set_written(file);
  log_->touch();
}

void BurstFiles::end_call() {
  const std::lock_guard all(appending_);
  const std::lock_guard lock(mutex_);
  if (!current_) return;
  // If sealing fails, a killed process loses only its writes that were not yet copied into the files.
  (void)attempt([&] { current_->seal(); });
  ended_.push_back(std::move(current_));
}

void BurstFiles::drain() {
  const std::lock_guard alone(draining_);
  if (failure_) throw Error(*failure_);
  std::vector<std::unique_ptr<BurstSegment>> segments;
  {
    const std::lock_guard lock(mutex_);
    segments.swap(ended_);
  }
  failure_ = attempt([&] { bring(segments); });
  for (std::unique_ptr<BurstSegment>& each : segments) log_->end(std::move(each));
  if (failure_) throw Error(*failure_);
}

void BurstFiles::bring(std::span<const std::unique_ptr<BurstSegment>> segments) {
  const Clock::time_point begin = Clock::now();
  LatestBytes latest;
  for (const std::unique_ptr<BurstSegment>& segment : segments) {
    for (const LoggedRun& run : segment->runs()) latest.add(segment->store(), run);
  }
  const std::int64_t bytes = latest.write(files_, threads_, request_bytes_, [this] { log_->touch(); });
  log_->count_drained(bytes, ns_since(begin));
}

}  // namespace sill
