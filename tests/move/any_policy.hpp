// Policies for properties that hold for all of them.
#pragma once

#include <gtest/gtest.h>  // before RapidCheck's header for it
#include <rapidcheck.h>

#include <cstdint>
#include <filesystem>

#include "sill/move/policy/policy.hpp"
#include "support/sizes.hpp"

namespace sill::test {

/// Local. Any policy that does not contradict itself. Called in a property of RapidCheck.
inline Policy any_policy() {
  using Writers = Policy::Writers;
  using Call = Policy::Call;
  using Align = Policy::Align;
  using Sync = Policy::Sync;
  Policy policy;
  policy.writers = *rc::gen::element(Writers::automatic, Writers::all, Writers::root, Writers::first, Writers::elected,
                                     Writers::node, Writers::number);
  if (policy.writers == Writers::number) policy.domains = *rc::gen::inRange(1, 100000);
  policy.stage_bytes = *rc::gen::oneOf(rc::gen::just<std::int64_t>(0), rc::gen::just(Policy::automatic_stage),
                                       rc::gen::inRange<std::int64_t>(512, gib + 1),
                                       rc::gen::map(rc::gen::inRange(9, 31), [](int bits) { return 1L << bits; }));
  policy.call = *rc::gen::element(Call::posix, Call::mpiio);
  policy.align = *rc::gen::element(Align::automatic, Align::none, Align::size, Align::stripe);
  const bool has_parts =
      policy.writers == Writers::node || policy.writers == Writers::number || policy.writers == Writers::automatic;
  if (policy.stage_bytes == 0 && !has_parts) policy.align = Align::none;
  if (policy.align == Align::size) policy.align_bytes = *rc::gen::inRange<std::int64_t>(1, gib + 1);
  if (*rc::gen::arbitrary<bool>()) {
    policy.stripe_count = *rc::gen::inRange(1, 2001);
    policy.stripe_bytes = 64 * kib * *rc::gen::inRange(1, 16385);
  }
  policy.sync = *rc::gen::element(Sync::never, Sync::close, Sync::phase);
  if (policy.call == Call::posix) policy.async = *rc::gen::inRange(0, 65);
  if (policy.async > 0 && *rc::gen::inRange(0, 3) == 0) policy.burst = std::filesystem::temp_directory_path();
  policy.threads = *rc::gen::inRange(0, 1025);
  if (*rc::gen::inRange(0, 8) == 0) {
    policy = {.call = Call::mpiio_collective,
              .stripe_count = policy.stripe_count,
              .stripe_bytes = policy.stripe_bytes,
              .sync = policy.sync,
              .threads = policy.threads};
  }
  return policy;
}

}  // namespace sill::test
