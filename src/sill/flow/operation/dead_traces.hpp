// Which traces count as dead, or as no seismic data, whatever their samples are.
#pragma once

#include <cstddef>
#include <optional>

#include "sill/flow/operation/operation.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/formats/segy/expression/assignment.hpp"

namespace sill::flow {

/// What the trace identification (bytes 29-30) says of traces: 2 is dead; 0, 1, 11 to 17 and 25 are seismic data, as
/// are codes of Seismic Unix from 101 on in its data, and all traces where the user says so. All others are auxiliary:
/// sweeps, time breaks, ... Traces of zeros are dead, too: `live_samples` sees that. Source: SEG-Y rev 2.1, bytes
/// 29-30.
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
  [[nodiscard]] bool contains(const std::byte* header) const { return code(header) == dead; }
  /// Local. Returns true unless the trace is auxiliary.
  [[nodiscard]] bool is_seismic(const std::byte* header) const {
    const double of_trace = takes_auxiliary_ ? 1.0 : code(header);
    return of_trace == 0.0 || of_trace == 1.0 || of_trace == dead || (of_trace >= 11.0 && of_trace <= 17.0) ||
           of_trace == depth_domain || (is_seismic_unix_ && of_trace >= first_of_seismic_unix);
  }
  /// Local. The trace identification; 1 if the survey has no such word.
  [[nodiscard]] double code(const std::byte* header) const {
    return identification_ ? segy::read_word(header, identification_->byte, identification_->type, order_).as_double()
                           : 1.0;
  }

 private:
  static constexpr double dead = 2.0;
  static constexpr double depth_domain = 25.0;

  static constexpr double first_of_seismic_unix = 101.0;  // its own codes, all of data: 130 depth along x, ...

  bool takes_auxiliary_ = false;
  bool is_seismic_unix_ = false;
  std::optional<segy::WordRef> identification_;
  ByteOrder order_ = ByteOrder::big;
};

}  // namespace sill::flow
