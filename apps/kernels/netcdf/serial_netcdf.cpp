#include "kernels/netcdf/serial_netcdf.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "sill/base/error.hpp"

namespace sill::kernels {

// The functions that the kernel calls. Source: netcdf.h.
struct SerialNetcdf::Library {
  static constexpr int clobber = 0x0000;
  static constexpr int offset_64_bit = 0x0200;
  static constexpr int global = -1;
  static constexpr int type_double = 6;

  int (*create)(const char*, int, int*) = nullptr;
  int (*def_dim)(int, const char*, std::size_t, int*) = nullptr;
  int (*def_var)(int, const char*, int, int, const int*, int*) = nullptr;
  int (*put_att_text)(int, int, const char*, std::size_t, const char*) = nullptr;
  int (*enddef)(int, std::size_t, std::size_t, std::size_t, std::size_t) = nullptr;  // nc__enddef
  int (*put_vara_double)(int, int, const std::size_t*, const std::size_t*, const double*) = nullptr;
  int (*sync)(int) = nullptr;
  int (*close)(int) = nullptr;
  const char* (*strerror)(int) = nullptr;
};

const SerialNetcdf::Library& SerialNetcdf::library() {
  static const Library loaded = [] {
    Library functions;
    void* handle = nullptr;
    for (const char* name : {"libnetcdf.so.19", "libnetcdf.so.22", "libnetcdf.so"}) {
      handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (handle != nullptr) break;
    }
    const auto find = [&](const char* name, auto& function) {
      void* const found = handle != nullptr ? ::dlsym(handle, name) : nullptr;
      if (found == nullptr) {
        throw usage_error("the netCDF library, with which the original program writes, is not installed",
                          "install it (Debian: libnetcdf19), or write without --original");
      }
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
    };
    find("nc_create", functions.create);
    find("nc_def_dim", functions.def_dim);
    find("nc_def_var", functions.def_var);
    find("nc_put_att_text", functions.put_att_text);
    find("nc__enddef", functions.enddef);
    find("nc_put_vara_double", functions.put_vara_double);
    find("nc_sync", functions.sync);
    find("nc_close", functions.close);
    find("nc_strerror", functions.strerror);
    return functions;
  }();
  return loaded;
}

void SerialNetcdf::require(int status, const char* call) const {
  if (status == 0) return;
  const bool is_system_error = status > 0;  // an errno
  if (is_system_error) throw system_error(status, call, {.file = path_});
  throw Error({.code = ErrorCode::io,
               .problem = fmt::format("{}: {}", call, library().strerror(status)),
               .where = {.file = path_}});
}

SerialNetcdf::SerialNetcdf(const std::string& path, const DatasetDescription& description) : path_(path) {
  const Library& netcdf = library();
  require(netcdf.create(path.c_str(), Library::clobber | Library::offset_64_bit, &file_), "nc_create");
  int number = 0;
  for (const Dimension& dimension : description.dimensions) {
    const std::size_t length = dimension.length == unlimited ? 0 : static_cast<std::size_t>(dimension.length);
    require(netcdf.def_dim(file_, dimension.name.c_str(), length, &number), "nc_def_dim");
  }
  const auto put_attributes = [&](int variable, const std::vector<Attribute>& attributes) {
    for (const Attribute& each : attributes) {
      const std::string text = each.text();
      require(netcdf.put_att_text(file_, variable, each.name.c_str(), text.size(), text.c_str()), "nc_put_att_text");
    }
  };
  put_attributes(Library::global, description.attributes);
  for (const Variable& variable : description.variables) {
    std::vector<int> dimensions;
    for (const std::string& name : variable.dimensions) {
      dimensions.push_back(static_cast<int>(description.dimension_named(name)));
    }
    require(netcdf.def_var(file_, variable.name.c_str(), Library::type_double, static_cast<int>(dimensions.size()),
                           dimensions.data(), &number),
            "nc_def_var");
    put_attributes(number, variable.attributes);
  }
  require(netcdf.enddef(file_, 0, 512, 0, 4), "nc__enddef");
}

SerialNetcdf::~SerialNetcdf() {
  if (file_ >= 0) (void)library().close(file_);
}

void SerialNetcdf::put(std::size_t variable, std::span<const std::size_t> first, std::span<const std::size_t> count,
                       const double* values) {
  require(library().put_vara_double(file_, static_cast<int>(variable), first.data(), count.data(), values),
          "nc_put_vara_double");
}

void SerialNetcdf::sync() { require(library().sync(file_), "nc_sync"); }

void SerialNetcdf::close() {
  const int file = file_;
  file_ = -1;
  require(library().close(file), "nc_close");
}

}  // namespace sill::kernels
