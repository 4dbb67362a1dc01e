#include "sill/formats/file_ending.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "sill/base/error.hpp"

namespace sill {
namespace {

enum class Holds : std::uint8_t { survey, netcdf, hdf5, vtkhdf, series, zarr, other };

struct Ending {
  std::string_view text;
  std::string_view format;
  Holds holds = Holds::other;
};

constexpr std::array endings{Ending{".sgy", "SEG-Y", Holds::survey},
                             Ending{".segy", "SEG-Y", Holds::survey},
                             Ending{".su", "Seismic Unix", Holds::survey},
                             Ending{".nc", "netCDF", Holds::netcdf},
                             Ending{".cdf", "netCDF", Holds::netcdf},
                             Ending{".vti", "VTK image data", Holds::series},
                             Ending{".pvd", "lists of VTK files", Holds::series},
                             Ending{".plt", "Tecplot", Holds::series},
                             Ending{".xdmf", "XDMF", Holds::series},
                             Ending{".mhd", "MetaImage", Holds::series},
                             Ending{".nc4", "netCDF-4, which is HDF5", Holds::hdf5},
                             Ending{".h5", "HDF5", Holds::hdf5},
                             Ending{".hdf5", "HDF5", Holds::hdf5},
                             Ending{".hdf", "HDF"},
                             Ending{".he5", "HDF5"},
                             Ending{".zarr", "Zarr", Holds::zarr},
                             Ending{".mdio", "MDIO, which is Zarr", Holds::zarr},
                             Ending{".bp", "ADIOS2"},
                             Ending{".vtk", "legacy VTK"},
                             Ending{".vtp", "VTK polygons"},
                             Ending{".vtr", "VTK rectilinear grids", Holds::series},
                             Ending{".vts", "VTK structured grids", Holds::series},
                             Ending{".vtu", "VTK unstructured grids"},
                             Ending{".vtm", "VTK blocks"},
                             Ending{".vtkhdf", "VTKHDF", Holds::vtkhdf},
                             Ending{".pvti", "VTK image data in parts"},
                             Ending{".pvtr", "VTK rectilinear grids in parts"},
                             Ending{".pvts", "VTK structured grids in parts"},
                             Ending{".pvtu", "VTK unstructured grids in parts"},
                             Ending{".case", "EnSight"},
                             Ending{".segd", "SEG-D"},
                             Ending{".seg2", "SEG-2"},
                             Ending{".sg2", "SEG-2"},
                             Ending{".mseed", "miniSEED"},
                             Ending{".sac", "SAC"},
                             Ending{".npy", "NumPy"},
                             Ending{".npz", "NumPy"},
                             Ending{".mat", "MATLAB"},
                             Ending{".parquet", "Parquet"},
                             Ending{".txt", "text"},
                             Ending{".csv", "text"},
                             Ending{".json", "JSON"},
                             Ending{".xml", "XML"},
                             Ending{".png", "images"},
                             Ending{".svg", "images"},
                             Ending{".tif", "images"},
                             Ending{".tiff", "images"},
                             Ending{".pdf", "PDF"},
                             Ending{".gz", "compressed files"},
                             Ending{".bz2", "compressed files"},
                             Ending{".xz", "compressed files"},
                             Ending{".zst", "compressed files"},
                             Ending{".zip", "archives"},
                             Ending{".tar", "archives"}};

const Ending* ending_of(const std::string& path) {
  std::string lower = path.substr(path.rfind('/') + 1);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const auto* const found =
      std::ranges::find_if(endings, [&](const Ending& each) { return lower.ends_with(each.text); });
  return found == endings.end() ? nullptr : found;
}

[[noreturn]] void refuse_name(const std::string& path, const Ending& ending, std::string_view made,
                              std::string_view action) {
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("the name ends in {}, the ending of {}, but the output is {}", ending.text,
                                      ending.format, made),
               .where = {.file = path},
               .action = std::string(action)});
}

}  // namespace

bool is_survey_name(const std::string& path) {
  const Ending* const ending = ending_of(path);
  return ending != nullptr && ending->holds == Holds::survey;
}

void require_survey_name(const std::string& path) {
  const Ending* const ending = ending_of(path);
  if (ending == nullptr || ending->holds == Holds::survey) return;
  refuse_name(path, *ending, "SEG-Y or Seismic Unix", "name it .sgy, .segy or .su");
}

void require_dataset_name(const std::string& path, Container container) {
  const Ending* const ending = ending_of(path);
  if (ending == nullptr) return;
  if (container == Container::zarr && ending->holds != Holds::zarr)
    refuse_name(path, *ending, "a folder of Zarr", "name it .zarr");
  if (container == Container::vtkhdf && ending->holds != Holds::vtkhdf)
    refuse_name(path, *ending, "VTKHDF", "name it .vtkhdf");
  if (container == Container::vtkhdf) return;
  if (is_hdf5(container)) {
    const bool is_netcdf4 = container == Container::netcdf4;
    if (ending->holds == Holds::hdf5 || (is_netcdf4 && ending->holds == Holds::netcdf)) return;
    refuse_name(path, *ending, is_netcdf4 ? "netCDF-4" : "HDF5", is_netcdf4 ? "name it .nc4 or .nc" : "name it .h5");
  }
  if (ending->holds == Holds::netcdf || container == Container::zarr) return;
  if (is_one_file(container)) {
    refuse_name(path, *ending, "a netCDF file of the classic formats (CDF-1, 2 or 5)", "name it .nc");
  }
  if (ending->holds == Holds::series) return;
  if (is_vtk(container)) {
    refuse_name(path, *ending, "the format of VTK", fmt::format("name it .{}", name_of(container)));
  }
  if (container == Container::tecplot) refuse_name(path, *ending, "Tecplot's binary format", "name it .plt");
  refuse_name(path, *ending, "raw bytes with a description as XDMF", "name it .raw");
}

}  // namespace sill
