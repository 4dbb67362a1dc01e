// Datasets in files of parallel HDF5, PnetCDF and parallel netCDF-4, as experienced users write and read them. Calls
// have the names of DatasetWriter's and DatasetReader's. Errors: io, on the rank that the library reports them on.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/io/arrays/array_part.hpp"

namespace sill::bench {

/// The shape of chunks, and the level of their deflate filter.
struct DeflatedChunks {
  Index shape;
  int level = 1;
};

/// An HDF5 file with a contiguous or deflated dataset for each variable, of native types; steps are a first dimension.
class Hdf5File {
 public:
  /// Collective. Creates the file for so many steps, with all datasets and without fill values, or opens it.
  Hdf5File(Communicator& comm, const std::string& path, DatasetDescription description, bool is_collective,
           std::optional<std::int64_t> new_steps = {}, const std::optional<DeflatedChunks>& chunks = {});

  /// Collective. Each rank brings a part of the same variables in the same order.
  void write(std::span<const ArrayPart> parts) { move(parts, 0, true); }
  void write_step(std::span<const ArrayPart> parts) { move(parts, steps_++, true); }
  /// Collective. Likewise, into memory where the elements of each part lie one after another.
  void read(std::span<const ArrayPart> parts) { move(parts, 0, false); }
  void read_step(std::int64_t step, std::span<const ArrayPart> parts) { move(parts, step, false); }
  /// Collective.
  void close();

 private:
  void move(std::span<const ArrayPart> parts, std::int64_t step, bool writes);
  [[nodiscard]] const std::byte* packed(const ArrayPart& part);

  DatasetDescription description_;
  std::int64_t steps_ = 0;
  hid_t file_ = -1;
  hid_t transfer_ = -1;
  std::vector<hid_t> datasets_;
  std::vector<std::byte> buffer_;
};

/// A netCDF-4 file without steps, written by netCDF-C with collective calls.
class Netcdf4File {
 public:
  /// Collective. Creates the file with all variables, without fill values.
  Netcdf4File(Communicator& comm, const std::string& path, DatasetDescription description,
              const std::optional<DeflatedChunks>& chunks);

  /// Collective. Each rank brings a part of the same variables in the same order, of type f4, in memory where its
  /// elements lie one after another.
  void write(std::span<const ArrayPart> parts);
  void write_step(std::span<const ArrayPart> parts) { write(parts); }
  /// Collective.
  void close();

 private:
  DatasetDescription description_;
  int file_ = -1;
};

/// A netCDF file that PnetCDF reads.
class PnetcdfFile {
 public:
  /// Collective. `is_blocking`: a collective call for each variable, else all parts of a call are waited for together.
  PnetcdfFile(Communicator& comm, const std::string& path, DatasetDescription description, bool is_blocking);

  /// Collective. Each rank brings a part of the same variables in the same order, of type f8, in memory where its
  /// elements lie one after another.
  void read(std::span<const ArrayPart> parts) { read_step(0, parts); }
  void read_step(std::int64_t step, std::span<const ArrayPart> parts);
  /// Collective.
  void close();

 private:
  DatasetDescription description_;
  bool is_blocking_;
  int file_ = -1;
  std::vector<int> variables_;
};

/// Local. Copies the chunks out of a part whose elements lie one after another. Returns what compresses them into
/// memory by libdeflate or libzstd, in threads. `codec`: deflate:LEVEL or zstd:LEVEL. Errors: usage for others; io of a
/// call.
[[nodiscard]] std::function<void()> compression_of(const std::string& codec, const ArrayPart& part, const Index& chunk,
                                                   int threads);

}  // namespace sill::bench
