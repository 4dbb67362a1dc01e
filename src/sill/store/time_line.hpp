// When a rank was busy with input and output.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace sill {

/// What a rank does for input and output.
enum class IoActivity { output_call, prepare, read, write, other };  // other: opening, syncing, closing

/// The time in each activity, in ns, for each of 256 intervals of equal length from a beginning on.
struct IntervalTimes {
  static constexpr std::size_t intervals = 256;
  static constexpr std::size_t activities = 5;

  std::int64_t interval_ns = 1'000'000;
  std::array<std::array<std::int64_t, intervals>, activities> ns{};

  /// Local. Adds the time from `begin_ns` to `end_ns`, and makes the intervals longer if it ends behind them.
  /// Precondition: 0 <= begin_ns <= end_ns.
  void add(IoActivity activity, std::int64_t begin_ns, std::int64_t end_ns);
  /// Local. Adds those of `other`, whose beginning is the same.
  void add(const IntervalTimes& other);
  /// Local. Joins intervals in pairs until each is at least `min_interval_ns` long.
  void lengthen(std::int64_t min_interval_ns);
};

/// Interval times that several threads add to; they begin when it is made. Activities of several threads add up, so
/// that an interval may have more time than it is long.
class TimeLine {
 public:
  using Clock = std::chrono::steady_clock;

  /// Local.
  void add(IoActivity activity, Clock::time_point begin, Clock::time_point end);
  /// Local. Returns the times so far.
  [[nodiscard]] IntervalTimes times() const;

 private:
  Clock::time_point begin_ = Clock::now();
  mutable std::mutex mutex_;
  IntervalTimes times_;
};

}  // namespace sill
