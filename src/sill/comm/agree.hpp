// Sharing of errors between ranks: either all ranks throw the same error, or none throws.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/communicator.hpp"

namespace sill {

/// Collective. If any rank passes an error, throws on every rank the error of the lowest rank that passes one; the
/// error names this rank. Costs one all_reduce of one number if no rank passes an error.
void agree(Communicator& comm, const std::optional<Error>& mine);

/// Local. Throws `error` again if the other ranks did not throw the same error. Call this function first wherever an
/// error of collective work is caught: otherwise this rank would continue in code that the other ranks do not execute.
inline void require_known_to_all(const Communicator& comm, const Error& error) {
  if (!error.agreed() && comm.size() > 1) throw Error(error);
}

/// Local. Runs `work` and returns the error that `work` threw, which the caller can pass to `agree`; nullopt if `work`
/// threw no error.
template <class Work>
[[nodiscard]] std::optional<Error> attempt(Work&& work) noexcept {
  try {
    std::forward<Work>(work)();
    return std::nullopt;
  } catch (...) {
    return current_error();
  }
}

/// Collective. Runs `work`, which is collective, and returns the error that `work` threw on all ranks; nullopt if it
/// threw no error. Errors: an error that `work` threw only on this rank (require_known_to_all).
template <class Work>
[[nodiscard]] std::optional<Error> attempt_together(const Communicator& comm, Work&& work) {
  std::optional<Error> error = attempt(std::forward<Work>(work));
  if (error) require_known_to_all(comm, *error);
  return error;
}

/// Local. Stores the error `next` in `first` unless `first` already contains an error. For steps that are all performed
/// even if one of them fails: the first error remains.
inline void keep_first(std::optional<Error>& first, std::optional<Error> next) {
  if (!first) first = std::move(next);
}

/// Collective. Runs `work`, which must not communicate, on every rank and agrees on errors. Returns the value that
/// `work` returned.
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

/// Collective. Runs `work`, which is collective, unless an earlier call failed: then throws the stored error `failure`
/// again. Stores in `failure` an error that `work` throws on all ranks, calls `on_failure` and throws the error.
/// Errors: also an error that `work` threw only on this rank; such an error is not stored.
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

/// Collective. Runs `work` on rank `root` only and agrees on errors.
template <class Work>
void run_on_rank(Communicator& comm, int root, Work&& work) {
  agree(comm, comm.rank() == root ? attempt(std::forward<Work>(work)) : std::nullopt);
}

}  // namespace sill
