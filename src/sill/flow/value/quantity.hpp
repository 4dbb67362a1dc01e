// Numbers with units, as written by users in a flow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sill::flow {

/// The quantity that a number measures, which determines the units it may have.
enum class Dimension : std::uint8_t {
  number,     ///< no unit
  time,       ///< s, ms, us, samples; in seconds
  frequency,  ///< Hz, optional; in Hz
  length,     ///< m, km, ft; in metres
  velocity,   ///< m/s, km/s, ft/s; in m/s
  share,      ///< %; as a fraction
  decibel,    ///< dB
  angle       ///< deg, optional; in degrees
};

/// Local. Returns the units of a dimension, for messages: "s, ms, us or samples".
[[nodiscard]] std::string_view units_of(Dimension dimension);

/// Local. Returns the factor of `unit`, ignoring case; nullopt if the dimension has no such unit, or if the unit has no
/// fixed factor.
[[nodiscard]] std::optional<double> factor_of_unit(std::string_view unit, Dimension dimension);

/// Local. Returns the value in the unit stated at the dimension: 0.2 for "200ms". Errors: usage, without a position:
/// not a number, not finite, a unit that is missing or of another dimension; samples, if `interval_s`, the sample
/// interval, is unknown.
[[nodiscard]] double parse_quantity(std::string_view text, Dimension dimension, double interval_s = 0.0);

/// Local. Returns the number in `text`; nullopt if `text` is not a number, or if the number is not finite.
[[nodiscard]] std::optional<double> finite_number(std::string_view text);

/// Local. Returns the entries of a comma-separated list, without surrounding blanks. Errors: usage for an empty entry.
[[nodiscard]] std::vector<std::string> parse_list(std::string_view text);

}  // namespace sill::flow
