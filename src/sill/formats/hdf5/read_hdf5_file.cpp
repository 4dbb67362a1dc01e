#ifdef SILL_HDF5_LIBRARY
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/hdf5/found_file.hpp"
#include "sill/formats/hdf5/vtkhdf.hpp"

namespace sill::hdf5 {
namespace {

constexpr std::size_t max_string_bytes = 1 << 28;

// The values of an attribute as the library returns them.
struct FoundAttribute {
  std::optional<Attribute> attribute;
  std::vector<std::string> texts;
  std::vector<hobj_ref_t> references;
};

template <class Number>
std::vector<Number> numbers_of(const std::optional<Attribute>& attribute) {
  std::vector<Number> numbers;
  if (!attribute || attribute->type != element_type_of<Number>()) return numbers;
  numbers.resize(static_cast<std::size_t>(attribute->count()));
  std::ranges::copy(attribute->values, std::as_writable_bytes(std::span(numbers)).begin());
  return numbers;
}

// Reads the objects of a file. An object that the library cannot read is left out.
class FileReader {
 public:
  explicit FileReader(DriverFile& file) : file_(file) {
    const Id access = driver_access(file);
    opened_ = Id(h5_.H5Fopen("sill", 0, access.get()), "H5Fopen");
    const Id creation(h5_.H5Fget_create_plist(opened_.get()), "H5Fget_create_plist");
    hsize_t block = 0;
    require(h5_.H5Pget_userblock(creation.get(), &block), "H5Pget_userblock");
    found_.has_user_block = block > 0;
  }

  [[nodiscard]] FoundFile read() {
    const Id root(h5_.H5Oopen(opened_.get(), "/", H5P_DEFAULT), "H5Oopen");
    found_.attributes = attributes_of(root, "", nullptr);
    read_group(root, "");
    return std::move(found_);
  }

 private:
  void leave_out(std::string text) { found_.left_out.push_back(std::move(text)); }

  // Returns why the library cannot perform `work`; nullopt if it can.
  template <class Work>
  std::optional<std::string> attempt(Work&& work) const {
    try {
      work();
      return std::nullopt;
    } catch (const CallFailed& failure) {
      if (file_.error) throw;
      return fmt::format("HDF5 {} cannot read it ({}); it is damaged, or of a newer version (libver of h5py)",
                         build_version(), failure.what);
    }
  }

  // Calls `iterate` with the order of creation, or of names if the file does not state the former.
  template <class Iterate>
  static void in_order(Iterate&& iterate, const char* call) {
    if (iterate(H5_INDEX_CRT_ORDER) < 0) require(iterate(H5_INDEX_NAME), call);
  }

  void read_group(const Id& group, const std::string& path) {
    if (!groups_.insert(reference_to(group)).second) return;
    std::vector<std::pair<std::string, H5L_type_t>> links;
    const auto add = [](hid_t, const char* name, const LinkInfo* info, void* to) -> herr_t {
      static_cast<decltype(links)*>(to)->emplace_back(name, info->type);
      return 0;
    };
    in_order(
        [&](H5_index_t index) {
          links.clear();
          hsize_t first = 0;
#if H5_VERSION_GE(1, 12, 0)
          return h5_.H5Literate2(group.get(), index, H5_ITER_INC, &first, add, &links);
#else
          return h5_.H5Literate(group.get(), index, H5_ITER_INC, &first, add, &links);
#endif
        },
        "H5Literate");
    for (const auto& [name, type] : links) {
      const std::string full = path + name;
      if (echoed(name, name.size() + 3) != name) {
        leave_out(fmt::format("{}: a name that is not UTF-8, or has control characters", echoed(full)));
      } else if (type != H5L_TYPE_HARD) {
        leave_out(fmt::format("{}: a link to another object or file", full));
      } else if (const auto problem = attempt([&] { read_object(group, name, full); })) {
        leave_out(fmt::format("{}: {}", full, *problem));
      }
    }
  }

  void read_object(const Id& group, const std::string& name, const std::string& full) {
    const Id object(h5_.H5Oopen(group.get(), name.c_str(), H5P_DEFAULT), "H5Oopen");
    switch (h5_.H5Iget_type(object.get())) {
      case H5I_GROUP:
        for (const Attribute& each : attributes_of(object, full, nullptr)) {
          if (full == steps_group && each.name == vtk_count_name) found_.vtk_steps = numbers_of<std::int64_t>(each);
          leave_out(fmt::format("attribute {} of the group {}", each.name, full));
        }
        return read_group(object, full + "/");
      case H5I_DATASET: return read_dataset(object, full);
      default: return;  // a named type
    }
  }

  // Returns the form of elements; nullopt if Sill has no such type. Enumerations are read as their integers.
  [[nodiscard]] std::optional<ElementForm> form_of(hid_t type) const {
    const H5T_class_t kind = h5_.H5Tget_class(type);
    if (kind == H5T_ENUM) {
      const Id integers(h5_.H5Tget_super(type), "H5Tget_super");
      return form_of(integers.get());
    }
    if (kind == H5T_STRING)
      return h5_.H5Tis_variable_str(type) > 0 ? std::nullopt : std::optional(ElementForm{ElementType::text});
    for (std::size_t t = 0; t < static_cast<std::size_t>(ElementType::text); ++t) {
      for (const auto& [order, swapped] :
           {std::pair{H5T_ORDER_LE, ByteOrder::little}, {H5T_ORDER_BE, ByteOrder::big}}) {
        const Id made(h5_.H5Tcopy(h5_.types[t]), "H5Tcopy");
        require(h5_.H5Tset_order(made.get(), order), "H5Tset_order");
        if (require(h5_.H5Tequal(made.get(), type), "H5Tequal") > 0)
          return ElementForm{static_cast<ElementType>(t), swapped};
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] FoundAttribute attribute_named(const Id& object, const char* name) const {
    FoundAttribute found;
    const Id attribute(h5_.H5Aopen(object.get(), name, H5P_DEFAULT), "H5Aopen");
    const Id type(h5_.H5Aget_type(attribute.get()), "H5Aget_type");
    const Id space(h5_.H5Aget_space(attribute.get()), "H5Aget_space");
    const auto count = static_cast<std::size_t>(
        require(h5_.H5Sget_simple_extent_npoints(space.get()), "H5Sget_simple_extent_npoints"));
    if (static_cast<std::int64_t>(count) > file_.file_bytes) throw CallFailed{"it is longer than the file"};
    const auto read = [&](void* to) { require(h5_.H5Aread(attribute.get(), type.get(), to), "H5Aread"); };
    const H5T_class_t kind = h5_.H5Tget_class(type.get());
    if (kind == H5T_VLEN) {
      const Id base(h5_.H5Tget_super(type.get()), "H5Tget_super");
      if (require(h5_.H5Tequal(base.get(), h5_.object_reference), "H5Tequal") == 0) return found;
      std::vector<hvl_t> lists(count);
      read(lists.data());
      for (const hvl_t& each : lists) {
        found.references.push_back(each.len > 0 ? *static_cast<const hobj_ref_t*>(each.p) : 0);
        h5_.H5free_memory(each.p);
      }
      return found;
    }
    if (kind == H5T_STRING && h5_.H5Tis_variable_str(type.get()) > 0) {
      std::vector<char*> texts(count);
      if (count > 0) read(texts.data());
      for (char* const each : texts) {
        found.texts.emplace_back(each == nullptr ? "" : each);
        h5_.H5free_memory(each);
      }
      if (count <= 1) found.attribute = Attribute(name, std::string_view(count == 0 ? "" : found.texts.front()));
      return found;
    }
    const std::optional<ElementForm> form = form_of(type.get());
    if (!form) return found;
    const std::size_t size = h5_.H5Tget_size(type.get());
    if (size > max_string_bytes) return found;
    std::vector<std::byte> values(count * size);
    if (count > 0) read(values.data());
    if (form->type == ElementType::text) {
      if (count > 1) return found;
      const std::string_view text(reinterpret_cast<const char*>(values.data()), values.size());
      found.attribute = Attribute(name, text.substr(0, text.find_last_not_of('\0') + 1));
      return found;
    }
    found.attribute.emplace();
    found.attribute->name = name;
    found.attribute->type = form->type;
    const auto stride = static_cast<std::int64_t>(size);
    convert_elements(values.data(), {stride, *form}, values.data(), {stride, {form->type}},
                     std::ssize(values) / stride);
    found.attribute->values = std::move(values);
    return found;
  }

  // Returns the user's attributes of an object; those that describe dimensions are set in `dataset`.
  [[nodiscard]] std::vector<Attribute> attributes_of(const Id& object, const std::string& path, FoundDataset* dataset) {
    std::vector<std::string> names;
    in_order(
        [&](H5_index_t index) {
          names.clear();
          hsize_t first = 0;
          return h5_.H5Aiterate2(
              object.get(), index, H5_ITER_INC, &first,
              [](hid_t, const char* name, const H5A_info_t*, void* to) -> herr_t {
                static_cast<std::vector<std::string>*>(to)->emplace_back(name);
                return 0;
              },
              &names);
        },
        "H5Aiterate2");
    std::vector<Attribute> attributes;
    for (const std::string& name : names) {
      if (name == references_attribute || name == "_NCProperties" || name == "_nc3_strict") {
        found_.is_netcdf4 |= name == "_NCProperties";
        continue;
      }
      FoundAttribute found;
      std::optional<std::string> problem = attempt([&] { found = attribute_named(object, name.c_str()); });
      if (dataset != nullptr && is_reserved(name) && !problem) {
        take_reserved(name, std::move(found), *dataset);
      } else if (dataset != nullptr && name == steps_of_attribute && dataset->name == count_name && found.attribute) {
        dataset->steps_of = found.attribute->text();
      } else {
        if (!problem)
          problem = found.attribute ? problem_of({.attributes = {*found.attribute}})
                                    : "a type that files of arrays do not have";
        if (!problem) {
          attributes.push_back(std::move(*found.attribute));
        } else {
          leave_out(fmt::format("attribute {:?} of {}: {}", name, path.empty() ? "the file" : path, *problem));
        }
      }
    }
    return attributes;
  }

  // Sets what an attribute states about the dimensions of a dataset.
  static void take_reserved(const std::string& name, FoundAttribute found, FoundDataset& dataset) {
    const std::string text = found.attribute ? found.attribute->text() : std::string();
    if (name == "CLASS") {
      dataset.is_scale = text == scale_class;
    } else if (name == "NAME") {
      dataset.is_dimension_only = text.starts_with(dimension_only);
    } else if (name == scales_attribute) {
      dataset.scales = std::move(found.references);
    } else if (name == labels_attribute) {
      dataset.labels = std::move(found.texts);
    } else if (name == "_Netcdf4Dimid") {
      if (const auto number = numbers_of<std::int32_t>(found.attribute); !number.empty())
        dataset.number = number.front();
    } else if (name == "_Netcdf4Coordinates") {
      dataset.numbers = numbers_of<std::int32_t>(found.attribute);
    }
  }

  void read_dataset(const Id& object, const std::string& name) {
    FoundDataset& found = found_.datasets.emplace_back();
    found.name = name;
    const auto problem = attempt([&] { describe(object, found); });
    if (problem) found.left_out = *problem;
    // Sill does not read its own files in part.
    if (problem && (name == vtk_description_name || !found.steps_of.empty())) throw CallFailed{*problem};
  }

  void describe(const Id& dataset, FoundDataset& found) {
    found.self = reference_to(dataset);
    found.attributes = attributes_of(dataset, found.name, &found);
    const Id space(h5_.H5Dget_space(dataset.get()), "H5Dget_space");
    const int dimensions = require(h5_.H5Sget_simple_extent_ndims(space.get()), "H5Sget_simple_extent_ndims");
    std::vector<hsize_t> shape(static_cast<std::size_t>(dimensions));
    std::vector<hsize_t> limits(shape.size());
    require(h5_.H5Sget_simple_extent_dims(space.get(), shape.data(), limits.data()), "H5Sget_simple_extent_dims");
    if (std::ranges::any_of(shape, [](hsize_t each) { return each >= farthest_index; })) {
      found.left_out = "it is too large";
      return;
    }
    found.shape.assign(shape.begin(), shape.end());
    for (const hsize_t limit : limits) found.grows.push_back(limit == H5S_UNLIMITED);
    if (found.is_dimension_only) return;
    const Id type(h5_.H5Dget_type(dataset.get()), "H5Dget_type");
    const std::optional<ElementForm> form = form_of(type.get());
    if (!form) {
      found.left_out = "its type is none of integers of 1 to 8 bytes, f4, f8 and strings of fixed length";
      return;
    }
    if (h5_.H5Sget_simple_extent_npoints(space.get()) == 0 && shape.empty()) {
      found.left_out = "it has no elements";
      return;
    }
    found.form = *form;
    found.stored.order = form->order;
    const std::size_t size = h5_.H5Tget_size(type.get());
    if (!is_countable(whole(found.shape), static_cast<std::int64_t>(size)) || size > max_string_bytes) {
      found.left_out = "it is too large";
      return;
    }
    if (form->type == ElementType::text && size > 1) found.string_bytes = static_cast<std::int64_t>(size);
    find_elements(file_, dataset, type.get(), found);
    const auto read = [&](void* to) {
      require(h5_.H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, to), "H5Dread");
    };
    if (found.name == vtk_description_name && form->type == ElementType::u1 && found.shape.size() == 1) {
      if (found.shape.front() > file_.file_bytes) throw CallFailed{"it is longer than the file"};
      found_.vtk_description.resize(static_cast<std::size_t>(found.shape.front()));
      read(found_.vtk_description.data());
    }
    if (is_count(found)) {
      std::vector<std::byte> count(size);
      read(count.data());
      found_.complete_steps = load<std::int64_t>(count.data(), found.form.order);
    }
  }

  const Library& h5_ = library();
  DriverFile& file_;
  FoundFile found_;
  std::set<hobj_ref_t> groups_;
  Id opened_;
};

}  // namespace

FileContents read_file(const ReadBytes& read, std::int64_t file_bytes, const std::string& path) {
  const Use use;
  DriverFile file{.read = read, .file_bytes = file_bytes};
  try {
    return described(FileReader(file).read());
  } catch (const CallFailed& failure) {
    if (file.error) std::rethrow_exception(file.error);
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("HDF5 cannot read the file: {}", failure.what),
                 .where = {.file = path},
                 .action = "get an intact copy of the file, or one for older versions of HDF5 (libver of h5py)"});
  }
}

}  // namespace sill::hdf5
#endif
