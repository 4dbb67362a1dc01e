// Which files hold a dataset.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sill {

/// How a dataset is stored.
enum class Container : std::uint8_t {
  netcdf,      ///< one file of netCDF's classic formats
  pnetcdf,     ///< the same, written by PnetCDF
  vti,         ///< VTK image data, a file for each step, and a .pvd file that lists them
  checkpoint,  ///< two netCDF files in turn, each of one step, with checksums
  tecplot,     ///< Tecplot's binary files, one for each step
  raw,  ///< bytes without a header, a file for each step, an .xdmf text that describes them, and .mhd headers if asked
        ///< for
};

inline constexpr std::array containers{Container::netcdf, Container::pnetcdf, Container::checkpoint,
                                       Container::vti,    Container::tecplot, Container::raw};

/// Local. Returns true if the dataset does not have a file for each step.
[[nodiscard]] constexpr bool is_one_file(Container container) {
  return container != Container::vti && container != Container::tecplot && container != Container::raw;
}

/// Local. Returns "netcdf", "pnetcdf", "checkpoint", "vti", "tecplot" or "raw".
[[nodiscard]] std::string_view name_of(Container container);
/// Local. Returns the container of that name, if there is one.
[[nodiscard]] std::optional<Container> container_named(std::string_view name);
/// Local. Returns what the end of a file's name stands for: .checkpoint; .vti and .pvd; .plt; .raw, .xdmf and .mhd; all
/// else is netCDF.
[[nodiscard]] Container container_of(const std::string& path);

/// The names of the files of a dataset that has one for each step.
class SeriesNames {
 public:
  /// Local. `path` is the name that was given for the dataset; an end of it that stands for a container goes.
  /// Precondition: not is_one_file.
  SeriesNames(const std::string& path, Container container);

  [[nodiscard]] const std::string& stem() const { return stem_; }  ///< "u"
  [[nodiscard]] std::string constant() const;                      ///< of variables without steps: "u.vti"
  [[nodiscard]] std::string step(std::int64_t number) const;       ///< "u.000012.vti"
  [[nodiscard]] std::string index() const;  ///< what lists the steps: "u.pvd", "u.xdmf"; empty: nothing
  /// The header of one variable, of a step if it has some: "u.pressure.000012.mhd".
  [[nodiscard]] std::string header(const std::string& variable, std::optional<std::int64_t> number) const;

 private:
  std::string stem_;
  Container container_;
};

}  // namespace sill
