#include "sill/formats/segy/words/distinct_words.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace sill::segy {
namespace {

// The finalizer of MurmurHash3: different words have different hashes.
std::uint32_t hash_of(std::uint32_t word) {
  word = (word ^ (word >> 16U)) * 0x85EBCA6BU;
  word = (word ^ (word >> 13U)) * 0xC2B2AE35U;
  return word ^ (word >> 16U);
}

}  // namespace

DistinctWords::DistinctWords(std::size_t max_words) : max_words_(max_words), slots_(std::bit_ceil(4 * max_words)) {}

void DistinctWords::add(std::uint32_t word) {
  const std::uint32_t hash = hash_of(word);
  if (hash > largest_hash_) return;
  insert(word, hash);
  if (2 * used_ > slots_.size()) drop_beyond_max();
}

void DistinctWords::insert(std::uint32_t word, std::uint32_t hash) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at] != 0 && slots_[at] != word) at = (at + 1) & mask;
  if (slots_[at] == 0) ++used_;
  slots_[at] = word;
}

void DistinctWords::drop_beyond_max() {
  const std::vector<std::uint32_t> kept = words();
  clear();
  for (const std::uint32_t word : kept) {
    const std::uint32_t hash = hash_of(word);
    largest_hash_ = std::max(largest_hash_ == UINT32_MAX ? 0 : largest_hash_, hash);
    insert(word, hash);
  }
}

void DistinctWords::clear() {
  std::ranges::fill(slots_, 0);
  used_ = 0;
  largest_hash_ = UINT32_MAX;
}

std::vector<std::uint32_t> DistinctWords::words() const {
  std::vector<std::uint32_t> words;
  words.reserve(used_);
  std::ranges::copy_if(slots_, std::back_inserter(words), [](std::uint32_t word) { return word != 0; });
  if (words.size() > max_words_) {
    std::ranges::nth_element(words, words.begin() + static_cast<std::ptrdiff_t>(max_words_), {}, hash_of);
    words.resize(max_words_);
  }
  return words;
}

}  // namespace sill::segy
