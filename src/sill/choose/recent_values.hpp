// The newest measurements of a varying quantity.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

namespace sill {

/// At most `max_size` values, the newest last. All calls are Local.
class RecentValues {
 public:
  static constexpr std::size_t max_size = 5;

  void add(double value) {
    values_.push_back(value);
    keep_newest(max_size);
  }
  void clear() { values_.clear(); }
  void keep_newest(std::size_t count) {
    while (values_.size() > count) values_.pop_front();
  }

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  /// Precondition: `count <= size()`.
  template <class Test>
  [[nodiscard]] bool all_of_newest(std::size_t count, Test&& test) const {
    return std::all_of(values_.end() - static_cast<std::ptrdiff_t>(count), values_.end(), test);
  }
  /// Precondition: `size() > 0`.
  [[nodiscard]] double median() const {
    std::vector<double> sorted(values_.begin(), values_.end());
    std::ranges::sort(sorted);
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

 private:
  std::deque<double> values_;
};

}  // namespace sill
