// Any distributed arrays, in files that programs of others read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/io/arrays/array_part.hpp"
#include "sill/io/arrays/dataset_options.hpp"
#include "sill/io/arrays/output/dataset_output.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/output_lock.hpp"

namespace sill {

/// Writes a dataset as one netCDF file of the classic formats, or as files of VTK or raw bytes, one for each step
/// (DatasetOptions::container). The bytes do not depend on how arrays are distributed to ranks, nor on the policy.
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
/// **Complete steps.** A netCDF file counts a step when all of it has been written; the file of a step of other
/// containers has its name then, and the .pvd or .xdmf file lists it. So every other program can read what is complete,
/// also after this one was killed, unless `set_attribute` was just writing a long header. Before its first step is
/// complete, or before `close` if it has no variables with steps, a file is not yet a netCDF file to other programs.
///
/// **Elements that no rank brings** of a netCDF file hold the variable's `_FillValue`, or else what netCDF says for its
/// type. They cost nothing where the ranks together bring all elements of a variable, in all steps of a call; else all
/// its elements are written before. In other containers they are an error, but a step
/// may leave out variables of which no rank brings anything: its file does not list them.
class DatasetWriter {
 public:
  /// Collective. `resources` outlive it. A netCDF file that is appended to is taken as it is if nothing is described.
  /// Errors: usage if ranks were given different paths, descriptions or options, if
  /// the format cannot hold the description, if there is a file of that name, or another one than `append` can go on
  /// with; input if that is no netCDF file or a damaged one; io, also if another run is writing the dataset, or another
  /// writer of this one.
  DatasetWriter(const Resources& resources, std::string path, DatasetDescription description,
                const DatasetOptions& options = {});

  /// Collective. Sets an attribute of the dataset, or of `variable`, in place of one of that name. When something was
  /// written, the header of a netCDF file is written again. Errors: usage if there is no such variable, if ranks give
  /// different ones, after `close`; when something was written also for `_FillValue`, if the header has no room for it
  /// (FileForm::align), and in other containers; io.
  void set_attribute(const Attribute& attribute, const std::string& variable = {});

  /// Collective. Writes parts of variables; those with steps into the next step, without completing it. A rank may
  /// bring none, and several calls may write one variable. Memory is the caller's again when it returns; lent memory
  /// (Policy::async) after `wait` or `close`. Errors: usage if a part is not one of a variable (see `checked_part`), if
  /// two ranks bring the same element, if a value is out of the range of the variable's type, after `close`; io. After
  /// an error of usage the step can be written again, or be left incomplete (what earlier calls brought to a step of a
  /// container other than netCDF is brought again, too); after another error, and with Policy::async after any, all
  /// further calls throw the same.
  void write(std::span<const ArrayPart> parts, Memory memory = Memory::copied);

  /// Collective. The same, and completes the next step. At most Policy::async calls are unfinished when it returns.
  /// Errors: as `write`; usage if no variable has steps.
  void write_step(std::span<const ArrayPart> parts, Memory memory = Memory::copied);

  /// Collective. The same of the next `steps` steps, at most 2^20: ArrayPart::step says which of them a part belongs
  /// to. In a netCDF file they are written together. Errors: as `write_step`; usage for less than one step, and for a
  /// part of none of them.
  void write_steps(std::int64_t steps, std::span<const ArrayPart> parts, Memory memory = Memory::copied);

  /// Local. Writes parts of a step that was written before, or of variables without steps, while other ranks go on:
  /// what one rank computes by itself, for example. They are in the file when it returns. Precondition: no call writes
  /// the same elements, and with Policy::async the step is complete. Errors: usage as of `write`, on this rank alone,
  /// if there is no such step, for a variable without steps that may yet be filled (of which no call wrote something,
  /// and no step is complete), and unless the container is netCDF; io.
  void write_own(std::int64_t step, std::span<const ArrayPart> parts);

  /// Collective. Returns when all steps are complete. Errors: as `write`.
  void wait();

  /// Collective. Completes and closes the file. Errors: as `write`. A second call does nothing.
  void close();

  /// Local. Returns how many steps were begun, with those that the file had.
  [[nodiscard]] std::int64_t steps() const { return output_->steps(); }
  [[nodiscard]] const DatasetDescription& description() const { return output_->description(); }

 private:
  template <class Work>
  void with_elements_named(Work&& work);

  const Resources& resources_;
  bool is_closed_ = false;
  std::optional<OutputLock> lock_;  // let go when no file is open
  std::unique_ptr<DatasetOutput> output_;
};

}  // namespace sill
