// Colours, and maps of numbers to colours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sill::draw {

struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
};

inline constexpr Colour black{0, 0, 0};
inline constexpr Colour white{255, 255, 255};
inline constexpr Colour absent_colour{240, 236, 226};  ///< where there are no samples
inline constexpr Colour dead_colour{222, 206, 140};    ///< of dead traces: khaki

/// Local. Returns the colour of a sample of a dead trace, whose colour would be `colour`: tinted; that of dead traces
/// if the sample is 0.
[[nodiscard]] constexpr Colour dead_sample_colour(Colour colour, bool is_zero) {
  const auto mix = [](int a, int b) { return static_cast<std::uint8_t>(a * b / 255); };
  return is_zero ? dead_colour
                 : Colour{mix(colour.red, dead_colour.red), mix(colour.green, dead_colour.green),
                          mix(colour.blue, dead_colour.blue)};
}

/// Maps numbers in a range to colours, linearly between tabulated colours.
class ColourMap {
 public:
  /// Local. Reads the name of a map, "reversed", or both with a comma between: "viridis,reversed". Errors: usage.
  [[nodiscard]] static ColourMap parse(std::string_view text);

  /// Local. Returns the names of all maps, for messages.
  [[nodiscard]] static std::string names();

  /// Local. Returns the colour at `share` of the range: 0 is the lowest, 1 the highest number.
  [[nodiscard]] Colour at(double share) const {
    const auto last = static_cast<double>(table_.size() - 1);
    const double place = share > 0.0 ? (share < 1.0 ? share * last : last) : 0.0;
    return table_[static_cast<std::size_t>(place + 0.5)];
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Local. Returns true if the middle of the map stands for 0, between negative and positive numbers.
  [[nodiscard]] bool is_diverging() const { return name_ == "redblue" || name_ == "coolwarm"; }
  /// Local. Returns the colour of values that are not finite, which the map does not contain; its name is `nonfinite`.
  [[nodiscard]] Colour nonfinite_colour() const { return is_diverging() ? Colour{0, 160, 0} : Colour{230, 0, 0}; }
  [[nodiscard]] const char* nonfinite() const { return is_diverging() ? "green" : "red"; }
  [[nodiscard]] bool is_reversed() const { return is_reversed_; }

 private:
  ColourMap() = default;

  std::string name_;
  bool is_reversed_ = false;
  std::vector<Colour> table_;  // 511, so that the middle colour is exactly at 1/2
};

}  // namespace sill::draw
