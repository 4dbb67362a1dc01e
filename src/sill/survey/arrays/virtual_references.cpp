#include "sill/survey/arrays/virtual_references.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/formats/array/element_conversion.hpp"
#include "sill/formats/zarr/zarr_json.hpp"
#include "sill/io/files/whole_text_file.hpp"
#include "sill/io/survey/same_file.hpp"
#include "sill/survey/arrays/survey_layout.hpp"
#include "sill/survey/arrays/survey_to_arrays.hpp"

namespace sill {
namespace {

using zarr::Json;

[[noreturn]] void refuse_references(const std::string& file, std::string problem, std::string action) {
  throw Error(
      {.code = ErrorCode::usage, .problem = std::move(problem), .where = {.file = file}, .action = std::move(action)});
}

// Returns the type of the samples in Zarr. Errors: usage if Zarr has none.
std::string type_of_samples(const segy::FileDescription& file) {
  const ElementType type = element_type_of(file.sample_format);
  const bool is_as_stored = memory_format_of(file.sample_format) == file.sample_format;
  if (!is_as_stored || file.byte_order == ByteOrder::pairwise) {
    refuse_references(file.path,
                      fmt::format("Zarr cannot read the samples in the file itself: they are {}, {}-endian",
                                  name_of(file.sample_format), name_of(file.byte_order)),
                      "convert them first: sill convert --sample-format ieee, or to arrays: sill convert -o NAME.zarr");
  }
  return zarr::type_of_version_2(type, file.byte_order);
}

bool is_real(const segy::FileDescription& file) {
  const ElementType type = element_type_of(file.sample_format);
  return type == ElementType::f4 || type == ElementType::f8;
}

// Errors: usage if positions without a trace, which are zeros in the references of integers, would make them too large.
void require_few_zeros(const segy::FileDescription& file, std::int64_t holes) {
  constexpr double max_bytes = 256.0 * (1 << 20);
  const double trace_bytes = 4.0 / 3.0 * static_cast<double>(file.samples * segy::bytes_of(file.sample_format));
  const double bytes = static_cast<double>(holes) * trace_bytes;
  if (is_real(file) || bytes <= max_bytes) return;
  refuse_references(file.path,
                    fmt::format("{} positions have no trace, and their zeros would be {:.0f} MB in the references",
                                holes, bytes / 1e6),
                    "give --dimensions trace, or convert to arrays: sill convert -o NAME.zarr");
}

std::string array_text(const Index& shape, const Index& chunks, const std::string& type, const Json& fill) {
  return Json{{"zarr_format", 2},   {"shape", shape},        {"chunks", chunks},
              {"dtype", type},      {"fill_value", fill},    {"order", "C"},
              {"filters", nullptr}, {"compressor", nullptr}, {"dimension_separator", "."}}
      .dump();
}

std::string attributes_text(const Variable& variable) {
  Json attributes = {{"_ARRAY_DIMENSIONS", variable.dimensions}};
  for (const Attribute& each : variable.attributes) {
    if (each.name != "_FillValue") attributes[each.name] = zarr::attribute_json(each, variable);
  }
  return attributes.dump();
}

// The values of a coordinate, in the references.
void add_coordinate(const Variable& variable, const std::vector<double>& values, Json& references) {
  std::vector<std::byte> bytes(values.size() * static_cast<std::size_t>(bytes_of(variable.type)));
  convert_elements(reinterpret_cast<const std::byte*>(values.data()), {8, {ElementType::f8}}, bytes.data(),
                   {bytes_of(variable.type), {variable.type, ByteOrder::little}}, std::ssize(values));
  const Index shape{std::ssize(values)};
  references[variable.name + "/.zarray"] =
      array_text(shape, shape, zarr::type_of_version_2(variable.type, ByteOrder::little), nullptr);
  references[variable.name + "/.zattrs"] = attributes_text(variable);
  references[variable.name + "/0"] = "base64:" + zarr::base64_text(bytes);
}

// Returns the text of the references. `path` is the path or URL of the file, as other programs find it.
std::string references_text(const SurveyReader& reader, const TraceGrid& grid, const SurveyLayout& layout,
                            const std::string& path) {
  const segy::FileDescription& file = reader.files().front();
  const DatasetDescription& description = layout.description;
  Json references = Json::object();
  references[".zgroup"] = Json{{"zarr_format", 2}}.dump();
  Json attributes = Json::object();
  for (const Attribute& each : description.attributes) {
    if (each.name.find("sill_") == std::string::npos) attributes[each.name] = zarr::attribute_json(each, {});
  }
  references[".zattrs"] = attributes.dump();
  for (const TraceDimension& each : grid.dimensions) {
    if (!each.values.empty())
      add_coordinate(description.variables[description.variable_named(each.name)], each.values, references);
  }
  add_coordinate(description.variables[description.variable_named(layout.axis_name)], layout.axis, references);
  const Variable& samples = description.variables[description.variable_named("samples")];
  Index shape = grid.shape;
  Index chunks(shape.size(), 1);
  shape.push_back(file.samples);
  chunks.push_back(file.samples);
  const bool has_fill = is_real(file);
  references["samples/.zarray"] = array_text(shape, chunks, type_of_samples(file), has_fill ? Json("NaN") : Json());
  references["samples/.zattrs"] = attributes_text(samples);
  // One line per trace; a JSON of all would need much more memory. Readers render a template that contains {{.
  const bool is_template = path.find("{{") == std::string::npos;
  const std::string url = Json(is_template ? "{{u}}" : path).dump();
  Json all = {{"version", 1}};
  if (is_template) all["templates"] = {{"u", path}};
  all["refs"] = std::move(references);
  std::string text = all.dump();
  text.resize(text.size() - 2);
  const std::int64_t bytes = file.samples * segy::bytes_of(file.sample_format);
  const std::string zeros = "base64:" + zarr::base64_text(std::vector<std::byte>(static_cast<std::size_t>(bytes)));
  const std::int64_t positions = whole(grid.shape).items();
  const Index strides = row_major_strides(grid.shape, 1);
  for (std::int64_t position = 0; position < positions; ++position) {
    const std::int64_t trace = grid.trace_at(position);
    if (trace < 0 && has_fill) continue;  // has the fill value
    text += ",\n\"samples/";
    for (std::size_t d = 0; d < grid.shape.size(); ++d)
      text += fmt::format("{}.", position / strides[d] % grid.shape[d]);
    if (trace < 0) {
      text += fmt::format("0\":\"{}\"", zeros);  // xarray would read all samples that are a fill value as NaN
      continue;
    }
    const std::int64_t begin = reader.table(0).bytes_of(ItemRange{trace, 1}).offset + file.header_bytes();
    text += fmt::format("0\":[{},{},{}]", url, begin, bytes);
  }
  return text + "}}\n";
}

}  // namespace

ReferencesResult write_references(const Resources& resources, const SurveyReader& reader, const std::string& dimensions,
                                  const std::string& output) {
  constexpr std::int64_t max_traces = 20'000'000;  // readers hold all references in memory
  Communicator& comm = resources.comm;
  require_other_file(resources, output, with_kept_beside(reader.paths()));
  require_array_of_traces(resources, reader);
  const std::string& given = reader.paths().front();
  run_and_agree(comm, [&] {
    (void)type_of_samples(reader.files().front());
    if (reader.traces() > max_traces) {
      refuse_references(
          given, fmt::format("the references of {} traces would be too large for their readers", reader.traces()),
          "convert to arrays: sill convert -o NAME.zarr");
    }
  });
  reader.require_sample_format();
  ReferencesResult result{.traces = reader.traces()};
  HeaderPass pass;
  const TraceGrid grid = find_trace_grid(resources, reader, dimensions, pass, result.notes);
  result.holes = grid.holes;
  run_and_agree(comm, [&] { require_few_zeros(reader.files().front(), grid.holes); });
  const SurveyLayout layout = layout_of_survey(resources, reader, grid, pass, false);
  reader.require_unchanged(comm);
  run_on_rank(comm, 0, [&] {
    const bool is_url = given.find("://") != std::string::npos;
    const std::string path = is_url ? given : std::filesystem::absolute(given).string();
    WholeTextFile(resources, output).finish_with(references_text(reader, grid, layout, path));
  });
  for (std::size_t d = 0; d < grid.shape.size(); ++d)
    result.dimensions.push_back(fmt::format("{} {}", grid.dimensions[d].name, grid.shape[d]));
  result.dimensions.push_back(fmt::format("{} {}", layout.axis_name, layout.axis.size()));
  return result;
}

}  // namespace sill
