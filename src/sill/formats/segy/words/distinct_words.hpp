// A bounded set of distinct words that does not depend on the order in which they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sill::segy {

/// Holds distinct words other than 0: all while they are at most `max_words`, else the `max_words` of them with the
/// smallest hashes, which are as good as drawn at random from the distinct words. So a set to which the words of parts'
/// sets are added is the set of the whole.
class DistinctWords {
 public:
  /// Takes 16 bytes a word.
  explicit DistinctWords(std::size_t max_words);

  /// Local. Precondition: `word` is not 0.
  void add(std::uint32_t word);
  void clear();

  /// Local. The words held, in no order.
  [[nodiscard]] std::vector<std::uint32_t> words() const;

 private:
  void drop_beyond_max();
  void insert(std::uint32_t word, std::uint32_t hash);

  std::size_t max_words_;
  std::vector<std::uint32_t> slots_;  // an open hash table; 0: free
  std::size_t used_ = 0;
  std::uint32_t largest_hash_ = UINT32_MAX;  // of the words that may still be added
};

}  // namespace sill::segy
