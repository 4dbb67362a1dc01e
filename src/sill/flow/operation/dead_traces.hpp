// Which traces are marked as dead or auxiliary, whatever their samples are.
#pragma once

#include <cstddef>
#include <optional>

#include "sill/flow/operation/operation.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/formats/segy/expression/assignment.hpp"
#include "sill/formats/segy/words/trace_code.hpp"

namespace sill::flow {

/// What the trace identification says of traces: dead, seismic data (segy::is_seismic_code; all traces where the user
/// says so) or auxiliary. Traces of zeros are dead, too: `live_samples` sees that.
class DeadTraces {
 public:
  /// Local. Marks none if the survey has no such word.
  void bind(const SurveyState& state) {
    order_ = state.order;
    takes_auxiliary_ = state.takes_auxiliary;
    is_seismic_unix_ = state.kind == segy::FileKind::seismic_unix;
    if (state.words->find("trid") != nullptr) identification_ = state.words->word("trid");
  }

  /// Local. Adds what the functions below read.
  void add_to(Access& access) const {
    if (identification_) access.reads_words.push_back(segy::bytes_of(*identification_));
  }

  /// Local. Returns true if the trace of `header` is marked as dead.
  [[nodiscard]] bool contains(const std::byte* header) const { return code(header) == segy::dead_trace_code; }
  /// Local. Returns true unless the trace is auxiliary.
  [[nodiscard]] bool is_seismic(const std::byte* header) const {
    return takes_auxiliary_ || segy::is_seismic_code(code(header), is_seismic_unix_);
  }
  /// Local. The trace identification; 1 if the survey has no such word.
  [[nodiscard]] double code(const std::byte* header) const {
    return identification_ ? segy::read_word(header, identification_->byte, identification_->type, order_).as_double()
                           : 1.0;
  }

 private:
  bool takes_auxiliary_ = false;
  bool is_seismic_unix_ = false;
  std::optional<segy::WordRef> identification_;
  ByteOrder order_ = ByteOrder::big;
};

}  // namespace sill::flow
