// The dataset of a kernel: its files, and their expected content.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernel.hpp"
#include "sill/formats/array/container.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/io/arrays/dataset_options.hpp"
#include "sill/io/session/resources.hpp"

namespace sill::kernels {

struct KernelDataset {
  std::string name;  ///< path of the dataset without the ending for its container
  Container container = Container::netcdf;
  DatasetDescription description;
  std::int64_t steps = 0;
  cdf::FileForm form = {};
  /// Local. Returns the value of an element of a variable, row-major, in a step (0 for variables without steps).
  std::function<double(std::size_t variable, std::int64_t step, std::int64_t element)> value;

  /// Local. Returns the path to pass to the writer.
  [[nodiscard]] std::string path() const;
  /// Local. Returns the options for writing the dataset. The options include the user's layouts for all runs
  /// (Kernel::use). Layouts of the run's resources take precedence, as for any dataset; a run selects PnetCDF in this
  /// way.
  [[nodiscard]] DatasetOptions options() const;
  /// Local. Returns all files of the dataset.
  [[nodiscard]] std::vector<std::string> paths() const;
  /// Local. Returns the total size of all files of the dataset, computed only from the description. Errors: usage if it
  /// exceeds 2^63 - 1.
  [[nodiscard]] std::int64_t bytes() const;
  /// Collective. Compares a netCDF file byte by byte with the expected header and values; compares other files by
  /// reading all variables. Errors: input, for the first difference; io.
  void verify(const Resources& resources) const;

 private:
  void verify_bytes() const;
  void verify_values(const Resources& resources) const;
};

/// A kernel whose files are datasets.
class DatasetKernel : public Kernel {
 public:
  /// Local. `container`: nullopt: the container of the layouts, otherwise netCDF. Errors: usage for a container that is
  /// not verified.
  DatasetKernel(KernelSetting setting, std::string name, std::optional<Container> container)
      : Kernel(std::move(setting), std::move(name)), given_(container) {
    DatasetKernel::use({});
  }

  void use(const DatasetLayouts& layouts) override;
  [[nodiscard]] bool is_netcdf() const override {
    return container_ == Container::netcdf || container_ == Container::pnetcdf;
  }
  [[nodiscard]] std::vector<std::string> paths() const override;
  [[nodiscard]] std::int64_t file_bytes() const override;
  void verify(const Resources& resources) const override;

 protected:
  [[nodiscard]] virtual std::vector<KernelDataset> datasets() const = 0;
  /// Local. Returns the only dataset.
  [[nodiscard]] KernelDataset dataset() const { return datasets().front(); }
  [[nodiscard]] Container container() const { return container_; }
  [[nodiscard]] const cdf::FileForm& form() const { return form_; }
  /// Local. Throws if the original program does not write the container. Errors: usage.
  void require_netcdf() const;

 private:
  std::optional<Container> given_;
  Container container_ = Container::netcdf;
  cdf::FileForm form_ = {};
};

}  // namespace sill::kernels
