// Writing of a program's state, in two generations of which one is always intact.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sill/io/arrays/dataset_options.hpp"
#include "sill/io/arrays/output/dataset_output.hpp"
#include "sill/io/arrays/output/growing_output.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/store/checksum_store.hpp"

namespace sill {

/// Writes each step as a separate netCDF file that replaces the older of two generations
/// (io/arrays/checkpoint_files.hpp). If this writer wrote that generation, the file is overwritten in place. Checksums
/// are computed from the bytes passed to the system. A generation is complete when its header is written, after all
/// other data.
class CheckpointOutput final : public DatasetOutput {
 public:
  /// Collective. Opens the output, as the constructor of DatasetWriter. Precondition: the arguments are the same on all
  /// ranks.
  CheckpointOutput(const Resources& resources, std::string path, DatasetDescription description,
                   const DatasetOptions& options);
  ~CheckpointOutput() override;

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
  struct Generation;

  // Collective. Begins a generation that replaces the older one.
  void begin();
  // Collective. Completes the generation whose arrays were written.
  void finish();
  // Collective. Performs `work`; after an error the generation that was begun is discarded.
  template <class Work>
  void perform(Work&& work);

  const Resources& resources_;
  std::string path_;
  DatasetDescription description_;
  DatasetOptions options_;
  std::int64_t steps_ = 0;
  bool is_closed_ = false;
  bool is_written_ = false;  // all arrays of the generation in progress
  std::unique_ptr<Generation> begun_;
  std::array<cdf::FileLayout, 2> written_;  // layouts of the generations that this writer completed; index: number
                                            // modulo 2
};

}  // namespace sill
