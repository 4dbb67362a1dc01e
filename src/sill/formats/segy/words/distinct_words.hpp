// A bounded set of distinct words that does not depend on the order in which words are added.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sill::segy {

/// A set of distinct nonzero words. It stores up to `max_words` words. If more words are added, it stores the
/// `max_words` words with the smallest hashes, which is as good as a random sample of the distinct words. So merging
/// the sets of several subsets of data gives the set of all the data.
class DistinctWords {
 public:
  /// Local. Creates an empty set. The set uses 16 to 32 bytes per word of `max_words`.
  explicit DistinctWords(std::size_t max_words);

  /// Local. Adds a word. Precondition: `word` is not 0.
  void add(std::uint32_t word);
  void clear();

  /// Local. Returns the stored words, in no particular order.
  [[nodiscard]] std::vector<std::uint32_t> words() const;

 private:
  void drop_beyond_max();
  void insert(std::uint32_t word, std::uint32_t hash);

  std::size_t max_words_;
  std::vector<std::uint32_t> slots_;  // an open hash table; 0: free
  std::size_t used_ = 0;
  std::uint32_t largest_hash_ = UINT32_MAX;  // words with a larger hash are not added
};

}  // namespace sill::segy
