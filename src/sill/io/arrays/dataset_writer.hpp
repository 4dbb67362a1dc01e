// Writes arrays in any decomposition to files that other programs can read.
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
#include "sill/io/arrays/output/whole_dataset.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/output_lock.hpp"

namespace sill {

/// Writes a dataset as one netCDF, HDF5 or netCDF-4 file, or as files of VTK or raw bytes, one for each step
/// (DatasetOptions::container). The bytes do not depend on the distribution of arrays over ranks, nor on the policy.
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
/// **Complete steps.** The header of a netCDF or HDF5 file and the metadata of Zarr count a step after all its data has
/// been written. In other containers the file of a step gets its name then, and the .pvd or .xdmf file lists it. So
/// other programs can read all complete steps, even after this program was killed, unless `set_attribute` was writing a
/// long header at that time. Before its first step is complete, or before `close` if it has no variables with steps,
/// other programs cannot read the file as netCDF.
///
/// **Elements that no rank passes** have in a netCDF, HDF5 or Zarr dataset the value of the variable's `_FillValue`, or
/// the default of netCDF for its type. Fill values cost nothing if the ranks together pass all elements of a variable,
/// in all steps of a call; otherwise the fill value is written to all elements of the variable first. In other
/// containers, elements that no rank passes are an error, but a step may omit variables of which no rank passes any
/// element: the file of the step does not list these variables.
class DatasetWriter {
 public:
  /// Collective. Opens a dataset. `resources` outlive it. A netCDF file that is appended to keeps its own description
  /// if none is given. Errors: usage if ranks were given different paths, descriptions or options, if the format cannot
  /// store the description, if a file of that name exists and the options do not allow replacing it, or if `append`
  /// cannot add to the file; input if the dataset to append to is of another format or damaged; io, also if another
  /// run, or another writer of this run, is writing the dataset.
  DatasetWriter(const Resources& resources, std::string path, DatasetDescription description,
                const DatasetOptions& options = {});

  /// Collective. Sets an attribute of `variable`, or of the dataset if `variable` is empty, and replaces an attribute
  /// of the same name. After the first write, the header of a netCDF file is written again. Errors: usage if there is
  /// no such variable, if ranks pass different attributes, after `close`; after the first write also for `_FillValue`,
  /// if the header has no room for the attribute (FileForm::align), and in other containers; io.
  void set_attribute(const Attribute& attribute, const std::string& variable = {});

  /// Collective. Writes parts of variables; variables with steps are written into the next step, without completing it.
  /// A rank may pass no parts, and several calls may write one variable. The caller may change its memory after the
  /// call, or, if it is lent (Policy::async), after `wait` or `close`. Errors: usage if a part is not a part of a
  /// variable (see `checked_part`), if an element is passed twice (docs/arrays.md), if a value is outside the range of
  /// the variable's type, after `close`; io. After a usage error the step can be written again, or be left incomplete;
  /// in a checkpoint and a file for each step, and in chunks after an element was passed twice, the data of earlier
  /// calls must then be passed again too. In chunks, the call that completes the step reports such elements. After
  /// another error, and with Policy::async after any error, all further calls throw the same error.
  void write(std::span<const ArrayPart> parts, Memory memory = Memory::copied);

  /// Collective. Writes parts as `write` does, and completes the next step. At most Policy::async calls are unfinished
  /// when it returns. Errors: as `write`; usage if no variable has steps.
  void write_step(std::span<const ArrayPart> parts, Memory memory = Memory::copied);

  /// Collective. Writes and completes the next `steps` steps, at most 2^20: ArrayPart::step states the step of a part.
  /// In a netCDF file they are written together. Errors: as `write_step`; usage for less than one step, and for a part
  /// outside these steps.
  void write_steps(std::int64_t steps, std::span<const ArrayPart> parts, Memory memory = Memory::copied);

  /// Local. Writes parts of a step that was written before, or of variables without steps, while other ranks continue:
  /// for example results that one rank computes independently. The data is in the file when the call returns.
  /// Precondition: no call writes the same elements, and with Policy::async the step is complete. Errors, only on
  /// this rank: usage as in `write`, for a missing step, a container other than netCDF, or a variable without steps
  /// that may still be filled (no call has written it, and no step is complete); io.
  void write_own(std::int64_t step, std::span<const ArrayPart> parts);

  /// Collective. Returns when all steps are complete. Errors: as `write`.
  void wait();

  /// Collective. Completes and closes the file. Errors: as `write`; usage, without fill values, if elements are
  /// missing, or may be because others were passed more than once. A second call does nothing.
  void close();

  /// Local. Returns the number of steps begun, including the steps that the file already had.
  [[nodiscard]] std::int64_t steps() const { return output_->steps(); }
  [[nodiscard]] const DatasetDescription& description() const { return output_->description(); }

 private:
  // Collective. Locks the dataset. A path that is a link becomes the path of its target.
  void lock(std::string& path, Container container);
  template <class Work>
  void with_elements_named(Work&& work);

  const Resources& resources_;
  bool is_closed_ = false;
  bool needs_composed_names_ = false;
  std::optional<OutputLock> lock_;  // released when no file is open
  std::optional<WholeDataset> whole_;
  std::unique_ptr<DatasetOutput> output_;
};

}  // namespace sill
