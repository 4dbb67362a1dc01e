#include "sill/formats/array/container.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace sill {
namespace {

constexpr std::array<std::pair<std::string_view, Container>, 17> suffixes{{{".nc", Container::netcdf},
                                                                           {".cdf", Container::netcdf},
                                                                           {".h5", Container::hdf5},
                                                                           {".hdf5", Container::hdf5},
                                                                           {".nc4", Container::netcdf4},
                                                                           {".vtkhdf", Container::vtkhdf},
                                                                           {".checkpoint", Container::checkpoint},
                                                                           {".vti", Container::vti},
                                                                           {".pvd", Container::vti},
                                                                           {".vtr", Container::vtr},
                                                                           {".vts", Container::vts},
                                                                           {".plt", Container::tecplot},
                                                                           {".zarr", Container::zarr},
                                                                           {".mdio", Container::zarr},
                                                                           {".raw", Container::raw},
                                                                           {".xdmf", Container::raw},
                                                                           {".mhd", Container::raw}}};

// By Container.
constexpr std::array<std::string_view, containers.size()> container_texts{
    "netcdf", "pnetcdf", "hdf5", "netcdf4", "vtkhdf", "checkpoint", "vti", "vtr", "vts", "tecplot", "zarr", "raw"};

// Returns the ending of the files of steps.
std::string_view ending_of(Container container) { return container == Container::tecplot ? "plt" : name_of(container); }

}  // namespace

std::string_view name_of(Container container) { return container_texts[static_cast<std::size_t>(container)]; }

std::string container_names(std::string_view separator) {
  return fmt::format("{}", fmt::join(container_texts, separator));
}

std::optional<Container> container_named(std::string_view name) {
  for (const Container each : containers) {
    if (name_of(each) == name) return each;
  }
  return std::nullopt;
}

Container container_of(const std::string& given) {
  const std::string path = given.substr(0, given.find_last_not_of('/') + 1);  // "a.zarr/"
  for (const auto& [suffix, container] : suffixes) {
    if (path.ends_with(suffix)) return container;
  }
  return Container::netcdf;
}

SeriesNames::SeriesNames(const std::string& path, Container container) : stem_(path), container_(container) {
  for (const auto& [suffix, of] : suffixes) {
    if (!path.ends_with(suffix)) continue;
    stem_ = path.substr(0, path.size() - suffix.size());
    return;
  }
}

std::string SeriesNames::constant() const { return fmt::format("{}.{}", stem_, ending_of(container_)); }

std::string SeriesNames::step(std::int64_t number) const {
  return fmt::format("{}.{:06}.{}", stem_, number, ending_of(container_));
}

std::string SeriesNames::index() const {
  if (container_ == Container::tecplot) return "";
  return stem_ + (is_vtk(container_) ? ".pvd" : ".xdmf");
}

std::string SeriesNames::header(const std::string& variable, std::optional<std::int64_t> number) const {
  return number ? fmt::format("{}.{}.{:06}.mhd", stem_, variable, *number) : fmt::format("{}.{}.mhd", stem_, variable);
}

}  // namespace sill
