// What a dataset states of the file that it was converted from, so that changes which cannot be written are found.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill {

/// The position of a header word in the bytes of a trace header, from 1.
struct WordPlace {
  int byte = 1;
  segy::WordType type = {};

  friend bool operator==(const WordPlace&, const WordPlace&) = default;
};

/// The header word that a variable with each name is.
using WordPlaces = std::map<std::string, WordPlace, std::less<>>;

/// Local. Returns the attribute of a dataset that states the names of variables that are words, and their positions.
[[nodiscard]] Attribute attribute_of_words(const WordPlaces& words);
/// Local. Returns the words that the attributes of a dataset state; nullopt if they state none, as before they did.
/// Errors: usage if the attribute is damaged.
[[nodiscard]] std::optional<WordPlaces> words_stated_in(const std::vector<Attribute>& attributes,
                                                        const std::string& path);

/// Local. Returns the attribute with the sizes, the format and the numbers of records that a SEG-Y file header states
/// after a label of `label_bytes`.
[[nodiscard]] Attribute attribute_of_sizes(std::span<const std::byte> file_header, std::size_t label_bytes);
/// Local. Checks that a file header still has its length and states the same sizes. Errors: input, with the bytes that
/// were changed.
void require_same_sizes(const std::vector<Attribute>& attributes, std::span<const std::byte> file_header,
                        const std::string& path);

/// Local. Checks that the values of a variable are not packed. Errors: usage if it has a scale_factor other than 1 or
/// an add_offset other than 0.
void require_unpacked(const Variable& variable, const std::string& path);

}  // namespace sill
