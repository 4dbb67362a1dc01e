// The entries of a layout as it states them, for programs that show or edit layouts.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/segy/words/word.hpp"

namespace sill::segy {

/// A type of entries (SEG-Y rev 2.1, annex D8).
struct LayoutType {
  std::string_view name;
  WordType type;
  std::string_view scalar;    ///< standard name of the word that scales it, or empty
  bool has_exponent = false;  ///< a power of ten, an i2, is stored directly after the word
};

struct LayoutEntry {
  std::string name;
  int byte = 1;  ///< from 1, in its header
  const LayoutType* type = nullptr;
  bool only_non_zero = false;  ///< the word is used only if it is not 0
};

/// A header of each trace: "SEG00000", or an extension.
struct LayoutHeader {
  std::string name;
  std::vector<LayoutEntry> entries;
};

/// Local. Returns all types of entries.
[[nodiscard]] std::span<const LayoutType> layout_types();

/// Local. Returns all entries of the XML of a layout, the trace header first. Unlike `parse_layout_stanza`, nothing is
/// left out. Errors: input, for a text that is not a layout, or an entry without a name, of an unknown type, or beyond
/// its header. Source: SEG-Y rev 2.1, annex D8, as far as segyio reads it.
[[nodiscard]] std::vector<LayoutHeader> layout_entries(std::string_view xml);

}  // namespace sill::segy
