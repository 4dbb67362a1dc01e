// Determines the error of a flow: the one that would occur first if the operations were executed one after another.
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

/// Local. Returns `error` as an error of operation `operation` (from 0), called `name`, at `where`.
[[nodiscard]] Error error_of_operation(const Error& error, std::size_t operation, const std::string& name, Where where);

/// Collects errors of operations. Threads may call `add` and `limit` concurrently.
class Failures {
 public:
  /// Local. Creates a collection without errors. `operations`: the number of operations.
  explicit Failures(std::size_t operations) : limit_(operations), operations_(operations) {}

  /// Local. Records that operation `operation` failed at the trace with index `position` in its input order.
  void add(std::size_t operation, std::int64_t position, const Error& error);

  /// Local. Returns the first operation that failed, or the number of operations if none did. Later operations need not
  /// be executed any more, because the recorded error precedes their errors. The failed operation must still be
  /// executed for traces before the one at which it failed.
  [[nodiscard]] std::size_t limit() const { return limit_.load(std::memory_order_relaxed); }

  /// Collective. Throws the first error of all ranks, if there is any, on all ranks.
  void agree(Communicator& comm) const;
  /// Collective. Returns the first operation that failed on any rank, or nullopt.
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
