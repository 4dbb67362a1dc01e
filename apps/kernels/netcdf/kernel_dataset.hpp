// The dataset of a kernel: its files, and their expected content.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

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

/// The container and form of a kernel's files.
struct KernelLayout {
  Container container = Container::netcdf;
  cdf::FileForm form = {};
};

/// Local. Returns the layout of a run: the layout of the dataset `name` in `layouts`, with the container `given` if it
/// is set.
[[nodiscard]] KernelLayout settled(std::optional<Container> given, const DatasetLayouts& layouts,
                                   const std::string& name);

/// Local. Throws if the original program does not write the container. Errors: usage.
void require_netcdf(Container container);

}  // namespace sill::kernels
