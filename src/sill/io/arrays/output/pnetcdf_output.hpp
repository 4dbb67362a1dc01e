// Arrays in one netCDF file, written by PnetCDF.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/engines/parallel_netcdf.hpp"
#include "sill/formats/array/listed_elements.hpp"
#include "sill/io/arrays/dataset_options.hpp"
#include "sill/io/arrays/output/dataset_output.hpp"
#include "sill/io/arrays/output/fill_account.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Passes parts to PnetCDF as non-blocking calls, and lets PnetCDF write them together. The library decides how,
/// controlled by hints; of the policy only the stripes apply. Its header counts steps as it writes them, and nothing is
/// written in the background.
class PnetcdfOutput final : public DatasetOutput {
 public:
  /// Collective. Opens the output, as the constructor of DatasetWriter. Precondition: the arguments are the same on all
  /// ranks.
  PnetcdfOutput(const Resources& resources, std::string path, DatasetDescription description,
                const DatasetOptions& options);

  void set_attribute(const Attribute& attribute, const std::string& variable) override;
  void write(OutputCall& output_call, std::span<const ArrayPart> parts, std::optional<std::int64_t> steps,
             Memory memory) override;
  void write_own(std::int64_t step, std::span<const ArrayPart> parts) override;
  void wait() override {
    if (failure_) throw Error(*failure_);
  }
  void close() override;
  [[nodiscard]] std::int64_t steps() const override { return steps_; }
  [[nodiscard]] const DatasetDescription& description() const override { return description_; }

 private:
  // The values of a part in the form that the library accepts, and the boxes that they fill one after another.
  struct Packed {
    std::size_t variable = 0;
    std::vector<Box> boxes;
    std::vector<std::byte> values;
  };

  void open();
  [[nodiscard]] Packed packed(const ArrayPart& part, std::int64_t step, ListOrders& orders) const;
  // Collective. Writes fill values to all elements of the variables and steps, which count from the next step.
  void fill(std::span<const FillAccount::Lack> lacks);
  // Returns this rank's share of the fill values of a variable.
  [[nodiscard]] Packed filled(std::size_t number, std::int64_t step) const;
  // Extends the boxes of a variable with steps by the dimension of step `step`.
  void add_step(Packed& part, std::int64_t step) const;
  // Collective. Writes with non-blocking calls that are completed together.
  void write_together(std::span<const Packed> parts);
  // Counts each call of the library as one request.
  void count_writes(std::span<const Packed> parts, std::chrono::steady_clock::time_point begin) const;
  template <class Work>
  void perform(Work&& work);

  const Resources& resources_;
  std::string path_;
  DatasetDescription description_;
  cdf::FileForm form_;
  bool appends_ = false;
  bool is_closed_ = false;
  FillAccount account_;
  std::int64_t first_step_ = 0;  // first step of this writer
  std::int64_t steps_ = 0;
  std::optional<Error> failure_;
  std::optional<ParallelNetcdf> file_;
};

}  // namespace sill
