// Any distributed arrays, in one file that grows step by step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/cdf/cdf_file.hpp"
#include "sill/io/arrays/array_part.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/growing_files.hpp"
#include "sill/plan/extent.hpp"

namespace sill {

/// How a dataset is written, the same on all ranks.
struct DatasetOptions {
  enum class Existing {
    refuse,   ///< a file of that name is an error, unless it is empty
    replace,  ///< it is removed
    append,   ///< it is gone on with: it must hold the same description; made if there is none, or none with a step
  };
  Existing existing = Existing::refuse;
  std::optional<std::int64_t> first_step = {};  ///< of `append`: steps from this one on are overwritten; nothing: none
  cdf::FileForm form = {};                      ///< of a new file
  bool fill = true;  ///< whether elements that no rank brings get fill values; without, ranks bring all elements: a
                     ///< file that ends before its last variable does is a damaged one to readers
};

/// Writes a dataset as a netCDF file of the classic formats. The bytes do not depend on how arrays are distributed to
/// ranks, nor on the policy.
///
///     DatasetWriter fields(resources, "fields.nc",
///                          {.dimensions = {{"time", unlimited}, {"z", 100}, {"y", 200}, {"x", 400}},
///                           .variables = {{"u", ElementType::f4, {"time", "z", "y", "x"}, {{"units", "m s-1"}}}}});
///     for (step = 0; step < steps; ++step) {
///       ...
///       fields.write_step({{{"u", mine, stored, u.data()}}});
///     }
///     fields.close();
///
/// **Complete steps.** The file counts a step when all of it has been written, so that every other program can read
/// what is counted, also after this one was killed. Before its first step is complete, or before `close` if it has no
/// variables with steps, the file is not yet a netCDF file to other programs.
///
/// **Elements that no rank brings** hold the variable's `_FillValue`, or else what netCDF says for its type. They cost
/// nothing where the ranks together bring all elements of a variable in one call; else all its elements are written
/// before.
class DatasetWriter {
 public:
  /// Collective. `resources` outlive it. Errors: usage if ranks were given different paths, descriptions or options, if
  /// the format cannot hold the description, if there is a file of that name, or another one than `append` can go on
  /// with; input if that is no netCDF file or a damaged one; io.
  DatasetWriter(const Resources& resources, std::string path, DatasetDescription description,
                const DatasetOptions& options = {});

  /// Collective. Sets an attribute of the dataset, or of `variable`, in place of one of that name. Errors: usage if
  /// something was written, if there is no such variable, or if ranks give different ones.
  void set_attribute(const Attribute& attribute, const std::string& variable = {});

  /// Collective. Writes parts of variables; those with steps into the next step, without completing it. A rank may
  /// bring none, and several calls may write one variable. Memory is the caller's again when it returns; lent memory
  /// (Policy::async) after `wait` or `close`. Errors: usage if a part is not one of a variable (see `checked_part`), if
  /// two ranks bring the same element, if a value is out of the range of the variable's type, after `close`; io. After
  /// an error all further calls throw the same.
  void write(std::span<const ArrayPart> parts, Memory memory = Memory::copied);

  /// Collective. The same, and completes the next step. At most Policy::async calls are unfinished when it returns.
  /// Errors: as `write`; usage if no variable has steps.
  void write_step(std::span<const ArrayPart> parts, Memory memory = Memory::copied);

  /// Local. Writes parts of a step that was written before, or of variables without steps, while other ranks go on:
  /// what one rank computes by itself, for example. They are in the file when it returns. Precondition: something was
  /// written by a collective call before, no call writes the same elements, and with Policy::async the step is
  /// complete. Errors: usage as of `write`, on this rank alone, and if there is no such step; io.
  void write_own(std::int64_t step, std::span<const ArrayPart> parts);

  /// Collective. Returns when all steps are complete. Errors: as `write`.
  void wait();

  /// Collective. Completes and closes the file. Errors: as `write`. A second call does nothing.
  void close();

  /// Local. Returns how many steps were begun, with those that the file had.
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] const DatasetDescription& description() const { return description_; }

 private:
  struct Sources;
  struct Prepared;

  void require_open() const;
  void open_existing(const DatasetOptions& options);
  // Collective. Writes the header without its first bytes, which say that steps are complete.
  void write_header();
  // Those that count `steps`; zeros if nothing is complete.
  [[nodiscard]] std::vector<std::byte> beginning_at(std::int64_t steps) const;
  // On rank 0 the plan of those.
  [[nodiscard]] AccessPlan beginning_plan(const std::vector<std::byte>& bytes) const;
  // Where a variable lies in the file, of step `step` if it has steps.
  [[nodiscard]] FileArray places_of(std::size_t variable, std::int64_t step) const;
  // Local. Checks what a rank brings, and plans it.
  void prepare(std::span<const ArrayPart> parts, bool is_step, Prepared& call) const;
  // Local. Returns the extents of parts, of step `step` where they have steps; `brought` counts their elements.
  [[nodiscard]] std::vector<Extent> extents_of(std::span<const ArrayPart> parts, std::int64_t step, Sources& sources,
                                               std::vector<std::int64_t>& brought) const;
  // Collective. Writes fill values to variables of which the ranks together do not bring all elements.
  void fill_what_lacks(const Prepared& call, bool is_step);
  void write_parts(std::span<const ArrayPart> parts, bool is_step, Memory memory);
  // Collective. Writes fill values to all elements of the variables, of the next step where they have steps.
  void fill(const std::vector<std::size_t>& variables);
  void fill_unwritten();
  // Collective. Lets the file say that it is complete.
  void complete_without_steps();
  void require_room_for_step() const;

  const Resources& resources_;
  std::string path_;
  DatasetDescription description_;
  cdf::FileForm form_;
  cdf::FileLayout layout_;
  bool fills_;
  std::vector<bool> needs_fill_;  // of each variable, where it has steps of the next: whether elements may lack a value
  std::vector<std::byte> beginning_;  // that says what is certain
  std::int64_t steps_ = 0;
  bool is_headed_ = false;
  bool is_appended_ = false;
  bool is_closed_ = false;
  std::optional<GrowingFiles> file_;
};

}  // namespace sill
