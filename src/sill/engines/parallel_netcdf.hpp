// Files in netCDF's classic formats, written by the PnetCDF library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/layout/box.hpp"
#include "sill/store/mpiio/mpiio_hint_report.hpp"

namespace sill {

/// The environment variable from which PnetCDF reads hints: "KEY=VALUE;KEY=VALUE".
inline constexpr const char* pnetcdf_hints_variable = "PNETCDF_HINTS";

/// A file that PnetCDF has open for writing. The library is loaded when the first file is opened, so that programs need
/// it only for such files. If the environment variable SILL_PNETCDF is set, the library is the file with this absolute
/// path, and its MPI is not checked. Otherwise it is the system's libpnetcdf, which is accepted only if the library and
/// this program are built for Open MPI. Each rank reads SILL_PNETCDF and PNETCDF_HINTS from its own environment.
///
/// If the library reports an error on one rank, only that rank has the error; collective calls agree on errors.
class ParallelNetcdf {
 public:
  using Hints = std::vector<std::pair<std::string, std::string>>;

  /// Collective. Creates or replaces the file and ends define mode. The library writes no fill values. `version`: 1, 2
  /// or 5. Errors: usage if the library is missing or built for another MPI, and for a path with a colon; io.
  ParallelNetcdf(Communicator& comm, std::string path, const DatasetDescription& description, int version,
                 const Hints& hints);
  /// Collective. Opens a file that contains `description`. Errors: as the first constructor.
  ParallelNetcdf(Communicator& comm, std::string path, const DatasetDescription& description, const Hints& hints);
  ParallelNetcdf(const ParallelNetcdf&) = delete;
  ParallelNetcdf& operator=(const ParallelNetcdf&) = delete;
  /// A file that was not closed stays open in the library, because closing is collective.
  ~ParallelNetcdf() = default;

  /// Local. Begins to write a box (ncmpi_iput_vara). For a variable with steps, the step is the first dimension of the
  /// box. `values` have the variable's type and are consecutive. Precondition: `values` remain unchanged until
  /// `finish`. Errors: io.
  void begin(std::size_t variable, const Box& box, const std::byte* values);
  /// Local. Begins to write several boxes whose values are consecutive in memory (ncmpi_iput_varn). Precondition:
  /// `values` remain unchanged until `finish`. Errors: io.
  void begin(std::size_t variable, std::span<const Box> boxes, const std::byte* values);
  /// Collective. Performs the writes begun so far (ncmpi_wait_all). Errors: io, also if only one request fails.
  void finish();

  /// Collective. Permits independent writes (`write_own`) by the ranks until `end_own` (ncmpi_begin_indep_data).
  /// Errors: io.
  void begin_own();
  /// Local. Writes a box and returns when it is written (ncmpi_put_vara). Precondition: between `begin_own` and
  /// `end_own`. Errors: io.
  void write_own(std::size_t variable, const Box& box, const std::byte* values);
  /// Collective. Ends independent writes. Errors: io.
  void end_own();

  /// Collective. Closes the file. Errors: io.
  void close();

  /// Collective. Returns the hints in effect, as the library reports them, including hints in PNETCDF_HINTS
  /// (ncmpi_inq_file_info). Errors: io.
  [[nodiscard]] MpiioHintsInEffect hints_in_effect() const;
  /// Local. Returns the version that the library reports, such as "1.12.3". Errors: usage if the library is missing or
  /// built for another MPI.
  [[nodiscard]] static std::string version();

 private:
  struct Library;
  [[nodiscard]] static const Library& library();
  void require(int status, const char* call) const;
  void define(const DatasetDescription& description);

  Communicator& comm_;
  std::string path_;
  std::vector<ElementType> types_;
  Hints asked_;
  std::vector<int> requests_;
  int file_ = -1;
};

}  // namespace sill
