#include "sill/flow/operation/sliding_median.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

namespace sill::flow {
namespace {

// Sorts numbers by their upper 32 bits: first by the lowest eleven of these bits, then by the next eleven.
void sort_by_upper_half(std::vector<std::uint64_t>& numbers) {
  constexpr int first_bit = 32;
  constexpr int bits = 11;
  constexpr std::size_t passes = 3;
  constexpr std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::array<std::array<std::uint32_t, mask + 1>, passes> begins{};
  for (const std::uint64_t number : numbers)
    for (std::size_t pass = 0; pass < passes; ++pass) ++begins[pass][number >> (first_bit + pass * bits) & mask];
  std::vector<std::uint64_t> other(numbers.size());
  for (std::size_t pass = 0; pass < passes; ++pass) {
    std::uint32_t sum = 0;
    for (std::uint32_t& begin : begins[pass]) sum += std::exchange(begin, sum);
    for (const std::uint64_t number : numbers)
      other[begins[pass][number >> (first_bit + pass * bits) & mask]++] = number;
    numbers.swap(other);
  }
}

// A set of numbers below a limit, and its middle number: the lower one of two.
class MiddleOfSet {
 public:
  explicit MiddleOfSet(std::size_t limit) : words_((limit + 63) / 64) {}

  void insert(std::size_t number) {
    words_[number / 64] |= std::uint64_t{1} << number % 64;
    if (count_ == 0) middle_ = number;
    below_ += number < middle_ ? std::size_t{1} : std::size_t{0};
    ++count_;
  }

  void remove(std::size_t number) {
    words_[number / 64] &= ~(std::uint64_t{1} << number % 64);
    --count_;
    below_ -= number < middle_ ? std::size_t{1} : std::size_t{0};
    if (number == middle_ && count_ > 0) {
      if (below_ < count_)
        middle_ = after(middle_);
      else
        step_back();
    }
  }

  [[nodiscard]] std::size_t count() const { return count_; }

  // Returns the middle number. Precondition: the set is not empty.
  [[nodiscard]] std::size_t middle() {
    const std::size_t wanted = (count_ - 1) / 2;
    for (; below_ < wanted; ++below_) middle_ = after(middle_);
    while (below_ > wanted) step_back();
    return middle_;
  }

  // Returns the next larger number in the set. Precondition: there is one.
  [[nodiscard]] std::size_t after(std::size_t number) const {
    std::size_t w = (number + 1) / 64;
    std::uint64_t word = words_[w] >> (number + 1) % 64 << (number + 1) % 64;
    while (word == 0) word = words_[++w];
    return 64 * w + static_cast<std::size_t>(std::countr_zero(word));
  }

 private:
  void step_back() {
    std::size_t w = middle_ / 64;
    std::uint64_t word = words_[w] & ((std::uint64_t{1} << middle_ % 64) - 1);
    while (word == 0) word = words_[--w];
    middle_ = 64 * w + 63 - static_cast<std::size_t>(std::countl_zero(word));
    --below_;
  }

  std::vector<std::uint64_t> words_;
  std::size_t count_ = 0;
  std::size_t middle_ = 0;
  std::size_t below_ = 0;  // how many numbers are smaller than `middle_`
};

// Computes the medians of the windows whose middles are samples first to end - 1.
void medians_of(std::span<const float> trace, std::int64_t half, std::int64_t first, std::int64_t end,
                std::span<double> medians) {
  const std::int64_t begin = std::max<std::int64_t>(0, first - half);
  const std::int64_t behind = std::min(std::ssize(trace), end + half);
  constexpr std::uint32_t sign = 0x80000000U;
  const auto magnitude_of = [&](std::int64_t i) {
    return std::bit_cast<std::uint32_t>(trace[static_cast<std::size_t>(i)]) & ~sign;  // same order as the magnitudes
  };
  std::vector<std::uint64_t> in_order;
  in_order.reserve(static_cast<std::size_t>(behind - begin));
  for (std::int64_t i = begin; i < behind; ++i)
    if (magnitude_of(i) != 0)
      in_order.push_back(std::uint64_t{magnitude_of(i)} << 32 | static_cast<std::uint64_t>(i - begin));
  sort_by_upper_half(in_order);
  std::vector<std::uint32_t> place(static_cast<std::size_t>(behind - begin));
  for (std::size_t p = 0; p < in_order.size(); ++p)
    place[static_cast<std::uint32_t>(in_order[p])] = static_cast<std::uint32_t>(p);
  const auto value = [&](std::size_t p) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(in_order[p] >> 32)));
  };
  MiddleOfSet window(in_order.size());
  std::int64_t next = begin;
  for (std::int64_t i = first; i < end; ++i) {
    for (; next < std::min(behind, i + half + 1); ++next)
      if (magnitude_of(next) != 0) window.insert(place[static_cast<std::size_t>(next - begin)]);
    const std::int64_t leaves = i - half - 1;
    if (leaves >= begin && magnitude_of(leaves) != 0) window.remove(place[static_cast<std::size_t>(leaves - begin)]);
    double& median = medians[static_cast<std::size_t>(i)];
    median = 0.0;
    if (window.count() == 0) continue;
    const std::size_t lower = window.middle();
    median = value(lower);
    if (window.count() % 2 == 0) median = 0.5 * (median + value(window.after(lower)));
  }
}

}  // namespace

void sliding_median(std::span<const float> trace, std::int64_t half, std::span<double> medians) {
  // Processes blocks of a few windows, so that the samples of a window are close to each other in the sorted order.
  constexpr std::int64_t min_part = 2048;
  const std::int64_t samples = std::ssize(trace);
  half = std::min(half, samples);
  const std::int64_t part = std::max(min_part, 8 * half);
  for (std::int64_t first = 0; first < samples; first += part)
    medians_of(trace, half, first, std::min(samples, first + part), medians);
}

}  // namespace sill::flow
