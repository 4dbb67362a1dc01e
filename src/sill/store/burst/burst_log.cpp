#include "sill/store/burst/burst_log.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/store/burst/left_logs.hpp"

namespace sill {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "host";
  return name.data();
}

}  // namespace

BurstLog::Removed::~Removed() {
  if (!path.empty()) ::unlink(path.c_str());
}

BurstLog::BurstLog(const std::string& folder, Meter* meter, Opener open)
    : folder_(std::filesystem::absolute(folder).string()), meter_(meter), open_(std::move(open)) {
  require_no_left_logs(folder);
  static std::atomic<int> logs{0};
  do {  // another process may have mistaken a lock that is not locked yet for a leftover, and removed it
    lock_.reset();
    name_ = fmt::format("{}/{}{}-{}-{}", folder_, log_prefix, host_name(), ::getpid(), logs++);
    lock_.emplace(name_ + std::string(lock_ending), OpenMode::write_or_create);
  } while (!lock_->try_alone() || !lock_->is_at(name_ + std::string(lock_ending)));
  removed_.path = name_ + std::string(lock_ending);
}

std::unique_ptr<BurstSegment> BurstLog::begin() {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<BurstSegment> segment;
  if (unused_.empty()) {
    segment = std::make_unique<BurstSegment>(fmt::format("{}.{}{}", name_, made_, segment_ending), open_);
    ++made_;
  } else {
    segment = std::move(unused_.back());
    unused_.pop_back();
  }
  segment->begin(++begun_);
  return segment;
}

void BurstLog::end(std::unique_ptr<BurstSegment> segment) {
  if (attempt([&] { segment->clear(); })) return;  // destroying the segment removes its file
  const std::lock_guard lock(mutex_);
  unused_.push_back(std::move(segment));
}

bool BurstLog::is_fast() const {
  constexpr std::int64_t enough_bytes = 64 << 20;
  if (appended_bytes_ < enough_bytes || drained_bytes_ < enough_bytes) return true;
  const auto ns_per_byte = [](std::int64_t ns, std::int64_t bytes) {
    return static_cast<double>(ns) / static_cast<double>(bytes);
  };
  return ns_per_byte(appended_ns_, appended_bytes_) <= ns_per_byte(drained_ns_, drained_bytes_);
}

void BurstLog::count_appended(std::int64_t bytes, std::int64_t ns) {
  appended_bytes_ += bytes;
  appended_ns_ += ns;
  if (meter_ == nullptr) return;
  meter_->burst_bytes += bytes;
  meter_->burst_ns += ns;
}

void BurstLog::count_drained(std::int64_t bytes, std::int64_t ns) {
  drained_bytes_ += bytes;
  drained_ns_ += ns;
}

void BurstLog::count_refused(std::int64_t bytes) {
  if (meter_ != nullptr) meter_->past_burst_bytes += bytes;
}

void BurstLog::touch() const {
  std::error_code ignored;  // the folder may be gone; then nothing reads the lock either
  std::filesystem::last_write_time(removed_.path, std::filesystem::file_time_type::clock::now(), ignored);
}

}  // namespace sill
