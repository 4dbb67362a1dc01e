// Pseudo-random numbers that are functions of a number.
#pragma once

#include <cstdint>

namespace sill {

/// The step of the sequence of SplitMix64.
inline constexpr std::uint64_t splitmix_step = 0x9E3779B97F4A7C15U;

/// Local. Returns a pseudo-random number that depends only on `x`: the finaliser of SplitMix64. Element n of its
/// sequence from the seed 0 is `splitmix_of(n * splitmix_step)`. Source: Steele, Lea and Flood, OOPSLA 2014.
[[nodiscard]] constexpr std::uint64_t splitmix_of(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

}  // namespace sill
