#ifdef SILL_HDF5_LIBRARY
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <unordered_map>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/formats/array/chunk_grid.hpp"
#include "sill/formats/hdf5/hdf5_library.hpp"
#include "sill/formats/hdf5/vtkhdf.hpp"
#include "sill/formats/image/ncml.hpp"

namespace sill::hdf5 {
namespace {

constexpr std::int64_t max_chunks = std::int64_t{1} << 26U;

// What a file says about one dataset.
struct FoundDataset {
  std::string name;
  hobj_ref_t self = 0;
  ElementForm form;
  Index shape;
  std::vector<bool> grows;        // by dimension
  std::int64_t string_bytes = 0;  // of strings with more than one byte, whose bytes are one more dimension
  StoredVariable stored;
  std::vector<Attribute> attributes;
  std::string left_out;  // why it cannot be read; empty if it can
  // Its dimensions: as a scale, by the numbers of netCDF-4, by references to scales, by labels.
  bool is_scale = false;
  std::string dimension;     // of a scale: the name of its dimension
  std::int64_t longest = 0;  // of a scale: the length of its dimension
  bool is_dimension_only = false;
  std::optional<std::int32_t> number;
  std::vector<std::int32_t> numbers;
  std::vector<hobj_ref_t> scales;
  std::vector<std::string> labels;
  std::string steps_of;
};

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

class FileReader {
 public:
  FileReader(DriverFile& file, FileContents& contents) : contents_(contents) {
    const Id access = driver_access(file);
    file_ = Id(h5_.H5Fopen("sill", 0, access.get()), "H5Fopen");
    const Id creation(h5_.H5Fget_create_plist(file_.get()), "H5Fget_create_plist");
    hsize_t block = 0;
    require(h5_.H5Pget_userblock(creation.get(), &block), "H5Pget_userblock");
    has_user_block_ = block > 0;
  }

  void read() {
    const Id root(h5_.H5Oopen(file_.get(), "/", H5P_DEFAULT), "H5Oopen");
    contents_.description.attributes = attributes_of(root, "", nullptr);
    read_group(root, "");
    if (!vtk_description_.empty()) return take_vtkhdf();
    name_dimensions();
    for (FoundDataset& each : datasets_) add_variable(each);
    find_steps();
    for (const FoundDataset& each : datasets_) {
      if (!each.left_out.empty()) leave_out(fmt::format("dataset {}: {}", each.name, each.left_out));
    }
  }

 private:
  void leave_out(std::string text) { contents_.stored.left_out.push_back(std::move(text)); }

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
      if (type != H5L_TYPE_HARD) {
        leave_out(fmt::format("{}: a link to another object or file", full));
        continue;
      }
      const Id object(h5_.H5Oopen(group.get(), name.c_str(), H5P_DEFAULT), "H5Oopen");
      switch (h5_.H5Iget_type(object.get())) {
        case H5I_GROUP:
          for (const Attribute& each : attributes_of(object, full, nullptr)) {
            if (full == steps_group && each.name == vtk_count_name) vtk_steps_ = numbers_of<std::int64_t>(each);
            leave_out(fmt::format("attribute {} of the group {}", each.name, full));
          }
          read_group(object, full + "/");
          break;
        case H5I_DATASET: read_dataset(object, full); break;
        default: break;  // a named type
      }
    }
  }

  // Returns why a description is impossible; nullopt if it is possible.
  [[nodiscard]] static std::optional<std::string> problem_of(const DatasetDescription& description) {
    try {
      sill::require_possible(description);
      return std::nullopt;
    } catch (const Error& error) {
      return error.parts().problem;
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
        contents_.is_netcdf4 |= name == "_NCProperties";
        continue;
      }
      FoundAttribute found = attribute_named(object, name.c_str());
      if (dataset != nullptr && is_reserved(name)) {
        const std::string text = found.attribute ? found.attribute->text() : std::string();
        if (name == "CLASS") {
          dataset->is_scale = text == scale_class;
        } else if (name == "NAME") {
          dataset->is_dimension_only = text.starts_with(dimension_only);
        } else if (name == scales_attribute) {
          dataset->scales = std::move(found.references);
        } else if (name == labels_attribute) {
          dataset->labels = std::move(found.texts);
        } else if (name == "_Netcdf4Dimid") {
          if (const auto number = numbers_of<std::int32_t>(found.attribute); !number.empty())
            dataset->number = number.front();
        } else if (name == "_Netcdf4Coordinates") {
          dataset->numbers = numbers_of<std::int32_t>(found.attribute);
        }
      } else if (dataset != nullptr && name == steps_of_attribute && dataset->name == count_name && found.attribute) {
        dataset->steps_of = found.attribute->text();
      } else if (found.attribute) {
        if (const auto problem = problem_of({.attributes = {*found.attribute}}))
          leave_out(fmt::format("attribute {:?} of {}: {}", name, path.empty() ? "the file" : path, *problem));
        else
          attributes.push_back(std::move(*found.attribute));
      } else {
        leave_out(fmt::format("attribute {} of {}: a type that files of arrays do not have", name,
                              path.empty() ? "the file" : path));
      }
    }
    return attributes;
  }

  void read_dataset(const Id& dataset, const std::string& name) {
    FoundDataset& found = datasets_.emplace_back();
    found.name = name;
    found.self = reference_to(dataset);
    found.attributes = attributes_of(dataset, name, &found);
    const Id space(h5_.H5Dget_space(dataset.get()), "H5Dget_space");
    const int dimensions = require(h5_.H5Sget_simple_extent_ndims(space.get()), "H5Sget_simple_extent_ndims");
    std::vector<hsize_t> shape(static_cast<std::size_t>(dimensions));
    std::vector<hsize_t> limits(shape.size());
    require(h5_.H5Sget_simple_extent_dims(space.get(), shape.data(), limits.data()), "H5Sget_simple_extent_dims");
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
    if (form->type == ElementType::text && size > 1) found.string_bytes = static_cast<std::int64_t>(size);
    find_elements(dataset, type.get(), size, found);
    if (name == vtk_description_name && form->type == ElementType::u1 && found.shape.size() == 1) {
      vtk_description_.resize(static_cast<std::size_t>(found.shape.front()));
      require(h5_.H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, vtk_description_.data()),
              "H5Dread");
    }
    if (is_count(found)) {
      std::vector<std::byte> count(size);
      require(h5_.H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, count.data()), "H5Dread");
      complete_steps_ = load<std::int64_t>(count.data(), found.form.order);
    }
  }

  [[nodiscard]] static bool is_count(const FoundDataset& dataset) {
    return !dataset.steps_of.empty() && dataset.shape.empty() && dataset.stored.begin >= 0 &&
           dataset.form.type == ElementType::i8;
  }

  void find_elements(const Id& dataset, hid_t type, std::size_t size, FoundDataset& found) {
    StoredVariable& stored = found.stored;
    const Id properties(h5_.H5Dget_create_plist(dataset.get()), "H5Dget_create_plist");
    stored.fill.resize(size);
    (void)h5_.H5Pget_fill_value(properties.get(), type, stored.fill.data());  // zeros if it is undefined
    Index shape = found.shape;  // without elements only along a dimension that grows
    for (std::int64_t& length : shape) length = std::max<std::int64_t>(length, 1);
    if (found.string_bytes > 0) shape.push_back(found.string_bytes);
    const std::int64_t element_bytes = bytes_of(found.form.type);
    switch (h5_.H5Pget_layout(properties.get())) {
      case H5D_COMPACT:
        stored.values.resize(static_cast<std::size_t>(whole(found.shape).items()) * size);
        require(h5_.H5Dread(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, stored.values.data()), "H5Dread");
        stored.chunk = shape;
        return;
      case H5D_CONTIGUOUS:
        if (h5_.H5Pget_external_count(properties.get()) > 0) found.left_out = "its elements are in other files";
        // If the file has a user block, the library returns an offset even for datasets without bytes.
        if (h5_.H5Dget_storage_size(dataset.get()) > 0)
          stored.begin = static_cast<std::int64_t>(h5_.H5Dget_offset(dataset.get()));
        else
          stored.chunk = default_chunk(shape, element_bytes);  // of fill values
        return;
      case H5D_CHUNKED: find_chunks(dataset, properties, found); return;
      default: found.left_out = "it is a virtual dataset"; return;
    }
  }

  // Returns the filters of a dataset; leaves the dataset out if Sill cannot reverse one of them.
  std::vector<Filter> filters_of(const Id& properties, FoundDataset& found) {
    constexpr H5Z_filter_t blosc = 32001;  // registered with The HDF Group
    std::vector<Filter> filters;
    const int count = require(h5_.H5Pget_nfilters(properties.get()), "H5Pget_nfilters");
    for (unsigned f = 0; f < static_cast<unsigned>(count); ++f) {
      char name[64] = "";
      unsigned flags = 0;
      unsigned configuration = 0;
      std::array<unsigned, 8> values{};
      std::size_t value_count = values.size();
      const auto filter = h5_.H5Pget_filter2(properties.get(), f, &flags, &value_count, values.data(), sizeof name,
                                             name, &configuration);
      if ((filter == H5Z_FILTER_DEFLATE || filter == zstd_filter) && value_count > 0)
        found.stored.level = static_cast<int>(values[0]);
      if (filter == H5Z_FILTER_DEFLATE) {
        filters.push_back({.kind = Filter::Kind::zlib});
      } else if (filter == zstd_filter) {
        filters.push_back({.kind = Filter::Kind::zstd});
      } else if (filter == blosc) {
        filters.push_back({.kind = Filter::Kind::blosc});
      } else if (filter == H5Z_FILTER_FLETCHER32) {
        filters.push_back({.kind = Filter::Kind::fletcher32});
      } else if (filter == H5Z_FILTER_SHUFFLE && value_count > 0 && values[0] > 0) {
        filters.push_back({.kind = Filter::Kind::shuffle, .element_bytes = values[0]});
      } else {
        found.left_out = fmt::format("its chunks have the filter {} ({}), which is not supported",
                                     static_cast<int>(filter), name[0] != '\0' ? name : "without a name");
      }
    }
    if (std::ranges::count_if(filters, compresses, &Filter::kind) > 1)
      found.left_out = "it is compressed more than once";
    return filters;
  }

  // Returns the number of chunks of a dataset; leaves the dataset out if there are too many.
  static std::optional<std::int64_t> chunks_of(FoundDataset& found) {
    std::int64_t chunks = 1;
    for (std::size_t d = 0; d < found.shape.size(); ++d) {
      const std::int64_t chunk = found.stored.chunk[d];
      const std::int64_t along = found.shape[d] / chunk + (found.shape[d] % chunk > 0 ? 1 : 0);
      if (__builtin_mul_overflow(chunks, along, &chunks) || chunks > max_chunks) {
        found.left_out = fmt::format("it has more than {} chunks", max_chunks);
        return std::nullopt;
      }
    }
    return chunks;
  }

  void find_chunks(const Id& dataset, const Id& properties, FoundDataset& found) {
    found.stored.filters = filters_of(properties, found);
    if (!found.left_out.empty()) return;
    if (has_user_block_) {  // versions of the library differ in whether they add it to the places of chunks
      found.left_out = "it is chunked, and the file has a user block";
      return;
    }
    // With this index, the library returns wrong chunks if a dimension before the growing one has several chunks.
    H5D_chunk_index_t index = H5D_CHUNK_IDX_BTREE;
    require(h5_.H5Dget_chunk_index_type(dataset.get(), &index), "H5Dget_chunk_index_type");
    if (index == H5D_CHUNK_IDX_EARRAY && !found.grows.front()) {
      found.left_out = "its chunks are in an extensible array, but its slowest dimension does not grow";
      return;
    }
    StoredVariable& stored = found.stored;
    std::vector<hsize_t> chunk(found.shape.size());
    require(h5_.H5Pget_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data()), "H5Pget_chunk");
    stored.chunk.assign(chunk.begin(), chunk.end());
    const std::optional<std::int64_t> chunks = chunks_of(found);
    if (!chunks) return;
    stored.chunk_begins.assign(static_cast<std::size_t>(*chunks), -1);
    stored.chunk_bytes.resize(stored.chunk_begins.size());
    stored.skipped.resize(stored.chunk_begins.size());
    std::vector<hsize_t> first(chunk.size());
    for (std::size_t c = 0; c < stored.chunk_begins.size(); ++c) {
      unsigned filters = 0;
      haddr_t place = HADDR_UNDEF;
      hsize_t bytes = 0;
      require(h5_.H5Dget_chunk_info_by_coord(dataset.get(), first.data(), &filters, &place, &bytes),
              "H5Dget_chunk_info_by_coord");
      if (place != HADDR_UNDEF) stored.chunk_begins[c] = static_cast<std::int64_t>(place);
      stored.chunk_bytes[c] = static_cast<std::int64_t>(bytes);
      stored.skipped[c] = static_cast<std::int64_t>(filters);
      for (std::size_t d = first.size(); d-- > 0;) {
        first[d] += chunk[d];
        if (static_cast<std::int64_t>(first[d]) < found.shape[d]) break;
        first[d] = 0;
      }
    }
    if (found.string_bytes > 0) stored.chunk.push_back(found.string_bytes);
    if (whole(stored.chunk).items() > max_stored_chunk_bytes / bytes_of(found.form.type))
      found.left_out = "its chunks are too large";
    if (stored.filters.empty()) stored.chunk_bytes.clear();
    if (std::ranges::all_of(stored.skipped, [](std::int64_t each) { return each == 0; })) stored.skipped.clear();
  }

  // Returns the name of a dimension of this length. A name that has another length gets it as an ending.
  std::string dimension(const std::string& name, std::int64_t length) {
    const auto [place, is_new] = lengths_.try_emplace(name, length);
    if (is_new) contents_.description.dimensions.push_back({name, length});
    if (place->second == length) return name;
    return dimension(fmt::format("{}_{}", name, length), length);
  }

  void name_dimensions() {
    std::vector<FoundDataset*> scales;
    for (FoundDataset& each : datasets_) {
      if (each.is_scale && !each.shape.empty()) scales.push_back(&each);
    }
    std::ranges::stable_sort(scales, {}, [](const FoundDataset* each) {
      return each->number.value_or(std::numeric_limits<std::int32_t>::max());
    });
    for (FoundDataset* each : scales) {
      by_reference_.emplace(each->self, each);
      if (each->number) by_number_.emplace(*each->number, each);
    }
    for (FoundDataset& each : datasets_) {
      for (std::size_t d = 0; d < each.shape.size(); ++d) {
        FoundDataset* const scale = scale_of(each, d);
        if (scale != nullptr) scale->longest = std::max(scale->longest, each.shape[d]);
      }
    }
    for (FoundDataset* each : scales)
      each->dimension = dimension(each->name.substr(each->name.rfind('/') + 1), each->longest);
    for (FoundDataset& each : datasets_) {
      FoundDataset* const scale = each.shape.empty() ? nullptr : scale_of(each, 0);
      if (scale != nullptr && each.grows[0]) extend(each, scale->longest);
    }
  }

  // In netCDF-4, a dimension that grows is as long as in the longest variable; the others have fill values there.
  static void extend(FoundDataset& dataset, std::int64_t length) {
    StoredVariable& stored = dataset.stored;
    if (dataset.shape[0] == length || stored.chunk.empty() || !dataset.left_out.empty()) return;
    dataset.shape[0] = length;
    const std::optional<std::int64_t> chunks = chunks_of(dataset);
    if (!chunks) return;
    stored.chunk_begins.resize(static_cast<std::size_t>(*chunks), -1);
    if (!stored.chunk_bytes.empty()) stored.chunk_bytes.resize(stored.chunk_begins.size());
    if (!stored.skipped.empty()) stored.skipped.resize(stored.chunk_begins.size());
  }

  // Returns the scale of a dimension; nullptr if it has none.
  [[nodiscard]] FoundDataset* scale_of(FoundDataset& dataset, std::size_t d) const {
    const auto found_in = [](const auto& scales, auto key) {
      const auto found = scales.find(key);
      return found == scales.end() ? nullptr : found->second;
    };
    if (dataset.is_scale && d == 0) return &dataset;
    FoundDataset* scale = nullptr;
    if (d < dataset.numbers.size()) scale = found_in(by_number_, dataset.numbers[d]);
    if (scale == nullptr && d < dataset.scales.size()) scale = found_in(by_reference_, dataset.scales[d]);
    return scale;
  }

  [[nodiscard]] std::string name_of_dimension(FoundDataset& dataset, std::size_t d) const {
    if (const FoundDataset* const scale = scale_of(dataset, d)) return scale->dimension;
    const bool has_label = d < dataset.labels.size() && !dataset.labels[d].empty();
    return has_label ? dataset.labels[d] : fmt::format("dim_{}", dataset.shape[d]);
  }

  void add_variable(FoundDataset& dataset) {
    if (is_count(dataset)) {
      count_ = &dataset;
      return;
    }
    if (dataset.is_dimension_only || !dataset.left_out.empty()) return;
    Variable variable{.name = dataset.name, .type = dataset.form.type, .attributes = std::move(dataset.attributes)};
    if (variable.name.starts_with(not_coordinate)) variable.name.erase(0, std::string_view(not_coordinate).size());
    Index shape = dataset.shape;
    if (dataset.string_bytes > 0) shape.push_back(dataset.string_bytes);
    DatasetDescription alone;
    std::vector<std::string> names;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const bool is_of_string = d == dataset.shape.size();
      names.push_back(is_of_string ? fmt::format("string_{}", shape[d]) : name_of_dimension(dataset, d));
      // A dimension without elements is possible only if it grows.
      const bool may_be_empty = d == 0 && !is_of_string && dataset.grows[d];
      alone.dimensions.push_back(
          {fmt::format("d{}", d), may_be_empty ? std::max<std::int64_t>(shape[d], 1) : shape[d]});
      variable.dimensions.push_back(alone.dimensions.back().name);
    }
    alone.variables = {variable};
    if (auto problem = problem_of(alone)) {
      dataset.left_out = std::move(*problem);
      return;
    }
    for (std::size_t d = 0; d < shape.size(); ++d) variable.dimensions[d] = dimension(names[d], shape[d]);
    for (std::size_t d = 0; d < dataset.shape.size(); ++d) {
      if (dataset.grows[d]) growing_.insert({variable.dimensions[d], d});
    }
    contents_.description.variables.push_back(std::move(variable));
    contents_.stored.variables.push_back(std::move(dataset.stored));
  }

  // Steps are counted by the dataset of Sill, or are the length of the one dimension that grows.
  void find_steps() {
    DatasetDescription& description = contents_.description;
    const auto is_first_everywhere = [&](const std::string& name) {
      return std::ranges::all_of(description.variables, [&](const Variable& each) {
        return std::ranges::find(each.dimensions.begin() + !each.dimensions.empty(), each.dimensions.end(), name) ==
               each.dimensions.end();
      });
    };
    const bool is_counted = count_ != nullptr && lengths_.contains(count_->steps_of);
    std::string name = is_counted ? count_->steps_of : "";
    if (count_ == nullptr && growing_.size() == 1 && growing_.begin()->second == 0) name = growing_.begin()->first;
    if (!name.empty() && is_first_everywhere(name)) {
      Dimension& steps = description.dimensions[description.dimension_named(name)];
      contents_.steps = steps.length;
      steps.length = unlimited;
    }
    require_lengths();
    const bool is_ours = std::ranges::all_of(contents_.stored.variables, [](const StoredVariable& each) {
      return each.order == ByteOrder::little && each.begin >= 0;
    });
    const std::int64_t room = contents_.steps;
    if (is_counted) {
      contents_.steps = complete_steps_;
      if (contents_.steps < 0 || contents_.steps > room)
        throw CallFailed{fmt::format("{} states {} of {} steps", count_name, contents_.steps, room)};
    }
    if (has_user_block_ || is_counted != description.has_steps() || !is_ours || !contents_.stored.left_out.empty())
      return;
    FileLayout& layout = contents_.stored.layout.emplace(FileLayout{.steps = room});
    if (is_counted) layout.count_begin = count_->stored.begin;
    for (const StoredVariable& each : contents_.stored.variables) layout.begins.push_back(each.begin);
  }

  // Takes the description of a file of VTKHDF that Sill wrote.
  void take_vtkhdf() {
    DatasetDescription& description = contents_.description;
    VtkHdf vtk;
    try {
      description = image::description_in(vtk_description_);
      vtk = vtkhdf_of(description, 1);
    } catch (const Error& error) {
      throw CallFailed{fmt::format("{}: {}", vtk_description_name, error.parts().problem)};
    }
    if (description.has_steps()) contents_.steps = vtk_steps_.empty() ? -1 : vtk_steps_.front();
    for (std::size_t v = 0; v < description.variables.size(); ++v) {
      const Variable& variable = description.variables[v];
      const std::string& name = vtk.stored.variables[vtk.places[v]].name;
      const auto found = std::ranges::find(datasets_, name, &FoundDataset::name);
      std::int64_t bytes = description.has_steps(variable) ? contents_.steps : 1;
      if (found == datasets_.end() || found->stored.begin < 0 || found->form.type != variable.type || bytes < 0 ||
          __builtin_mul_overflow(bytes, description.element_bytes(variable), &bytes) ||
          bytes > whole(found->shape).items() * bytes_of(variable.type)) {
        throw CallFailed{fmt::format("dataset {} differs from {}", name, vtk_description_name)};
      }
      contents_.stored.variables.push_back(std::move(found->stored));
    }
    contents_.stored.left_out.clear();
    contents_.is_vtkhdf = true;
  }

  // Removes dimensions that have no elements, and the variables along them.
  void require_lengths() {
    DatasetDescription& description = contents_.description;
    for (std::size_t v = description.variables.size(); v-- > 0;) {
      const Variable& variable = description.variables[v];
      if (std::ranges::none_of(variable.dimensions, [&](const std::string& each) {
            return description.dimensions[description.dimension_named(each)].length == 0;
          })) {
        continue;
      }
      leave_out(fmt::format("dataset {}: it has no elements", variable.name));
      description.variables.erase(description.variables.begin() + static_cast<std::ptrdiff_t>(v));
      contents_.stored.variables.erase(contents_.stored.variables.begin() + static_cast<std::ptrdiff_t>(v));
    }
    std::erase_if(description.dimensions, [](const Dimension& each) { return each.length == 0; });
  }

  const Library& h5_ = library();
  FileContents& contents_;
  bool has_user_block_ = false;
  std::int64_t complete_steps_ = 0;
  std::string vtk_description_;
  std::vector<std::int64_t> vtk_steps_;
  std::set<hobj_ref_t> groups_;
  std::vector<FoundDataset> datasets_;
  std::unordered_map<std::string, std::int64_t> lengths_;       // of dimensions
  std::unordered_map<hobj_ref_t, FoundDataset*> by_reference_;  // scales
  std::unordered_map<std::int32_t, FoundDataset*> by_number_;
  std::set<std::pair<std::string, std::size_t>> growing_;  // dimensions that grow, and their places in variables
  FoundDataset* count_ = nullptr;
  Id file_;
};

}  // namespace

FileContents read_file(const ReadBytes& read, std::int64_t file_bytes, const std::string& path) {
  const Use use;
  DriverFile file{.read = read, .file_bytes = file_bytes};
  FileContents contents;
  const auto refuse = [&](std::string problem) {
    throw Error({.code = ErrorCode::input,
                 .problem = std::move(problem),
                 .where = {.file = path},
                 .action = "get an intact copy of the file, or one for older versions of HDF5 (libver of h5py)"});
  };
  try {
    FileReader(file, contents).read();
  } catch (const CallFailed& failure) {
    if (file.error) std::rethrow_exception(file.error);
    refuse(fmt::format("HDF5 cannot read the file: {}", failure.what));
  }
  return contents;
}

}  // namespace sill::hdf5
#endif
