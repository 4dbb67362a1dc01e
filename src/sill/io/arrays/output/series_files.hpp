// The files of a dataset that has one for each step: what is in them, and what stands beside them.
#pragma once

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
#include "sill/io/arrays/dataset_options.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Knows where everything lies in the file of a step and in that of variables without steps. On rank 0 it also keeps
/// the list of steps and the headers of variables. All of its calls are Local.
class SeriesFiles {
 public:
  /// What is kept of a dataset that exists.
  struct Found {
    std::int64_t steps = 0;
    bool has_constant = false;  ///< variables without steps are written
  };

  /// Errors: usage unless the container holds what `description` says, and `path` names files.
  SeriesFiles(const Resources& resources, std::string path, DatasetDescription description,
              const DatasetOptions& options);

  /// Takes another description. Errors: as the constructor; then the description stays.
  void describe(DatasetDescription description);
  [[nodiscard]] const DatasetDescription& description() const { return description_; }
  [[nodiscard]] const SeriesNames& names() const { return names_; }
  /// Whether the text that the file of a step begins with depends on the step.
  [[nodiscard]] bool has_text_of_step() const { return container_ != Container::raw; }
  /// Whether that text has the ranges of values.
  [[nodiscard]] bool is_tecplot() const { return container_ == Container::tecplot; }
  /// Whether files of steps also hold the variables without steps.
  [[nodiscard]] bool repeats_constant() const { return is_tecplot() && description_.has_steps(); }
  /// Returns the text of a step that leaves variables out, or has these values; it is as long as any.
  [[nodiscard]] std::string text_of_step(const image::LeftOut& left_out, const image::TecplotValues& values) const;
  /// Coordinates that a file has beside variables, at the end of its text.
  [[nodiscard]] const image::PointCoordinates& coordinates() const { return coordinates_; }
  /// What a file has beside the bytes of variables, and where these begin.
  [[nodiscard]] const image::ImageFile& file(bool of_steps) const { return of_steps ? step_file_ : constant_file_; }

  /// On rank 0: looks at what is there, and removes what does not stay. Errors: usage if that is not to be, or if what
  /// is to be appended has another description; io.
  [[nodiscard]] Found clear_for(const DatasetOptions& options);
  void go_on_from(Found found);
  [[nodiscard]] std::int64_t first_step() const { return first_step_; }
  [[nodiscard]] bool has_constant() const { return has_constant_; }
  void constant_is_written() { has_constant_ = true; }

  // The rest is rank 0's.
  /// Errors: usage if files of the step are there and are not to be replaced.
  void require_free(std::int64_t step) const;
  /// Errors: usage unless a file with the number `step` continues the steps that are there.
  void require_next(std::int64_t step) const;
  /// The file of the step has its name now: its headers are written, and the list of steps where it is due.
  void publish(std::int64_t step, const image::LeftOut& left_out);
  void publish_constant();
  /// Writes the list of steps unless it exists and is complete; also a list without steps, which says that steps may
  /// follow.
  void list_all();

 private:
  void lay_out();
  // Errors: usage if a .vti file would hold variables that are at no point of its grid, unless that is asked for.
  void require_points() const;
  // Takes the attributes of the files that are appended to.
  void require_description();
  void remove_steps(std::int64_t first, std::span<const Variable> variables) const;
  void remove_header(const std::string& variable, std::optional<std::int64_t> step) const;
  // Those of the files that are there, as far as their list says them.
  [[nodiscard]] std::vector<Variable> listed_variables() const;
  void note(std::int64_t step, const image::LeftOut& left_out);
  // What the listed steps of raw bytes leave out; the steps beyond the list are not there then.
  void take_listed_steps(std::int64_t& steps);
  [[nodiscard]] std::size_t kind_of(const image::LeftOut& left_out);
  // The variables that have a MetaImage header and are not left out, and where they begin.
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
  bool has_headers_;  // .mhd, for they were asked for
  bool replaces_;
  bool has_field_data_;
  DatasetDescription description_;
  image::ImageFile constant_file_;
  image::ImageFile step_file_;
  image::PointCoordinates coordinates_;
  std::int64_t first_step_ = 0;  // of this writer
  bool has_constant_ = false;
  // On rank 0, of steps that have their file:
  std::vector<double> times_;
  std::vector<std::size_t> left_out_;     // by the place in `kinds_`
  std::vector<image::LeftOut> kinds_{1};  // what steps leave out; the first: nothing
  std::int64_t index_bytes_ = 0;
  std::chrono::steady_clock::time_point index_end_ = {};  // when it was written
  std::chrono::steady_clock::duration index_took_ = {};
  std::int64_t indexed_steps_ = -1;  // none: no list was written
};

}  // namespace sill
