#include "sill/engines/parallel_netcdf.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <type_traits>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/mpi_communicator.hpp"
#include "sill/formats/cdf/cdf_words.hpp"
#include "sill/store/mpiio/mpiio_file.hpp"

namespace sill {
namespace {

const char* const library_variable = "SILL_PNETCDF";

// Source: pnetcdf.h.
constexpr int mode_of_version[] = {0x0000, 0x0000, 0x0200, 0, 0, 0x0020};  // NC_CLOBBER, NC_64BIT_OFFSET, NC_64BIT_DATA
constexpr int write_mode = 0x0001;
constexpr int global = -1;

MPI_Datatype mpi_type(ElementType type) {
  switch (type) {
    case ElementType::i1: return MPI_SIGNED_CHAR;
    case ElementType::i2: return MPI_SHORT;
    case ElementType::i4: return MPI_INT;
    case ElementType::i8: return MPI_LONG_LONG;
    case ElementType::u1: return MPI_UNSIGNED_CHAR;
    case ElementType::u2: return MPI_UNSIGNED_SHORT;
    case ElementType::u4: return MPI_UNSIGNED;
    case ElementType::u8: return MPI_UNSIGNED_LONG_LONG;
    case ElementType::f4: return MPI_FLOAT;
    case ElementType::f8: return MPI_DOUBLE;
    case ElementType::text: break;
  }
  return MPI_CHAR;
}

// The hints that are passed to MPI for a call.
class Info {
 public:
  explicit Info(const ParallelNetcdf::Hints& hints) {
    MPI_Info_create(&info_);
    MPI_Info_set(info_, unknown_mpiio_hint, "1");
    for (const auto& [key, value] : hints) MPI_Info_set(info_, key.c_str(), value.c_str());
  }
  Info(const Info&) = delete;
  Info& operator=(const Info&) = delete;
  ~Info() { MPI_Info_free(&info_); }
  [[nodiscard]] MPI_Info get() const { return info_; }

 private:
  MPI_Info info_ = MPI_INFO_NULL;
};

bool is_open_mpi() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return std::string(text.data()).find("Open MPI") != std::string::npos;
}

// MPI-IO treats the text before a colon as the kind of file system.
void require_no_colon(const std::string& path) {
  if (path.find(':') == std::string::npos) return;
  throw Error({.code = ErrorCode::usage,
               .problem = "PnetCDF treats the text before a colon in a path as the kind of file system",
               .where = {.file = path},
               .action = "use a name without a colon"});
}

}  // namespace

// The functions of PnetCDF that Sill calls. Source: pnetcdf.h.
struct ParallelNetcdf::Library {
  int (*create)(MPI_Comm, const char*, int, MPI_Info, int*) = nullptr;
  int (*open)(MPI_Comm, const char*, int, MPI_Info, int*) = nullptr;
  int (*def_dim)(int, const char*, MPI_Offset, int*) = nullptr;
  int (*def_var)(int, const char*, int, int, const int*, int*) = nullptr;
  int (*put_att)(int, int, const char*, int, MPI_Offset, const void*) = nullptr;
  int (*enddef)(int) = nullptr;
  int (*iput_vara)(int, int, const MPI_Offset*, const MPI_Offset*, const void*, MPI_Offset, MPI_Datatype,
                   int*) = nullptr;
  int (*iput_varn)(int, int, int, MPI_Offset* const*, MPI_Offset* const*, const void*, MPI_Offset, MPI_Datatype,
                   int*) = nullptr;
  int (*wait_all)(int, int, int*, int*) = nullptr;
  int (*begin_indep_data)(int) = nullptr;
  int (*put_vara)(int, int, const MPI_Offset*, const MPI_Offset*, const void*, MPI_Offset, MPI_Datatype) = nullptr;
  int (*end_indep_data)(int) = nullptr;
  int (*close)(int) = nullptr;
  int (*inq_file_info)(int, MPI_Info*) = nullptr;
  const char* (*strerror)(int) = nullptr;
  const char* (*inq_libvers)() = nullptr;
};

const ParallelNetcdf::Library& ParallelNetcdf::library() {
  static const Library loaded = [] {
    const std::optional<std::string> named = environment_text(library_variable);
    void* handle = nullptr;
    if (named) {
      if (!named->starts_with('/')) {
        throw Error(
            {.code = ErrorCode::usage,
             .problem = fmt::format("{} is '{}', which is not an absolute path", library_variable, echoed(*named, 200)),
             .action = "give the absolute path of the library, /usr/lib/..."});
      }
      handle = ::dlopen(named->c_str(), RTLD_NOW | RTLD_LOCAL);
    } else if (is_open_mpi()) {
      for (const char* name : {"libpnetcdf.so.0d", "libpnetcdf.so.6", "libpnetcdf.so"}) {
        handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (handle != nullptr) break;
      }
    }
    Library functions;
    const auto find = [&](const char* name, auto& function) {
      void* const found = handle != nullptr ? ::dlsym(handle, name) : nullptr;
      if (found == nullptr) {
        const char* const why = named ? ::dlerror() : nullptr;
        throw Error(
            {.code = ErrorCode::usage,
             .problem = fmt::format("PnetCDF is not installed, or is built for another MPI than this program{}{}",
                                    why != nullptr ? ": " : "", why != nullptr ? echoed(why, 200) : ""),
             .action = fmt::format("install it (Debian: libpnetcdf0d, for Open MPI), or name the library in {}",
                                   library_variable)});
      }
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
    };
    find("ncmpi_create", functions.create);
    find("ncmpi_open", functions.open);
    find("ncmpi_def_dim", functions.def_dim);
    find("ncmpi_def_var", functions.def_var);
    find("ncmpi_put_att", functions.put_att);
    find("ncmpi_enddef", functions.enddef);
    find("ncmpi_iput_vara", functions.iput_vara);
    find("ncmpi_iput_varn", functions.iput_varn);
    find("ncmpi_wait_all", functions.wait_all);
    find("ncmpi_begin_indep_data", functions.begin_indep_data);
    find("ncmpi_put_vara", functions.put_vara);
    find("ncmpi_end_indep_data", functions.end_indep_data);
    find("ncmpi_close", functions.close);
    find("ncmpi_inq_file_info", functions.inq_file_info);
    find("ncmpi_strerror", functions.strerror);
    find("ncmpi_inq_libvers", functions.inq_libvers);
    return functions;
  }();
  return loaded;
}

void ParallelNetcdf::require(int status, const char* call) const {
  if (status == 0) return;
  throw Error({.code = ErrorCode::io,
               .problem = fmt::format("{}: {}", call, library().strerror(status)),
               .where = {.file = path_}});
}

ParallelNetcdf::ParallelNetcdf(Communicator& comm, std::string path, const DatasetDescription& description, int version,
                               const Hints& hints)
    : comm_(comm), path_(std::move(path)), asked_(hints) {
  run_and_agree(comm_, [&] { require_sound_mpiio(); });
  const MPI_Comm handle = mpi_handle(comm_);
  run_and_agree(comm_, [&] { (void)library(); });
  run_and_agree(comm_, [&] { require_no_colon(path_); });
  const Info info(hints);
  run_and_agree(comm_, [&] {
    const int mode = mode_of_version[version];
    require(library().create(handle, path_.c_str(), mode, info.get(), &file_), "ncmpi_create");
  });
  run_and_agree(comm_, [&] { define(description); });
  run_and_agree(comm_, [&] { require(library().enddef(file_), "ncmpi_enddef"); });
}

ParallelNetcdf::ParallelNetcdf(Communicator& comm, std::string path, const DatasetDescription& description,
                               const Hints& hints)
    : comm_(comm), path_(std::move(path)), asked_(hints) {
  run_and_agree(comm_, [&] { require_sound_mpiio(); });
  const MPI_Comm handle = mpi_handle(comm_);
  run_and_agree(comm_, [&] { (void)library(); });
  for (const Variable& each : description.variables) types_.push_back(each.type);
  run_and_agree(comm_, [&] { require_no_colon(path_); });
  const Info info(hints);
  run_and_agree(comm_,
                [&] { require(library().open(handle, path_.c_str(), write_mode, info.get(), &file_), "ncmpi_open"); });
}

void ParallelNetcdf::define(const DatasetDescription& description) {
  int number = 0;
  for (const Dimension& each : description.dimensions) {
    const MPI_Offset length = each.length == unlimited ? 0 : each.length;
    require(library().def_dim(file_, each.name.c_str(), length, &number), "ncmpi_def_dim");
  }
  const auto put_attributes = [&](int variable, const std::vector<Attribute>& attributes) {
    for (const Attribute& each : attributes) {
      require(library().put_att(file_, variable, each.name.c_str(), static_cast<int>(cdf::type_code(each.type)),
                                each.count(), each.values.data()),
              "ncmpi_put_att");
    }
  };
  put_attributes(global, description.attributes);
  for (const Variable& each : description.variables) {
    std::vector<int> dimensions;
    for (const std::string& name : each.dimensions) {
      dimensions.push_back(static_cast<int>(description.dimension_named(name)));
    }
    require(library().def_var(file_, each.name.c_str(), static_cast<int>(cdf::type_code(each.type)),
                              static_cast<int>(dimensions.size()), dimensions.data(), &number),
            "ncmpi_def_var");
    put_attributes(number, each.attributes);
    types_.push_back(each.type);
  }
}

void ParallelNetcdf::begin(std::size_t variable, const Box& box, const std::byte* values) {
  const std::vector<MPI_Offset> first(box.first.begin(), box.first.end());
  const std::vector<MPI_Offset> count(box.count.begin(), box.count.end());
  require(library().iput_vara(file_, static_cast<int>(variable), first.data(), count.data(), values, box.items(),
                              mpi_type(types_[variable]), &requests_.emplace_back()),
          "ncmpi_iput_vara");
}

void ParallelNetcdf::begin(std::size_t variable, std::span<const Box> boxes, const std::byte* values) {
  std::vector<std::vector<MPI_Offset>> numbers;
  std::vector<MPI_Offset*> firsts;
  std::vector<MPI_Offset*> counts;
  MPI_Offset elements = 0;
  numbers.reserve(2 * boxes.size());
  for (const Box& box : boxes) {
    firsts.push_back(numbers.emplace_back(box.first.begin(), box.first.end()).data());
    counts.push_back(numbers.emplace_back(box.count.begin(), box.count.end()).data());
    elements += box.items();
  }
  require(library().iput_varn(file_, static_cast<int>(variable), static_cast<int>(boxes.size()), firsts.data(),
                              counts.data(), values, elements, mpi_type(types_[variable]), &requests_.emplace_back()),
          "ncmpi_iput_varn");
}

void ParallelNetcdf::finish() {
  run_and_agree(comm_, [&] {
    std::vector<int> statuses(requests_.size());
    const int status = library().wait_all(file_, static_cast<int>(requests_.size()), requests_.data(), statuses.data());
    requests_.clear();
    require(status, "ncmpi_wait_all");
    for (const int each : statuses) require(each, "ncmpi_wait_all");
  });
}

void ParallelNetcdf::begin_own() {
  run_and_agree(comm_, [&] { require(library().begin_indep_data(file_), "ncmpi_begin_indep_data"); });
}

void ParallelNetcdf::write_own(std::size_t variable, const Box& box, const std::byte* values) {
  const std::vector<MPI_Offset> first(box.first.begin(), box.first.end());
  const std::vector<MPI_Offset> count(box.count.begin(), box.count.end());
  require(library().put_vara(file_, static_cast<int>(variable), first.data(), count.data(), values, box.items(),
                             mpi_type(types_[variable])),
          "ncmpi_put_vara");
}

void ParallelNetcdf::end_own() {
  run_and_agree(comm_, [&] { require(library().end_indep_data(file_), "ncmpi_end_indep_data"); });
}

void ParallelNetcdf::close() {
  run_and_agree(comm_, [&] { require(library().close(file_), "ncmpi_close"); });
}

MpiioHintsInEffect ParallelNetcdf::hints_in_effect() const {
  MPI_Info info = MPI_INFO_NULL;
  run_and_agree(comm_, [&] { require(library().inq_file_info(file_, &info), "ncmpi_inq_file_info"); });
  // Hints from the environment variable override hints of the program.
  Hints asked = asked_;
  std::string text = environment_text(pnetcdf_hints_variable).value_or("");
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    const std::size_t equals = text.find('=', begin);
    if (equals < end) {
      const std::string key(trimmed(text.substr(begin, equals - begin)));
      std::erase_if(asked, [&](const auto& each) { return each.first == key; });
      asked.emplace_back(key, trimmed(text.substr(equals + 1, end - equals - 1)));
    }
    begin = end + 1;
  }
  MpiioHintsInEffect found;
  int keys = 0;
  MPI_Info_get_nkeys(info, &keys);
  for (int k = 0; k < keys; ++k) {
    std::array<char, MPI_MAX_INFO_KEY + 1> key{};
    std::array<char, MPI_MAX_INFO_VAL + 1> value{};
    int is_there = 0;
    MPI_Info_get_nthkey(info, k, key.data());
    MPI_Info_get(info, key.data(), MPI_MAX_INFO_VAL, value.data(), &is_there);
    if (std::string(key.data()) == unknown_mpiio_hint) found.is_echo = true;
    const auto of_key =
        std::find_if(asked.begin(), asked.end(), [&](const auto& each) { return each.first == key.data(); });
    if (of_key == asked.end()) continue;
    found.hints.push_back({of_key->first, of_key->second, value.data()});
    asked.erase(of_key);
  }
  for (const auto& [key, value] : asked) found.hints.push_back({key, value, ""});
  MPI_Info_free(&info);
  return found;
}

std::string ParallelNetcdf::version() {
  const std::string text = library().inq_libvers();  // "version = 1.12.3 of 21 Jan 2022"
  const std::size_t digit = text.find_first_of("0123456789");
  return digit == std::string::npos ? text : text.substr(digit, text.find(' ', digit) - digit);
}

}  // namespace sill
