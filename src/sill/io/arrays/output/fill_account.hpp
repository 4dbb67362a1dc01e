// Finds the elements of a dataset that no rank passes, or that are passed more than once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/io/arrays/array_part.hpp"
#include "sill/plan/fingerprint.hpp"

namespace sill {

/// Counts the elements that ranks pass for each variable. A variable that may have missing elements receives fill
/// values before it is written. In a dataset without fill values nothing is filled. Elements that are passed in several
/// calls are also compared by their fingerprint: if there are as many as a variable has, none is passed twice in place
/// of another.
class FillAccount {
 public:
  /// The steps of a call in which elements of a variable are missing; step 0 for a variable without steps.
  struct Lack {
    std::size_t variable = 0;
    std::int64_t first_step = 0;
    std::int64_t end_step = 1;
  };

  FillAccount() = default;
  /// Local. Sets all counts to 0. `in_one_call`: elements that are passed twice in one call are also to be found, as
  /// writing does not find them. Precondition: `require_possible(description)` does not throw.
  FillAccount(const DatasetDescription& description, bool fills, bool in_one_call = false);

  /// Local. Returns true if elements that no rank passes receive fill values.
  [[nodiscard]] bool fills() const { return fills_; }

  /// Local. Records that the file has all elements of the variables without steps.
  void set_constant_written();

  /// The elements that all ranks together pass to a call.
  struct Call {
    bool has_equal_steps = true;  ///< all ranks complete the same number of steps
    std::vector<Lack> lacks = {};
    std::optional<std::size_t> repeated = {};  ///< a variable of which elements were passed in several calls for a step
  };
  /// Local. Returns true if `take` has to be called in the next call: the same on all ranks.
  [[nodiscard]] bool is_to_take() const { return fills_ || is_compared_; }
  /// Collective. Returns the missing elements of a call that completes `steps` steps, or none. This rank passes
  /// `brought` elements of each variable, which were added. Afterwards all elements of a variable are treated as
  /// passed. Nothing is missing if a rank has an error, or if ranks complete different numbers of steps.
  [[nodiscard]] Call take(Communicator& comm, std::span<const std::int64_t> brought, std::int64_t steps,
                          bool has_error);
  /// Local. Returns true if a variable may receive fill values, which would overwrite data written by one rank.
  [[nodiscard]] bool may_fill(std::size_t variable) const { return variables_[variable].may_lack; }
  /// Local. Called after each call without error. Afterwards, if it completed steps, the next step counts as empty.
  void end_call(bool completes);
  /// Local. Returns the variables without steps for which no elements were passed, and treats these variables as
  /// passed.
  [[nodiscard]] std::vector<Lack> take_unwritten();

  enum class PassedFor { earlier_steps, incomplete_step, complete_steps };
  /// Local. Adds elements that this rank passes; those of variables without steps are the same for any steps.
  /// Precondition: the parts are valid.
  void add(const DatasetDescription& description, std::span<const ArrayPart> parts, PassedFor steps);
  /// What all ranks together passed of a variable.
  struct Total {
    std::int64_t lacking = 0;     ///< elements that no rank passed
    bool may_be_lacking = false;  ///< as many elements as the variable has, or more, were passed, but not each once,
                                  ///< nor each equally often; always false with fill values, and with steps
  };
  /// Collective. Returns the total of each variable in `steps` complete steps.
  [[nodiscard]] std::vector<Total> totals(Communicator& comm, std::int64_t steps) const;

 private:
  struct Counted {
    std::int64_t elements = 0;  // elements per step
    std::int64_t own = 0;       // elements passed by this rank, in complete steps
    std::int64_t in_step = 0;   // elements passed by this rank in the current step
    Fingerprint places = {};    // of elements passed by this rank: in the current step, or of a variable without steps
    bool has_steps = false;
    bool may_lack = false;    // elements may be missing in the current step
    bool is_written = false;  // the file had all elements
  };
  bool fills_ = false;
  bool in_one_call_ = false;
  bool is_compared_ = false;  // the elements of the call, with those of earlier calls for the step
  std::vector<Counted> variables_;
};

}  // namespace sill
