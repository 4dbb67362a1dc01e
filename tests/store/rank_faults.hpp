// Faults of one rank after another, and what must hold of each on all ranks.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/comm/exchange.hpp"
#include "support/fault_store.hpp"
#include "support/world.hpp"

namespace sill::test {

/// A fault of one rank.
class RankFault {
 public:
  RankFault(Communicator& comm, int rank, Fault::Call call, Fault::Kind kind, std::int64_t nth)
      : comm_(comm), rank_(rank), fault_{.call = call, .nth = nth, .kind = kind, .errno_value = ENOSPC} {}

  /// Local. Whether it is this rank's.
  [[nodiscard]] bool is_here() const { return comm_.rank() == rank_; }

  /// Local. `open`, failing on that rank.
  [[nodiscard]] Opener in(Opener open) { return is_here() ? faulty(std::move(open), fault_) : std::move(open); }

  /// Local. For stores that are not opened by an Opener.
  [[nodiscard]] Fault& fault() { return fault_; }

  /// Collective. `error` is what was thrown: if the fault came to pass it must report it, alike on all ranks; else
  /// there must be none. Whether it came to pass.
  [[nodiscard]] bool is_stated_by(const std::optional<Error>& error) {
    const bool struck = all_reduce(comm_, is_here() && fault_.seen >= fault_.nth ? 1 : 0, Reduction::max) == 1;
    EXPECT_EQ(error.has_value(), struck);
    EXPECT_TRUE(same_everywhere(comm_, error ? error->what() : ""));
    if (error) {
      EXPECT_TRUE(error->agreed()) << error->what();
      EXPECT_EQ(error->code(), ErrorCode::io) << error->what();
      EXPECT_EQ(error->parts().rank, rank_) << error->what();
      EXPECT_FALSE(error->parts().where.file.empty()) << error->what();
    }
    return struck;
  }

 private:
  Communicator& comm_;
  int rank_;
  Fault fault_;
};

/// Which faults are tried.
struct FaultsToTry {
  std::vector<Fault::Call> calls{Fault::Call::open,     Fault::Call::read, Fault::Call::write,
                                 Fault::Call::allocate, Fault::Call::sync, Fault::Call::close};
  std::vector<std::int64_t> numbers{1};  ///< of the call that fails, ascending
  bool late = true;                      ///< also writes that fail when the file is synced or closed: someone must
};

/// Collective. Calls `attempt`, which takes a RankFault and reports whether it came to pass, for every rank, call and
/// way of failing, and for the numbers until one does not come to pass.
template <class Attempt>
void for_each_fault(Communicator& comm, const FaultsToTry& faults, Attempt&& attempt) {
  for (int rank = 0; rank < comm.size(); ++rank) {
    for (const Fault::Call call : faults.calls) {
      std::vector<Fault::Kind> kinds{Fault::Kind::fails};
      if (call == Fault::Call::read || call == Fault::Call::write) kinds.push_back(Fault::Kind::is_short);
      if (call == Fault::Call::write && faults.late) kinds.push_back(Fault::Kind::late);
      for (const Fault::Kind kind : kinds) {
        for (const std::int64_t nth : faults.numbers) {
          SCOPED_TRACE("rank " + std::to_string(rank) + ", call " + std::to_string(static_cast<int>(call)) +
                       ", number " + std::to_string(nth) + ", kind " + std::to_string(static_cast<int>(kind)));
          RankFault fault(comm, rank, call, kind, nth);
          if (!attempt(fault)) break;
        }
      }
    }
  }
}

}  // namespace sill::test
