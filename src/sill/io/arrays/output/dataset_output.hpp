// The interface of the classes that write the files of a container.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/io/arrays/array_part.hpp"
#include "sill/io/arrays/output/fill_account.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/move/mover.hpp"
#include "sill/store/meter_store.hpp"

namespace sill {

/// The functions of a DatasetWriter, which documents them. All ranks make the same calls.
class DatasetOutput {
 public:
  virtual ~DatasetOutput() = default;
  DatasetOutput() = default;
  DatasetOutput(const DatasetOutput&) = delete;
  DatasetOutput& operator=(const DatasetOutput&) = delete;

  /// Collective. Sets an attribute. Precondition: the arguments are the same on all ranks.
  virtual void set_attribute(const Attribute& attribute, const std::string& variable) = 0;
  /// Collective. Writes parts and completes the next `steps` steps, which `call` counts as phases; if `steps` is
  /// nullopt, completes no step.
  virtual void write(OutputCall& call, std::span<const ArrayPart> parts, std::optional<std::int64_t> steps,
                     Memory memory) = 0;
  /// Local. Writes parts of this rank into a step that was written before.
  virtual void write_own(std::int64_t step, std::span<const ArrayPart> parts) = 0;
  /// Collective. Returns when all steps are complete.
  virtual void wait() = 0;
  /// Collective. Completes and closes the files. Called once.
  virtual void close() = 0;
  /// Local. Returns the number of steps begun.
  [[nodiscard]] virtual std::int64_t steps() const = 0;
  [[nodiscard]] virtual const DatasetDescription& description() const = 0;
  /// Local. Returns the position of byte `byte` of a file being written: its variable, if known.
  [[nodiscard]] virtual Where place_of(std::int64_t byte) const { return {.byte = byte}; }
};

/// Local. Adds to `where` the element that contains `where.byte`, if there is one. `begin_of(v)` returns the first byte
/// of variable v, or nullopt if the file does not contain the variable. Precondition: where.byte is set.
[[nodiscard]] Where place_in(const DatasetDescription& description, Where where,
                             const std::function<std::optional<std::int64_t>(std::size_t v)>& begin_of);
/// Local. Checks the parts that one rank writes independently, starting at `step`. Errors: usage unless all of them
/// belong to one of the `steps` existing steps.
void require_own_steps(const std::string& path, std::int64_t step, std::span<const ArrayPart> parts,
                       std::int64_t steps);
/// Local. Checks that no part belongs to a variable without steps that may still receive fill values: all ranks must
/// write some of it first, or complete a step. Errors: usage.
void require_filled(const std::string& path, std::span<const ArrayPart> parts, const DatasetDescription& description,
                    const FillAccount& account);

/// Local. Errors: usage if elements were passed more than once for step `step`.
void require_once(const std::string& path, const DatasetDescription& description, const FillAccount::Call& call,
                  std::int64_t step);

/// Collective. Reports how many elements of the `steps` steps written have fill values because no rank passed them.
/// Errors: usage if elements are missing, or may be, in a dataset without fill values.
void account_for_lacking(const Resources& resources, const std::string& path, const DatasetDescription& description,
                         const FillAccount& account, std::int64_t steps);

}  // namespace sill
