// The header of a trace that represents several traces.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/flow/operation/operation.hpp"

namespace sill::flow {

/// Makes the header of a stacked trace from the headers of its input traces. Several threads may use one object.
class GatherHeader {
 public:
  /// Local. Finds the words of the survey that are set. Words of `keys` remain unchanged; the word of a key
  /// such as abs(offset) gets its magnitude.
  GatherHeader(const SurveyState& state, std::span<const segy::TraceKey> keys);

  /// Local. Writes the header for the traces `of` into the header of trace `first` of `block`, which is one of them:
  /// fold (bytes 33-34), offset 0, means of true coordinates (0 if their units differ), 0 for other words whose true
  /// values differ, and trace identification 1, or 11 to 17 if the traces agree in it, or 2 if `of_nothing`. Words of
  /// the keys remain unchanged. Errors: input, without a position, if a word cannot store a mean or the fold.
  void write(TraceBlock& block, std::int64_t first, std::span<const std::int64_t> of, std::int64_t fold,
             bool of_nothing) const;

  /// Local. Returns the numbers of headers in which words were set to 0 because traces differ, by word.
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const;

 private:
  [[nodiscard]] bool has_one_unit(TraceBlock& block, std::span<const std::int64_t> of) const;
  [[nodiscard]] std::int64_t identification_of(const std::byte* header, std::span<const std::byte> differing) const;

  struct Cleared {
    segy::WordRef word;
    mutable std::atomic<std::int64_t> traces{0};
  };

  ByteOrder order_;
  std::vector<std::unique_ptr<Cleared>> others_;  // set to 0 if traces differ
  std::vector<segy::WordRef> coordinates_;
  std::vector<segy::WordRef> magnitudes_;  // of keys such as abs(offset)
  std::optional<segy::WordRef> fold_;
  std::optional<segy::WordRef> offset_;
  std::optional<segy::WordRef> unit_;  // of coordinates
  std::optional<segy::WordRef> identification_;
  mutable std::atomic<std::int64_t> of_several_units_{0};
};

}  // namespace sill::flow
