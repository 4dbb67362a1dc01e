// Replaces the traces of gathers: one new trace for each of several values.
#pragma once

#include <atomic>
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

/// Replaces a gather by the traces that an operation makes of it. Several threads may use one object.
class MadeTraces {
 public:
  /// Local. Finds the words of the survey that are set. Words of `keys` remain unchanged; `word` is set to the value of
  /// each trace. Errors: usage if the header map does not have `word`.
  MadeTraces(const SurveyState& state, std::span<const segy::TraceKey> keys, std::string_view word = "offset")
      : header_(state, keys), order_(state.order), value_(state.words->word(word)) {
    segy::require_true_value(value_, word);
    if (state.words->find("cdpt") != nullptr) number_ = state.words->word("cdpt");
  }

  /// Local. Replaces the traces of the block by the traces `made`, all with the header of the gather (GatherHeader)
  /// whose live traces are `live`. The word is set to `value_of(j)`, rounded if its type requires it, and cdpt to the
  /// number of the trace, from 1. Errors: as GatherHeader; input for values that the words cannot store.
  void put(TraceBlock& block, std::span<const std::int64_t> live, std::span<const std::vector<float>> made,
           const std::function<double(std::int64_t j)>& value_of) const;

  /// Local. Returns the numbers of headers in which words were set to 0 or rounded.
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const;

 private:
  GatherHeader header_;
  ByteOrder order_;
  segy::WordRef value_;
  std::optional<segy::WordRef> number_;
  mutable std::atomic<std::int64_t> rounded_{0};
};

}  // namespace sill::flow
