#include "sill/store/time_line.hpp"

#include <algorithm>

namespace sill {

void IntervalTimes::add(IoActivity activity, std::int64_t begin_ns, std::int64_t end_ns) {
  while (end_ns > static_cast<std::int64_t>(intervals) * interval_ns) lengthen(interval_ns + 1);
  auto& of_activity = ns[static_cast<std::size_t>(activity)];
  for (std::int64_t at = begin_ns; at < end_ns;) {
    const std::int64_t interval = at / interval_ns;
    const std::int64_t end = std::min(end_ns, (interval + 1) * interval_ns);
    of_activity[static_cast<std::size_t>(interval)] += end - at;
    at = end;
  }
}

void IntervalTimes::add(const IntervalTimes& other) {
  IntervalTimes alike = other;
  alike.lengthen(interval_ns);
  lengthen(alike.interval_ns);
  for (std::size_t a = 0; a < activities; ++a) {
    for (std::size_t i = 0; i < intervals; ++i) ns[a][i] += alike.ns[a][i];
  }
}

void IntervalTimes::lengthen(std::int64_t min_interval_ns) {
  for (; interval_ns < min_interval_ns; interval_ns *= 2) {
    for (auto& of_activity : ns) {
      for (std::size_t i = 0; i < intervals / 2; ++i) of_activity[i] = of_activity[2 * i] + of_activity[2 * i + 1];
      std::fill(of_activity.begin() + intervals / 2, of_activity.end(), 0);
    }
  }
}

void TimeLine::add(IoActivity activity, Clock::time_point begin, Clock::time_point end) {
  const auto since_begin = [this](Clock::time_point at) {
    return std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::nanoseconds>(at - begin_).count());
  };
  const std::lock_guard lock(mutex_);
  times_.add(activity, since_begin(begin), since_begin(end));
}

IntervalTimes TimeLine::times() const {
  const std::lock_guard lock(mutex_);
  return times_;
}

}  // namespace sill
