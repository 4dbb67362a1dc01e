// Another scalar for coordinates or elevations, with the words it scales, so that their true values stay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/segy/words/header_map.hpp"
#include "sill/formats/segy/words/header_view.hpp"

namespace sill::segy {

/// A new value of a scalar word, and all words of a map that it scales.
class Rescaling {
 public:
  /// Local. Reads "coordinates=-100" or "elevations=10": the scalar of bytes 71-72 or 69-70, wherever the map has it.
  /// Errors: usage, for other words, for scalars other than 1, 10, 100, 1000, 10000 and their negatives, and for maps
  /// in which a word that is scaled is no integer or shares bytes with another.
  /// Source: SEG-Y rev 1, trace header bytes 69-72.
  [[nodiscard]] static Rescaling parse(std::string_view text, const HeaderMap& map = HeaderMap::standard());

  /// Local. The scalar, then what it scales.
  [[nodiscard]] std::span<const WordRef> words() const { return words_; }
  [[nodiscard]] int scalar() const { return scalar_; }

  /// Local. Sets the scalar and the words of the trace at `fresh`, which is laid out as `old.header` is: every true
  /// value stays exactly. Errors: input, without a place: a word would have to hold a fraction or what it cannot hold.
  void apply(const HeaderView& old, std::byte* fresh) const;

 private:
  std::vector<WordRef> words_;
  int scalar_ = 1;
};

}  // namespace sill::segy
