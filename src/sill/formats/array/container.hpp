// The file formats of datasets and the names of their files.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sill {

/// The storage format of a dataset.
enum class Container : std::uint8_t {
  netcdf,      ///< one file of netCDF's classic formats
  pnetcdf,     ///< one file of netCDF's classic formats, written by PnetCDF
  hdf5,        ///< one HDF5 file, chunked, or contiguous with room for a given number of steps
  netcdf4,     ///< the same in the form of netCDF-4
  vtkhdf,      ///< the same in the form VTKHDF, which VTK reads
  checkpoint,  ///< two netCDF files used alternately, each with one step, with checksums
  vti,         ///< VTK image data, one file per step, and a .pvd file that lists them
  vtr,         ///< VTK rectilinear grids, in the same way
  vts,         ///< VTK structured grids, in the same way
  tecplot,     ///< Tecplot's binary files, one per step
  zarr,        ///< a folder: a group of Zarr, whose chunks may be compressed
  raw,  ///< bytes without a header, one file per step, an .xdmf text that describes them, and .mhd headers if requested
};

inline constexpr std::array containers{Container::netcdf, Container::pnetcdf,    Container::hdf5, Container::netcdf4,
                                       Container::vtkhdf, Container::checkpoint, Container::vti,  Container::vtr,
                                       Container::vts,    Container::tecplot,    Container::zarr, Container::raw};

/// Local. Returns true for files of VTK, one per step.
[[nodiscard]] constexpr bool is_vtk(Container container) {
  return container == Container::vti || container == Container::vtr || container == Container::vts;
}
/// Local. Returns true if the dataset has one file per step.
[[nodiscard]] constexpr bool is_series(Container container) {
  return is_vtk(container) || container == Container::tecplot || container == Container::raw;
}
/// Local. Returns true for a single file, or the two files of a checkpoint.
[[nodiscard]] constexpr bool is_one_file(Container container) {
  return !is_series(container) && container != Container::zarr;
}

/// Local. Returns true for files that HDF5 reads.
[[nodiscard]] constexpr bool is_hdf5(Container container) {
  return container == Container::hdf5 || container == Container::netcdf4 || container == Container::vtkhdf;
}

/// Local. Returns the name of a container, the same as of its enumerator.
[[nodiscard]] std::string_view name_of(Container container);
/// Local. Returns the names of all containers.
[[nodiscard]] std::string container_names(std::string_view separator);
/// Local. Returns the container called `name`; nullopt if there is none.
[[nodiscard]] std::optional<Container> container_named(std::string_view name);
/// Local. Returns the container for the ending of a file name: .h5 and .hdf5; .nc4; .vtkhdf; .checkpoint; .vti and
/// .pvd; .vtr; .vts; .plt; .zarr and .mdio; .raw, .xdmf and .mhd; netCDF for all others.
[[nodiscard]] Container container_of(const std::string& path);

/// The file names of a dataset with one file per step.
class SeriesNames {
 public:
  /// Local. Derives the names. `path` is the name given for the dataset; an ending that selects a container is removed.
  /// Precondition: `is_series(container)`.
  SeriesNames(const std::string& path, Container container);

  [[nodiscard]] const std::string& stem() const { return stem_; }  ///< "u"
  [[nodiscard]] std::string constant() const;                      ///< for variables without steps: "u.vti"
  [[nodiscard]] std::string step(std::int64_t number) const;       ///< "u.000012.vti"
  [[nodiscard]] std::string index() const;  ///< the list of steps: "u.pvd", "u.xdmf"; empty if there is none
  /// Local. Returns the name of the header file of a variable; `number` is the step, nullopt for a variable without
  /// steps: "u.pressure.000012.mhd".
  [[nodiscard]] std::string header(const std::string& variable, std::optional<std::int64_t> number) const;

 private:
  std::string stem_;
  Container container_;
};

}  // namespace sill
