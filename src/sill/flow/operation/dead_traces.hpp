// Which traces count as dead whatever their samples are.
#pragma once

#include <cstddef>
#include <optional>

#include "sill/flow/operation/operation.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/formats/segy/expression/assignment.hpp"

namespace sill::flow {

/// The traces whose trace identification (bytes 29-30) is 2. Traces of zeros are dead, too: `live_samples` sees that.
class DeadTraces {
 public:
  /// Local. Marks none if the survey has no such word.
  void bind(const SurveyState& state) {
    order_ = state.order;
    if (state.words->find("trid") != nullptr) identification_ = state.words->word("trid");
  }

  /// Local. Adds what `contains` reads.
  void add_to(Access& access) const {
    if (identification_) access.reads_words.push_back(segy::bytes_of(*identification_));
  }

  /// Local. Returns true if the trace of `header` is marked as dead.
  [[nodiscard]] bool contains(const std::byte* header) const {
    constexpr double dead = 2.0;
    return identification_ &&
           segy::read_word(header, identification_->byte, identification_->type, order_).as_double() == dead;
  }

 private:
  std::optional<segy::WordRef> identification_;
  ByteOrder order_ = ByteOrder::big;
};

}  // namespace sill::flow
