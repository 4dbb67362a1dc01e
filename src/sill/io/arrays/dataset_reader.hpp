// Arrays of a file in the memory of all ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/io/arrays/array_part.hpp"
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/move/mover.hpp"

namespace sill {

/// What a reader does about missing elements: those that a file counts but ends before, and those of a variable that a
/// step leaves out.
enum class Missing { refuse, fill };

/// Reads a dataset, also one that others wrote: see read_contents for which files.
///
///     DatasetReader fields(resources, "fields.nc");
///     fields.read_step(fields.steps() - 1, {{{"u", mine, stored, u.data()}}});
class DatasetReader {
 public:
  /// Collective. `resources` outlive it. With Missing::fill, elements that are missing are the fill values of their
  /// variables; of a file that ends before it holds what it counts, a note of the session says so. Errors: as
  /// read_contents.
  DatasetReader(const Resources& resources, std::string path, Missing missing = Missing::refuse);

  /// Local.
  [[nodiscard]] const DatasetDescription& description() const { return contents_.description; }
  /// Local. Returns how many steps are complete.
  [[nodiscard]] std::int64_t steps() const { return contents_.steps; }

  /// Local. Whether step `step` (any, of variables without steps) holds a variable: steps of .vti files and raw bytes
  /// may leave some out. Errors: usage if there is no such variable or step.
  [[nodiscard]] bool holds(const std::string& variable, std::int64_t step) const;

  /// Local. Returns the files that elements are read from.
  [[nodiscard]] const std::vector<std::string>& files() const { return contents_.files; }

  /// Collective. Reads parts of variables without steps into memory. Parts may overlap in the file, but not in memory;
  /// a rank may bring none. Errors: usage if a part is not one of such a variable (see `checked_part`), for memory that
  /// is only read, and if a value is out of the range of the memory's type; input for elements that are missing; io.
  void read(std::span<const ArrayPart> parts);

  /// Collective. The same of a step, from 0, and of variables without steps; a part whose ArrayPart::step is k is read
  /// of the k-th step after it. Errors: as `read`; usage if the file has not so many.
  void read_step(std::int64_t step, std::span<const ArrayPart> parts);

 private:
  void require_step(std::int64_t step) const;
  [[noreturn]] void refuse_missing(std::size_t variable, std::int64_t step) const;
  void read_parts(std::optional<std::int64_t> step, std::span<const ArrayPart> parts);

  const Resources& resources_;
  std::string path_;
  Missing missing_;
  DatasetContents contents_;
  std::optional<Mover> mover_;
};

}  // namespace sill
