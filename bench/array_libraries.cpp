#include "array_libraries.hpp"

#include <fmt/format.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <pnetcdf.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/mpi_communicator.hpp"

namespace sill::bench {
namespace {

// Whatever HDF5 returns is below 0 where a call failed; it prints why by itself.
template <class Status>
Status check(Status status, const char* call) {
  if (status < 0) throw Error({.code = ErrorCode::io, .problem = fmt::format("{} failed", call)});
  return status;
}

template <class Text>
void check_netcdf(int status, const char* call, Text&& text) {
  if (status != NC_NOERR) throw Error({.code = ErrorCode::io, .problem = fmt::format("{}: {}", call, text(status))});
}

void check_pnetcdf(int status, const char* call) { check_netcdf(status, call, ncmpi_strerror); }
void check_netcdf4(int status, const char* call) { check_netcdf(status, call, nc_strerror); }

hid_t native_type(ElementType type) {
  switch (type) {
    case ElementType::i4: return H5T_NATIVE_INT32;
    case ElementType::f4: return H5T_NATIVE_FLOAT;
    case ElementType::f8: return H5T_NATIVE_DOUBLE;
    default: throw Error({.code = ErrorCode::usage, .problem = "only i4, f4 and f8 are written here"});
  }
}

// Where a part lies in a file: with the step in front of variables that have steps.
template <class Number>
struct Selection {
  std::vector<Number> first;
  std::vector<Number> count;

  Selection(const Box& box, std::optional<std::int64_t> step) {
    if (step) {
      first.push_back(static_cast<Number>(*step));
      count.push_back(1);
    }
    first.insert(first.end(), box.first.begin(), box.first.end());
    count.insert(count.end(), box.count.begin(), box.count.end());
  }
};

}  // namespace

Hdf5File::Hdf5File(Communicator& comm, const std::string& path, DatasetDescription description, bool is_collective,
                   std::optional<std::int64_t> new_steps, const std::optional<DeflatedChunks>& chunks)
    : description_(std::move(description)) {
  const hid_t access = check(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate");
  check(H5Pset_fapl_mpio(access, mpi_handle(comm), MPI_INFO_NULL), "H5Pset_fapl_mpio");
  check(H5Pset_all_coll_metadata_ops(access, true), "H5Pset_all_coll_metadata_ops");
  check(H5Pset_coll_metadata_write(access, true), "H5Pset_coll_metadata_write");
  check(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), "H5Pset_libver_bounds");
  file_ = new_steps ? check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), "H5Fcreate")
                    : check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), "H5Fopen");
  check(H5Pclose(access), "H5Pclose");
  transfer_ = check(H5Pcreate(H5P_DATASET_XFER), "H5Pcreate");
  check(H5Pset_dxpl_mpio(transfer_, is_collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT), "H5Pset_dxpl_mpio");
  const hid_t creation = check(H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate");
  check(H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER), "H5Pset_fill_time");
  check(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time");
  if (chunks) {
    const std::vector<hsize_t> shape(chunks->shape.begin(), chunks->shape.end());
    check(H5Pset_chunk(creation, static_cast<int>(shape.size()), shape.data()), "H5Pset_chunk");
    check(H5Pset_deflate(creation, static_cast<unsigned>(chunks->level)), "H5Pset_deflate");
  }
  for (const Variable& variable : description_.variables) {
    if (!new_steps) {
      datasets_.push_back(check(H5Dopen2(file_, variable.name.c_str(), H5P_DEFAULT), "H5Dopen2"));
      continue;
    }
    std::vector<hsize_t> shape;
    if (description_.has_steps(variable)) shape.push_back(static_cast<hsize_t>(*new_steps));
    for (const std::int64_t length : description_.shape_of(variable)) shape.push_back(static_cast<hsize_t>(length));
    const hid_t space =
        check(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), "H5Screate_simple");
    datasets_.push_back(check(
        H5Dcreate2(file_, variable.name.c_str(), native_type(variable.type), space, H5P_DEFAULT, creation, H5P_DEFAULT),
        "H5Dcreate2"));
    check(H5Sclose(space), "H5Sclose");
  }
  check(H5Pclose(creation), "H5Pclose");
}

void Hdf5File::move(std::span<const ArrayPart> parts, std::int64_t step, bool writes) {
  for (const ArrayPart& part : parts) {
    const std::size_t v = description_.variable_named(part.variable);
    const bool has_steps = description_.has_steps(description_.variables[v]);
    const Selection<hsize_t> at(part.box, has_steps ? std::optional(step) : std::nullopt);
    const hid_t in_file = check(H5Dget_space(datasets_[v]), "H5Dget_space");
    check(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, at.first.data(), nullptr, at.count.data(), nullptr),
          "H5Sselect_hyperslab");
    const hid_t in_memory =
        check(H5Screate_simple(static_cast<int>(at.count.size()), at.count.data(), nullptr), "H5Screate_simple");
    const hid_t type = native_type(part.type);
    if (writes) {
      check(H5Dwrite(datasets_[v], type, in_memory, in_file, transfer_, packed(part)), "H5Dwrite");
    } else {
      check(H5Dread(datasets_[v], type, in_memory, in_file, transfer_, part.first), "H5Dread");
    }
    check(H5Sclose(in_memory), "H5Sclose");
    check(H5Sclose(in_file), "H5Sclose");
  }
}

// The elements one after another, as FLASH copies them: a selection in memory is no faster for rows, and slower by far
// for single values.
const std::byte* Hdf5File::packed(const ArrayPart& part) {
  const auto size = static_cast<std::size_t>(bytes_of(part.type));
  buffer_.resize(static_cast<std::size_t>(part.box.items()) * size);
  Index count = part.box.count;
  Index strides = part.strides;
  count.insert(count.begin(), 4 - std::min<std::size_t>(count.size(), 4), 1);
  strides.insert(strides.begin(), 4 - std::min<std::size_t>(strides.size(), 4), 0);
  std::byte* to = buffer_.data();
  const auto copy_row = [&]<class T>(const T* from) {
    for (std::int64_t l = 0; l < count[3]; ++l) {
      std::memcpy(to, from + l * strides[3], sizeof(T));
      to += sizeof(T);
    }
  };
  for (std::int64_t i = 0; i < count[0]; ++i) {
    for (std::int64_t j = 0; j < count[1]; ++j) {
      for (std::int64_t k = 0; k < count[2]; ++k) {
        const std::int64_t row = i * strides[0] + j * strides[1] + k * strides[2];
        const std::byte* const from = part.first + row * static_cast<std::int64_t>(size);
        if (strides[3] == 1) {
          std::memcpy(to, from, static_cast<std::size_t>(count[3]) * size);
          to += static_cast<std::size_t>(count[3]) * size;
        } else if (size == 8) {
          copy_row(reinterpret_cast<const double*>(from));
        } else {
          copy_row(reinterpret_cast<const float*>(from));
        }
      }
    }
  }
  return buffer_.data();
}

void Hdf5File::close() {
  for (const hid_t dataset : datasets_) check(H5Dclose(dataset), "H5Dclose");
  check(H5Pclose(transfer_), "H5Pclose");
  check(H5Fclose(file_), "H5Fclose");
}

PnetcdfFile::PnetcdfFile(Communicator& comm, const std::string& path, DatasetDescription description, bool is_blocking)
    : description_(std::move(description)), is_blocking_(is_blocking) {
  check_pnetcdf(ncmpi_open(mpi_handle(comm), path.c_str(), NC_NOWRITE, MPI_INFO_NULL, &file_), "ncmpi_open");
  for (const Variable& variable : description_.variables) {
    check_pnetcdf(ncmpi_inq_varid(file_, variable.name.c_str(), &variables_.emplace_back()), "ncmpi_inq_varid");
  }
}

void PnetcdfFile::read_step(std::int64_t step, std::span<const ArrayPart> parts) {
  std::vector<int> requests;
  for (const ArrayPart& part : parts) {
    const std::size_t v = description_.variable_named(part.variable);
    const bool has_steps = description_.has_steps(description_.variables[v]);
    const Selection<MPI_Offset> at(part.box, has_steps ? std::optional(step) : std::nullopt);
    auto* const values = reinterpret_cast<double*>(part.first);
    if (is_blocking_) {
      check_pnetcdf(ncmpi_get_vara_double_all(file_, variables_[v], at.first.data(), at.count.data(), values),
                    "ncmpi_get_vara_double_all");
    } else {
      check_pnetcdf(ncmpi_iget_vara_double(file_, variables_[v], at.first.data(), at.count.data(), values,
                                           &requests.emplace_back()),
                    "ncmpi_iget_vara_double");
    }
  }
  if (is_blocking_) return;
  std::vector<int> statuses(requests.size());
  check_pnetcdf(ncmpi_wait_all(file_, static_cast<int>(requests.size()), requests.data(), statuses.data()),
                "ncmpi_wait_all");
  for (const int status : statuses) check_pnetcdf(status, "ncmpi_iget_vara_double");
}

void PnetcdfFile::close() { check_pnetcdf(ncmpi_close(file_), "ncmpi_close"); }

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
