#include "sill/survey/select/distinct_keys.hpp"

#include <array>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"

namespace sill {
namespace {

// Radix sort, least significant digit first, which skips the digits that are the same in every number.
void sort_numbers(std::vector<std::uint64_t>& numbers) {
  if (std::is_sorted(numbers.begin(), numbers.end())) return;
  constexpr unsigned digit_bits = 11;
  constexpr std::size_t digits = std::size_t{1} << digit_bits;
  std::uint64_t any = 0;
  std::uint64_t all = ~std::uint64_t{0};
  for (const std::uint64_t number : numbers) {
    any |= number;
    all &= number;
  }
  std::vector<std::uint64_t> other(numbers.size());
  for (unsigned shift = 0; shift < 64; shift += digit_bits) {
    if ((((any & ~all) >> shift) & (digits - 1)) == 0) continue;
    std::array<std::size_t, digits + 1> first{};
    for (const std::uint64_t number : numbers) ++first[((number >> shift) & (digits - 1)) + 1];
    for (std::size_t d = 0; d < digits; ++d) first[d + 1] += first[d];
    for (const std::uint64_t number : numbers) other[first[(number >> shift) & (digits - 1)]++] = number;
    numbers.swap(other);
  }
}

// Replaces equal neighbours by the number, followed by a count.
void count_equal(std::vector<std::uint64_t>& sorted, std::uint64_t is_count) {
  std::size_t to = 0;
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin + 1;
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    sorted[to++] = sorted[begin];
    if (end - begin > 1) sorted[to++] = is_count | (end - begin);
    begin = end;
  }
  sorted.resize(to);
}

}  // namespace

DistinctKeys::DistinctKeys(Communicator& comm, std::vector<std::uint64_t> keys) : words_(std::move(keys)) {
  run_and_agree(comm, [&] {
    sort_numbers(words_);
    count_equal(words_, is_count);
  });
  const auto ranks = static_cast<std::size_t>(comm.size());
  if (ranks > 1) {
    constexpr std::size_t samples_per_rank = 256;
    std::vector<std::uint64_t> samples;
    const std::size_t wanted = std::min(samples_per_rank, words_.size());
    for (std::size_t i = 0; i < wanted; ++i) {
      const std::size_t at = (2 * i + 1) * words_.size() / (2 * wanted);
      samples.push_back((words_[at] & is_count) != 0 ? words_[at - 1] : words_[at]);
    }
    samples = all_gather_all(comm, std::span<const std::uint64_t>(samples));
    std::sort(samples.begin(), samples.end());
    // Each count is sent to the same rank as the number to which it belongs.
    std::vector<std::span<const std::uint64_t>> parts(ranks);
    std::size_t begin = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      std::size_t end = begin;
      const bool is_last = r + 1 == ranks || samples.empty();
      const std::uint64_t limit = is_last ? 0 : samples[(r + 1) * samples.size() / ranks];
      while (end < words_.size() && (is_last || (words_[end] & is_count) != 0 || words_[end] < limit)) ++end;
      parts[r] = std::span<const std::uint64_t>(words_).subspan(begin, end - begin);
      begin = end;
    }
    words_ = all_to_all(comm, std::span<const std::span<const std::uint64_t>>(parts));
  }
  // The received numbers of each rank are ascending: where they descend, the numbers of another rank begin.
  std::size_t begin = 0;
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if ((words_[i] & is_count) != 0) continue;
    if (words_[i] < last) {
      streams_.push_back(std::span<const std::uint64_t>(words_).subspan(begin, i - begin));
      begin = i;
    }
    last = words_[i];
  }
  if (begin < words_.size()) streams_.push_back(std::span<const std::uint64_t>(words_).subspan(begin));
}

}  // namespace sill
