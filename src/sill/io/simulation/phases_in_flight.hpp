// Output phases whose requests go on behind the computation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <list>
#include <optional>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"

namespace sill {

/// The phases of a writer that have begun and are not finished, the oldest first: at most so many, and each costs no
/// other. `Phase::finish()` is Collective and throws what went wrong with its requests. What a phase works from lives
/// longer than this.
template <class Phase>
class PhasesInFlight {
 public:
  /// `async` as of a Policy. `retire` is given every phase that has been finished, before it goes.
  PhasesInFlight(
      Communicator& comm, int async, std::function<void(Phase&)> retire = [](Phase&) {})
      : comm_(comm), async_(async), retire_(std::move(retire)) {}

  /// Local. How many share the memory: one at least, while it is written.
  [[nodiscard]] int most() const { return std::max(1, async_); }

  /// How a phase that was handed over fared.
  struct Fared {
    bool is_well = false;        ///< it has begun, and is finished if it must be
    std::optional<Error> error;  ///< the first of any phase, which all ranks have
  };

  /// Collective. Calls `begin(phase)` once there is room; what became of phases before costs this one nothing. `begun`
  /// holds the phase, so that its room was taken where ranks agree. Without `async` it is finished, too.
  template <class Begin>
  [[nodiscard]] Fared hand_over(std::list<Phase> begun, Begin&& begin) {
    Fared fared;
    while (phases_.size() >= static_cast<std::size_t>(most())) keep_first(fared.error, finish_oldest());
    try {
      std::forward<Begin>(begin)(begun.back());
      phases_.splice(phases_.end(), begun);
      const std::optional<Error> failure = async_ == 0 ? finish_oldest() : std::nullopt;
      fared.is_well = !failure;
      keep_first(fared.error, failure);
    } catch (...) {
      const Error error = current_error();
      require_known_to_all(comm_, error);
      keep_first(fared.error, error);
    }
    return fared;
  }

  /// Collective. Finishes the oldest, as far as no rank has to wait for them (`Phase::is_done()`, Local). The first
  /// error, which all ranks have.
  [[nodiscard]] std::optional<Error> finish_done() {
    std::optional<Error> first;
    if (phases_.empty()) return first;  // on all ranks
    const auto busy = std::find_if(phases_.begin(), phases_.end(), [](const Phase& phase) { return !phase.is_done(); });
    std::int64_t done = all_reduce(comm_, std::distance(phases_.begin(), busy), Reduction::min);
    while (done-- > 0) keep_first(first, finish_oldest());
    return first;
  }

  /// Collective. Finishes all. The first error, which all ranks have.
  [[nodiscard]] std::optional<Error> finish_all() {
    std::optional<Error> first;
    while (!phases_.empty()) keep_first(first, finish_oldest());
    return first;
  }

 private:
  static void keep_first(std::optional<Error>& first, const std::optional<Error>& next) {
    if (!first) first = next;
  }

  [[nodiscard]] std::optional<Error> finish_oldest() {
    std::list<Phase> oldest;
    oldest.splice(oldest.end(), phases_, phases_.begin());
    std::optional<Error> failure;
    try {
      oldest.front().finish();
    } catch (...) {
      failure = current_error();
      require_known_to_all(comm_, *failure);
    }
    retire_(oldest.front());
    return failure;
  }

  Communicator& comm_;
  int async_;
  std::function<void(Phase&)> retire_;
  std::list<Phase> phases_;
};

}  // namespace sill
