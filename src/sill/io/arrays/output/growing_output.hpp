// Arrays in one file that grows step by step, in any format that a GrowingLayout describes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/io/arrays/array_part.hpp"
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/arrays/dataset_options.hpp"
#include "sill/io/arrays/dataset_parts.hpp"
#include "sill/io/arrays/output/dataset_output.hpp"
#include "sill/io/arrays/output/fill_account.hpp"
#include "sill/io/arrays/output/growing_layout.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/growing_files.hpp"
#include "sill/plan/extent.hpp"

namespace sill {

/// Collective. Checks or removes an existing file of that name as the options require; returns true if it will be
/// appended to. `is_unfinished` (Local) returns true if a run that completed no step left the file. Errors:
/// usage if the options do not allow the existing file, or if there is neither a description nor a file that contains
/// one; io.
[[nodiscard]] bool is_to_append(const Resources& resources, const std::string& path,
                                const DatasetDescription& description, const DatasetOptions& options,
                                const std::function<bool()>& is_unfinished);
/// Local. Returns true if a run that completed no step left the file: it contains a beginning of the header of
/// `layout`, without the bytes that make it valid.
[[nodiscard]] bool is_unfinished(const std::string& path, GrowingLayout& layout);

/// Local. Returns the next step to write. Errors: usage unless `contents` are the contents of a file of `container`
/// with `description`, if one is given, and with at least that many steps.
[[nodiscard]] std::int64_t first_step_of(const DatasetContents& contents, Container container,
                                         const DatasetDescription& description, const DatasetOptions& options,
                                         const std::string& path);

/// Writes a dataset as a file of netCDF's classic formats, HDF5 or netCDF-4.
class GrowingOutput final : public DatasetOutput {
 public:
  /// Collective. Opens the output, as the constructor of DatasetWriter. With `rewrites`, a file of the same layout
  /// exists; it is overwritten in place, and is not valid until a step is complete. Preconditions: as for new_layout;
  /// the arguments are the same on all ranks.
  GrowingOutput(const Resources& resources, std::string path, Container container, DatasetDescription description,
                const DatasetOptions& options, bool rewrites = false);

  void set_attribute(const Attribute& attribute, const std::string& variable) override;
  void write(OutputCall& output_call, std::span<const ArrayPart> parts, std::optional<std::int64_t> steps,
             Memory memory) override;
  void write_own(std::int64_t step, std::span<const ArrayPart> parts) override;
  void wait() override;
  void close() override;
  [[nodiscard]] std::int64_t steps() const override { return steps_; }
  [[nodiscard]] const DatasetDescription& description() const override { return description_; }
  [[nodiscard]] Where place_of(std::int64_t byte) const override;

 private:
  struct Sources;
  struct Prepared;

  void require_open() const;
  void open_existing(const DatasetDescription& given, const DatasetOptions& options);
  // Replaces the attributes of a file that is appended to, if its header has room.
  void take_attributes_of(const DatasetDescription& given);
  // Collective. Writes the header without the bytes that state the number of complete steps.
  void write_header();
  // Returns these bytes for `steps` steps; zeros if nothing is complete.
  [[nodiscard]] std::vector<FilePiece> beginning_at(std::int64_t steps) const;
  // Returns the plan that writes pieces; it is empty except on rank 0.
  [[nodiscard]] AccessPlan plan_of(const std::vector<FilePiece>& pieces) const;
  // Returns the position of a variable in the file, in step `step` if it has steps.
  [[nodiscard]] FileArray places_of(std::size_t variable, std::int64_t step) const;
  // Collective. Writes the prepared data, and fill values for its missing elements.
  void write_checked(Prepared& call, std::optional<std::int64_t> steps, Memory memory);
  // Local. Checks and plans the parts of this rank.
  void prepare(std::span<const ArrayPart> parts, std::optional<std::int64_t> steps, Prepared& call) const;
  // Local. Returns the extents of parts; parts with steps begin at step `step`. Counts their elements in `brought`.
  [[nodiscard]] std::vector<Extent> extents_of(std::span<const ArrayPart> parts, std::int64_t step,
                                               PartSources& sources, std::vector<std::int64_t>& brought) const;
  // Collective. Writes fill values to all elements of the variables and steps, which count from the next step.
  void fill(std::span<const FillAccount::Lack> lacks);
  [[nodiscard]] ElementForm form_of(std::size_t variable) const;
  // Collective. Marks the file as complete.
  void complete_without_steps();
  void require_room_for(std::int64_t steps) const;

  const Resources& resources_;
  std::string path_;
  DatasetDescription description_;
  Container container_;
  std::unique_ptr<GrowingLayout> layout_;
  bool fills_;
  FillAccount account_;
  std::vector<FilePiece> beginning_;  // GrowingLayout::beginning for the steps that are certain to be complete
  std::int64_t steps_ = 0;
  std::int64_t first_step_ = 0;   // first step of this writer
  bool replaces_header_ = false;  // the attributes of the existing file are replaced
  bool is_headed_ = false;
  bool is_appended_ = false;
  bool is_closed_ = false;
  std::optional<GrowingFiles> file_;
};

}  // namespace sill
