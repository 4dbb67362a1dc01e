// What writes the files of a container.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/io/arrays/array_part.hpp"
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
  /// Collective. `is_step`: completes the next step, which `call` counts.
  virtual void write(OutputCall& call, std::span<const ArrayPart> parts, bool is_step, Memory memory) = 0;
  /// Local.
  virtual void write_own(std::int64_t step, std::span<const ArrayPart> parts) = 0;
  /// Collective.
  virtual void wait() = 0;
  /// Collective. Called once.
  virtual void close() = 0;
  /// Local. How many steps were begun.
  [[nodiscard]] virtual std::int64_t steps() const = 0;
  [[nodiscard]] virtual const DatasetDescription& description() const = 0;
};

/// Local. Returns `description` with an attribute of the dataset, or of `variable`, in place of one of that name.
/// Errors: usage if there is no such variable.
[[nodiscard]] DatasetDescription with_attribute(DatasetDescription description, const Attribute& attribute,
                                                const std::string& variable);

/// Local. Throws a usage error of the dataset `path`.
[[noreturn]] void refuse_dataset(const std::string& path, std::string problem, std::string action);
/// Local. That of a call after `close`.
[[noreturn]] void refuse_closed(const std::string& path);
/// Local. That of a step where no variable has steps.
[[noreturn]] void refuse_no_steps(const std::string& path);
/// Local. Returns the error of ranks of which some complete a step and others do not.
[[nodiscard]] Error calls_differ();
/// Local. That of a step which one rank is to write by itself and which is not there.
[[noreturn]] void refuse_own_step(const std::string& path, std::int64_t step, std::int64_t steps);
/// Local. That of an attribute which is set when something was written already.
[[noreturn]] void refuse_late(const Attribute& attribute, const std::string& path);

}  // namespace sill
