#include <fmt/format.h>

#include <algorithm>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/array/fill_value.hpp"
#include "sill/formats/zarr/zarr_array.hpp"
#include "sill/formats/zarr/zarr_json.hpp"

namespace sill::zarr {
namespace {

Index with_steps(const DatasetDescription& description, const Variable& variable, std::int64_t steps) {
  Index shape = description.shape_of(variable);
  if (description.has_steps(variable)) shape.insert(shape.begin(), steps);
  return shape;
}

// Returns the codecs of a chunk: little-endian bytes, then the compression.
Json chunk_codecs(const ArrayForm& form, int level) {
  Json codecs = Json::array({{{"name", "bytes"}, {"configuration", {{"endian", "little"}}}}});
  for (const Filter& each : form.filters) {
    if (each.kind == Filter::Kind::shuffle) {
      codecs.push_back({{"name", "numcodecs.shuffle"}, {"configuration", {{"elementsize", each.element_bytes}}}});
      continue;
    }
    const bool is_zstd = each.kind == Filter::Kind::zstd;
    codecs.push_back({{"name", is_zstd ? "zstd" : "gzip"}, {"configuration", {{"level", level}}}});
    if (is_zstd) codecs.back()["configuration"]["checksum"] = true;
  }
  return codecs;
}

Json array_json(const DatasetDescription& description, std::size_t v, const ArrayForm& form, std::int64_t steps) {
  const Variable& variable = description.variables[v];
  Json attributes = Json::object();
  for (const Attribute& each : variable.attributes) attributes[each.name] = attribute_json(each, variable);
  // The bytes of an element are no dimension in the metadata.
  const auto outer = [&](const auto& list) {
    return Json(std::vector(list.begin(), list.end() - (form.has_inner_bytes ? 1 : 0)));
  };
  Json fill = element_json(form.fill.data(), {form.type, form.order});
  if (!variable.zarr_type.empty())
    fill = form.has_inner_bytes ? Json(base64_text(std::vector<std::byte>(static_cast<std::size_t>(form.shape.back()))))
                                : Json(false);
  const Json little =
      Json::array({{{"name", "bytes"}, {"configuration", {{"endian", "little"}}}}, {{"name", "crc32c"}}});
  const Json sharding = {{"name", "sharding_indexed"},
                         {"configuration",
                          {{"chunk_shape", outer(form.chunk)},
                           {"codecs", chunk_codecs(form, form.level)},
                           {"index_codecs", little},
                           {"index_location", "end"}}}};
  return {{"zarr_format", 3},
          {"node_type", "array"},
          {"shape", outer(with_steps(description, variable, steps))},
          {"data_type", variable.zarr_type.empty() ? Json(type_name(variable.type)) : Json::parse(variable.zarr_type)},
          {"chunk_grid", {{"name", "regular"}, {"configuration", {{"chunk_shape", outer(form.shard)}}}}},
          {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", "/"}}}}},
          {"fill_value", fill},
          {"codecs", form.is_sharded ? Json::array({sharding}) : chunk_codecs(form, form.level)},
          {"attributes", attributes},
          {"dimension_names", outer(variable.dimensions)}};
}

}  // namespace

std::vector<ArrayForm> new_forms(const DatasetDescription& description, const NewForm& wanted) {
  std::vector<ArrayForm> forms;
  if (std::ranges::find(description.attributes, dimensions_attribute, &Attribute::name) !=
      description.attributes.end()) {
    throw Error(
        {.code = ErrorCode::usage,
         .problem = fmt::format("the name of attribute {} is reserved: Sill stores the dimensions of a group of "
                                "Zarr in it",
                                dimensions_attribute),
         .action = "give the attribute another name, or write another container"});
  }
  for (const Variable& variable : description.variables) {
    if (variable.type == ElementType::text) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("variable {} is text, which Zarr does not have", variable.name),
                   .action = "write it as an attribute or as u1, or write netCDF"});
    }
    constexpr std::size_t max_name_bytes = 255;  // of a folder
    if (variable.name == "zarr.json" || variable.name.size() > max_name_bytes) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("no folder of an array can have the name {}", echoed(variable.name, 40)),
                   .action = "give the variable another name than zarr.json, of at most 255 bytes"});
    }
    const Index shape = description.shape_of(variable);
    Index limited = limited_shape(shape, wanted.max_shards, variable.name);  // the shards do not exceed it
    const ChunkCodec codec = wanted.codecs.of(variable.name);
    ArrayForm form{.type = variable.type, .level = codec.level, .is_sharded = true};
    const bool is_limited = wanted.max_shards.contains(variable.name);
    form.chunk = new_chunk(limited, bytes_of(variable.type), wanted.chunk, is_limited);
    form.has_inner_bytes = !variable.zarr_type.empty() && variable.type == ElementType::u1;
    form.is_sharded = !form.has_inner_bytes;  // zarr-python cannot read shards of such elements
    if (form.has_inner_bytes) {
      form.chunk = default_chunk(Index(limited.begin(), limited.end() - 1), shape.back(), wanted.chunk && is_limited);
      form.chunk.push_back(shape.back());
      limited = form.chunk;
    }
    // Whole slices of chunks, as many as fit.
    Index counts = ChunkGrid(limited, form.chunk, bytes_of(form.type)).counts();
    const std::int64_t chunk_bytes = whole(form.chunk).items() * bytes_of(form.type);
    for (std::size_t d = 0; d < counts.size(); ++d) {
      const std::int64_t others = whole(counts).items() / counts[d] * chunk_bytes;
      counts[d] = std::clamp<std::int64_t>(max_shard_bytes / others, 1, counts[d]);
      if (counts[d] > 1) break;
    }
    for (std::size_t d = 0; d < counts.size(); ++d) form.shard.push_back(counts[d] * form.chunk[d]);
    form.shape = shape;
    if (description.has_steps(variable)) {
      form.shape.insert(form.shape.begin(), 1);
      form.shard.insert(form.shard.begin(), 1);
      form.chunk.insert(form.chunk.begin(), 1);
    }
    form.filters = codec.filters(form.type, Filter::Kind::gzip);
    if (variable.zarr_type.empty()) form.fill = fill_element(variable, {form.type, form.order});
    forms.push_back(std::move(form));
  }
  return forms;
}

std::string array_text(const DatasetDescription& description, std::size_t variable, const ArrayForm& form,
                       std::int64_t steps) {
  return text_of(array_json(description, variable, form, steps));
}

std::string group_text(const DatasetDescription& description, std::span<const ArrayForm> forms, std::int64_t steps) {
  Json attributes = Json::object();
  for (const Attribute& each : description.attributes) attributes[each.name] = attribute_json(each, {});
  for (const Dimension& each : description.dimensions)
    attributes[dimensions_attribute][each.name] = each.length == unlimited ? Json("unlimited") : Json(each.length);
  Json arrays = Json::object();
  for (std::size_t v = 0; v < forms.size(); ++v)
    arrays[description.variables[v].name] = array_json(description, v, forms[v], steps);
  return text_of({{"zarr_format", 3},
                  {"node_type", "group"},
                  {"attributes", attributes},
                  {"consolidated_metadata", {{"kind", "inline"}, {"must_understand", false}, {"metadata", arrays}}}});
}

}  // namespace sill::zarr
