// The steps of an extent: a list that is nearly always short.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace sill {

/// `count` repetitions, `file_stride_bytes` apart in the file and `memory_stride_bytes` apart in memory.
struct Step {
  std::int64_t count = 1;
  std::int64_t file_stride_bytes = 0;
  std::int64_t memory_stride_bytes = 0;  ///< may be negative

  friend constexpr bool operator==(const Step&, const Step&) = default;
};

/// Steps, outermost first. Two are stored in the object: simulations write thousands of extents per call, and a
/// separate allocation for each would cost more than all other work on it.
class Steps {
 public:
  Steps() = default;
  Steps(std::initializer_list<Step> steps) { assign({steps.begin(), steps.size()}); }
  explicit Steps(std::span<const Step> steps) { assign(steps); }

  [[nodiscard]] std::size_t size() const { return many_.empty() ? few_size_ : many_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] Step* begin() { return many_.empty() ? few_.data() : many_.data(); }
  [[nodiscard]] Step* end() { return begin() + size(); }
  [[nodiscard]] const Step* begin() const { return many_.empty() ? few_.data() : many_.data(); }
  [[nodiscard]] const Step* end() const { return begin() + size(); }
  [[nodiscard]] Step& operator[](std::size_t i) { return begin()[i]; }
  [[nodiscard]] const Step& operator[](std::size_t i) const { return begin()[i]; }
  [[nodiscard]] Step& front() { return *begin(); }
  [[nodiscard]] const Step& front() const { return *begin(); }
  [[nodiscard]] const Step& back() const { return end()[-1]; }

  void push_back(const Step& step) {
    if (many_.empty() && few_size_ < few_.size()) {
      few_[few_size_++] = step;
      return;
    }
    if (many_.empty()) many_.assign(few_.begin(), few_.end());
    many_.push_back(step);
  }
  void push_front(const Step& step) {
    push_back(step);
    std::rotate(begin(), end() - 1, end());
  }
  /// Precondition: i < size().
  void erase(std::size_t i) {
    std::copy(begin() + i + 1, end(), begin() + i);
    shorten(size() - 1);
  }
  template <class Unwanted>
  void erase_if(Unwanted&& unwanted) {
    shorten(static_cast<std::size_t>(std::remove_if(begin(), end(), unwanted) - begin()));
  }

  friend bool operator==(const Steps& a, const Steps& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

 private:
  void assign(std::span<const Step> steps) {
    if (steps.size() > few_.size()) {
      many_.assign(steps.begin(), steps.end());
    } else {
      std::copy(steps.begin(), steps.end(), few_.begin());
      few_size_ = steps.size();
    }
  }
  void shorten(std::size_t size) {
    if (many_.empty()) {
      few_size_ = size;
    } else if (size > few_.size()) {
      many_.resize(size);
    } else {
      std::copy_n(many_.begin(), size, few_.begin());
      few_size_ = size;
      many_.clear();
    }
  }

  std::array<Step, 2> few_;
  std::size_t few_size_ = 0;
  std::vector<Step> many_;  // all steps, if there are more than two
};

}  // namespace sill
