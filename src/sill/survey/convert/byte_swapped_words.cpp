#include "sill/survey/convert/byte_swapped_words.hpp"

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

// Returns the words that determine where the next trace begins.
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

std::vector<segy::WordRef> words_of_layers(const segy::HeaderMap& map) {
  std::vector<const segy::MapWord*> layered;
  for (const segy::MapWord& word : map.all())
    if (word.layer > 0) layered.push_back(&word);
  std::ranges::stable_sort(layered, std::ranges::greater{}, &segy::MapWord::layer);
  std::vector<segy::WordRef> words;
  for (auto first = layered.begin(); first != layered.end();) {
    const auto end =
        std::find_if(first, layered.end(), [&](const auto* word) { return word->layer != (*first)->layer; });
    for (const segy::MapWord* word : std::span(first, end))
      words.push_back(
          {.name = word->names.front(), .byte = word->byte, .type = word->type, .standard = word->standard});
    for (const segy::MapWord* word : std::span(first, end)) {
      if (word->has_exponent)
        words.push_back({.name = word->names.front(),
                         .byte = word->byte + word->type.bytes,
                         .type = {segy::WordKind::signed_integer, 2}});
    }
    first = end;
  }
  return words;
}

std::vector<segy::WordRef> byte_swapped_words(const segy::HeaderMap& map, const segy::FileDescription& file,
                                              segy::FileKind upper, std::vector<std::string>& notes) {
  std::vector<segy::WordRef> words = words_of_lengths(file);
  const std::size_t of_lengths = words.size();
  for (segy::WordRef& word : words_of_layers(map)) {
    for (std::size_t i = 0; i < of_lengths; ++i) {
      const segy::WordRef& length = words[i];
      if (overlap(word, length) && (word.byte != length.byte || word.type != length.type))
        notes.push_back(fmt::format("{} overlaps {} (byte {}), which states lengths: converted as a length", word.name,
                                    length.name, length.byte));
    }
    words.push_back(std::move(word));
  }
  const std::size_t placed = words.size();
  const auto add = [&](const segy::Word& word) {
    const segy::WordRef ref = ref_of(word);
    const auto is_taken = [&](const segy::WordRef& other) { return overlap(ref, other); };
    if (std::none_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(placed), is_taken))
      words.push_back(ref);
  };
  const bool is_su = upper == segy::FileKind::seismic_unix;
  // Revision 0 does not assign the bytes after the common ones: they may contain anything.
  const bool is_common_only = is_su || map.kind() == segy::HeaderKind::segy_of_revision_0;
  for (const segy::Word* word : segy::trace_words_in(segy::revision_of(file)))
    if (!is_common_only || word->byte <= segy::su_common_bytes) add(*word);
  for (const segy::Word& word : is_su ? segy::su_words() : segy::extension_words()) add(word);
  return words;
}

}  // namespace sill
