#include "sections.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
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

view::SectionRequest request_for(const Numbers& numbers, std::int64_t stride, const std::string& condition,
                                 const std::string& gather, const std::string& name, const std::string& clip) {
  view::SectionRequest request;
  for (std::size_t i = 0; i < numbers.size(); i += static_cast<std::size_t>(stride))
    request.traces.numbers.push_back(numbers.data()[i]);
  request.traces.selected = static_cast<std::int64_t>(numbers.size());
  request.traces.stride = stride;
  request.traces.condition = condition;
  request.traces.gather_word = gather;
  request.name = name;
  request.clip = view::parse_clip(clip);
  return request;
}

void require_samples(const Survey& survey) {
  survey.require_unchanged();
  survey.require_sample_format();
}

// Returns the traces as a PNG that `sill view` draws.
nb::bytes picture_of(const Survey& survey, const Numbers& numbers, const std::string& condition,
                     const std::string& gather, const std::string& name, int width, int height) {
  view::SectionRequest request = request_for(numbers, 1, condition, gather, name, "98%");
  view::PictureStyle style;
  style.page.width = width;
  style.page.height = height;
  request.max_rows = view::layout_of(style, view::top_rows_of(request.top, false)).height;
  std::string png;
  without_gil([&] {
    require_samples(survey);
    if (const auto doubt = survey.reader().sample_format_finding(0)) request.format_doubt = doubt->problem;
    view::SectionReader reader(survey.reader(), nullptr, request);
    view::SectionDrawing(reader, style).write(draw::PictureForm::png, [&](std::string_view bytes) { png += bytes; });
  });
  return nb::bytes(png.data(), png.size());
}

// Returns the rows of all traces. Rows outside the samples of a trace are NaN; the section has 0 there.
std::vector<float> cells_of(const view::Section& section) {
  std::vector<float> cells = section.panels.front().cells;
  auto row = cells.begin();
  for (const view::SectionTrace& trace : section.traces) {
    constexpr float none = std::numeric_limits<float>::quiet_NaN();
    std::fill_n(row, trace.first_row, none);
    std::fill(row + trace.first_row + trace.row_count, row + section.rows, none);
    row += section.rows;
  }
  return cells;
}

// The traces, samples and amplitudes of `sill view`.
nb::dict section_of(const Survey& survey, const Numbers& numbers, std::int64_t stride, const std::string& condition,
                    const std::string& gather, const std::string& name, const std::string& time,
                    const std::string& clip, const std::string& gain, const std::string& top, std::int64_t rows,
                    const std::string& colors) {
  view::SectionRequest request = request_for(numbers, stride, condition, gather, name, clip);
  request.top = top;
  request.max_rows = rows;
  view::parse_gain(gain, request);
  if (!time.empty()) request.window = segy::parse_time_window(time);
  view::PictureStyle style;
  style.colours = draw::ColourMap::parse(colors);
  std::optional<view::SectionReader> reader;
  std::optional<view::SectionDrawing> drawing;
  without_gil([&] {
    require_samples(survey);
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
  nb::dict result;
  result["cells"] = array_of<float>(cells_of(section), {section.traces.size(), static_cast<std::size_t>(section.rows)});
  result["title"] = path_str(drawing->frame().title);
  result["axis"] = axis.name;
  result["first"] = axis.first;
  result["step"] = axis.step;
  result["samples_per_row"] = section.samples_per_row;
  result["words"] = words;
  result["clip"] = section.clip;
  result["lowest"] = view::lowest_colored(section, style);
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
  module.def("picture_of", &picture_of);
  module.def("colors", &colors);
}

}  // namespace sill::python
