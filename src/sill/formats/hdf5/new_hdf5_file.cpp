#ifdef SILL_HDF5_LIBRARY
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "sill/base/error.hpp"
#include "sill/formats/array/fill_value.hpp"
#include "sill/formats/hdf5/hdf5_library.hpp"
#include "sill/formats/hdf5/vtkhdf.hpp"

namespace sill::hdf5 {
namespace {

[[noreturn]] void refuse(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
}

// Makes the objects of a file, without time stamps, in the order of their creation.
class FileMaker {
 public:
  FileMaker(DriverFile& file, const DatasetDescription& description, const FileForm& form, const VtkHdf* vtk = nullptr)
      : description_(description), form_(form), vtk_(vtk), file_(created(file)) {}

  // Return the positions of the object headers of VTKHDF's steps and times; 0 without steps. Called after `make`.
  [[nodiscard]] std::int64_t steps_header() const { return steps_header_; }
  [[nodiscard]] std::int64_t times_header() const { return times_header_; }

  // Makes all objects. If the file is in chunks, nothing is allocated for elements.
  MadeFile make() {
    MadeFile made;
    FileLayout& layout = made.layout;
    layout.steps = form_.steps;
    if (form_.is_netcdf4) make_dimensions();
    for (const Variable& variable : description_.variables) {
      layout.begins.push_back(make_variable(variable));
      made.datasets.push_back(stored_name(variable));
    }
    made.datasets.insert(made.datasets.end(), growing_dimensions_.begin(), growing_dimensions_.end());
    if (description_.has_steps() && !is_in_chunks()) {
      const Id count = dataset(count_name, h5_.types[static_cast<std::size_t>(ElementType::i8)], {}, nullptr, true);
      layout.count_begin = place_of(count);
      for (const Dimension& each : description_.dimensions) {
        if (each.length == unlimited) put_text(count, steps_of_attribute, each.name, each.name.size());
      }
    }
    for (const Variable* const each : without_scales_) {
      const Id dataset_of(h5_.H5Oopen(file_.get(), stored_name(*each).c_str(), H5P_DEFAULT), "H5Oopen");
      (void)put_scales(dataset_of, *each);
    }
    for (std::size_t d = 0; d < references_.size(); ++d) put_references(d);
    scales_.clear();
    put_attributes(file_, description_.attributes);
    if (vtk_ != nullptr && groups_.contains(steps_group)) {
      steps_header_ = header_of(steps_group);
      times_header_ = header_of(vtk_times_name);
    }
    if (form_.is_netcdf4) put_text(file_, "_NCProperties", "version=2,sill=" SILL_VERSION);
    made.file = std::move(file_);
    return made;
  }

 private:
  // The layout of the attribute REFERENCE_LIST in memory and in the file. Source: HDF5 Dimension Scale Specification.
  struct Reference {
    hobj_ref_t dataset = 0;
    std::uint32_t dimension = 0;
    std::uint32_t padding = 0;
  };
  static constexpr unsigned ordered = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;

  [[nodiscard]] Id created(DriverFile& file) const {
    const Id access = driver_access(file);
    // The format of HDF5 1.8, so that the library's version does not change it.
    // Objects of VTKHDF have the earlier form, without checksums, so that numbers in them can be changed.
    const H5F_libver_t low = vtk_ == nullptr ? H5F_LIBVER_V18 : H5F_LIBVER_EARLIEST;
    require(h5_.H5Pset_libver_bounds(access.get(), low, H5F_LIBVER_V18), "H5Pset_libver_bounds");
    const auto align = static_cast<hsize_t>(form_.align);
    if (!is_in_chunks()) require(h5_.H5Pset_alignment(access.get(), align, align), "H5Pset_alignment");
    if (is_in_chunks()) require(h5_.H5Pset_cache(access.get(), 0, 0, 0, 0), "H5Pset_cache");  // of chunks
    // Metadata lies together, in about as many bytes as it needs.
    hsize_t block = 2048;
    while (block < 512 * description_.variables.size() && block < (hsize_t{1} << 24U)) block *= 2;
    require(h5_.H5Pset_meta_block_size(access.get(), block), "H5Pset_meta_block_size");
    const Id creation = group_properties(h5_.file_creation);
    constexpr unsigned truncate = 0x0002;  // H5F_ACC_TRUNC, a macro that calls the library
    return {h5_.H5Fcreate("sill", truncate, creation.get(), access.get()), "H5Fcreate"};
  }

  [[nodiscard]] Id group_properties(hid_t list, bool is_ordered = true) const {
    Id properties(h5_.H5Pcreate(list), "H5Pcreate");
    if (is_ordered) require(h5_.H5Pset_link_creation_order(properties.get(), ordered), "H5Pset_link_creation_order");
    order_attributes(properties);
    require(h5_.H5Pset_obj_track_times(properties.get(), 0), "H5Pset_obj_track_times");
    return properties;
  }

  void order_attributes(const Id& properties) const {
    if (vtk_ != nullptr) return;
    require(h5_.H5Pset_attr_creation_order(properties.get(), ordered), "H5Pset_attr_creation_order");
  }

  // Returns the first byte of an object.
  [[nodiscard]] std::int64_t header_of(const char* name) const {
    const Id object(h5_.H5Oopen(file_.get(), name, H5P_DEFAULT), "H5Oopen");
    return static_cast<std::int64_t>(reference_to(object));
  }

  // Makes the groups in a name.
  void make_groups(const std::string& name) {
    for (std::size_t at = name.find('/'); at != std::string::npos; at = name.find('/', at + 1)) {
      const std::string group = name.substr(0, at);
      if (!groups_.insert(group).second) continue;
      // If links are in a separate table, they do not move NSteps within the object header of the group.
      const bool has_table = vtk_ != nullptr && group == steps_group;
      const Id properties = group_properties(h5_.group_creation, !has_table);
      const Id made(h5_.H5Gcreate2(file_.get(), group.c_str(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                    "H5Gcreate2");
      if (vtk_ == nullptr) continue;
      const auto found = std::ranges::find(vtk_->groups, group, &VtkHdf::Group::name);
      if (found != vtk_->groups.end()) put_attributes(made, found->attributes);
    }
  }

  [[nodiscard]] bool is_in_chunks() const { return !form_.chunks.empty(); }

  [[nodiscard]] static Id space_of(const std::vector<hsize_t>& shape, bool grows = false) {
    if (shape.empty()) return {library().H5Screate(H5S_SCALAR), "H5Screate"};
    std::vector<hsize_t> limits = shape;
    if (grows) limits.front() = H5S_UNLIMITED;
    return {library().H5Screate_simple(static_cast<int>(shape.size()), shape.data(), limits.data()),
            "H5Screate_simple"};
  }

  void set_chunks(const Id& properties, const NewChunks& chunks) const {
    const std::vector<hsize_t> shape(chunks.grid.chunk().begin(), chunks.grid.chunk().end());
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

  // Makes a dataset whose bytes, if it is allocated, are never written by the library. The first dimension of a dataset
  // that has no steps yet grows.
  [[nodiscard]] Id dataset(const std::string& name, hid_t type, const std::vector<hsize_t>& shape, const void* fill,
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
    return {h5_.H5Dcreate2(file_.get(), name.c_str(), type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
            "H5Dcreate2"};
  }

  [[nodiscard]] std::int64_t place_of(const Id& dataset) const {
    const haddr_t place = h5_.H5Dget_offset(dataset.get());
    if (place == HADDR_UNDEF) fail("H5Dget_offset");
    return static_cast<std::int64_t>(place);
  }

  void put(const Id& object, const char* name, hid_t type, const std::vector<hsize_t>& shape,
           const void* values) const {
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
        put_text(object, each.name.c_str(), {reinterpret_cast<const char*>(each.values.data()), each.values.size()},
                 each.values.size());
        continue;
      }
      const std::vector<std::byte> values = in_file_order(each);
      put(object, each.name.c_str(), h5_.types[static_cast<std::size_t>(each.type)],
          {static_cast<hsize_t>(each.count())}, values.data());
    }
  }

  [[nodiscard]] static std::vector<std::byte> in_file_order(const Attribute& attribute) {
    std::vector<std::byte> values(attribute.values.size());
    const std::int64_t size = bytes_of(attribute.type);
    convert_elements(attribute.values.data(), {size, {attribute.type}}, values.data(),
                     {size, {attribute.type, ByteOrder::little}}, attribute.count());
    return values;
  }

  // A variable that is also a dimension scale: its first dimension has its name.
  [[nodiscard]] static bool is_coordinate(const Variable& variable) {
    return !variable.dimensions.empty() && variable.dimensions.front() == variable.name;
  }

  [[nodiscard]] hsize_t length_of(const Dimension& dimension) const {
    return static_cast<hsize_t>(dimension.length == unlimited ? form_.steps : dimension.length);
  }

  void make_scale(std::size_t dimension, Id scale, const std::string& name) {
    put_text(scale, "CLASS", scale_class);
    put_text(scale, "NAME", name);
    const auto number = static_cast<std::int32_t>(dimension);
    put(scale, "_Netcdf4Dimid", h5_.types[static_cast<std::size_t>(ElementType::i4)], {}, &number);
    scale_references_[dimension] = reference_to(scale);
    scales_[dimension] = std::move(scale);
  }

  // Makes the dimensions that are no variables. Source: NetCDF File Format Specifications, netCDF-4.
  void make_dimensions() {
    scales_.resize(description_.dimensions.size());
    references_.resize(scales_.size());
    scale_references_.resize(scales_.size());
    std::set<std::string_view> coordinates;
    for (const Variable& each : description_.variables) {
      if (is_coordinate(each)) coordinates.insert(each.name);
    }
    for (std::size_t d = 0; d < scales_.size(); ++d) {
      const Dimension& dimension = description_.dimensions[d];
      if (coordinates.contains(dimension.name)) continue;
      const hsize_t length = length_of(dimension);
      const NewChunks chunks{.grid = ChunkGrid({1}, {1024}, 4)};
      if (length == 0) growing_dimensions_.push_back(dimension.name);
      make_scale(d,
                 dataset(dimension.name, h5_.f4_big_endian, {length}, nullptr, false, length == 0 ? &chunks : nullptr),
                 fmt::format("{}{:10}", dimension_only, length));
    }
  }

  [[nodiscard]] hobj_ref_t reference_to(const Id& object) const {
    hobj_ref_t reference = 0;
    require(h5_.H5Rcreate(&reference, object.get(), ".", H5R_OBJECT, H5I_INVALID_HID), "H5Rcreate");
    return reference;
  }

  void put_coordinates(const Id& dataset, const Variable& variable) const {
    std::vector<std::int32_t> numbers;
    for (const std::string& each : variable.dimensions)
      numbers.push_back(static_cast<std::int32_t>(description_.dimension_named(each)));
    put(dataset, "_Netcdf4Coordinates", h5_.types[static_cast<std::size_t>(ElementType::i4)], {numbers.size()},
        numbers.data());
  }

  // A dimension may have the name of a variable that is not its coordinate.
  [[nodiscard]] std::string stored_name(const Variable& variable) const {
    const bool is_hidden =
        form_.is_netcdf4 && !is_coordinate(variable) &&
        std::ranges::find(description_.dimensions, variable.name, &Dimension::name) != description_.dimensions.end();
    return (is_hidden ? not_coordinate : "") + variable.name;
  }

  [[nodiscard]] Id made_dataset(const Variable& variable) {
    make_groups(variable.name);
    std::vector<hsize_t> shape;
    for (const std::string& each : variable.dimensions)
      shape.push_back(length_of(description_.dimensions[description_.dimension_named(each)]));
    // Absent chunks read as the fill value with which the others are completed.
    std::vector<std::byte> value(is_in_chunks() ? static_cast<std::size_t>(bytes_of(variable.type)) : 0);
    if (is_in_chunks()) FillEncoder(variable, {variable.type, ByteOrder::little}).fill({0, std::ssize(value)}, value);
    const auto fill = std::ranges::find_if(variable.attributes, [&](const Attribute& each) {
      return each.name == "_FillValue" && each.type == variable.type && each.count() == 1;
    });
    if (!is_in_chunks() && fill != variable.attributes.end()) value = in_file_order(*fill);
    const auto v = static_cast<std::size_t>(&variable - description_.variables.data());
    Id made =
        dataset(stored_name(variable), h5_.types[static_cast<std::size_t>(variable.type)], shape,
                value.empty() ? nullptr : value.data(), !is_in_chunks(), is_in_chunks() ? &form_.chunks[v] : nullptr);
    put_attributes(made, variable.attributes);
    return made;
  }

  // Returns the first byte of the variable.
  [[nodiscard]] std::int64_t make_variable(const Variable& variable) {
    Id made = made_dataset(variable);
    const std::int64_t place = is_in_chunks() ? 0 : place_of(made);
    if (variable.dimensions.empty() || vtk_ != nullptr) return place;
    if (!form_.is_netcdf4) {
      put_labels(made, variable);
      return place;
    }
    put_coordinates(made, variable);
    if (is_coordinate(variable)) {
      make_scale(description_.dimension_named(variable.name), std::move(made), variable.name);
    } else if (!put_scales(made, variable)) {
      without_scales_.push_back(&variable);
    }
    return place;
  }

  void put_labels(const Id& dataset, const Variable& variable) const {
    const Id type(h5_.H5Tcopy(h5_.string), "H5Tcopy");
    require(h5_.H5Tset_size(type.get(), H5T_VARIABLE), "H5Tset_size");
    std::vector<const char*> labels;
    for (const std::string& each : variable.dimensions) labels.push_back(each.c_str());
    put(dataset, labels_attribute, type.get(), {labels.size()}, labels.data());
  }

  // Returns false if a scale does not exist yet.
  [[nodiscard]] bool put_scales(const Id& dataset, const Variable& variable) {
    std::vector<std::size_t> dimensions;
    for (const std::string& each : variable.dimensions) {
      dimensions.push_back(description_.dimension_named(each));
      if (scale_references_[dimensions.back()] == 0) return false;
    }
    const hobj_ref_t self = reference_to(dataset);
    std::vector<hvl_t> scales;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      scales.push_back({1, &scale_references_[dimensions[d]]});
      references_[dimensions[d]].push_back({self, static_cast<std::uint32_t>(d)});
    }
    const Id type(h5_.H5Tvlen_create(h5_.object_reference), "H5Tvlen_create");
    put(dataset, scales_attribute, type.get(), {scales.size()}, scales.data());
    return true;
  }

  void put_references(std::size_t dimension) const {
    const std::vector<Reference>& all = references_[dimension];
    if (all.empty()) return;
    const Id type(h5_.H5Tcreate(H5T_COMPOUND, sizeof(Reference)), "H5Tcreate");
    require(h5_.H5Tinsert(type.get(), "dataset", offsetof(Reference, dataset), h5_.object_reference), "H5Tinsert");
    require(h5_.H5Tinsert(type.get(), "dimension", offsetof(Reference, dimension), h5_.u4), "H5Tinsert");
    put(scales_[dimension], references_attribute, type.get(), {all.size()}, all.data());
  }

  const Library& h5_ = library();
  const DatasetDescription& description_;
  const FileForm& form_;
  const VtkHdf* vtk_;
  std::int64_t steps_header_ = 0;
  std::int64_t times_header_ = 0;
  std::set<std::string> groups_;
  std::vector<Id> scales_;
  std::vector<hobj_ref_t> scale_references_;        // 0: the scale does not exist yet
  std::vector<std::vector<Reference>> references_;  // by dimension
  std::vector<const Variable*> without_scales_;
  std::vector<std::string> growing_dimensions_;  // that are no variables
  Id file_;
};

void require_names(const std::vector<Attribute>& attributes) {
  for (const Attribute& each : attributes) {
    if (is_reserved(each.name)) {
      refuse(fmt::format("the name of attribute {} is reserved by HDF5 and netCDF-4", each.name), "use another name");
    }
  }
}

// Returns the first place of `wanted` in the bytes of a file at or after `from`; the bytes may be in several pieces.
std::int64_t find_bytes(const DriverFile& file, std::int64_t from, std::span<const std::byte> wanted) {
  for (const auto& [offset, bytes] : file.pieces) {
    const std::int64_t skipped = std::clamp<std::int64_t>(from - offset, 0, std::ssize(bytes));
    const auto found = std::search(bytes.begin() + skipped, bytes.end(), wanted.begin(), wanted.end());
    if (found != bytes.end()) return offset + (found - bytes.begin());
  }
  refuse("the HDF5 library stores the number of steps of a VTKHDF file in an unknown way",
         "use the version of HDF5 with which Sill was built");
}

// Returns the bytes of a number, as files have it.
std::vector<std::byte> number_bytes(std::int64_t value) {
  std::vector<std::byte> bytes(sizeof value);
  store(bytes.data(), value, ByteOrder::little);
  return bytes;
}

// Takes the bytes from the number of steps to the number of times out of the metadata. Each is a number in an object of
// the earlier form. Source: HDF5 File Format Specification, dataspace message, version 1.
void take_count(DriverFile& file, const FileMaker& maker, std::int64_t steps, FileLayout& layout) {
  layout.count_begin = find_bytes(file, maker.steps_header(), number_bytes(vtk_count_mark));
  std::vector<std::byte> space{std::byte{1}, std::byte{1}, std::byte{1}};  // version, dimensions, with a maximum
  space.resize(8);
  for (int i = 0; i < 2; ++i) {  // length and maximum
    for (const std::byte each : number_bytes(steps)) space.push_back(each);
  }
  const std::int64_t end = find_bytes(file, maker.times_header(), space) + std::ssize(space);
  constexpr std::int64_t max_bytes = 4096;
  if (end <= layout.count_begin || end - layout.count_begin > max_bytes)
    refuse("the HDF5 library stores the times of a VTKHDF file far from their number",
           "use the version of HDF5 with which Sill was built");
  layout.count_bytes.resize(static_cast<std::size_t>(end - layout.count_begin));
  std::map<std::int64_t, std::vector<std::byte>> others;
  for (auto& [offset, bytes] : file.pieces) {
    const std::int64_t first = std::clamp<std::int64_t>(layout.count_begin - offset, 0, std::ssize(bytes));
    const std::int64_t last = std::clamp<std::int64_t>(end - offset, 0, std::ssize(bytes));
    if (last > first)
      std::copy(bytes.begin() + first, bytes.begin() + last,
                layout.count_bytes.begin() + (offset + first - layout.count_begin));
    if (first > 0) others[offset].assign(bytes.begin(), bytes.begin() + first);
    if (last < std::ssize(bytes)) others[offset + last].assign(bytes.begin() + last, bytes.end());
  }
  file.pieces = std::move(others);
}

}  // namespace

void require_possible(const DatasetDescription& description, const FileForm& form) {
  sill::require_possible(description);
  if (description.has_steps() && form.steps < 1 && form.chunks.empty()) {
    refuse("an HDF5 or netCDF-4 file has room for a given number of steps, but none is given",
           "give the number of steps: the option `steps`, or SILL_LAYOUT=\"steps=100\"");
  }
  require_names(description.attributes);
  for (const Variable& each : description.variables) {
    require_names(each.attributes);
    if (each.name == count_name)
      refuse(fmt::format("a variable has the name {}, which the number of steps has", count_name), "use another name");
    const auto v = static_cast<std::size_t>(&each - description.variables.data());
    // A chunk that cannot be compressed has less than 4 GiB, too.
    constexpr std::int64_t max_chunk = (std::int64_t{1} << 32U) - (std::int64_t{1} << 20U);
    if (!form.chunks.empty() && form.chunks[v].grid.chunk_bytes() > max_chunk)
      refuse(fmt::format("the chunks of variable {} have more than {} bytes", each.name, max_chunk),
             "make them smaller");
    if (form.is_netcdf4 && each.name.find('/') != std::string::npos)
      refuse(fmt::format("variable {} is in a group", each.name), "write HDF5, or use a name without /");
    std::int64_t bytes = description.element_bytes(each);
    if (description.has_steps(each) && __builtin_mul_overflow(bytes, form.steps, &bytes)) {
      refuse(fmt::format("{} steps of variable {} end beyond byte 2^63", form.steps, each.name), "give fewer steps");
    }
  }
  if (form.align < 8 || form.align > (std::int64_t{1} << 30U))
    refuse(fmt::format("variables cannot be aligned to {} bytes", form.align), "give 8 bytes to 1 GiB");
  if (form.is_vtkhdf) (void)vtkhdf_of(description, form.steps);
  (void)library();
}

MadeFile made_file(DriverFile& file, const DatasetDescription& description, const FileForm& form) {
  return FileMaker(file, description, form).make();
}

NewFile new_file(const DatasetDescription& description, const FileForm& form) {
  require_possible(description, form);
  const Use use;
  DriverFile file;
  NewFile made;
  VtkHdf vtk;
  if (form.is_vtkhdf) vtk = vtkhdf_of(description, form.steps);
  try {
    FileMaker maker(file, form.is_vtkhdf ? vtk.stored : description, form, form.is_vtkhdf ? &vtk : nullptr);
    MadeFile objects = maker.make();
    require(library().H5Fclose(objects.file.release()), "H5Fclose");
    made.layout = std::move(objects.layout);
    if (maker.steps_header() != 0) take_count(file, maker, form.steps, made.layout);
  } catch (const CallFailed& failure) {
    if (file.error) std::rethrow_exception(file.error);
    refuse(fmt::format("HDF5 cannot store this dataset: {}", failure.what), "describe it in another way");
  }
  made.header = taken_header(file);
  if (!form.is_vtkhdf) return made;
  const std::vector<std::int64_t> begins = std::move(made.layout.begins);
  made.layout.begins.clear();
  for (const std::size_t place : vtk.places) made.layout.begins.push_back(begins[place]);
  for (VtkHdf::Made& each : vtk.made) made.header.push_back({begins[each.variable], std::move(each.bytes)});
  return made;
}

}  // namespace sill::hdf5
#endif
