// The header of a trace that stands for several.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/flow/operation/operation.hpp"

namespace sill::flow {

/// Makes the header of a stacked trace from those of its input traces. Several threads may use one.
class GatherHeader {
 public:
  /// Local. Words of the survey; those of `keys` stay as the traces have them.
  GatherHeader(const SurveyState& state, std::span<const segy::TraceKey> keys);

  /// Local. Writes into the header of trace `first` of `block` what is true of the traces `of`, which contain it: fold
  /// (bytes 33-34), offset 0, means of true coordinates, 0 for other words in which they differ, trace
  /// identification 1, or 11 to 17 if they agree in it, or 2 if `of_nothing`. Words of the keys stay. Errors: input,
  /// without a place, for a mean or a fold that a word cannot hold.
  void write(TraceBlock& block, std::int64_t first, std::span<const std::int64_t> of, std::int64_t fold,
             bool of_nothing) const;

  /// Local. The names of the words that were set to 0 because they differed, so far.
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const;

 private:
  [[nodiscard]] std::int64_t identification_of(const std::byte* header, std::span<const std::byte> differing) const;

  struct Cleared {
    segy::WordRef word;
    mutable std::atomic<std::int64_t> traces{0};
  };

  ByteOrder order_;
  std::vector<std::unique_ptr<Cleared>> others_;  // set to 0 where they differ
  std::vector<segy::WordRef> coordinates_;
  std::optional<segy::WordRef> fold_;
  std::optional<segy::WordRef> offset_;
  std::optional<segy::WordRef> identification_;
};

}  // namespace sill::flow
