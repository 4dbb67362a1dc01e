// Datasets in files of parallel netCDF-4. Its header has names of PnetCDF's.
#include <fmt/format.h>
#include <netcdf.h>
#include <netcdf_par.h>

#include <utility>

#include "array_libraries.hpp"
#include "sill/base/error.hpp"
#include "sill/comm/mpi_communicator.hpp"

namespace sill::bench {
namespace {

void check_netcdf4(int status, const char* call) {
  if (status == NC_NOERR) return;
  throw Error({.code = ErrorCode::io, .problem = fmt::format("{}: {}", call, nc_strerror(status))});
}

}  // namespace

Netcdf4File::Netcdf4File(Communicator& comm, const std::string& path, DatasetDescription description,
                         const std::optional<DeflatedChunks>& chunks)
    : description_(std::move(description)) {
  check_netcdf4(nc_create_par(path.c_str(), NC_NETCDF4 | NC_CLOBBER, mpi_handle(comm), MPI_INFO_NULL, &file_),
                "nc_create_par");
  int unused = 0;
  check_netcdf4(nc_set_fill(file_, NC_NOFILL, &unused), "nc_set_fill");
  for (const Dimension& dimension : description_.dimensions) {
    int id = 0;
    check_netcdf4(nc_def_dim(file_, dimension.name.c_str(), static_cast<std::size_t>(dimension.length), &id),
                  "nc_def_dim");
  }
  for (const Variable& variable : description_.variables) {
    std::vector<int> dimensions;
    for (const std::string& name : variable.dimensions) {
      check_netcdf4(nc_inq_dimid(file_, name.c_str(), &dimensions.emplace_back()), "nc_inq_dimid");
    }
    int id = 0;
    check_netcdf4(
        nc_def_var(file_, variable.name.c_str(), NC_FLOAT, static_cast<int>(dimensions.size()), dimensions.data(), &id),
        "nc_def_var");
    if (chunks) {
      const std::vector<std::size_t> shape(chunks->shape.begin(), chunks->shape.end());
      check_netcdf4(nc_def_var_chunking(file_, id, NC_CHUNKED, shape.data()), "nc_def_var_chunking");
      check_netcdf4(nc_def_var_deflate(file_, id, 0, 1, chunks->level), "nc_def_var_deflate");
    }
    check_netcdf4(nc_var_par_access(file_, id, NC_COLLECTIVE), "nc_var_par_access");
  }
  check_netcdf4(nc_enddef(file_), "nc_enddef");
}

void Netcdf4File::write(std::span<const ArrayPart> parts) {
  for (const ArrayPart& part : parts) {
    const std::vector<std::size_t> first(part.box.first.begin(), part.box.first.end());
    const std::vector<std::size_t> count(part.box.count.begin(), part.box.count.end());
    check_netcdf4(nc_put_vara_float(file_, static_cast<int>(description_.variable_named(part.variable)), first.data(),
                                    count.data(), reinterpret_cast<const float*>(part.first)),
                  "nc_put_vara_float");
  }
}

void Netcdf4File::close() { check_netcdf4(nc_close(file_), "nc_close"); }

}  // namespace sill::bench
