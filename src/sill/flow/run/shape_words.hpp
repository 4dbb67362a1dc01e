// The words of trace headers that state the number and interval of samples.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sill/flow/operation/operation.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"

namespace sill::flow {

/// Sets the words for the number of samples and the interval if they differ between input and output, or if the user
/// stated the interval.
class ShapeWords {
 public:
  /// Local. Prepares the change from traces of `samples` samples, `interval_us` apart, to traces in the state `after`.
  ShapeWords(std::int64_t samples, double interval_us, const SurveyState& after)
      : after_(after),
        samples_word_(samples != after.samples ? after.words->find("ns") : nullptr),
        interval_word_(interval_us != after.interval_us || after.is_interval_assumed ? after.words->find("dt")
                                                                                     : nullptr) {}

  /// Local. Sets the words of a trace if they are not 0. An interval that the word cannot store becomes 0: not stated.
  /// For Seismic Unix, which states the values only in trace headers, sets them always.
  void set(std::byte* header) const {
    set(samples_word_, after_.samples, header);
    set(interval_word_, segy::is_short_interval(after_.interval_us) ? static_cast<std::int64_t>(after_.interval_us) : 0,
        header);
  }

 private:
  void set(const segy::MapWord* word, std::int64_t value, std::byte* header) const {
    if (word == nullptr) return;
    const bool is_stated = segy::load_bits(header + (word->byte - 1), word->type.bytes, after_.order) != 0;
    if (is_stated || after_.kind == segy::FileKind::seismic_unix)
      segy::write_word(header, word->byte, word->type, after_.order, {.number = value}, word->names.front());
  }

  const SurveyState& after_;
  const segy::MapWord* samples_word_;  // nullptr: unchanged
  const segy::MapWord* interval_word_;
};

}  // namespace sill::flow
