// The files of a dataset with one file per step: their contents, and the files next to them.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/array/container.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/image/image_file.hpp"
#include "sill/formats/image/tecplot_file.hpp"
#include "sill/formats/image/vtk_grid.hpp"
#include "sill/io/arrays/dataset_options.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Knows the layout of the file of a step and of the file of variables without steps. On rank 0 it also maintains the
/// list of steps and the headers of variables. All functions are Local.
class SeriesFiles {
 public:
  /// The retained state of an existing dataset.
  struct Found {
    std::int64_t steps = 0;
    bool has_constant = false;  ///< variables without steps are already written
  };

  /// Describes a dataset. Errors: usage unless the container can store `description` and `path` names files.
  SeriesFiles(const Resources& resources, std::string path, DatasetDescription description,
              const DatasetOptions& options);

  /// Replaces the description. Errors: as the constructor; then the description is unchanged.
  void describe(DatasetDescription description);
  [[nodiscard]] const DatasetDescription& description() const { return description_; }
  [[nodiscard]] const SeriesNames& names() const { return names_; }
  /// Returns true if the text at the beginning of the file of a step depends on the step.
  [[nodiscard]] bool has_text_of_step() const { return container_ != Container::raw; }
  /// Returns true for the Tecplot container. The text at the beginning of its step files contains the ranges of values.
  [[nodiscard]] bool is_tecplot() const { return container_ == Container::tecplot; }
  /// Returns true if files of steps also contain the variables without steps.
  [[nodiscard]] bool repeats_constant() const {
    return (is_tecplot() || grid_.has_coordinates()) && description_.has_steps();
  }
  /// Returns the grid of a dataset in a format of VTK.
  [[nodiscard]] const image::VtkGrid& grid() const { return grid_; }
  /// Sets the values of coordinates that the texts of files contain. Errors: as image::set_coordinates.
  void set_coordinates(const std::array<std::vector<double>, 3>& values);
  /// Returns the text at the beginning of the file of a step that omits the variables `left_out` and has the values
  /// `values`. Its length is the same for all steps.
  [[nodiscard]] std::string text_of_step(const image::LeftOut& left_out, const image::TecplotValues& values) const;
  /// Returns the generated coordinates (X, Y, Z) that a file stores in addition to its variables, directly after its
  /// header.
  [[nodiscard]] const image::PointCoordinates& coordinates() const { return coordinates_; }
  /// Returns the texts of a file, and the bytes at which its variables begin: of the file of a step if `of_steps`,
  /// otherwise of the file of variables without steps.
  [[nodiscard]] const image::ImageFile& file(bool of_steps) const { return of_steps ? step_file_ : constant_file_; }

  /// On rank 0: examines existing files, and removes those that must not remain. Errors: usage if the options do not
  /// allow that, or if the files to append to have another description; io.
  [[nodiscard]] Found clear_for(const DatasetOptions& options);
  void go_on_from(Found found);
  [[nodiscard]] std::int64_t first_step() const { return first_step_; }
  [[nodiscard]] bool has_constant() const { return has_constant_; }
  void constant_is_written() { has_constant_ = true; }

  // The remaining functions are called only on rank 0.
  /// Checks that the step has no files that must not be replaced. Errors: usage if it has such files.
  void require_free(std::int64_t step) const;
  /// Checks that a file with the number `step` continues the existing steps. Errors: usage if it does not.
  void require_next(std::int64_t step) const;
  /// Writes the headers of a step, and the list of steps if it is due. Called when the file of the step has its name.
  void publish(std::int64_t step, const image::LeftOut& left_out);
  void publish_constant();
  /// Writes the list of steps unless it exists and is complete; also a list without steps, which shows that steps may
  /// follow.
  void list_all();

 private:
  void lay_out();
  [[nodiscard]] image::ImageFile file_of(bool of_steps);
  // Adopts the attributes of the files that are appended to.
  void require_description();
  // Returns the files of other formats of VTK whose steps the list of steps names: they are of the same dataset.
  [[nodiscard]] std::vector<SeriesNames> listed_of_other_formats() const;
  void remove_steps(std::int64_t first, std::span<const Variable> variables) const;
  // Removes all files of the dataset, and of `others`.
  void remove_all(std::span<const SeriesNames> others) const;
  void remove_header(const std::string& variable, std::optional<std::int64_t> step) const;
  // Returns the variables of the existing files, as far as their list states them.
  [[nodiscard]] std::vector<Variable> listed_variables() const;
  void note(std::int64_t step, const image::LeftOut& left_out);
  // Reads which variables the listed steps of raw bytes omit; reduces `steps` to the listed steps.
  void take_listed_steps(std::int64_t& steps);
  [[nodiscard]] std::size_t kind_of(const image::LeftOut& left_out);
  // Visits the variables that have a MetaImage header and are not omitted, with their first bytes.
  void for_each_header(bool of_steps, const image::LeftOut& left_out,
                       const std::function<void(const Variable& variable, std::int64_t begin)>& visit) const;
  void write_headers(bool of_steps, std::optional<std::int64_t> step, bool only_missing,
                     const image::LeftOut& left_out = {}) const;
  void write_index();
  [[nodiscard]] std::string index_text() const;

  const Resources& resources_;
  std::string path_;
  Container container_;
  SeriesNames names_;
  bool has_headers_;  // .mhd files were requested
  bool replaces_;
  bool has_field_data_;
  DatasetDescription description_;
  image::ImageFile constant_file_;
  image::ImageFile step_file_;
  image::PointCoordinates coordinates_;
  image::VtkGrid grid_;
  std::int64_t first_step_ = 0;  // first step of this writer
  bool has_constant_ = false;
  // On rank 0, for steps that have a file:
  std::vector<double> times_;
  std::vector<std::size_t> left_out_;     // index in `kinds_`
  std::vector<image::LeftOut> kinds_{1};  // sets of omitted variables; the first is empty
  std::int64_t index_bytes_ = 0;
  std::chrono::steady_clock::time_point index_end_ = {};  // time when the list of steps was last written
  std::chrono::steady_clock::duration index_took_ = {};
  std::int64_t indexed_steps_ = -1;  // -1: no list was written
};

}  // namespace sill
