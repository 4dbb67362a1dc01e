#include "sill/flow/turned_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace sill {
namespace {

bool overlap(const segy::WordRef& a, const segy::WordRef& b) {
  return a.byte < b.byte + b.type.bytes && b.byte < a.byte + a.type.bytes;
}

segy::WordRef ref_of(const segy::Word& word) {
  return {.name = std::string(word.shown_name()), .byte = word.byte_in_trace(), .type = word.type, .standard = &word};
}

// The words that say where the next trace begins.
std::vector<segy::WordRef> words_of_lengths(const segy::FileDescription& file) {
  std::vector<segy::WordRef> words;
  const auto add = [&](std::span<const segy::Word> table, int byte) {
    words.push_back(ref_of(*std::ranges::find(table, byte, &segy::Word::byte)));
  };
  add(segy::trace_words(), 115);
  if (file.additional_trace_headers > 0)
    for (const int byte : {137, 157, 233}) add(segy::extension_words(), byte);
  return words;
}

}  // namespace

std::vector<segy::WordRef> turned_words(const segy::HeaderMap& map, const segy::FileDescription& file,
                                        segy::FileKind upper, std::vector<std::string>& notes) {
  std::vector<segy::WordRef> words = words_of_lengths(file);
  const std::size_t of_lengths = words.size();
  for (const segy::MapWord& word : map.all()) {
    if (word.standard != nullptr && word.byte == word.standard->byte_in_trace() && word.type == word.standard->type)
      continue;
    words.push_back({.name = word.names.front(), .byte = word.byte, .type = word.type, .standard = word.standard});
    if (word.has_exponent)
      words.push_back({.name = word.names.front(),
                       .byte = word.byte + word.type.bytes,
                       .type = {segy::WordKind::signed_integer, 2}});
    for (std::size_t i = 0; i < of_lengths; ++i) {
      const segy::WordRef& length = words[i];
      if (overlap(words.back(), length) && (words.back().byte != length.byte || words.back().type != length.type))
        notes.push_back(fmt::format("{} lies over {} (byte {}), by which lengths are told: turned as that",
                                    words.back().name, length.name, length.byte));
    }
  }
  const std::size_t placed = words.size();
  // The words of revision 1 stand in files of revision 0, too. Up to it nobody says what the last eight bytes are, and
  // they often hold something.
  constexpr int unassigned_byte = 233;
  constexpr int all = segy::trace_header_bytes + 1;
  const segy::Revision revision = std::max(segy::Revision::rev1, segy::revision_of(file));
  const auto add = [&](std::span<const segy::Word> standard, int end) {
    for (const segy::Word& word : standard) {
      if (word.byte >= end || (word.block == segy::WordBlock::trace && !word.is_in(revision))) continue;
      const segy::WordRef ref = ref_of(word);
      const auto is_taken = [&](const segy::WordRef& other) { return overlap(ref, other); };
      if (std::none_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(placed), is_taken))
        words.push_back(ref);
    }
  };
  if (upper == segy::FileKind::seismic_unix) {
    add(segy::trace_words(), 181);
    add(segy::su_words(), all);
  } else {
    add(segy::trace_words(), all);
    add(segy::former_trace_words(), unassigned_byte);
    add(segy::extension_words(), all);
  }
  return words;
}

}  // namespace sill
