// PnetCDF: files of netCDF's classic formats, written by that library.
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

/// The variable of the environment that PnetCDF reads hints from: "KEY=VALUE;KEY=VALUE".
inline constexpr const char* pnetcdf_hints_variable = "PNETCDF_HINTS";

/// A file that PnetCDF has open for writing. The library is loaded when the first is made, so that programs need it for
/// this alone: libpnetcdf of the system, if that and this program are built for Open MPI, or the file whose absolute
/// path SILL_PNETCDF holds, which is not checked for its MPI. Both variables are those of each rank.
///
/// Its errors are those of one rank where the library says so on one: collective calls agree on them.
class ParallelNetcdf {
 public:
  using Hints = std::vector<std::pair<std::string, std::string>>;

  /// Collective. Creates the file, or replaces it, and ends define mode. The library writes no fill values. `version`:
  /// 1, 2 or 5. Errors: usage if the library is not there, or built for another MPI, and for a path with a colon; io.
  ParallelNetcdf(Communicator& comm, std::string path, const DatasetDescription& description, int version,
                 const Hints& hints);
  /// Collective. Opens a file that holds `description`. Errors: as above.
  ParallelNetcdf(Communicator& comm, std::string path, const DatasetDescription& description, const Hints& hints);
  ParallelNetcdf(const ParallelNetcdf&) = delete;
  ParallelNetcdf& operator=(const ParallelNetcdf&) = delete;
  /// A file that was not closed stays open in the library: closing is collective.
  ~ParallelNetcdf() = default;

  /// Local. Begins to write a box (ncmpi_iput_vara), of a variable with steps with the step first. `values` are of the
  /// variable's type, one after another, and stay until `finish`. Errors: io.
  void begin(std::size_t variable, const Box& box, const std::byte* values);
  /// Local. The same of several boxes whose values follow one another (ncmpi_iput_varn).
  void begin(std::size_t variable, std::span<const Box> boxes, const std::byte* values);
  /// Collective. Writes what was begun (ncmpi_wait_all). Errors: io, also of one request.
  void finish();

  /// Collective. From here to `end_own` ranks write by themselves (ncmpi_begin_indep_data). Errors: io.
  void begin_own();
  /// Local. Writes a box at once (ncmpi_put_vara). Errors: io.
  void write_own(std::size_t variable, const Box& box, const std::byte* values);
  /// Collective. Errors: io.
  void end_own();

  /// Collective. Closes the file. Errors: io.
  void close();

  /// Collective. What the library says of the hints that it was given, also by PNETCDF_HINTS (ncmpi_inq_file_info).
  /// Errors: io.
  [[nodiscard]] MpiioHintsInEffect hints_in_effect() const;
  /// Local. "1.12.3", as far as the library says. Errors: as the constructor.
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
