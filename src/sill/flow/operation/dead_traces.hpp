// Determines which traces are marked as dead or auxiliary, regardless of their samples.
#pragma once

#include <cstddef>
#include <optional>

#include "sill/flow/operation/operation.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/formats/segy/expression/assignment.hpp"
#include "sill/formats/segy/words/trace_code.hpp"

namespace sill::flow {

/// The type of each trace according to its trace identification: dead, seismic data (segy::is_seismic_code; all traces
/// if the user requests it) or auxiliary. Traces of zeros are dead, too, but `live_samples` detects these.
class DeadTraces {
 public:
  /// Local. Finds the trace identification word of the survey. Marks no traces if the survey has no such word.
  void bind(const SurveyState& state) {
    order_ = state.order;
    takes_auxiliary_ = state.takes_auxiliary;
    is_seismic_unix_ = state.kind == segy::FileKind::seismic_unix;
    if (state.words->find("trid") != nullptr) identification_ = state.words->word("trid");
  }

  /// Local. Adds the trace identification word, which the functions below read, to `access`.
  void add_to(Access& access) const {
    if (identification_) access.reads_words.push_back(segy::bytes_of(*identification_));
  }

  /// Local. Returns true if the trace of `header` is marked as dead.
  [[nodiscard]] bool contains(const std::byte* header) const { return code(header) == segy::dead_trace_code; }
  /// Local. Returns true unless the trace is auxiliary.
  [[nodiscard]] bool is_seismic(const std::byte* header) const {
    return takes_auxiliary_ || segy::is_seismic_code(code(header), is_seismic_unix_);
  }
  /// Local. Returns the trace identification; 1 if the survey has no such word.
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
