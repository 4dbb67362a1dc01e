// The sample intervals that the headers of traces which are combined state.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "sill/base/error.hpp"
#include "sill/flow/operation/dead_traces.hpp"
#include "sill/flow/operation/operation.hpp"
#include "sill/formats/segy/description/interval_word.hpp"

namespace sill::flow {

/// Compares the intervals that trace headers state (word dt) with the interval of the survey, with which flows compute.
class StatedIntervals {
 public:
  /// Local. Finds the word, as segy::IntervalWord.
  explicit StatedIntervals(const SurveyState& state)
      : order_(state.order), is_assumed_(state.is_interval_assumed), word_(*state.words, state.interval_us) {}

  [[nodiscard]] const segy::IntervalWord& word() const { return word_; }

  /// Local. Throws at the first live trace of a block that states another interval than the live trace before it, if an
  /// operation with `access` combines their samples. Does nothing if the user stated the interval. Errors: input.
  void require_one(TraceBlock& block, const DeadTraces& dead, const Access& access) const {
    if (is_assumed_ || access.scope == Scope::trace || !access.reads_samples) return;
    // Blocks of neighbours may begin at any trace, so only adjacent traces are compared: the first error is then the
    // same for all blocks.
    const bool is_gather = access.scope == Scope::gather;
    if (!is_gather && access.halo == 0) return;
    std::int64_t previous = 0;  // 0: none
    for (std::int64_t i = 0; i < block.count(); ++i) {
      const std::byte* const header = block.header(i).data();
      if (!dead.is_seismic(header) || dead.contains(header)) {
        if (!is_gather) previous = 0;
        continue;
      }
      const std::int64_t stated = word_.of(header, order_);
      if (previous != 0 && previous != stated)
        throw Error(
            {.code = ErrorCode::input,
             .problem = fmt::format("the header states a sample interval (dt) of {} us, but that of a trace with "
                                    "which the trace is combined, {} us",
                                    stated, previous),
             .where = {.item = i + 1, .item_word = "trace"},
             .action = fmt::format("if these words are wrong, give --assume interval={}, which is used for all "
                                   "traces; otherwise process traces of different intervals separately",
                                   word_.used_us())});
      previous = stated;
    }
  }

 private:
  ByteOrder order_;
  bool is_assumed_;
  segy::IntervalWord word_;
};

}  // namespace sill::flow
