// Finds standard header words by their names.
#include "sill/formats/segy/words/words.hpp"

#include <algorithm>
#include <utility>

#include "sill/base/nearest_names.hpp"

namespace sill::segy {
namespace {

// Names in segyio 2 of words for which the table contains the names in segyio 1.
constexpr std::pair<std::string_view, int> later_binary_names[] = {
    {"EnsembleTraces", 3213}, {"AuxEnsembleTraces", 3215}, {"ExtEnsembleTraces", 3261}, {"ExtAuxEnsembleTraces", 3265}};

const Word* find_in(std::span<const Word> words, std::string_view name) {
  const auto found = std::ranges::find_if(words, [&](const Word& word) { return word.is_called(name); });
  return found == words.end() ? nullptr : &*found;
}

std::vector<const Word*> words_in(Revision revision, std::span<const Word> latest, std::span<const Word> former) {
  std::vector<const Word*> words;
  for (const auto table : {latest, former})
    for (const Word& word : table)
      if (word.is_in(revision)) words.push_back(&word);
  std::ranges::sort(words, {}, &Word::byte);
  return words;
}

}  // namespace

std::string detail::lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

const Word* find_trace_word(std::string_view name) {
  const Word* const word = find_in(trace_words(), name);
  return word != nullptr ? word : find_in(former_trace_words(), name);
}

const Word* find_binary_word(std::string_view name) {
  for (const auto words : {binary_words(), former_binary_words()}) {
    if (const Word* const word = find_in(words, name)) return word;
  }
  const std::string wanted = detail::lower_case(name);
  for (const auto& [later_name, byte] : later_binary_names) {
    if (detail::lower_case(later_name) == wanted) return &*std::ranges::find(binary_words(), byte, &Word::byte);
  }
  return nullptr;
}

std::vector<const Word*> trace_words_in(Revision revision) {
  constexpr int unassigned_byte = 233;
  auto words = words_in(std::max(revision, Revision::rev1), trace_words(), former_trace_words());
  if (revision < Revision::rev2_0) std::erase_if(words, [](const Word* word) { return word->byte >= unassigned_byte; });
  return words;
}

std::vector<const Word*> binary_words_in(Revision revision) {
  return words_in(revision, binary_words(), former_binary_words());
}

const Word& binary_word(int byte, Revision revision) {
  const auto is_it = [&](const Word& word) { return word.byte == byte && word.is_in(revision); };
  const auto words = binary_words();
  const auto found = std::ranges::find_if(words, is_it);
  return found != words.end() ? *found : *std::ranges::find_if(former_binary_words(), is_it);
}

const Word* find_extension_word(std::string_view name) {
  const std::string wanted = detail::lower_case(name);
  const auto has_name = [&](const Word& word) {
    return !wanted.empty() &&
           (detail::lower_case(word.segyio) == wanted || detail::lower_case(word.standard) == wanted);
  };
  const auto words = extension_words();
  const auto found = std::ranges::find_if(words, has_name);
  return found == words.end() ? nullptr : &*found;
}

std::vector<std::string> nearest_names(std::string_view name, std::span<const Word> words,
                                       std::span<const std::string_view> also) {
  std::vector<std::string_view> known(also.begin(), also.end());
  for (const Word& word : words) {
    for (const std::string_view one : {word.segyio, word.su, word.standard}) {
      if (!one.empty()) known.push_back(one);
    }
  }
  return sill::nearest_names(name, known);
}

}  // namespace sill::segy
