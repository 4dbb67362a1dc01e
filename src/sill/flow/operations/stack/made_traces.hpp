// Gathers of other traces than there were: one for each of several values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sill/flow/operation/operation.hpp"
#include "sill/flow/operations/stack/gather_header.hpp"

namespace sill::flow {

/// Puts the traces that an operation makes of a gather into its place. Several threads may use one.
class MadeTraces {
 public:
  /// Local. Words of the survey; those of `keys` stay as the traces have them; `word` takes the value of each trace.
  /// Errors: usage, of a header map without that word.
  MadeTraces(const SurveyState& state, std::span<const segy::TraceKey> keys, std::string_view word = "offset")
      : header_(state, keys), order_(state.order), value_(state.words->word(word)) {
    segy::require_true_value(value_, word);
    if (state.words->find("cdpt") != nullptr) number_ = state.words->word("cdpt");
  }

  /// Local. Makes the block the traces `made`, all with the header of the gather (GatherHeader) whose live traces are
  /// `live`; the word takes `value_of(j)`, rounded as it needs, and cdpt the number of the trace, from 1.
  /// Errors: as of GatherHeader; for values that the words cannot hold.
  void put(TraceBlock& block, std::span<const std::int64_t> live, std::span<const std::vector<float>> made,
           const std::function<double(std::int64_t j)>& value_of) const;

  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const { return header_.counts(); }

 private:
  GatherHeader header_;
  ByteOrder order_;
  segy::WordRef value_;
  std::optional<segy::WordRef> number_;
};

}  // namespace sill::flow
