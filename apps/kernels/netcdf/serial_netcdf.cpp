#include "kernels/netcdf/serial_netcdf.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <utility>

#include "kernels/kernel.hpp"
#include "sill/base/error.hpp"
#include "sill/base/loaded_function.hpp"

namespace sill::kernels {

// The functions that the kernel calls. Source: netcdf.h.
struct SerialNetcdf::Library {
  static constexpr int clobber = 0x0000;
  static constexpr int offset_64_bit = 0x0200;
  static constexpr int global = -1;
  static constexpr int type_double = 6;

  int (*create)(const char*, int, int*) = find("nc_create");
  int (*def_dim)(int, const char*, std::size_t, int*) = find("nc_def_dim");
  int (*def_var)(int, const char*, int, int, const int*, int*) = find("nc_def_var");
  int (*put_att_text)(int, int, const char*, std::size_t, const char*) = find("nc_put_att_text");
  int (*enddef)(int, std::size_t, std::size_t, std::size_t, std::size_t) = find("nc__enddef");
  int (*put_vara_double)(int, int, const std::size_t*, const std::size_t*, const double*) = find("nc_put_vara_double");
  int (*sync)(int) = find("nc_sync");
  int (*close)(int) = find("nc_close");
  const char* (*strerror)(int) = find("nc_strerror");

  static LoadedFunction find(const char* name) {
    static void* const handle = [] {
      void* library = nullptr;
      for (const char* file : {"libnetcdf.so.19", "libnetcdf.so.22", "libnetcdf.so"}) {
        library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (library != nullptr) break;
      }
      return library;
    }();
    void* const found = handle != nullptr ? ::dlsym(handle, name) : nullptr;
    if (found != nullptr) return LoadedFunction(found);
    throw usage_error("the netCDF library, with which the original program writes, is not installed",
                      "install it (Debian: libnetcdf19), or write without --original");
  }
};

const SerialNetcdf::Library& SerialNetcdf::library() {
  static const Library loaded;
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

SerialNetcdf::SerialNetcdf(const std::string& path, const DatasetDescription& description, Meter& meter)
    : path_(path), meter_(meter) {
  const Stopwatch opening;
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
  meter_.count_open(opening.seconds());
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
  const Stopwatch closing;
  require(library().close(std::exchange(file_, -1)), "nc_close");
  meter_.count_close(closing.seconds());
}

}  // namespace sill::kernels
