#include "sill/flow/run/failures.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"

namespace sill::flow {

Error error_of_operation(const Error& error, std::size_t operation, const std::string& name, Where where) {
  ErrorParts parts = error.parts();
  parts.problem = fmt::format("operation {} ({}): {}", operation + 1, name, parts.problem);
  parts.where = std::move(where);
  return Error(std::move(parts));
}

void Failures::add(std::size_t operation, std::int64_t position, const Error& error) {
  const std::scoped_lock lock(mutex_);
  if (first_ && std::pair(first_->operation, first_->position) <= std::pair(operation, position)) return;
  first_.emplace(First{operation, position, error});
  limit_ = operation + 1;
}

void Failures::agree(Communicator& comm) const {
  // The operation and position of the error; without an error, after all others.
  std::array<std::int64_t, 2> mine{static_cast<std::int64_t>(operations_) + 1, 0};
  if (first_) mine = {static_cast<std::int64_t>(first_->operation), first_->position};
  std::vector<std::array<std::int64_t, 2>> all(static_cast<std::size_t>(comm.size()));
  comm.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  bool is_first = first_.has_value();
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank] < mine || (all[rank] == mine && static_cast<int>(rank) < comm.rank())) is_first = false;
  sill::agree(comm, is_first ? std::optional<Error>(first_->error) : std::nullopt);
}

std::optional<std::size_t> Failures::first_operation(Communicator& comm) const {
  const std::size_t none = operations_ + 1;
  const auto mine = static_cast<std::int64_t>(first_ ? first_->operation : none);
  const auto first = static_cast<std::size_t>(all_reduce(comm, mine, Reduction::min));
  return first == none ? std::nullopt : std::optional(first);
}

}  // namespace sill::flow
