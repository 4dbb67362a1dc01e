#include "sections.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "errors.hpp"
#include "process.hpp"
#include "sill/view/section_drawing.hpp"
#include "survey.hpp"

namespace nb = nanobind;

namespace sill::python {
namespace {

// The traces, samples and amplitudes of `sill view`.
nb::dict section_of(const Survey& survey, const Numbers& numbers, std::int64_t stride, const std::string& condition,
                    const std::string& gather, const std::string& name, const std::string& time,
                    const std::string& clip, const std::string& gain, const std::string& top, std::int64_t rows) {
  view::SectionRequest request;
  for (std::size_t i = 0; i < numbers.size(); i += static_cast<std::size_t>(stride))
    request.traces.numbers.push_back(numbers.data()[i]);
  request.traces.selected = static_cast<std::int64_t>(numbers.size());
  request.traces.stride = stride;
  request.traces.condition = condition;
  request.traces.gather_word = gather;
  request.name = name;
  request.top = top;
  request.clip = view::parse_clip(clip);
  request.max_rows = rows;
  view::parse_gain(gain, request);
  if (!time.empty()) request.window = segy::parse_time_window(time);
  const view::PictureStyle style;
  std::optional<view::SectionReader> reader;
  std::optional<view::SectionDrawing> drawing;
  without_gil([&] {
    survey.require_unchanged();
    survey.require_sample_format();
    reader.emplace(survey.reader(), nullptr, request);
    drawing.emplace(*reader, style);
  });
  const view::Section& section = reader->section();
  const view::SampleAxis axis = view::sample_axis_of(section);
  nb::list words;
  for (std::size_t word = 0; word < section.top_words; ++word) {
    nb::list values;
    for (const view::SectionTrace& trace : section.traces) values.append(path_str(trace.values[word]));
    words.append(nb::make_tuple(path_str(drawing->frame().rows[word].name), values));
  }
  std::vector<float> cells = section.panels.front().cells;
  nb::dict result;
  result["cells"] = array_of<float>(std::move(cells), {section.traces.size(), static_cast<std::size_t>(section.rows)});
  result["title"] = path_str(drawing->frame().title);
  result["axis"] = axis.name;
  result["first"] = axis.first;
  result["step"] = axis.step;
  result["samples_per_row"] = section.samples_per_row;
  result["words"] = words;
  result["clip"] = section.clip;
  result["amplitude"] = drawing->frame().bar ? drawing->frame().bar->name : std::string("amplitude");
  return result;
}

// Returns the colors of a map from the lowest to the highest amplitude, as (red, green, blue) from 0 to 255.
Array<std::uint8_t> colors(const std::string& name) {
  constexpr int count = 511;
  const draw::ColourMap map = draw::ColourMap::parse(name);
  std::vector<std::uint8_t> values;
  for (int i = 0; i < count; ++i) {
    const draw::Colour colour = map.at(i / (count - 1.0));
    values.insert(values.end(), {colour.red, colour.green, colour.blue});
  }
  return array_of<std::uint8_t>(std::move(values), {count, 3});
}

}  // namespace

void add_sections(nb::module_& module) {
  module.def("section_of", &section_of);
  module.def("colors", &colors);
}

}  // namespace sill::python
