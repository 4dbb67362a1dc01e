#include "sill/plan/fingerprint.hpp"

#include <array>
#include <bit>

namespace sill {
namespace {

constexpr std::uint64_t prime = (std::uint64_t{1} << 61U) - 1;
constexpr std::uint64_t x = 0x0ddc0ffee5eed5U * 977;  // any number that no data are designed for

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t reduced(std::uint64_t value) {
  value = (value & prime) + (value >> 61U);
  return value >= prime ? value - prime : value;
}

constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return reduced(a + b); }

constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  const Wide full = static_cast<Wide>(a) * b;
  return sum(static_cast<std::uint64_t>(full & prime), static_cast<std::uint64_t>(full >> 61U));
}

// Element b of array k is x to the power b * 256^k.
constexpr std::array<std::array<std::uint64_t, 256>, 8> powers_of_x = [] {
  std::array<std::array<std::uint64_t, 256>, 8> powers{};
  std::uint64_t base = reduced(x);
  for (auto& of_byte : powers) {
    of_byte[0] = 1;
    for (std::size_t b = 1; b < of_byte.size(); ++b) of_byte[b] = product(of_byte[b - 1], base);
    base = product(of_byte.back(), base);
  }
  return powers;
}();

std::uint64_t x_to(std::int64_t exponent) {
  std::uint64_t result = 1;
  for (std::size_t k = 0; exponent != 0; ++k, exponent >>= 8)
    result = product(result, powers_of_x[k][static_cast<std::size_t>(exponent & 255)]);
  return result;
}

// Returns 1 + y + y^2 + … with `terms` terms. Each bit of `terms`, the most significant first, doubles the number of
// terms, and a set bit adds one.
std::uint64_t geometric(std::uint64_t y, std::int64_t terms) {
  std::uint64_t series = 0;
  std::uint64_t y_to_terms = 1;
  for (auto bit = std::bit_width(static_cast<std::uint64_t>(terms)); bit-- > 0;) {
    series = sum(series, product(series, y_to_terms));
    y_to_terms = product(y_to_terms, y_to_terms);
    if (((terms >> bit) & 1) != 0) {
      series = sum(product(series, y), 1);
      y_to_terms = product(y_to_terms, y);
    }
  }
  return series;
}

// Returns the sum over bytes `first` to `end` - 1 of the steps from `level` inwards, as if they began at position 0.
std::uint64_t places(const Extent& extent, std::size_t level, std::int64_t inside, std::int64_t first,
                     std::int64_t end) {
  if (first >= end) return 0;
  if (level == extent.steps.size()) return product(x_to(first), geometric(x_to(1), end - first));
  const Step& step = extent.steps[level];
  const std::int64_t each = inside / step.count;
  const auto part = [&](std::int64_t repetition, std::int64_t from, std::int64_t to) {
    return product(x_to(repetition * step.file_stride_bytes), places(extent, level + 1, each, from, to));
  };
  std::int64_t whole_first = first / each;
  const std::int64_t whole_end = end / each;
  if (whole_first == whole_end) return part(whole_first, first - whole_first * each, end - whole_first * each);
  std::uint64_t result = 0;
  if (whole_first * each < first) {
    result = part(whole_first, first - whole_first * each, each);
    ++whole_first;
  }
  if (whole_end * each < end) result = sum(result, part(whole_end, 0, end - whole_end * each));
  if (whole_first < whole_end) {
    const std::uint64_t whole =
        product(part(whole_first, 0, each), geometric(x_to(step.file_stride_bytes), whole_end - whole_first));
    result = sum(result, whole);
  }
  return result;
}

}  // namespace

void Fingerprint::add(const Extent& extent, ByteRange packed, std::int64_t origin) {
  // The bytes are never before the origin, but the extent may begin before it. Then the exponent is negative, which is
  // possible because x has an inverse, x^(2^61 - 2 - 1).
  const std::int64_t shift = extent.offset_bytes - origin;
  constexpr auto order = static_cast<std::int64_t>(prime - 1);  // x^order = 1
  const std::int64_t exponent = ((shift % order) + order) % order;
  sum_ = sum(sum_, product(x_to(exponent), places(extent, 0, extent.total_bytes(), packed.offset, packed.end())));
}

std::array<std::int64_t, 2> Fingerprint::halves() const {
  return {static_cast<std::int64_t>(sum_ & 0xffffffffU), static_cast<std::int64_t>(sum_ >> 32U)};
}

Fingerprint Fingerprint::of_sums(std::int64_t low, std::int64_t high) {
  Fingerprint all;
  all.sum_ = sum(reduced(static_cast<std::uint64_t>(low)),
                 product(reduced(static_cast<std::uint64_t>(high)), std::uint64_t{1} << 32U));
  return all;
}

}  // namespace sill
