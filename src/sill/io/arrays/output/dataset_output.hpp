// What writes the files of a container.
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

/// The calls of a DatasetWriter, which describes them. Ranks make the same ones.
class DatasetOutput {
 public:
  virtual ~DatasetOutput() = default;
  DatasetOutput() = default;
  DatasetOutput(const DatasetOutput&) = delete;
  DatasetOutput& operator=(const DatasetOutput&) = delete;

  /// Collective. Precondition: the same on all ranks.
  virtual void set_attribute(const Attribute& attribute, const std::string& variable) = 0;
  /// Collective. Completes the next `steps` steps, which `call` counts as phases; nothing: none.
  virtual void write(OutputCall& call, std::span<const ArrayPart> parts, std::optional<std::int64_t> steps,
                     Memory memory) = 0;
  /// Local.
  virtual void write_own(std::int64_t step, std::span<const ArrayPart> parts) = 0;
  /// Collective.
  virtual void wait() = 0;
  /// Collective. Called once.
  virtual void close() = 0;
  /// Local. How many steps were begun.
  [[nodiscard]] virtual std::int64_t steps() const = 0;
  [[nodiscard]] virtual const DatasetDescription& description() const = 0;
  /// Local. Returns where byte `byte` of a file lies that a call writes: in a variable, if that is known.
  [[nodiscard]] virtual Where place_of(std::int64_t byte) const { return {.byte = byte}; }
};

/// Local. Adds the element that `where.byte` belongs to, if there is one. `begin_of(v)`: the first byte of variable v;
/// nothing if it is not in the file. Precondition: where.byte.
[[nodiscard]] Where place_in(const DatasetDescription& description, Where where,
                             const std::function<std::optional<std::int64_t>(std::size_t v)>& begin_of);
/// Local. Errors: usage unless all parts that one rank writes by itself, from `step` on, belong to one of the `steps`
/// steps that are there.
void require_own_steps(const std::string& path, std::int64_t step, std::span<const ArrayPart> parts,
                       std::int64_t steps);
/// Local. Errors: usage if a part is of a variable without steps that may yet be filled: all ranks write something of
/// it first, or complete a step.
void require_filled(const std::string& path, std::span<const ArrayPart> parts, const DatasetDescription& description,
                    const FillAccount& account);

/// Collective. Says in the report how many elements of the `steps` steps that were written hold fill values, as no rank
/// brought them. Errors: usage if some were not brought of a dataset without fill values.
void account_for_lacking(const Resources& resources, const std::string& path, const DatasetDescription& description,
                         const FillAccount& account, std::int64_t steps);

}  // namespace sill
