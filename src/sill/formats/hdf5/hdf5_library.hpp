// The functions of HDF5 that are used, loaded on first use, and the names of its conventions. Private to this folder:
// empty if the build has no hdf5.h.
#pragma once
#ifdef SILL_HDF5_LIBRARY
#include <hdf5.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sill/formats/array/element_type.hpp"
#include "sill/formats/hdf5/hdf5_file.hpp"
#include "sill/layout/range.hpp"

namespace sill::hdf5 {

#if H5_VERSION_GE(1, 12, 0)
#define SILL_HDF5_VERSIONED(use) use(H5Literate2)
using LinkInfo = H5L_info2_t;
#else
#define SILL_HDF5_VERSIONED(use) use(H5Literate)
using LinkInfo = H5L_info_t;
#endif

#define SILL_HDF5_FUNCTIONS(use)                                                                                       \
  SILL_HDF5_VERSIONED(use)                                                                                             \
  use(H5Acreate2) use(H5Aget_space) use(H5Aget_type) use(H5Aiterate2) use(H5Aopen) use(H5Aread) use(H5Awrite)          \
      use(H5Dcreate2) use(H5Dget_num_chunks) use(H5Dget_create_plist) use(H5Dget_offset) use(H5Dget_space)             \
          use(H5Dget_storage_size) use(H5Dget_type) use(H5Dread) use(H5Dread_chunk) use(H5Dset_extent) use(H5Dwrite)   \
              use(H5Dwrite_chunk) use(H5Eget_auto2) use(H5Eset_auto2) use(H5Ewalk2) use(H5FDregister) use(H5Fclose)    \
                  use(H5Fcreate) use(H5Fflush) use(H5Fget_create_plist) use(H5Fopen) use(H5Gcreate2) use(H5Idec_ref)   \
                      use(H5Iget_type) use(H5Oopen) use(H5Pcreate) use(H5Pget_chunk) use(H5Pget_driver_info)           \
                          use(H5Pget_external_count) use(H5Pget_fill_value) use(H5Pget_filter2) use(H5Pget_layout)     \
                              use(H5Pget_nfilters) use(H5Pget_userblock) use(H5Pset_alignment) use(H5Pset_alloc_time)  \
                                  use(H5Pset_attr_creation_order) use(H5Pset_cache) use(H5Pset_chunk)                  \
                                      use(H5Pset_driver) use(H5Pset_fill_time) use(H5Pset_fill_value)                  \
                                          use(H5Pset_filter) use(H5Pset_libver_bounds) use(H5Pset_link_creation_order) \
                                              use(H5Pset_meta_block_size) use(H5Pset_obj_track_times) use(H5Rcreate)   \
                                                  use(H5Screate) use(H5Screate_simple) use(H5Sget_simple_extent_dims)  \
                                                      use(H5Sget_simple_extent_ndims)                                  \
                                                          use(H5Sget_simple_extent_npoints) use(H5Tcopy)               \
                                                              use(H5Tcreate) use(H5Tequal) use(H5Tget_class)           \
                                                                  use(H5Tget_size) use(H5Tget_super) use(H5Tinsert)    \
                                                                      use(H5Tis_variable_str) use(H5Tset_cset)         \
                                                                          use(H5Tset_order) use(H5Tset_size)           \
                                                                              use(H5Tvlen_create) use(H5free_memory)   \
                                                                                  use(H5get_libversion) use(H5open)

struct Library {
#define SILL_HDF5_MEMBER(name) decltype(&::name) name;
  SILL_HDF5_FUNCTIONS(SILL_HDF5_MEMBER)
#undef SILL_HDF5_MEMBER
  // Identifiers that the library makes when it starts.
  hid_t file_access, file_creation, group_creation, dataset_creation;
  hid_t string, object_reference, u4, f4_big_endian;
  std::vector<hid_t> types;  // by ElementType, little-endian; for text the string of one byte
};

/// Local. Returns the library. Errors: usage if it cannot be loaded, or is of another version than its headers.
[[nodiscard]] const Library& library();

/// The use of the library by one thread at a time, because it is not thread-safe. It prints no errors meanwhile.
class Use {
 public:
  /// Local. Waits until no other thread uses the library. Errors: as library().
  Use();
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use();

 private:
  std::unique_lock<std::mutex> lock_;
  H5E_auto2_t print_ = nullptr;  // the program's own error handler, which is restored at the end
  void* of_print_ = nullptr;
};

/// The filter of Zstandard, registered with The HDF Group.
inline constexpr H5Z_filter_t zstd_filter = 32015;
/// Source: HDF5 Dimension Scale Specification.
inline constexpr const char* scale_class = "DIMENSION_SCALE";
inline constexpr const char* scales_attribute = "DIMENSION_LIST";
inline constexpr const char* references_attribute = "REFERENCE_LIST";
inline constexpr const char* labels_attribute = "DIMENSION_LABELS";
/// Source: NetCDF File Format Specifications, netCDF-4.
inline constexpr const char* dimension_only = "This is a netCDF dimension but not a netCDF variable.";
inline constexpr const char* not_coordinate = "_nc4_non_coord_";
/// The attribute of `count_name` that names the dimension of steps.
inline constexpr const char* steps_of_attribute = "steps_of";

/// Local. Returns true for attributes that describe dimensions, and are not the user's.
[[nodiscard]] constexpr bool is_reserved(std::string_view attribute) {
  constexpr std::array<std::string_view, 9> names{"CLASS",
                                                  "NAME",
                                                  "DIMENSION_LIST",
                                                  "REFERENCE_LIST",
                                                  "DIMENSION_LABELS",
                                                  "_Netcdf4Dimid",
                                                  "_Netcdf4Coordinates",
                                                  "_NCProperties",
                                                  "_nc3_strict"};
  return std::ranges::find(names, attribute) != names.end();
}

/// A call of the library that failed; `what` names it and the library's reason.
struct CallFailed {
  std::string what;
};

/// Local. Returns `result` if it is not negative. Throws CallFailed otherwise.
template <class Result>
Result require(Result result, const char* call);

/// An identifier of the library, released at the end.
class Id {
 public:
  Id() = default;
  Id(hid_t id, const char* call) : id_(require(id, call)) {}
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Id& operator=(Id&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Id() {
    if (id_ >= 0) library().H5Idec_ref(id_);
  }
  [[nodiscard]] hid_t get() const { return id_; }
  [[nodiscard]] hid_t release() { return std::exchange(id_, H5I_INVALID_HID); }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

/// Local. Returns the reference to an object, which is the position of its header. Throws CallFailed.
[[nodiscard]] hobj_ref_t reference_to(const Id& object);

/// A file as the library sees it through Sill's file driver. Written bytes stay in memory; existing bytes come from
/// `read`.
struct DriverFile {
  ReadBytes read = {};
  /// Returns the position of `bytes` new bytes of metadata, or of elements and global heaps; -1 to refuse them. If
  /// empty, new bytes are at the end of the file.
  std::function<std::int64_t(std::int64_t bytes, bool may_be_elements)> allocate = {};
  std::int64_t dropped = -1;    ///< the position of elements whose bytes are not stored in memory
  std::int64_t file_bytes = 0;  ///< of a file that is read
  std::map<std::int64_t, std::vector<std::byte>> pieces = {};  ///< written bytes by offset; no two of them touch
  std::map<std::int64_t, std::vector<std::byte>> changed =
      {};                         ///< with `allocate`: the pieces that changed, cleared by the user
  std::int64_t end = 0;           ///< the end of the allocated bytes
  ByteRange* located = nullptr;   ///< set to the range that a read of elements requests; they are then not read
  std::exception_ptr error = {};  ///< of `read`: exceptions must not pass through the library
};

/// Local. Returns the access properties with which the library opens `file`, which must outlive the opened file.
[[nodiscard]] Id driver_access(DriverFile& file);

/// Local. Returns the bytes that the library has written into a new file, without the signature.
[[nodiscard]] std::vector<FilePiece> taken_header(DriverFile& file);
/// The objects of a new file.
struct MadeFile {
  Id file;
  std::vector<std::string> datasets = {};  ///< of the variables, then of the dimensions of steps that are no variables
  FileLayout layout;
};

/// Local. Makes the objects of a new file. `file` outlives it. Throws CallFailed.
[[nodiscard]] MadeFile made_file(DriverFile& file, const DatasetDescription& description, const FileForm& form);

/// Local. Returns the library's reason for the last call that failed.
[[nodiscard]] std::string reason_of_failure();

[[noreturn]] void fail(const char* call);

template <class Result>
Result require(Result result, const char* call) {
  if (result < 0) fail(call);
  return result;
}

}  // namespace sill::hdf5
#endif
