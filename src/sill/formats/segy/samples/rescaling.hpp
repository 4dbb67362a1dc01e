// Replacement of the scalar of coordinates or elevations and of the words that it scales, so that their true values do
// not change.
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
  /// Local. Parses "coordinates=-100" or "elevations=10": the scalar of bytes 71-72 or 69-70, at the position that the
  /// map gives it. Errors: usage, for other words, for scalars other than 1, 10, 100, 1000, 10000 and their negatives,
  /// and for maps in which a scaled word is not an integer or shares bytes with another scaled word. Source: SEG-Y rev
  /// 1, trace header bytes 69-72.
  [[nodiscard]] static Rescaling parse(std::string_view text, const HeaderMap& map = HeaderMap::standard());

  /// Local. Returns the scalar word, followed by the words that it scales.
  [[nodiscard]] std::span<const WordRef> words() const { return words_; }
  [[nodiscard]] int scalar() const { return scalar_; }

  /// Local. Sets the scalar and the words of the trace at `fresh`, which has the same layout as `old.header`. All true
  /// values remain exactly the same. Errors: input, without a location: a word would need a fraction or a value out of
  /// its range.
  void apply(const HeaderView& old, std::byte* fresh) const;

 private:
  std::vector<WordRef> words_;
  int scalar_ = 1;
};

}  // namespace sill::segy
