// Files for fuzzing, made by a recipe: one of the forms that the generator has, then changed step by step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sill::fuzz {

/// Decisions, taken from the bytes of an input; zeros after its end.
class Choices {
 public:
  explicit Choices(std::span<const std::byte> input) : rest_(input) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] std::span<const std::byte> rest() const { return rest_; }

  /// Local. The next `bytes` bytes (1 to 8) as a number, the first the lowest.
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    const auto taken = rest_.first(std::min(bytes, rest_.size()));
    for (std::size_t i = 0; i < taken.size(); ++i) value |= std::to_integer<std::uint64_t>(taken[i]) << (8 * i);
    rest_ = rest_.subspan(taken.size());
    return value;
  }
  /// Local. One of 0 to count - 1, of one byte. Precondition: 1 <= count <= 256.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(number(1)) % count; }
  /// Local. One of `things`.
  template <class Things>
  const auto& one_of(const Things& things) {
    return things[below(things.size())];
  }

 private:
  std::span<const std::byte> rest_;
};

/// Local. The file that the choices make: a survey of few small traces in any form that there is (revisions, byte
/// orders, sample formats, tape label, extended texts, additional headers, trailers, varying lengths, Seismic Unix),
/// after any number of changes: words set, parts zeroed, flipped, swapped, put in, taken out, cut off, line ends
/// turned; or, for one first choice, the rest of the input as it is. At most 256 KiB. Takes all choices. Errors: usage,
/// for forms that cannot be.
[[nodiscard]] std::vector<std::byte> fuzzed_file(Choices& choices);

}  // namespace sill::fuzz
