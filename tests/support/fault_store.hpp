// A store that fails when told to: for tests of what happens then.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "sill/store/store.hpp"

namespace sill {

/// Which call of which kind fails, and how.
struct Fault {
  enum class Call { open, read, write, allocate, sync, close };
  enum class Kind {
    fails,     ///< the call fails with `errno_value` and does nothing
    is_short,  ///< a read or a write moves half of its bytes, then fails as a disk does that fills up or ends
    late,      ///< a write succeeds; the next sync or closing of that handle fails, as with NFS and quotas. For
               ///< Call::write alone
  };
  Call call = Call::write;
  std::int64_t nth = 1;  ///< which call of that kind, from 1, over all stores that share the fault
  Kind kind = Kind::fails;
  int errno_value = 5;  // EIO

  std::atomic<std::int64_t> seen{0};  ///< calls of that kind so far
};

/// Local. `inner`, which may be null, failing as `fault`, which must outlive it, says; not while opening.
[[nodiscard]] std::unique_ptr<Store> faulty(std::unique_ptr<Store> inner, Fault& fault);

/// Local. An opener whose stores, also collective ones, fail as `fault`, which must outlive them, says. Each
/// stretch of a file counts as a call, a collective call as one; a rank that fails in one still takes its part.
[[nodiscard]] Opener faulty(Opener inner, Fault& fault);

}  // namespace sill
