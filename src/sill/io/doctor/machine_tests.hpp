// Small tests of assumptions that programs make about a machine: refused writes are reported, ranks see each other's
// files, and so on.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sill/io/session/resources.hpp"

namespace sill {

/// From the best to the worst. `not_run`: the test does not apply here, or needs something that is missing.
enum class Verdict { ok, not_run, warning, fails, hangs };

/// Local. Returns "ok", "not run", "warning", "fails" or "hangs".
[[nodiscard]] std::string_view name_of(Verdict verdict);

/// The result of a test.
struct MachineFinding {
  Verdict verdict = Verdict::ok;
  std::string meaning;      ///< what was observed, on one line
  std::string remedy = {};  ///< what the user can do, on one line; empty if the verdict is ok
};

struct MachineTest {
  std::string_view name;
  std::string_view remedy;  ///< of findings without their own, for every verdict except ok and not_run
  bool needs_ranks = false;
  MachineFinding (*run)(const Resources& resources, const std::string& folder) = nullptr;
};

/// Local. Returns all tests, in the order in which they are run. The first one only tests the launch of ranks.
[[nodiscard]] std::span<const MachineTest> machine_tests();

/// Collective. Runs a test, which writes only to `folder`, an empty folder that all ranks see. Returns the same finding
/// on all ranks: the worst of any rank. A test may hang or end the process: run it in a process that can be ended. It
/// changes limits and the environment of the process.
[[nodiscard]] MachineFinding run_machine_test(const MachineTest& test, const Resources& resources,
                                              const std::string& folder);

}  // namespace sill
