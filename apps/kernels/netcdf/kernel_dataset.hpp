// The dataset of a kernel: its files, and what must be in them.
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
  std::string name;  ///< with its folder, without the end that stands for its container
  Container container = Container::netcdf;
  DatasetDescription description;
  std::int64_t steps = 0;
  cdf::FileForm form = {};
  /// Local. Returns the value of an element of a variable, row-major, in a step (0 of variables without steps).
  std::function<double(std::size_t variable, std::int64_t step, std::int64_t element)> value;

  /// Local. Returns the name that the writer is given.
  [[nodiscard]] std::string path() const;
  /// Local. Returns how a run writes it. What a user says of the files of all runs is in it already (Kernel::use);
  /// layouts of its resources count before, as for any dataset: that is how a run takes PnetCDF.
  [[nodiscard]] DatasetOptions options() const;
  /// Local. Returns all its files.
  [[nodiscard]] std::vector<std::string> paths() const;
  /// Local. Returns the bytes of these, from the description alone. Errors: usage if they exceed 2^63 - 1.
  [[nodiscard]] std::int64_t bytes() const;
  /// Collective. Compares a netCDF file byte by byte with header and values, other files by reading all variables.
  /// Errors: input, for the first difference; io.
  void verify(const Resources& resources) const;

 private:
  void verify_bytes() const;
  void verify_values(const Resources& resources) const;
};

/// How the files of a kernel are written.
struct KernelLayout {
  Container container = Container::netcdf;
  cdf::FileForm form = {};
};

/// Local. Returns that of a run: the container that it was given, or else that of the layouts for a dataset `name`.
[[nodiscard]] KernelLayout settled(std::optional<Container> given, const DatasetLayouts& layouts,
                                   const std::string& name);

/// Local. Errors: usage for a container that the original program does not write.
void require_netcdf(Container container);

}  // namespace sill::kernels
