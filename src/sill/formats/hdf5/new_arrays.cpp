#include "sill/formats/hdf5/new_arrays.hpp"
#ifdef SILL_HDF5_LIBRARY
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/formats/hdf5/hdf5_library.hpp"

namespace sill::hdf5 {
namespace {

class ArrayMaker {
 public:
  ArrayMaker(DriverFile& file, std::int64_t count)
      : groups_(h5_.H5Pcreate(h5_.group_creation), "H5Pcreate"),
        datasets_(h5_.H5Pcreate(h5_.dataset_creation), "H5Pcreate"),
        scalar_(h5_.H5Screate(H5S_SCALAR), "H5Screate") {
    require(h5_.H5Pset_obj_track_times(groups_.get(), 0), "H5Pset_obj_track_times");
    require(h5_.H5Pset_obj_track_times(datasets_.get(), 0), "H5Pset_obj_track_times");
    require(h5_.H5Pset_alloc_time(datasets_.get(), H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time");
    require(h5_.H5Pset_fill_time(datasets_.get(), H5D_FILL_TIME_NEVER), "H5Pset_fill_time");
    const Id access = driver_access(file);
    // The format of HDF5 1.8, so that the library's version does not change it.
    require(h5_.H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18), "H5Pset_libver_bounds");
    // Arrays are contiguous except where a block of metadata is between them.
    hsize_t block = 2048;
    while (block < 512 * static_cast<hsize_t>(count) && block < (hsize_t{1} << 24U)) block *= 2;
    require(h5_.H5Pset_meta_block_size(access.get(), block), "H5Pset_meta_block_size");
    const Id creation(h5_.H5Pcreate(h5_.file_creation), "H5Pcreate");
    require(h5_.H5Pset_obj_track_times(creation.get(), 0), "H5Pset_obj_track_times");
    constexpr unsigned truncate = 0x0002;  // H5F_ACC_TRUNC, a macro that calls the library
    file_ = Id(h5_.H5Fcreate("sill", truncate, creation.get(), access.get()), "H5Fcreate");
  }

  // Returns the first byte of the array.
  [[nodiscard]] std::int64_t make(const NewArray& array) {
    if (array.shape != shape_) {
      shape_ = array.shape;
      const std::vector<hsize_t> lengths(shape_.begin(), shape_.end());
      space_ = shape_.empty() ? Id(h5_.H5Screate(H5S_SCALAR), "H5Screate")
                              : Id(h5_.H5Screate_simple(static_cast<int>(lengths.size()), lengths.data(), nullptr),
                                   "H5Screate_simple");
    }
    const auto [group, name] = split(array.path);
    const Id dataset(h5_.H5Dcreate2(group_at(group), name.c_str(), h5_.types[static_cast<std::size_t>(array.type)],
                                    space_.get(), H5P_DEFAULT, datasets_.get(), H5P_DEFAULT),
                     "H5Dcreate2");
    put(dataset.get(), array.attributes);
    const haddr_t place = h5_.H5Dget_offset(dataset.get());
    if (place == HADDR_UNDEF) fail("H5Dget_offset");
    return static_cast<std::int64_t>(place);
  }

  // Returns the group, and makes it if it does not exist; "": the root.
  hid_t group_at(const std::string& path) {
    if (path.empty()) return file_.get();
    if (path == group_path_) return group_.get();
    if (made_.insert(path).second) {
      const auto [parent, name] = split(path);
      group_ =
          Id(h5_.H5Gcreate2(group_at(parent), name.c_str(), H5P_DEFAULT, groups_.get(), H5P_DEFAULT), "H5Gcreate2");
    } else {
      group_ = Id(h5_.H5Oopen(file_.get(), path.c_str(), H5P_DEFAULT), "H5Oopen");
    }
    group_path_ = path;
    return group_.get();
  }

  void put(hid_t object, std::span<const ScalarAttribute> attributes) {
    for (const ScalarAttribute& each : attributes) {
      Id text;
      hid_t type = h5_.types[static_cast<std::size_t>(ElementType::i8)];
      const void* value = std::get_if<std::int64_t>(&each.value);
      if (const auto* const number = std::get_if<double>(&each.value)) {
        type = h5_.types[static_cast<std::size_t>(ElementType::f8)];
        value = number;
      } else if (const auto* const string = std::get_if<std::string>(&each.value)) {
        text = Id(h5_.H5Tcopy(h5_.string), "H5Tcopy");
        require(h5_.H5Tset_size(text.get(), string->size() + 1), "H5Tset_size");
        type = text.get();
        value = string->c_str();
      }
      const Id attribute(h5_.H5Acreate2(object, each.name, type, scalar_.get(), H5P_DEFAULT, H5P_DEFAULT),
                         "H5Acreate2");
      require(h5_.H5Awrite(attribute.get(), type, value), "H5Awrite");
    }
  }

  void close() {
    group_ = Id();
    require(h5_.H5Fclose(file_.release()), "H5Fclose");
  }

 private:
  // Returns the group and the name of an object.
  [[nodiscard]] static std::pair<std::string, std::string> split(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return {{}, path};
    return {path.substr(0, slash), path.substr(slash + 1)};
  }

  const Library& h5_ = library();
  Id groups_;
  Id datasets_;
  Id scalar_;
  Id file_;
  Id space_;
  std::vector<std::int64_t> shape_{-1};  // of space_
  Id group_;
  std::string group_path_;
  std::set<std::string> made_;
};

}  // namespace

void require_library() { (void)library(); }

ArraysLayout lay_out(const NewArrays& arrays) {
  const Use use;
  DriverFile file;
  ArraysLayout made;
  try {
    ArrayMaker maker(file, arrays.count);
    maker.put(maker.group_at(""), arrays.attributes);
    for (const std::string& each : arrays.groups) (void)maker.group_at(each);
    for (std::int64_t i = 0; i < arrays.count; ++i) made.begins.push_back(maker.make(arrays.array(i)));
    maker.close();
  } catch (const CallFailed& failure) {
    if (file.error) std::rethrow_exception(file.error);
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("HDF5 cannot store these arrays: {}", failure.what),
                 .action = "name them in another way"});
  }
  made.header = taken_header(file);
  made.file_bytes = made.header.back().offset + std::ssize(made.header.back().bytes);
  return made;
}

}  // namespace sill::hdf5
#endif
