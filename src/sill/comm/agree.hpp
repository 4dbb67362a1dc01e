// How ranks share an error: all throw the same one, or none does.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/communicator.hpp"

namespace sill {

/// Collective. If any rank brings an error, every rank throws the error of the lowest such rank, with that rank named.
/// Costs one all_reduce of one number while nothing is wrong.
void agree(Communicator& comm, const std::optional<Error>& mine);

/// Local. To be called first where an error of collective work is caught: throws it again if the other ranks do not
/// have it too, because otherwise they are not where this rank would go on.
inline void require_known_to_all(const Communicator& comm, const Error& error) {
  if (!error.agreed() && comm.size() > 1) throw Error(error);
}

/// Local. Runs `work` and returns what it threw, if anything; for `agree` later.
template <class Work>
[[nodiscard]] std::optional<Error> attempt(Work&& work) noexcept {
  try {
    std::forward<Work>(work)();
    return std::nullopt;
  } catch (...) {
    return current_error();
  }
}

/// Collective. Runs `work`, which is collective, and returns what it threw on all ranks, if anything. Errors: what it
/// threw on this rank alone, as require_known_to_all.
template <class Work>
[[nodiscard]] std::optional<Error> attempt_together(const Communicator& comm, Work&& work) {
  std::optional<Error> error = attempt(std::forward<Work>(work));
  if (error) require_known_to_all(comm, *error);
  return error;
}

/// Local. Stores `next` unless an earlier error is stored: the error of several steps that are all performed.
inline void keep_first(std::optional<Error>& first, std::optional<Error> next) {
  if (!first) first = std::move(next);
}

/// Collective. Runs `work`, which must not communicate, on every rank and agrees on how it went; returns its value.
template <class Work>
auto run_and_agree(Communicator& comm, Work&& work) {
  using Value = std::invoke_result_t<Work>;
  if constexpr (std::is_void_v<Value>) {
    agree(comm, attempt(std::forward<Work>(work)));
  } else {
    std::optional<Value> value;
    agree(comm, attempt([&] { value.emplace(std::forward<Work>(work)()); }));
    return std::move(*value);
  }
}

/// Collective. Runs `work`, which is collective, unless an earlier call of several failed: its error, in `failure`, is
/// thrown again. What `work` throws on all ranks becomes that error; `on_failure` runs before it is thrown. Errors:
/// also what `work` threw on this rank alone, of which nothing is kept.
template <class Work, class OnFailure = void (*)()>
void run_unless_failed(
    const Communicator& comm, std::optional<Error>& failure, Work&& work, OnFailure&& on_failure = [] {}) {
  if (failure) throw Error(*failure);
  std::optional<Error> error = attempt_together(comm, std::forward<Work>(work));
  if (!error) return;
  failure = std::move(error);
  std::forward<OnFailure>(on_failure)();
  throw Error(*failure);
}

/// Collective. Runs `work` on rank `root` alone and agrees on how it went.
template <class Work>
void run_on_rank(Communicator& comm, int root, Work&& work) {
  agree(comm, comm.rank() == root ? attempt(std::forward<Work>(work)) : std::nullopt);
}

}  // namespace sill
