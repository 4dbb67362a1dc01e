#ifdef SILL_HDF5_LIBRARY
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "sill/base/error.hpp"
#include "sill/formats/array/fill_value.hpp"
#include "sill/formats/hdf5/hdf5_library.hpp"
#include "sill/formats/hdf5/object_maker.hpp"
#include "sill/formats/hdf5/vtkhdf.hpp"

namespace sill::hdf5 {
namespace {

[[noreturn]] void refuse(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
}

// Makes the objects of a dataset.
class FileMaker : public ObjectMaker {
 public:
  FileMaker(DriverFile& file, const DatasetDescription& description, const FileForm& form, const VtkHdf* vtk = nullptr)
      : ObjectMaker(
            file,
            {.count = std::ssize(description.variables), .align = form.chunks.empty() ? form.align : 1, .vtk = vtk}),
        description_(description),
        form_(form),
        vtk_(vtk) {}

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
      const Id count = dataset(count_name, type_of(ElementType::i8), {}, nullptr, true);
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
    return made;
  }

 private:
  // The layout of the attribute REFERENCE_LIST in memory and in the file. Source: HDF5 Dimension Scale Specification.
  struct Reference {
    hobj_ref_t dataset = 0;
    std::uint32_t dimension = 0;
    std::uint32_t padding = 0;
  };

  [[nodiscard]] bool is_in_chunks() const { return !form_.chunks.empty(); }

  // Returns the first byte of an object.
  [[nodiscard]] std::int64_t header_of(const char* name) const {
    const Id object(h5_.H5Oopen(file_.get(), name, H5P_DEFAULT), "H5Oopen");
    return static_cast<std::int64_t>(reference_to(object));
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
    put(scale, "_Netcdf4Dimid", type_of(ElementType::i4), {}, &number);
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

  void put_coordinates(const Id& dataset, const Variable& variable) const {
    std::vector<std::int32_t> numbers;
    for (const std::string& each : variable.dimensions)
      numbers.push_back(static_cast<std::int32_t>(description_.dimension_named(each)));
    put(dataset, "_Netcdf4Coordinates", type_of(ElementType::i4), {numbers.size()}, numbers.data());
  }

  // A dimension may have the name of a variable that is not its coordinate.
  [[nodiscard]] std::string stored_name(const Variable& variable) const {
    const bool is_hidden =
        form_.is_netcdf4 && !is_coordinate(variable) &&
        std::ranges::find(description_.dimensions, variable.name, &Dimension::name) != description_.dimensions.end();
    return (is_hidden ? not_coordinate : "") + variable.name;
  }

  [[nodiscard]] Id made_dataset(const Variable& variable) {
    Lengths shape;
    for (const std::string& each : variable.dimensions)
      shape.push_back(length_of(description_.dimensions[description_.dimension_named(each)]));
    // Absent chunks read as the fill value with which the others are completed.
    std::vector<std::byte> value(is_in_chunks() ? static_cast<std::size_t>(bytes_of(variable.type)) : 0);
    std::ranges::copy_n(fill_element(variable, {variable.type, ByteOrder::little}).begin(), std::ssize(value),
                        value.begin());
    const auto fill = std::ranges::find_if(variable.attributes, [&](const Attribute& each) {
      return each.name == "_FillValue" && each.type == variable.type && each.count() == 1;
    });
    if (!is_in_chunks() && fill != variable.attributes.end()) value = in_file_order(*fill);
    const auto v = static_cast<std::size_t>(&variable - description_.variables.data());
    Id made = dataset(stored_name(variable), type_of(variable.type), shape, value.empty() ? nullptr : value.data(),
                      !is_in_chunks(), is_in_chunks() ? &form_.chunks[v] : nullptr);
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

  const DatasetDescription& description_;
  const FileForm& form_;
  const VtkHdf* vtk_;
  std::int64_t steps_header_ = 0;
  std::int64_t times_header_ = 0;
  std::vector<Id> scales_;
  std::vector<hobj_ref_t> scale_references_;        // 0: the scale does not exist yet
  std::vector<std::vector<Reference>> references_;  // by dimension
  std::vector<const Variable*> without_scales_;
  std::vector<std::string> growing_dimensions_;  // that are no variables
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

// Returns the file whose objects `make` makes.
NewFile file_of(const std::function<FileLayout(DriverFile&)>& make) {
  const Use use;
  DriverFile file;
  NewFile made;
  try {
    made.layout = make(file);
  } catch (const CallFailed& failure) {
    if (file.error) std::rethrow_exception(file.error);
    refuse(fmt::format("HDF5 cannot store this dataset: {}", failure.what), "describe it in another way");
  }
  made.header = taken_header(file);
  return made;
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
  if (form.is_vtkhdf) {
    (void)vtkhdf_of(description, form.steps);
    require_read_by_vtk(description);
  }
  (void)library();
}

NewFile new_file(const NewArrays& arrays) {
  return file_of([&](DriverFile& file) {
    ObjectMaker maker(file, {.count = arrays.count, .is_plain = true});
    maker.put_attributes(maker.file(), arrays.attributes);
    for (const std::string& each : arrays.groups) (void)maker.group(each);
    FileLayout layout;
    for (std::int64_t i = 0; i < arrays.count; ++i) {
      const NewArray array = arrays.array(i);
      const Id made =
          maker.dataset(array.path, maker.type_of(array.type), {array.shape.begin(), array.shape.end()}, nullptr, true);
      maker.put_attributes(made, array.attributes);
      layout.begins.push_back(maker.place_of(made));
    }
    maker.close();
    return layout;
  });
}

MadeFile made_file(DriverFile& file, const DatasetDescription& description, const FileForm& form) {
  FileMaker maker(file, description, form);
  MadeFile made = maker.make();
  made.file = std::move(maker.file());
  return made;
}

NewFile new_file(const DatasetDescription& description, const FileForm& form) {
  require_possible(description, form);
  VtkHdf vtk;
  if (form.is_vtkhdf) vtk = vtkhdf_of(description, form.steps);
  NewFile made = file_of([&](DriverFile& file) {
    FileMaker maker(file, form.is_vtkhdf ? vtk.stored : description, form, form.is_vtkhdf ? &vtk : nullptr);
    FileLayout layout = maker.make().layout;
    maker.close();
    if (maker.steps_header() != 0) take_count(file, maker, form.steps, layout);
    return layout;
  });
  if (!form.is_vtkhdf) return made;
  const std::vector<std::int64_t> begins = std::move(made.layout.begins);
  made.layout.begins.clear();
  for (const std::size_t place : vtk.places) made.layout.begins.push_back(begins[place]);
  for (VtkHdf::Made& each : vtk.made) made.header.push_back({begins[each.variable], std::move(each.bytes)});
  return made;
}

}  // namespace sill::hdf5
#endif
