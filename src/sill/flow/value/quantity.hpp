// Numbers with units, as users write them in a flow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sill::flow {

/// What a number measures, and so which units it may have.
enum class Dimension : std::uint8_t {
  number,     ///< no unit
  time,       ///< s, ms, us, samples; in seconds
  frequency,  ///< Hz, which may be left out; in Hz
  length,     ///< m, km, ft; in metres
  velocity,   ///< m/s, km/s, ft/s; in m/s
  share,      ///< %; as a fraction
  decibel,    ///< dB
  angle       ///< deg, which may be left out; in degrees
};

/// Local. The units of a dimension, for messages: "s, ms, us or samples".
[[nodiscard]] std::string_view units_of(Dimension dimension);

/// Local. What a number in `unit`, in any case, is multiplied by; nothing if the dimension has no such unit, or the
/// unit has no fixed factor.
[[nodiscard]] std::optional<double> factor_of_unit(std::string_view unit, Dimension dimension);

/// Local. The value in the unit named at the dimension: 0.2 for "200ms". Errors: usage, without a place: no number, not
/// finite, a unit that is missing or of another dimension; samples, if `interval_s`, from one to the next, is not
/// known.
[[nodiscard]] double parse_quantity(std::string_view text, Dimension dimension, double interval_s = 0.0);

/// Local. The number that the whole of `text` is, if it is one and finite.
[[nodiscard]] std::optional<double> finite_number(std::string_view text);

/// Local. The entries of a list, separated by commas, without blanks around them. Errors: usage for an empty entry.
[[nodiscard]] std::vector<std::string> parse_list(std::string_view text);

}  // namespace sill::flow
