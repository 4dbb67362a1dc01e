#include "sill/survey/arrays/survey_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "sill/base/crc32.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/text/text_header.hpp"
#include "sill/formats/segy/words/words.hpp"
#include "sill/survey/arrays/stored_checks.hpp"

namespace sill {
namespace {

using Kind = CellVariable::Kind;

[[noreturn]] void refuse_survey(const SurveyReader& reader, std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage,
               .problem = std::move(problem),
               .where = {.file = reader.paths().front()},
               .action = std::move(action)});
}

// Returns the type of the elements of a word; nullopt for text.
std::optional<ElementType> element_type_of_word(segy::WordType type) {
  using enum segy::WordKind;
  const bool is_signed = type.kind == signed_integer;
  switch (type.kind) {
    case signed_integer:
    case unsigned_integer:
      if (type.bytes == 1) return is_signed ? ElementType::i1 : ElementType::u1;
      if (type.bytes == 2) return is_signed ? ElementType::i2 : ElementType::u2;
      if (type.bytes <= 4) return is_signed ? ElementType::i4 : ElementType::u4;
      return is_signed ? ElementType::i8 : ElementType::u8;
    case ieee: return type.bytes == 4 ? ElementType::f4 : ElementType::f8;
    case ibm: return ElementType::f8;
    case text: break;
  }
  return std::nullopt;
}

// Returns true for a word in the headers that is not 0 in all traces.
bool is_in_use(const HeaderPass& pass, const segy::MapWord& word) {
  if (word.byte - 1 + word.type.bytes > std::ssize(pass.is_used)) return false;
  const auto begin = pass.is_used.begin() + word.byte - 1;
  return std::any_of(begin, begin + word.type.bytes, [](bool is_used) { return is_used; });
}

// Adds the words that are not 0 in all traces (to MDIO none), and returns the attribute with the positions of all.
Attribute add_words(const SurveyReader& reader, const HeaderPass& pass, std::set<std::string> taken, bool mdio,
                    SurveyLayout& layout) {
  WordPlaces places;
  for (const segy::MapWord& word : reader.words().all()) {
    if (word.byte - 1 + word.type.bytes > reader.files().front().header_bytes()) continue;
    std::string name = word.names.front();
    if (taken.contains(name)) name += "_word";
    if (!taken.insert(name).second || name.find('/') != std::string::npos) continue;
    places[name] = {word.byte, word.type};
    const std::optional<ElementType> type = element_type_of_word(word.type);
    if (mdio || !type || !is_in_use(pass, word)) continue;
    layout.variables.push_back({Kind::word, name, *type, 0, word.byte, word.type});
    std::vector<Attribute> attributes{{"byte", std::int32_t{word.byte}}, {"type", segy::name_of(word.type)}};
    if (!word.text.empty()) attributes.emplace_back("long_name", word.text);
    const bool is_unit = !word.unit.empty() && word.scalar.empty() && word.unit.find(' ') == std::string::npos;
    if (is_unit) attributes.emplace_back("units", word.unit);
    layout.description.variables.push_back({name, *type, {}, std::move(attributes)});
  }
  return attribute_of_words(places);
}

// Returns the lines of the text header, each with an end.
std::string text_of_header(const SurveyReader& reader, std::span<const std::byte> file_header, bool is_trimmed) {
  const segy::FileDescription& file = reader.files().front();
  std::string text;
  if (std::ssize(file_header) < file.label_bytes + segy::file_header_bytes) return text;
  const auto block = file_header.subspan(static_cast<std::size_t>(file.label_bytes)).first<segy::text_header_bytes>();
  for (std::string line : segy::decode_text_header(block, file.text_encoding)) {
    if (is_trimmed) line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

bool is_whole(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) {
    return value == std::trunc(value) && std::abs(value) <= double{std::numeric_limits<std::int32_t>::max()};
  });
}

Attribute json_attribute(std::string name, const nlohmann::ordered_json& value) {
  Attribute attribute(std::move(name), value.dump());
  attribute.is_json = true;
  return attribute;
}

Attribute unit_of_mdio(const char* kind, const std::string& unit) { return json_attribute("unitsV1", {{kind, unit}}); }

// Returns the unit of the coordinates if MDIO has a name for it and the sampled headers agree (bytes 89-90: 1 length, 3
// decimal degrees; if they are 0 in all traces, a length).
std::optional<Attribute> unit_of_coordinates(const segy::FileDescription& file, const HeaderPass& pass) {
  if (file.coordinate_unit == 3) return unit_of_mdio("angle", "deg");
  const bool is_length = file.coordinate_unit == 1 || !(pass.is_used[88] || pass.is_used[89]);
  if (is_length && file.measurement_system == 1) return unit_of_mdio("length", "m");
  if (is_length && file.measurement_system == 2) return unit_of_mdio("length", "ft");
  return std::nullopt;
}

// Adds what only MDIO has: coordinates, headers as a structured type, the file header as attributes.
void add_mdio(const SurveyReader& reader, const HeaderPass& pass, SurveyLayout& layout) {
  const std::vector<MdioField> fields = mdio_fields();
  layout.variables.push_back({Kind::fields, "headers", ElementType::u1, bytes_of_fields(fields)});
  layout.description.variables.push_back({"headers", ElementType::u1, {}, {}, zarr_type_of_fields(fields)});
  const segy::FileDescription& file = reader.files().front();
  std::string coordinates;
  for (const auto& [kind, name, word] : {std::tuple{Kind::x, "cdp_x", "cdpx"}, std::tuple{Kind::y, "cdp_y", "cdpy"}}) {
    const segy::MapWord* const found = reader.words().find(word);
    const segy::WordRef standard = word_of_coordinate(kind);
    if (found == nullptr || found->byte != standard.byte || found->type != standard.type ||
        found->scaling != standard.scaling || reader.words().word(word).twin_byte != 0 ||
        std::ranges::count(layout.description.dimensions, name, &Dimension::name) > 0 || !is_in_use(pass, *found))
      continue;
    layout.variables.push_back({kind, name, ElementType::f8});
    Variable variable{name, ElementType::f8, {}, {{"_FillValue", std::numeric_limits<double>::quiet_NaN()}}};
    if (std::optional<Attribute> unit = unit_of_coordinates(file, pass))
      variable.attributes.push_back(*std::move(unit));
    layout.description.variables.push_back(variable);
    coordinates += (coordinates.empty() ? "" : " ") + std::string(name);
  }
  if (!coordinates.empty()) {
    for (Variable& each : layout.description.variables) {
      if (each.name == "amplitude" || each.name == "headers" || each.name == "trace_mask")
        each.attributes.emplace_back("coordinates", coordinates);
    }
  }
}

// Adds the checksums of what the way back does not write: coordinates of dimensions, and the texts of attributes.
void add_checksums(const TraceGrid& grid, SurveyLayout& layout) {
  std::vector<Attribute> checksums;
  const auto add = [&](const std::string& name, std::span<const std::byte> bytes) {
    checksums.emplace_back(std::string(checksum_prefix) + name, checksum_of(bytes));
  };
  add(layout.axis_name, std::as_bytes(std::span(layout.axis)));
  for (const TraceDimension& each : grid.dimensions) {
    if (!each.values.empty()) add(each.name, std::as_bytes(std::span(each.values)));
  }
  DatasetDescription& description = layout.description;
  for (const Attribute& each : description.attributes) {
    if (each.name == "text_header") add(each.name, each.values);
  }
  for (const Variable& variable : description.variables) {
    for (const Attribute& each : variable.attributes) {
      if (variable.name == "segy_file_header") add(each.name, each.values);
    }
  }
  description.attributes.insert(description.attributes.end(), checksums.begin(), checksums.end());
}

// Returns the variable whose attributes are the file header.
Variable mdio_file_header(const SurveyReader& reader, const SurveyLayout& layout) {
  const segy::FileDescription& file = reader.files().front();
  std::string text = text_of_header(reader, layout.file_header, false);
  text.pop_back();
  const std::byte* const words = layout.file_header.data() + file.label_bytes + segy::text_header_bytes;
  nlohmann::ordered_json binary = nlohmann::ordered_json::object();
  for (const segy::Word* const word : segy::binary_words_in(segy::Revision::rev1)) {
    const segy::WordValue value = segy::read_word(words, word->byte - 3200, word->type, file.byte_order);
    binary[std::string(word->standard)] = static_cast<std::int64_t>(value.as_double());
  }
  return {"segy_file_header", ElementType::i1, {}, {{"textHeader", text}, json_attribute("binaryHeader", binary)}};
}

// Adds the axis of the samples: in seconds, or for MDIO in milliseconds.
void add_axis(const SurveyReader& reader, const HeaderPass& pass, bool mdio, SurveyLayout& layout) {
  const segy::FileDescription& file = reader.files().front();
  const bool is_depth = file.domain == segy::Domain::depth;
  const double per_unit = is_depth || mdio ? 1e3 : 1e6;
  std::vector<Attribute> attributes;
  double first = 0.0;
  double step = 1.0;
  if (file.interval_us > 0.0 && pass.start_us) {
    layout.axis_name = is_depth ? "depth" : mdio ? "time" : "twt";
    first = *pass.start_us / per_unit;
    step = file.interval_us / per_unit;
    const char* const length = file.measurement_system == 1 ? "m" : file.measurement_system == 2 ? "ft" : "";
    const std::string unit = !is_depth ? (mdio ? "ms" : "s") : length;
    attributes.emplace_back("long_name", is_depth ? "depth" : "two-way travel time");
    if (is_depth) attributes.emplace_back("standard_name", "depth");
    // xarray would read times with `units` as durations.
    if (!unit.empty() && !mdio) attributes.emplace_back("units", unit);
    if (!unit.empty() && mdio) attributes.push_back(unit_of_mdio(is_depth ? "length" : "time", unit));
    attributes.emplace_back("positive", "down");
    attributes.emplace_back("axis", "Z");
  } else {
    layout.axis_name = "sample";
    attributes = {{"long_name", file.interval_us > 0.0 ? "sample, from 0: traces begin at different times (delrt)"
                                                       : "sample, from 0: no sample interval is stated"}};
  }
  for (std::int64_t i = 0; i < file.samples; ++i) layout.axis.push_back(first + step * static_cast<double>(i));
  layout.description.dimensions.push_back({layout.axis_name, file.samples});
  layout.description.variables.push_back({layout.axis_name,
                                          mdio && is_whole(layout.axis) ? ElementType::i4 : ElementType::f8,
                                          {layout.axis_name},
                                          attributes});
}

// Adds the dimensions of the traces and their coordinates.
void add_dimensions(const TraceGrid& grid, SurveyLayout& layout) {
  for (std::size_t d = 0; d < grid.shape.size(); ++d) {
    const TraceDimension& dimension = grid.dimensions[d];
    layout.description.dimensions.push_back({dimension.name, grid.shape[d]});
    if (dimension.expression.empty()) continue;  // the variable `trace`
    layout.description.variables.push_back({dimension.name,
                                            is_whole(dimension.values) ? ElementType::i4 : ElementType::f8,
                                            {dimension.name},
                                            {{"long_name", dimension.name}, {"expression", dimension.expression}}});
  }
}

void add_bytes(const std::string& name, const std::string& text, std::size_t bytes, DatasetDescription& description) {
  if (bytes == 0) return;
  description.dimensions.push_back({name + "_byte", static_cast<std::int64_t>(bytes)});
  description.variables.push_back({name, ElementType::u1, {name + "_byte"}, {{"long_name", text}}});
}

}  // namespace

ElementType element_type_of(segy::SampleFormat format) {
  using enum segy::SampleFormat;
  switch (format) {
    case ieee_double: return ElementType::f8;
    case int8: return ElementType::i1;
    case int16: return ElementType::i2;
    case int24:
    case int32: return ElementType::i4;
    case int64: return ElementType::i8;
    case uint8: return ElementType::u1;
    case uint16: return ElementType::u2;
    case uint24:
    case uint32: return ElementType::u4;
    case uint64: return ElementType::u8;
    default: return ElementType::f4;
  }
}

segy::SampleFormat memory_format_of(segy::SampleFormat format) {
  using enum segy::SampleFormat;
  if (format == int24) return int32;
  if (format == uint24) return uint32;
  return element_type_of(format) == ElementType::f4 ? ieee_float : format;
}

std::string word_of(segy::SampleFormat format) {
  for (const std::string& word : segy::sample_format_names(2)) {
    if (segy::sample_format_from_name(word) == format) return word;
  }
  return "fixed";  // code 4, which is never written
}

std::int64_t SurveyArrays::cell_bytes() const {
  std::int64_t bytes = 0;
  for (const CellVariable& each : variables) bytes += each.bytes();
  return bytes;
}

ArrayPart part_of_cells(const CellVariable& variable, const Box& cells, std::byte* first) {
  ArrayPart part;
  part.variable = variable.name;
  part.box = cells;
  if (variable.elements > 0) {
    part.box.first.push_back(0);
    part.box.count.push_back(variable.elements);
  }
  part.type = variable.type;
  part.first = first;
  part.strides = row_major_strides(part.box.count, 1);
  return part;
}

std::vector<MdioField> mdio_fields() {
  std::vector<MdioField> fields;
  for (const segy::Word& word : segy::trace_words()) {
    // MDIO has the words of revision 1 in bytes 219-224.
    if (word.byte == 219) {
      fields.push_back({"source_energy_dir_mantissa", 219, {segy::WordKind::signed_integer, 4}});
      fields.push_back({"source_energy_dir_exponent", 223, {segy::WordKind::signed_integer, 2}});
    }
    if (word.byte > 232 || (word.byte >= 219 && word.byte < 225)) continue;
    fields.push_back({std::string(word.standard), word.byte, {segy::WordKind::signed_integer, word.type.bytes}});
  }
  return fields;
}

std::int64_t bytes_of_fields(const std::vector<MdioField>& fields) {
  std::int64_t bytes = 0;
  for (const MdioField& each : fields) bytes += each.type.bytes;
  return bytes;
}

std::string zarr_type_of_fields(const std::vector<MdioField>& fields) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const MdioField& each : fields) list.push_back({each.name, each.type.bytes == 2 ? "int16" : "int32"});
  return nlohmann::ordered_json{{"name", "structured"}, {"configuration", {{"fields", list}}}}.dump();
}

std::string checksum_of(std::span<const std::byte> bytes) { return fmt::format("{:x}", crc32_of(bytes)); }

SurveyLayout layout_of_survey(const Resources& resources, const SurveyReader& reader, const TraceGrid& grid,
                              const HeaderPass& pass, bool mdio) {
  const segy::FileDescription& file = reader.files().front();
  return run_and_agree(resources.comm, [&] {
    if (!file.wrapping.empty() || file.is_joined || file.remainder_bytes != 0) {
      refuse_survey(reader, "the file has bytes that belong neither to its headers nor to complete traces",
                    "make an intact file of it first: sill repair");
    }
    SurveyLayout layout;
    layout.shape = grid.shape;
    layout.file_header = reader.file_header(0);
    layout.file_trailer = reader.file_trailer(0);
    layout.file_trailer.resize(layout.file_trailer.size() + static_cast<std::size_t>(file.padding_bytes));
    if (mdio && file.kind != segy::FileKind::segy)
      refuse_survey(reader, "MDIO has no form of Seismic Unix files", "write .zarr");
    DatasetDescription& description = layout.description;
    add_dimensions(grid, layout);
    add_axis(reader, pass, mdio, layout);
    const std::string samples_name = mdio ? "amplitude" : "samples";
    const std::string headers_name = mdio ? "raw_headers" : "trace_headers";
    std::set<std::string> taken{samples_name,  headers_name,   "trace",   "trace_mask",
                                "file_header", "file_trailer", "headers", "segy_file_header"};
    for (const Dimension& each : description.dimensions) {
      if (taken.contains(each.name) && each.name != "trace")
        refuse_survey(reader, fmt::format("{} cannot be the name of a dimension", each.name), "choose another name");
      taken.insert(each.name);
    }
    const std::size_t first = description.variables.size();
    const ElementType of_samples = element_type_of(file.sample_format);
    Variable samples{samples_name, of_samples, {}, {{"long_name", "samples"}}};
    if (of_samples == ElementType::f4)
      samples.attributes.emplace_back("_FillValue", std::numeric_limits<float>::quiet_NaN());
    if (of_samples == ElementType::f8)
      samples.attributes.emplace_back("_FillValue", std::numeric_limits<double>::quiet_NaN());
    layout.variables = {{Kind::samples, samples_name, of_samples, file.samples},
                        {Kind::trace, "trace", ElementType::i8},
                        {Kind::mask, "trace_mask", ElementType::i1},
                        {Kind::headers, headers_name, ElementType::u1, file.header_bytes()}};
    const std::string raw_type =
        fmt::format(R"({{"name": "raw_bytes", "configuration": {{"length_bytes": {}}}}})", file.header_bytes());
    description.variables.insert(
        description.variables.end(),
        {samples,
         {"trace", ElementType::i8, {}, {{"long_name", "number of the trace in the file, from 0; -1: no trace"}}},
         {"trace_mask", ElementType::i1, {}, {{"long_name", "1: a trace; 0: no trace"}}, mdio ? "\"bool\"" : ""},
         {headers_name, ElementType::u1, {}, {{"long_name", "bytes of the trace headers"}}, mdio ? raw_type : ""}});
    if (mdio) {
      add_mdio(reader, pass, layout);
      taken.insert({"cdp_x", "cdp_y"});
    }
    const Attribute words = add_words(reader, pass, taken, mdio, layout);
    description.dimensions.push_back({"header_byte", file.header_bytes()});
    for (std::size_t v = 0; v < layout.variables.size(); ++v) {
      const CellVariable& variable = layout.variables[v];
      std::vector<std::string>& dimensions = description.variables[first + v].dimensions;
      for (const TraceDimension& each : grid.dimensions) dimensions.push_back(each.name);
      if (variable.kind == Kind::samples) dimensions.push_back(layout.axis_name);
      if (variable.kind == Kind::headers) dimensions.push_back("header_byte");
      if (variable.kind != Kind::fields) continue;
      dimensions.emplace_back("field_byte");
      description.dimensions.push_back({"field_byte", variable.elements});
    }
    add_bytes("file_header", "bytes before the first trace", layout.file_header.size(), description);
    add_bytes("file_trailer", "bytes after the last trace", layout.file_trailer.size(), description);
    description.variables.push_back(
        {"inexact_samples", ElementType::i8, {}, {{"long_name", "samples that do not come back bit for bit"}}});
    description.attributes = {{"Conventions", "CF-1.11"},
                              {"source", file.path.substr(file.path.rfind('/') + 1)},
                              {"sill_survey", survey_layout_version},
                              {"kind", segy::name_of(file.kind)},
                              {"traces", reader.traces()},
                              {"samples_per_trace", std::int64_t{file.samples}},
                              {"sample_format", word_of(file.sample_format)},
                              {"byte_order", name_of(file.byte_order)}};
    if (mdio) {
      description.variables.push_back(mdio_file_header(reader, layout));
      description.attributes.emplace_back("apiVersion", "1.1.3");
      description.attributes.emplace_back("name", grid.dimensions.front().name);
      description.attributes.push_back(json_attribute("attributes", {{"defaultVariableName", "amplitude"}}));
    } else {
      description.attributes.emplace_back("text_header", text_of_header(reader, layout.file_header, true));
    }
    description.attributes.push_back(words);
    if (file.kind == segy::FileKind::segy)
      description.attributes.push_back(
          attribute_of_sizes(layout.file_header, static_cast<std::size_t>(file.label_bytes)));
    add_checksums(grid, layout);
    return layout;
  });
}

}  // namespace sill
