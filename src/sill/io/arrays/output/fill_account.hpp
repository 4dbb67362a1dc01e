// Which elements of a netCDF dataset no rank brings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/formats/array/dataset_description.hpp"

namespace sill {

/// Counts what ranks bring to variables: a variable of which elements may be missing gets fill values before it is
/// written. Nothing is filled in a dataset without fill values.
class FillAccount {
 public:
  /// The steps of a call in which elements of a variable are missing; step 0 for a variable without steps.
  struct Lack {
    std::size_t variable = 0;
    std::int64_t first_step = 0;
    std::int64_t end_step = 1;
  };

  FillAccount() = default;
  /// Local. Precondition: require_possible.
  FillAccount(const DatasetDescription& description, bool fills);

  /// Local. Whether elements that no rank brings hold fill values.
  [[nodiscard]] bool fills() const { return fills_; }

  /// Local. Nothing more will be brought to variables without steps.
  void set_constant_written();

  /// What all ranks together bring to a call.
  struct Call {
    bool has_equal_steps = true;  ///< all ranks complete as many
    std::vector<Lack> lacks = {};
  };
  /// Collective. Returns what lacks of a call to which this rank brings `brought` elements of each variable, and which
  /// completes `steps` steps, or none: all elements of a variable count as brought from here on. Nothing lacks if a
  /// rank has an error, or if ranks complete different numbers of steps.
  [[nodiscard]] Call take(Communicator& comm, std::span<const std::int64_t> brought, std::int64_t steps,
                          bool has_error);
  /// Local. Whether a variable may get fill values that one rank's own writing would be lost under.
  [[nodiscard]] bool may_fill(std::size_t variable) const { return variables_[variable].may_lack; }
  /// Local. Begins with a step that nothing was brought to.
  void begin_step();
  /// Local. Returns variables without steps to which nothing was brought, and counts them as brought.
  [[nodiscard]] std::vector<Lack> take_unwritten();

  /// Local. Counts elements that one rank wrote by itself, or brought to a dataset without fill values.
  void add_own(std::span<const std::int64_t> brought);
  /// Collective. Returns how many elements of each variable no rank brought, of `steps` steps, where `take` was called
  /// of all calls, or `add_own` on all ranks.
  [[nodiscard]] std::vector<std::int64_t> lacking(Communicator& comm, std::int64_t steps) const;

 private:
  struct Counted {
    std::int64_t elements = 0;  // of one step
    std::int64_t brought = 0;   // by all ranks together
    std::int64_t own = 0;       // by this rank alone
    bool has_steps = false;
    bool may_lack = false;  // in the step that is written
  };
  bool fills_ = false;
  std::vector<Counted> variables_;
};

}  // namespace sill
