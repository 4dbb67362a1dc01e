// Layers of words that override words of a header map.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sill/base/diagnostic.hpp"
#include "sill/formats/segy/words/word.hpp"

namespace sill::segy {

/// A word that a layer adds to a map or moves within it.
struct LayerWord {
  std::vector<std::string> names;      ///< at least one, usable in keys
  std::vector<std::string> if_free{};  ///< further names, unless other words have them
  int byte = 1;                        ///< from 1, in the trace
  WordType type;
  std::optional<std::string> scalar{};  ///< if not given: unchanged from the word that is moved, if this word is an
                                        ///< integer
  std::optional<double> factor{};
  std::optional<bool> has_exponent{};
  std::optional<std::string> unit{};
  std::optional<std::string> text{};
  int line = 0;  ///< line of the file that contains the word, from 1; 0 if unknown
};

/// The content of a layout stanza, as a layer of words.
struct LayoutStanza {
  std::string source_name;
  std::vector<LayerWord> words;
  std::vector<Diagnostic> diagnostics;  ///< the entries that were skipped, and the reasons
};

}  // namespace sill::segy
