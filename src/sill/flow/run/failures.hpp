// The error of a flow: the one that its operations, executed one after another, would have met first.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "sill/base/error.hpp"
#include "sill/comm/communicator.hpp"

namespace sill::flow {

/// Local. `error` as operation `operation` (from 0) called `name` met it at a place.
[[nodiscard]] Error error_of_operation(const Error& error, std::size_t operation, const std::string& name, Where where);

/// Collects errors of operations. Threads may call `add` and `limit` at once.
class Failures {
 public:
  /// Local. `operations`: nothing fails at or behind it.
  explicit Failures(std::size_t operations) : limit_(operations), operations_(operations) {}

  /// Local. Operation `operation` failed at the trace that is `position` in the order in which it takes them.
  void add(std::size_t operation, std::int64_t position, const Error& error);

  /// Local. Returns the first operation that failed, or their number if none did. Operations behind it need not be
  /// executed any more, because its error comes before theirs; it itself must be, for traces before the one at which it
  /// failed.
  [[nodiscard]] std::size_t limit() const { return limit_.load(std::memory_order_relaxed); }

  /// Collective. Throws the first error of all ranks, if there is any, on all ranks.
  void agree(Communicator& comm) const;
  /// Collective. The first operation that failed on any rank, if any did.
  [[nodiscard]] std::optional<std::size_t> first_operation(Communicator& comm) const;

 private:
  struct First {
    std::size_t operation = 0;
    std::int64_t position = 0;
    Error error;
  };

  std::mutex mutex_;
  std::optional<First> first_;
  std::atomic<std::size_t> limit_;
  std::size_t operations_;
};

}  // namespace sill::flow
