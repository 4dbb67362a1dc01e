#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/zarr/zarr_array.hpp"
#include "sill/formats/zarr/zarr_json.hpp"

namespace sill::zarr {
namespace {

void require(bool is_valid, const std::string& reason) {
  if (!is_valid) throw Unread{reason};
}

// The metadata of an array, of version 3 or 2.
struct FoundArray {
  ArrayForm form = {};
  std::vector<std::string> dimensions = {};
  Json attributes = {};
  bool is_version_3 = true;
  std::string zarr_type = {};
};

Index index_in(const Json& json, const char* what, std::int64_t min = 1) {
  require(json.is_array(), fmt::format("its {} is not a list", what));
  Index index;
  for (const Json& each : json) {
    require(each.is_number_integer() && each.get<std::int64_t>() >= min && each.get<std::int64_t>() < farthest_index,
            fmt::format("its {} contains {}", what, each.dump()));
    index.push_back(each.get<std::int64_t>());
  }
  require(index.size() <= 16, "it has more than 16 dimensions");
  return index;
}

Filter::Kind compression_named(const std::string& name) {
  if (name == "gzip") return Filter::Kind::gzip;
  if (name == "zlib" || name == "numcodecs.zlib") return Filter::Kind::zlib;
  if (name == "zstd" || name == "numcodecs.zstd") return Filter::Kind::zstd;
  if (name == "blosc" || name == "numcodecs.blosc") return Filter::Kind::blosc;
  if (name == "crc32c") return Filter::Kind::crc32c;
  if (name == "shuffle" || name == "numcodecs.shuffle") return Filter::Kind::shuffle;
  throw Unread{fmt::format("codec {} is not supported", name)};
}

void add_filter(const Json& codec, const std::string& name, ArrayForm& form) {
  Filter filter{.kind = compression_named(name)};
  if (filter.kind == Filter::Kind::shuffle) {
    const Json& parameters = codec.contains("configuration") ? codec["configuration"] : codec;
    filter.element_bytes = parameters.value("elementsize", std::int64_t{4});
    require(filter.element_bytes >= 1 && filter.element_bytes <= 255, "codec shuffle has an impossible element size");
  }
  const Json& of_codec = codec.contains("configuration") ? codec["configuration"] : codec;
  if (compresses(filter.kind) && of_codec.contains("level") && of_codec["level"].is_number_integer())
    form.level = of_codec["level"].get<int>();
  form.filters.push_back(filter);
}

std::string codec_name(const Json& codec) {
  return codec.is_string() ? codec.get<std::string>() : codec.at("name").get<std::string>();
}

// Codecs of chunks: bytes, and compression.
void take_codecs(const Json& codecs, ArrayForm& form) {
  bool has_bytes = false;
  for (const Json& codec : codecs) {
    const std::string name = codec_name(codec);
    if (name == "bytes") {
      has_bytes = true;
      const Json parameters = codec.is_object() ? codec.value("configuration", Json::object()) : Json::object();
      form.order = parameters.value("endian", "little") == "big" ? ByteOrder::big : ByteOrder::little;
    } else if (name == "transpose" && !has_bytes) {
      const Json order = codec.at("configuration").at("order");
      std::int64_t next = 0;
      for (const Json& each : order) require(each == next++, "codec transpose is not supported");
    } else {
      require(has_bytes, fmt::format("codec {} is not supported", name));
      add_filter(codec, name, form);
    }
  }
  require(has_bytes, "it has no codec bytes");
}

void take_sharding(const Json& codec, ArrayForm& form) {
  const Json& parameters = codec.at("configuration");
  form.is_sharded = true;
  form.chunk = index_in(parameters.at("chunk_shape"), "chunk shape");
  require(form.chunk.size() == form.shard.size(), "its chunks and shards differ in dimensions");
  for (std::size_t d = 0; d < form.chunk.size(); ++d)
    require(form.shard[d] % form.chunk[d] == 0, "its shards do not contain complete chunks");
  take_codecs(parameters.at("codecs"), form);
  form.has_index_checksum = false;
  for (const Json& each : parameters.at("index_codecs")) {
    const std::string name = codec_name(each);
    require(name == "bytes" || name == "crc32c", fmt::format("codec {} of an index is not supported", name));
    form.has_index_checksum = form.has_index_checksum || name == "crc32c";
    if (name == "bytes" && each.is_object())
      require(each.value("configuration", Json::object()).value("endian", "little") == "little",
              "the index of its shards is big-endian");
  }
  form.is_index_first = parameters.value("index_location", "end") == "start";
}

// Refuses metadata with unknown members that a reader must understand. Source: Zarr core specification 3, "Extensions".
void require_known(const Json& json) {
  constexpr std::array<std::string_view, 11> known{
      "zarr_format", "node_type", "shape",      "data_type",       "chunk_grid",          "chunk_key_encoding",
      "fill_value",  "codecs",    "attributes", "dimension_names", "storage_transformers"};
  for (const auto& [key, value] : json.items()) {
    const bool may_be_ignored = value.is_object() && !value.value("must_understand", true);
    require(may_be_ignored || std::ranges::find(known, key) != known.end(),
            fmt::format("its metadata has the unknown member {}", key));
  }
}

FoundArray array_of_version_3(const Json& json) {
  require_known(json);
  FoundArray found{.attributes = json.value("attributes", Json::object())};
  ArrayForm& form = found.form;
  const Json& type = json.at("data_type");
  const std::int64_t inner_bytes = type == "bool" ? 0 : bytes_of_type(type);
  if (type == "bool" || inner_bytes > 0) {
    found.zarr_type = type.dump();
    form.has_inner_bytes = inner_bytes > 0;
    form.type = inner_bytes > 0 ? ElementType::u1 : ElementType::i1;
  } else {
    form.type = type_named(type);
  }
  form.shape = index_in(json.at("shape"), "shape", 0);
  require(json.at("chunk_grid").at("name") == "regular", "its chunks are not regular");
  form.chunk = form.shard = index_in(json.at("chunk_grid").at("configuration").at("chunk_shape"), "chunk shape");
  const Json& key = json.at("chunk_key_encoding");
  const bool is_default = key.at("name") == "default";
  require(is_default || key.at("name") == "v2", "its names of chunks are not supported");
  const std::string separator = key.value("configuration", Json::object()).value("separator", is_default ? "/" : ".");
  require(separator == "/" || separator == ".", "its names of chunks are not supported");
  form.separator = separator[0];
  form.prefix = is_default ? fmt::format("c{}", separator) : "";
  require(json.value("storage_transformers", Json::array()).empty(), "it has storage transformers");
  const Json& codecs = json.at("codecs");
  if (codecs.size() == 1 && codec_name(codecs[0]) == "sharding_indexed") {
    take_sharding(codecs[0], form);
  } else {
    take_codecs(codecs, form);
  }
  if (found.zarr_type.empty()) take_element(json.at("fill_value"), {form.type, form.order}, form.fill.data());
  if (type == "bool" && json.at("fill_value") == true) form.fill[0] = std::byte{1};
  if (form.has_inner_bytes) {
    require(form.order == ByteOrder::little, "its elements are big-endian");
    for (Index* const each : {&form.shape, &form.chunk, &form.shard}) each->push_back(inner_bytes);
  }
  const Json names = json.value("dimension_names", Json());
  for (std::size_t d = 0; names.is_array() && d < names.size(); ++d)
    found.dimensions.push_back(names[d].is_string() ? names[d].get<std::string>() : "");
  return found;
}

FoundArray array_of_version_2(const Json& json, Json attributes) {
  FoundArray found{.attributes = std::move(attributes), .is_version_3 = false};
  ArrayForm& form = found.form;
  std::tie(form.type, form.order) = type_of_version_2(json.at("dtype"));
  form.shape = index_in(json.at("shape"), "shape");
  form.chunk = form.shard = index_in(json.at("chunks"), "chunk shape");
  require(json.at("order") == "C" || form.shape.size() < 2, "its elements are in Fortran order");
  form.separator = json.value("dimension_separator", ".") == "/" ? '/' : '.';
  form.prefix = "";
  const Json filters = json.value("filters", Json());
  for (std::size_t f = 0; filters.is_array() && f < filters.size(); ++f)
    add_filter(filters[f], filters[f].at("id").get<std::string>(), form);
  const Json compressor = json.value("compressor", Json());
  if (compressor.is_object()) add_filter(compressor, compressor.at("id").get<std::string>(), form);
  if (const Json& fill = json.at("fill_value"); !fill.is_null()) {
    take_element(fill, {form.type, form.order}, form.fill.data());
    // In version 2, xarray stores the attribute as the fill value.
    if (!found.attributes.contains("_FillValue")) found.attributes["_FillValue"] = fill;
  }
  const Json names = found.attributes.value("_ARRAY_DIMENSIONS", Json());
  for (std::size_t d = 0; names.is_array() && d < names.size(); ++d)
    found.dimensions.push_back(names[d].is_string() ? names[d].get<std::string>() : "");
  found.attributes.erase("_ARRAY_DIMENSIONS");
  return found;
}

std::string length_text(std::int64_t length) { return length == unlimited ? "unlimited" : fmt::to_string(length); }

// Returns true if a variable has the dimension.
bool is_used(const DatasetDescription& description, const std::string& name) {
  return std::ranges::any_of(description.variables, [&](const Variable& each) {
    return std::ranges::find(each.dimensions, name) != each.dimensions.end();
  });
}

// Adds a variable to the dataset.
void add_array(FoundArray found, const std::string& folder, const std::string& unlimited_name, Dataset& dataset) {
  ArrayForm& form = found.form;
  const std::size_t dimensions = form.shape.size();
  require(form.chunk.size() == dimensions, "its chunks and shape differ in dimensions");
  require(is_countable(whole(form.shape), bytes_of(form.type)) && is_countable(whole(form.shard), bytes_of(form.type)),
          "it is too large");
  constexpr std::int64_t max_chunks_of_shard = std::int64_t{1} << 26U;
  const ChunkGrid chunks = form.chunks();
  require(is_countable(whole(form.chunk), bytes_of(form.type)) &&
              is_countable(whole(chunks.counts()), chunks.chunk_bytes()),
          "it is too large");
  require(
      is_countable(whole(form.chunks_of_shard().counts()), 1) && form.chunks_of_shard().chunks() <= max_chunks_of_shard,
      "its shards have too many chunks");
  require(chunks.chunk_bytes() <= max_stored_chunk_bytes, "its chunks are too large");
  const auto compressions = std::ranges::count_if(form.filters, compresses, &Filter::kind);
  require(compressions <= 1, "it is compressed more than once");
  Variable variable{
      .name = folder.substr(0, folder.size() - 1), .type = form.type, .zarr_type = std::move(found.zarr_type)};
  found.dimensions.resize(dimensions);
  DatasetDescription alone;
  std::unordered_map<std::string, std::int64_t> lengths;
  for (std::size_t d = 0; d < dimensions; ++d) {
    std::string name = found.dimensions[d];
    if (name.empty()) name = fmt::format("dimension_{}", form.shape[d]);
    const std::int64_t length = std::max<std::int64_t>(form.shape[d], 1);  // without elements until the first step
    variable.dimensions.push_back(name_for_length(std::move(name), length, alone.dimensions, lengths));
  }
  for (const auto& [name, value] : found.attributes.items())
    variable.attributes.push_back(attribute_of(name, value, variable.type));
  alone.variables = {variable};
  try {
    require_possible(alone);
  } catch (const Error& error) {
    throw Unread{error.parts().problem};
  }
  DatasetDescription& description = dataset.description;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const std::string& name = variable.dimensions[d];
    const bool counts_steps = name == unlimited_name && d == 0;
    const std::int64_t length = counts_steps ? unlimited : form.shape[d];
    require(counts_steps || length > 0, "a dimension has the length 0");
    const auto known = std::ranges::find(description.dimensions, name, &Dimension::name);
    if (known == description.dimensions.end()) {
      description.dimensions.push_back({name, length});
    } else if (known->length != unlimited && !is_used(description, name)) {
      known->length = length;  // other programs copy the attribute when they select elements
    } else {
      require(known->length == length, fmt::format("dimension {} has length {} and elsewhere {}", name,
                                                   length_text(length), length_text(known->length)));
    }
    if (counts_steps && dataset.steps != farthest_index && form.shape[d] != dataset.steps) {
      dataset.unread.push_back(
          fmt::format("steps from {} on, which not all variables have", std::min(dataset.steps, form.shape[d])));
    }
    if (counts_steps) dataset.steps = std::min(dataset.steps, form.shape[d]);
  }
  description.variables.push_back(std::move(variable));
  dataset.forms.push_back(std::move(form));
  dataset.folders.push_back(folder);
}

// Returns true if an array has the dimension, but not as the first one: other programs copy the attribute of the group
// when they transpose arrays, so that the dimension no longer counts steps. `attributes` are those of version 2.
bool is_inner_dimension(const std::string& name, std::span<const std::pair<std::string, Json>> arrays,
                        const std::map<std::string, Json>& attributes) {
  return std::ranges::any_of(arrays, [&](const auto& each) {
    const auto of_array = attributes.find(each.first);
    const bool is_version_2 = of_array != attributes.end() && of_array->second.is_object();
    const Json names = is_version_2 ? of_array->second.value("_ARRAY_DIMENSIONS", Json())
                                    : each.second.value("dimension_names", Json());
    return names.is_array() && names.size() > 1 && std::find(names.begin() + 1, names.end(), name) != names.end();
  });
}

// Errors: Unread if the file states another kind than an array or a group.
bool is_metadata_of_array(const MetadataFile& file, const Json& json) {
  if (file.name != "zarr.json") return file.name == ".zarray";
  const Json type = json.value("node_type", Json());
  require(type == "array" || type == "group", fmt::format("its node_type is {}", echoed(type.dump())));
  return type == "array";
}

// Returns true if the metadata are those of a group with arrays or groups in `folder`.
bool has_members(std::span<const MetadataFile> files, const std::string& folder) {
  return std::ranges::any_of(
      files, [&](const MetadataFile& each) { return each.folder != folder && each.folder.starts_with(folder); });
}

// The metadata of a group, or of one array.
struct Metadata {
  std::vector<std::pair<std::string, Json>> arrays = {};  // by folder
  std::map<std::string, Json> attributes = {};            // of version 2, by folder
  Json of_group = Json::object();                         // attributes
};

// Returns the metadata; `unread` names what is left out. Errors: Json::exception for metadata of an unexpected form.
Metadata metadata_in(std::span<const MetadataFile> files, const std::string& path, std::vector<std::string>& unread) {
  Metadata found;
  for (const MetadataFile& file : files) {
    const std::string of_file = path + "/" + file.folder + file.name;
    const Json json = json_of(file.text, of_file);
    const std::string child = file.folder.substr(0, std::max<std::size_t>(1, file.folder.size()) - 1);
    try {
      if (is_metadata_of_array(file, json)) {
        found.arrays.emplace_back(file.folder, json);
      } else if (file.name == ".zattrs") {
        found.attributes[file.folder] = json;
      } else if (file.folder.empty() && file.name == "zarr.json") {
        found.of_group = json.value("attributes", Json::object());
      } else if (!file.folder.empty() && !has_members(files, file.folder)) {
        unread.push_back(fmt::format("group {}: its arrays; open it by its own path", child));
      }
    } catch (const Unread& error) {
      if (file.folder.empty()) refuse_metadata(of_file, error.reason);
      unread.push_back(fmt::format("array {}: {}", child, error.reason));
    }
  }
  const bool is_array = std::ranges::count(found.arrays, "", &std::pair<std::string, Json>::first) > 0;
  if (found.attributes.contains("") && !is_array) found.of_group = found.attributes[""];
  return found;
}

// Errors: Json::exception for metadata of an unexpected form.
Dataset parsed(std::span<const MetadataFile> files, const std::string& name, const std::string& path) {
  Dataset dataset{.steps = farthest_index};
  if (!files.empty()) dataset.metadata_file = files.front().folder + files.front().name;
  auto [arrays, attributes, of_group] = metadata_in(files, path, dataset.unread);
  std::string unlimited_name;
  const Json dimensions = of_group.is_object() ? of_group.value(dimensions_attribute, Json::object()) : Json::object();
  for (const auto& [key, length] : dimensions.items()) {
    if (length == "unlimited" && is_inner_dimension(key, arrays, attributes)) continue;
    if (length == "unlimited") unlimited_name = key;
    dataset.description.dimensions.push_back({key, length == "unlimited" ? unlimited : length.get<std::int64_t>()});
  }
  for (const auto& [folder, json] : arrays) {
    const std::string of_variable = folder.empty() ? name + "/" : folder;
    try {
      require(std::ranges::count(of_variable, '/') == 1, "it is in a group inside the group");
      const bool is_version_3 = json.value("zarr_format", 0) == 3;
      require(is_version_3 || json.value("zarr_format", 0) == 2, "its version of Zarr is unknown");
      add_array(is_version_3
                    ? array_of_version_3(json)
                    : array_of_version_2(json, attributes.contains(folder) ? attributes[folder] : Json::object()),
                of_variable, unlimited_name, dataset);
      dataset.folders.back() = folder;
    } catch (const Unread& unread) {
      dataset.unread.push_back(
          fmt::format("array {}: {}", of_variable.substr(0, of_variable.size() - 1), unread.reason));
    } catch (const Json::exception& error) {
      refuse_metadata(path + "/" + folder, error.what());
    }
  }
  for (const auto& [key, value] : of_group.items()) {
    if (key != dimensions_attribute)
      dataset.description.attributes.push_back(attribute_of(key, value, ElementType::text));
  }
  if (!dataset.description.has_steps()) dataset.steps = 0;
  require_possible(dataset.description);
  return dataset;
}

}  // namespace

Dataset parse(std::span<const MetadataFile> files, const std::string& name, const std::string& path) {
  try {
    return parsed(files, name, path);
  } catch (const Json::exception& error) {
    refuse_metadata(path, error.what());
  } catch (const Error& error) {
    if (!error.parts().where.file.empty()) throw;
    refuse_metadata(path, error.parts().problem);  // a name or an attribute that no dataset has
  }
}

bool is_array(const MetadataFile& file, const std::string& path) {
  const Json json = json_of(file.text, path + "/" + file.folder + file.name);
  try {
    return is_metadata_of_array(file, json);
  } catch (const Unread& unread) {
    refuse_metadata(path + "/" + file.folder + file.name, unread.reason);
  }
}

std::optional<std::vector<MetadataFile>> consolidated(const MetadataFile& file, const std::string& path) {
  const Json json = json_of(file.text, path + "/" + file.name);
  std::vector<MetadataFile> files;
  if (file.name == ".zmetadata") {
    if (!json.contains("metadata") || !json["metadata"].is_object()) return std::nullopt;
    for (const auto& [key, value] : json["metadata"].items()) {
      const std::size_t slash = key.rfind('/');
      const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
      files.push_back({key.substr(0, name), key.substr(name), value.dump()});
    }
    return files;
  }
  const Json arrays = json.value("/consolidated_metadata/metadata"_json_pointer, Json());
  if (!arrays.is_object()) return std::nullopt;
  files.push_back(file);
  for (const auto& [key, value] : arrays.items()) files.push_back({key + "/", file.name, value.dump()});
  return files;
}

}  // namespace sill::zarr
