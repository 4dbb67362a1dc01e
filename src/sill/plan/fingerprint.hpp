// A number for a set of bytes of a file, computed from their positions only.
#pragma once

#include <array>
#include <cstdint>

#include "sill/plan/extent.hpp"

namespace sill {

/// The sum of x^position over a set of positions, modulo the prime 2^61 - 1, for one x fixed at random. Two different
/// sets of positions (with repetition) below 2^n have equal sums with a probability under 2^(n - 61) (Schwartz 1980,
/// Zippel 1979). The sum of an extent has a closed form: a product of geometric series.
class Fingerprint {
 public:
  /// Local. Adds bytes `packed` of `extent`; their positions are relative to byte `origin` of the file. Preconditions:
  /// the extent is as in an AccessPlan; none of these bytes is before `origin`.
  void add(const Extent& extent, ByteRange packed, std::int64_t origin);

  /// Local. Returns the sum as two numbers below 2^32. `of_sums` adds up fingerprints of at most 2^31 ranks, whose two
  /// numbers were summed.
  [[nodiscard]] std::array<std::int64_t, 2> halves() const;
  [[nodiscard]] static Fingerprint of_sums(std::int64_t low, std::int64_t high);

  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;

 private:
  std::uint64_t sum_ = 0;
};

}  // namespace sill
