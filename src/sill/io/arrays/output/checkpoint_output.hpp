// The state of a program, in two generations of which one is always whole.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "sill/io/arrays/dataset_options.hpp"
#include "sill/io/arrays/output/dataset_output.hpp"
#include "sill/io/arrays/output/netcdf_output.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/store/checksum_store.hpp"

namespace sill {

/// Writes each step as a netCDF file of its own in place of the older of two (io/arrays/checkpoint_files.hpp), over its
/// bytes where this writer has written it. Its checksums are of the bytes as they were handed to the system. A
/// generation is whole when its header is written, behind all else.
class CheckpointOutput final : public DatasetOutput {
 public:
  /// Collective. As the constructor of DatasetWriter. Precondition: the arguments are the same on all ranks.
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

  // Collective. Takes the place of the older generation.
  void begin();
  // Collective. Completes the generation whose arrays were written.
  void finish();
  // Collective. Performs `work`; after an error the generation that was begun is gone.
  template <class Work>
  void perform(Work&& work);

  const Resources& resources_;
  std::string path_;
  DatasetDescription description_;
  DatasetOptions options_;
  std::int64_t steps_ = 0;
  bool is_closed_ = false;
  bool is_written_ = false;  // all arrays of the generation that was begun
  std::unique_ptr<Generation> begun_;
  std::array<cdf::FileLayout, 2> written_;  // of the generations that this writer completed, by their number in turns
};

}  // namespace sill
