#include "sill/survey/arrays/survey_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/formats/array/fill_value.hpp"
#include "sill/formats/segy/text/text_header.hpp"

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
std::optional<ElementType> element_type_of(segy::WordType type) {
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

// Adds the words that are not 0 in all traces.
void add_words(const SurveyReader& reader, const HeaderPass& pass, std::set<std::string> taken, SurveyLayout& layout) {
  for (const segy::MapWord& word : reader.words().all()) {
    const std::optional<ElementType> type = element_type_of(word.type);
    const auto begin = pass.is_used.begin() + word.byte - 1;
    if (!type || word.byte - 1 + word.type.bytes > std::ssize(pass.is_used)) continue;
    if (std::none_of(begin, begin + word.type.bytes, [](bool is_used) { return is_used; })) continue;
    std::string name = word.names.front();
    if (taken.contains(name)) name += "_word";
    if (!taken.insert(name).second || name.find('/') != std::string::npos) continue;
    layout.variables.push_back({Kind::word, name, *type, 0, word.byte, word.type});
    std::vector<Attribute> attributes{{"byte", std::int32_t{word.byte}}, {"type", segy::name_of(word.type)}};
    if (!word.text.empty()) attributes.emplace_back("long_name", word.text);
    const bool is_unit = !word.unit.empty() && word.scalar.empty() && word.unit.find(' ') == std::string::npos;
    if (is_unit) attributes.emplace_back("units", word.unit);
    layout.description.variables.push_back({name, *type, {}, std::move(attributes)});
  }
}

std::string text_of_header(const SurveyReader& reader, std::span<const std::byte> file_header) {
  const segy::FileDescription& file = reader.files().front();
  std::string text;
  if (std::ssize(file_header) < file.label_bytes + segy::file_header_bytes) return text;
  const auto block = file_header.subspan(static_cast<std::size_t>(file.label_bytes)).first<segy::text_header_bytes>();
  for (std::string line : segy::decode_text_header(block, file.text_encoding)) {
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

// Adds the axis of the samples.
void add_axis(const SurveyReader& reader, const HeaderPass& pass, SurveyLayout& layout) {
  const segy::FileDescription& file = reader.files().front();
  const bool is_depth = file.domain == segy::Domain::depth;
  std::vector<Attribute> attributes;
  double first = 0.0;
  double step = 1.0;
  if (file.interval_us > 0.0 && pass.start_us) {
    layout.axis_name = is_depth ? "depth" : "twt";
    first = *pass.start_us / (is_depth ? 1e3 : 1e6);
    step = file.interval_us / (is_depth ? 1e3 : 1e6);
    attributes = is_depth ? std::vector<Attribute>{{"standard_name", "depth"}}
                          : std::vector<Attribute>{{"long_name", "two-way travel time"}, {"units", "s"}};
    if (is_depth && file.measurement_system == 1) attributes.emplace_back("units", "m");
    if (is_depth && file.measurement_system == 2) attributes.emplace_back("units", "ft");
    attributes.emplace_back("positive", "down");
    attributes.emplace_back("axis", "Z");
  } else {
    layout.axis_name = "sample";
    attributes = {{"long_name", file.interval_us > 0.0 ? "sample, from 0: traces begin at different times (delrt)"
                                                       : "sample, from 0: no sample interval is stated"}};
  }
  for (std::int64_t i = 0; i < file.samples; ++i) layout.axis.push_back(first + step * static_cast<double>(i));
  layout.description.dimensions.push_back({layout.axis_name, file.samples});
  layout.description.variables.push_back({layout.axis_name, ElementType::f8, {layout.axis_name}, attributes});
}

bool is_whole(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) {
    return value == std::trunc(value) && std::abs(value) <= double{std::numeric_limits<std::int32_t>::max()};
  });
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
  for (const std::string& word : segy::words_of_sample_formats(2)) {
    if (segy::sample_format_from_word(word) == format) return word;
  }
  return "fixed";  // code 4, which is never written
}

std::int64_t SurveyLayout::cell_bytes() const {
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

SurveyLayout layout_of_survey(const Resources& resources, const SurveyReader& reader, const TraceGrid& grid,
                              const HeaderPass& pass) {
  const segy::FileDescription& file = reader.files().front();
  return run_and_agree(resources.comm, [&] {
    if (!file.wrapping.empty() || file.remainder_bytes != 0) {
      refuse_survey(reader, "the file has bytes that belong neither to its headers nor to complete traces",
                    "make an intact file of it first: sill repair");
    }
    SurveyLayout layout;
    layout.shape = grid.shape;
    layout.file_header = reader.file_header(0);
    layout.file_trailer = reader.file_trailer(0);
    layout.file_trailer.resize(layout.file_trailer.size() + static_cast<std::size_t>(file.padding_bytes));
    DatasetDescription& description = layout.description;
    add_dimensions(grid, layout);
    add_axis(reader, pass, layout);
    std::set<std::string> taken{"samples", "trace", "trace_mask", "trace_headers", "file_header", "file_trailer"};
    for (const Dimension& each : description.dimensions) {
      if (taken.contains(each.name) && each.name != "trace")
        refuse_survey(reader, fmt::format("{} cannot be the name of a dimension", each.name), "choose another name");
      taken.insert(each.name);
    }
    const std::size_t first = description.variables.size();
    const ElementType of_samples = element_type_of(file.sample_format);
    Variable samples{"samples", of_samples, {}, {{"long_name", "samples"}}};
    if (of_samples == ElementType::f4)
      samples.attributes.emplace_back("_FillValue", std::numeric_limits<float>::quiet_NaN());
    if (of_samples == ElementType::f8)
      samples.attributes.emplace_back("_FillValue", std::numeric_limits<double>::quiet_NaN());
    layout.variables = {{Kind::samples, "samples", of_samples, file.samples},
                        {Kind::trace, "trace", ElementType::i8},
                        {Kind::mask, "trace_mask", ElementType::i1},
                        {Kind::headers, "trace_headers", ElementType::u1, file.header_bytes()}};
    description.variables.insert(
        description.variables.end(),
        {samples,
         {"trace", ElementType::i8, {}, {{"long_name", "number of the trace in the file, from 0; -1: no trace"}}},
         {"trace_mask", ElementType::i1, {}, {{"long_name", "1: a trace; 0: no trace"}}},
         {"trace_headers", ElementType::u1, {}, {{"long_name", "bytes of the trace headers"}}}});
    add_words(reader, pass, taken, layout);
    description.dimensions.push_back({"header_byte", file.header_bytes()});
    for (std::size_t v = 0; v < layout.variables.size(); ++v) {
      std::vector<std::string>& dimensions = description.variables[first + v].dimensions;
      for (const TraceDimension& each : grid.dimensions) dimensions.push_back(each.name);
      if (layout.variables[v].kind == Kind::samples) dimensions.push_back(layout.axis_name);
      if (layout.variables[v].kind == Kind::headers) dimensions.push_back("header_byte");
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
                              {"sample_format", word_of(file.sample_format)},
                              {"byte_order", name_of(file.byte_order)},
                              {"text_header", text_of_header(reader, layout.file_header)}};
    return layout;
  });
}

}  // namespace sill
