// Finds the elements of a netCDF dataset that no rank passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/formats/array/dataset_description.hpp"

namespace sill {

/// Counts the elements that ranks pass for each variable. A variable that may have missing elements receives fill
/// values before it is written. In a dataset without fill values nothing is filled.
class FillAccount {
 public:
  /// The steps of a call in which elements of a variable are missing; step 0 for a variable without steps.
  struct Lack {
    std::size_t variable = 0;
    std::int64_t first_step = 0;
    std::int64_t end_step = 1;
  };

  FillAccount() = default;
  /// Local. Sets all counts to 0. Precondition: `require_possible(description)` does not throw.
  FillAccount(const DatasetDescription& description, bool fills);

  /// Local. Returns true if elements that no rank passes receive fill values.
  [[nodiscard]] bool fills() const { return fills_; }

  /// Local. Records that no more data will be passed for variables without steps.
  void set_constant_written();

  /// The elements that all ranks together pass to a call.
  struct Call {
    bool has_equal_steps = true;  ///< all ranks complete the same number of steps
    std::vector<Lack> lacks = {};
    std::optional<std::size_t> has_too_many = {};  ///< a variable of which more elements than a step has were passed
  };
  /// Collective. Returns the missing elements of a call that completes `steps` steps, or none. This rank passes
  /// `brought` elements of each variable. Afterwards all elements of a variable are treated as passed. Nothing is
  /// missing if a rank has an error, or if ranks complete different numbers of steps.
  [[nodiscard]] Call take(Communicator& comm, std::span<const std::int64_t> brought, std::int64_t steps,
                          bool has_error);
  /// Local. Returns true if a variable may receive fill values, which would overwrite data written by one rank.
  [[nodiscard]] bool may_fill(std::size_t variable) const { return variables_[variable].may_lack; }
  /// Local. Begins a step for which no element has been passed.
  void begin_step();
  /// Local. Returns the variables without steps for which no elements were passed, and treats these variables as
  /// passed.
  [[nodiscard]] std::vector<Lack> take_unwritten();

  /// Local. Adds elements that one rank wrote independently, or passed to a dataset without fill values.
  void add_own(std::span<const std::int64_t> brought);
  /// Collective. Returns, for each variable, the number of elements that no rank passed in `steps` steps. Precondition:
  /// `take` was called for all calls, or `add_own` on all ranks.
  [[nodiscard]] std::vector<std::int64_t> lacking(Communicator& comm, std::int64_t steps) const;

 private:
  struct Counted {
    std::int64_t elements = 0;  // elements per step
    std::int64_t brought = 0;   // elements passed by all ranks together
    std::int64_t own = 0;       // elements passed only by this rank
    std::int64_t in_step = 0;   // elements passed in the current step by all ranks together
    bool has_steps = false;
    bool may_lack = false;  // elements may be missing in the current step
  };
  bool fills_ = false;
  std::vector<Counted> variables_;
};

}  // namespace sill
