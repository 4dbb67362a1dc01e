// Makes the objects of a new file. Private to this folder: empty where hdf5.h is not at hand.
#pragma once
#ifdef SILL_HDF5_LIBRARY
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "sill/formats/hdf5/hdf5_library.hpp"
#include "sill/formats/hdf5/vtkhdf.hpp"

namespace sill::hdf5 {

/// What the objects of a file have in common.
struct ObjectForm {
  std::int64_t count = 0;  ///< about the number of datasets
  std::int64_t align = 1;
  /// Does not track creation order, to save time and space; single numbers are scalar attributes, strings are
  /// null-terminated.
  bool is_plain = false;
  const VtkHdf* vtk = nullptr;  ///< the groups of VTKHDF with their attributes
};

/// Makes groups, datasets and attributes, without time stamps, in the order of the calls.
class ObjectMaker {
 public:
  using Lengths = std::vector<hsize_t>;

  ObjectMaker(DriverFile& file, const ObjectForm& form) : form_(form), file_(created(file)) {}

  [[nodiscard]] Id& file() { return file_; }
  void close() {
    group_ = Id();
    require(h5_.H5Fclose(file_.release()), "H5Fclose");
  }

  [[nodiscard]] hid_t type_of(ElementType type) const { return h5_.types[static_cast<std::size_t>(type)]; }

  // Returns a group ("": the root), and makes it and those above it if they do not exist.
  hid_t group(const std::string& path) {
    if (path.empty()) return file_.get();
    if (path == group_path_) return group_.get();
    if (groups_.insert(path).second) {
      const std::string::size_type slash = path.rfind('/');
      const hid_t parent = group(path.substr(0, slash == std::string::npos ? 0 : slash));
      // If links are in a separate table, they do not move NSteps within the object header of the group.
      const Id properties = group_properties(h5_.group_creation, form_.vtk == nullptr || path != steps_group);
      group_ = Id(h5_.H5Gcreate2(parent, path.c_str() + (slash + 1), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                  "H5Gcreate2");
      if (form_.vtk != nullptr) {
        const auto found = std::ranges::find(form_.vtk->groups, path, &VtkHdf::Group::name);
        if (found != form_.vtk->groups.end()) put_attributes(group_, found->attributes);
      }
    } else {
      group_ = Id(h5_.H5Oopen(file_.get(), path.c_str(), H5P_DEFAULT), "H5Oopen");
    }
    group_path_ = path;
    return group_.get();
  }

  // Makes a dataset and the groups in its name. Its bytes, if it is allocated, are never written by the library. The
  // first dimension of a dataset that has no steps yet grows.
  [[nodiscard]] Id dataset(const std::string& name, hid_t type, const Lengths& shape, const void* fill,
                           bool is_allocated, const NewChunks* chunks = nullptr) {
    const Id properties(h5_.H5Pcreate(h5_.dataset_creation), "H5Pcreate");
    require(h5_.H5Pset_obj_track_times(properties.get(), 0), "H5Pset_obj_track_times");
    order_attributes(properties);
    if (chunks != nullptr && !shape.empty()) set_chunks(properties, *chunks);
    if (is_allocated) {
      require(h5_.H5Pset_alloc_time(properties.get(), H5D_ALLOC_TIME_EARLY), "H5Pset_alloc_time");
      require(h5_.H5Pset_fill_time(properties.get(), H5D_FILL_TIME_NEVER), "H5Pset_fill_time");
    }
    if (fill != nullptr) require(h5_.H5Pset_fill_value(properties.get(), type, fill), "H5Pset_fill_value");
    const Id space = space_of(shape, !shape.empty() && shape.front() == 0);
    const std::string::size_type slash = name.rfind('/');
    const hid_t parent = group(name.substr(0, slash == std::string::npos ? 0 : slash));
    return {h5_.H5Dcreate2(parent, name.c_str() + (slash + 1), type, space.get(), H5P_DEFAULT, properties.get(),
                           H5P_DEFAULT),
            "H5Dcreate2"};
  }

  [[nodiscard]] std::int64_t place_of(const Id& dataset) const {
    const haddr_t place = h5_.H5Dget_offset(dataset.get());
    if (place == HADDR_UNDEF) fail("H5Dget_offset");
    return static_cast<std::int64_t>(place);
  }

  void put(const Id& object, const char* name, hid_t type, const Lengths& shape, const void* values) const {
    const bool is_empty = shape.size() == 1 && shape.front() == 0;
    const Id space = is_empty ? Id(h5_.H5Screate(H5S_NULL), "H5Screate") : space_of(shape);
    const Id attribute(h5_.H5Acreate2(object.get(), name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT), "H5Acreate2");
    if (!is_empty) require(h5_.H5Awrite(attribute.get(), type, values), "H5Awrite");
  }

  // Puts a text in `bytes` bytes, which may include a final zero.
  void put_text(const Id& object, const char* name, const std::string& text, std::size_t bytes) const {
    const Id type(h5_.H5Tcopy(h5_.string), "H5Tcopy");
    require(h5_.H5Tset_size(type.get(), std::max<std::size_t>(1, bytes)), "H5Tset_size");
    const bool is_ascii = std::ranges::none_of(text, [](char c) { return (c & 0x80) != 0; });
    if (!is_ascii) require(h5_.H5Tset_cset(type.get(), H5T_CSET_UTF8), "H5Tset_cset");
    put(object, name, type.get(), {}, text.c_str());
  }
  void put_text(const Id& object, const char* name, const std::string& text) const {
    put_text(object, name, text, text.size() + 1);
  }

  void put_attributes(const Id& object, const std::vector<Attribute>& attributes) const {
    for (const Attribute& each : attributes) {
      if (each.type == ElementType::text) {
        put_text(object, each.name.c_str(), each.text(), each.values.size() + (form_.is_plain ? 1 : 0));
        continue;
      }
      const std::vector<std::byte> values = in_file_order(each);
      const bool is_scalar = form_.is_plain && each.count() == 1;
      put(object, each.name.c_str(), type_of(each.type),
          is_scalar ? Lengths{} : Lengths{static_cast<hsize_t>(each.count())}, values.data());
    }
  }

  [[nodiscard]] static std::vector<std::byte> in_file_order(const Attribute& attribute) {
    std::vector<std::byte> values(attribute.values.size());
    const std::int64_t size = bytes_of(attribute.type);
    convert_elements(attribute.values.data(), {size, {attribute.type}}, values.data(),
                     {size, {attribute.type, ByteOrder::little}}, attribute.count());
    return values;
  }

 protected:
  const Library& h5_ = library();
  ObjectForm form_;
  Id file_;
  std::set<std::string> groups_;
  Id group_;  // the last one
  std::string group_path_;

 private:
  static constexpr unsigned ordered = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;

  [[nodiscard]] Id created(DriverFile& file) const {
    const Id access = driver_access(file);
    // The format of HDF5 1.8, so that the library's version does not change it.
    // Objects of VTKHDF have the earlier form, without checksums, so that numbers in them can be changed.
    const H5F_libver_t low = form_.vtk == nullptr ? H5F_LIBVER_V18 : H5F_LIBVER_EARLIEST;
    require(h5_.H5Pset_libver_bounds(access.get(), low, H5F_LIBVER_V18), "H5Pset_libver_bounds");
    const auto align = static_cast<hsize_t>(form_.align);
    require(h5_.H5Pset_alignment(access.get(), align, align), "H5Pset_alignment");
    require(h5_.H5Pset_cache(access.get(), 0, 0, 0, 0), "H5Pset_cache");  // of chunks
    // Metadata lies together, in about as many bytes as it needs.
    hsize_t block = 2048;
    while (block < 512 * static_cast<hsize_t>(form_.count) && block < (hsize_t{1} << 24U)) block *= 2;
    require(h5_.H5Pset_meta_block_size(access.get(), block), "H5Pset_meta_block_size");
    const Id creation = group_properties(h5_.file_creation);
    constexpr unsigned truncate = 0x0002;  // H5F_ACC_TRUNC, a macro that calls the library
    return {h5_.H5Fcreate("sill", truncate, creation.get(), access.get()), "H5Fcreate"};
  }

  [[nodiscard]] Id group_properties(hid_t list, bool is_ordered = true) const {
    Id properties(h5_.H5Pcreate(list), "H5Pcreate");
    if (is_ordered && !form_.is_plain)
      require(h5_.H5Pset_link_creation_order(properties.get(), ordered), "H5Pset_link_creation_order");
    order_attributes(properties);
    require(h5_.H5Pset_obj_track_times(properties.get(), 0), "H5Pset_obj_track_times");
    return properties;
  }

  void order_attributes(const Id& properties) const {
    if (form_.vtk != nullptr || form_.is_plain) return;
    require(h5_.H5Pset_attr_creation_order(properties.get(), ordered), "H5Pset_attr_creation_order");
  }

  [[nodiscard]] static Id space_of(const Lengths& shape, bool grows = false) {
    if (shape.empty()) return {library().H5Screate(H5S_SCALAR), "H5Screate"};
    Lengths limits = shape;
    if (grows) limits.front() = H5S_UNLIMITED;
    return {library().H5Screate_simple(static_cast<int>(shape.size()), shape.data(), limits.data()),
            "H5Screate_simple"};
  }

  void set_chunks(const Id& properties, const NewChunks& chunks) const {
    const Lengths shape(chunks.grid.chunk().begin(), chunks.grid.chunk().end());
    require(h5_.H5Pset_chunk(properties.get(), static_cast<int>(shape.size()), shape.data()), "H5Pset_chunk");
    for (const Filter& each : chunks.filters) {
      const bool is_shuffle = each.kind == Filter::Kind::shuffle;
      const auto value = static_cast<unsigned>(is_shuffle ? each.element_bytes : chunks.level);
      const H5Z_filter_t filter = is_shuffle                        ? H5Z_FILTER_SHUFFLE
                                  : each.kind == Filter::Kind::zstd ? zstd_filter
                                                                    : H5Z_FILTER_DEFLATE;
      // The library need not have the filter.
      require(h5_.H5Pset_filter(properties.get(), filter, H5Z_FLAG_OPTIONAL, 1, &value), "H5Pset_filter");
    }
  }
};

}  // namespace sill::hdf5
#endif
