// Arrays in one netCDF file that grows step by step.
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
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/arrays/dataset_options.hpp"
#include "sill/io/arrays/dataset_parts.hpp"
#include "sill/io/arrays/output/dataset_output.hpp"
#include "sill/io/arrays/output/fill_account.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/growing_files.hpp"
#include "sill/plan/extent.hpp"

namespace sill {

/// Collective. Checks or removes an existing file of that name as the options require; returns true if it will be
/// appended to. Errors: usage if the options do not allow the existing file, or if there is neither a description nor a
/// file that contains one; io.
[[nodiscard]] bool is_to_append(const Resources& resources, const std::string& path,
                                const DatasetDescription& description, const DatasetOptions& options);

/// Local. Returns the next step to write. Errors: usage unless `contents` are the contents of a netCDF file with
/// `description`, if one is given, and with at least that many steps.
[[nodiscard]] std::int64_t first_step_of(const DatasetContents& contents, const DatasetDescription& description,
                                         const DatasetOptions& options, const std::string& path);

/// Writes a dataset as a netCDF file of the classic formats.
class NetcdfOutput final : public DatasetOutput {
 public:
  /// Collective. Opens the output, as the constructor of DatasetWriter. With `rewrites`, a file of the same layout
  /// exists; it is overwritten in place, and is not a valid netCDF file until a step is complete. Precondition: the
  /// arguments are the same on all ranks.
  NetcdfOutput(const Resources& resources, std::string path, DatasetDescription description,
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
  // Collective. Writes the header without its first bytes, which state the number of complete steps, and zeros up to
  // byte `end`.
  void write_header(std::int64_t end = 0);
  // Returns these first bytes for `steps` steps; zeros if nothing is complete.
  [[nodiscard]] std::vector<std::byte> beginning_at(std::int64_t steps) const;
  // Returns the plan that writes these bytes; it is empty except on rank 0.
  [[nodiscard]] AccessPlan beginning_plan(const std::vector<std::byte>& bytes) const;
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
  // Collective. Marks the file as complete.
  void complete_without_steps();
  void require_room_for(std::int64_t steps) const;

  const Resources& resources_;
  std::string path_;
  DatasetDescription description_;
  cdf::FileForm form_;
  cdf::FileLayout layout_;
  bool fills_;
  FillAccount account_;
  std::vector<std::byte> beginning_;  // first bytes for the steps that are certain to be complete
  std::int64_t steps_ = 0;
  std::optional<std::int64_t> replaced_header_bytes_;  // header size of the existing file, if its attributes are
                                                       // replaced
  std::int64_t first_step_ = 0;                        // first step of this writer
  bool is_headed_ = false;
  bool is_appended_ = false;
  bool is_closed_ = false;
  std::optional<GrowingFiles> file_;
};

}  // namespace sill
