// The times at which a rank was busy with input and output.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace sill {

/// Activities of a rank during input and output.
enum class IoActivity { output_call, prepare, read, write, other };  // other: opening, syncing, closing

/// The time in each activity, in ns, for each of 256 consecutive intervals of equal length.
struct IntervalTimes {
  static constexpr std::size_t intervals = 256;
  static constexpr std::size_t activities = 5;

  std::int64_t interval_ns = 1'000'000;
  std::array<std::array<std::int64_t, intervals>, activities> ns{};

  /// Local. Adds the time from `begin_ns` to `end_ns`; lengthens the intervals if this time ends after the last
  /// interval. Precondition: 0 <= begin_ns <= end_ns.
  void add(IoActivity activity, std::int64_t begin_ns, std::int64_t end_ns);
  /// Local. Adds the times of `other`. Precondition: the first intervals of both begin at the same time.
  void add(const IntervalTimes& other);
  /// Local. Joins intervals in pairs until each is at least `min_interval_ns` long.
  void lengthen(std::int64_t min_interval_ns);
};

/// Interval times to which several threads add. The first interval begins when the object is created. Activities of
/// several threads add up, so the time in an interval may exceed its length.
class TimeLine {
 public:
  using Clock = std::chrono::steady_clock;

  /// Local. Adds the time from `begin` to `end`.
  void add(IoActivity activity, Clock::time_point begin, Clock::time_point end);
  /// Local. Returns the times so far.
  [[nodiscard]] IntervalTimes times() const;

 private:
  Clock::time_point begin_ = Clock::now();
  mutable std::mutex mutex_;
  IntervalTimes times_;
};

}  // namespace sill
