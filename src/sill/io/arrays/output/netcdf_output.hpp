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

/// Collective. Treats a file that has the name as the options say; returns whether it is to be appended to. Errors:
/// usage if there is one that the options refuse, or if no description is given and there is none to take it from; io.
[[nodiscard]] bool is_to_append(const Resources& resources, const std::string& path,
                                const DatasetDescription& description, const DatasetOptions& options);

/// Local. Returns the step that is written next. Errors: usage unless `contents` are those of a netCDF file that holds
/// `description`, if there is one, and has so many steps.
[[nodiscard]] std::int64_t first_step_of(const DatasetContents& contents, const DatasetDescription& description,
                                         const DatasetOptions& options, const std::string& path);

/// Writes a dataset as a netCDF file of the classic formats.
class NetcdfOutput final : public DatasetOutput {
 public:
  /// Collective. As the constructor of DatasetWriter. `rewrites`: a file of the same layout is there; it is written
  /// over where it lies, and no netCDF file until a step is complete. Precondition: the arguments are the same on all
  /// ranks.
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
  // Those of a file that is appended to are replaced as far as its header has room.
  void take_attributes_of(const DatasetDescription& given);
  // Collective. Writes the header without its first bytes, which say that steps are complete, and zeros up to byte
  // `end`.
  void write_header(std::int64_t end = 0);
  // Those that count `steps`; zeros if nothing is complete.
  [[nodiscard]] std::vector<std::byte> beginning_at(std::int64_t steps) const;
  // On rank 0 the plan of those.
  [[nodiscard]] AccessPlan beginning_plan(const std::vector<std::byte>& bytes) const;
  // Where a variable lies in the file, of step `step` if it has steps.
  [[nodiscard]] FileArray places_of(std::size_t variable, std::int64_t step) const;
  // Collective. Writes what was prepared, and what it lacks.
  void write_checked(Prepared& call, std::optional<std::int64_t> steps, Memory memory);
  // Local. Checks what a rank brings, and plans it.
  void prepare(std::span<const ArrayPart> parts, std::optional<std::int64_t> steps, Prepared& call) const;
  // Local. Returns the extents of parts, from step `step` on where they have steps; `brought` counts their elements.
  [[nodiscard]] std::vector<Extent> extents_of(std::span<const ArrayPart> parts, std::int64_t step,
                                               PartSources& sources, std::vector<std::int64_t>& brought) const;
  // Collective. Writes fill values to all elements of the variables and steps, counted from the next one.
  void fill(std::span<const FillAccount::Lack> lacks);
  // Collective. Lets the file say that it is complete.
  void complete_without_steps();
  void require_room_for(std::int64_t steps) const;

  const Resources& resources_;
  std::string path_;
  DatasetDescription description_;
  cdf::FileForm form_;
  cdf::FileLayout layout_;
  bool fills_;
  FillAccount account_;
  std::vector<std::byte> beginning_;  // that says what is certain
  std::int64_t steps_ = 0;
  std::optional<std::int64_t> replaced_header_bytes_;  // of the file as it was, if its attributes are replaced
  std::int64_t first_step_ = 0;                        // of this writer
  bool is_headed_ = false;
  bool is_appended_ = false;
  bool is_closed_ = false;
  std::optional<GrowingFiles> file_;
};

}  // namespace sill
