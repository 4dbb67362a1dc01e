// The extension module sill._sill, on which the package sill (bindings/python/sill) stands.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "errors.hpp"
#include "process.hpp"
#include "sill/survey/select/scan.hpp"
#include "survey.hpp"

namespace nb = nanobind;

namespace sill::python {
namespace {

using Numbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Samples = nb::ndarray<nb::c_contig, nb::device::cpu>;

// Returns an array that owns `values`.
template <class Element, class Value>
nb::object array_of(std::vector<Value>&& values, std::initializer_list<std::size_t> shape) {
  auto* held = new std::vector<Value>(std::move(values));
  const nb::capsule owner(held, [](void* memory) noexcept { delete static_cast<std::vector<Value>*>(memory); });
  return nb::cast(nb::ndarray<nb::numpy, Element>(reinterpret_cast<Element*>(held->data()), shape, owner));
}

// Returns a column as an array; as a list if it has texts.
nb::object object_of(Column&& column) {
  return std::visit(
      [](auto&& values) -> nb::object {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        const std::size_t size = values.size();
        if constexpr (std::is_same_v<Value, std::string>) {
          nb::list texts;
          for (const std::string& text : values) texts.append(path_object(text));
          return texts;
        } else if constexpr (std::is_same_v<Value, std::uint8_t>) {
          return array_of<bool>(std::move(values), {size});
        } else {
          return array_of<Value>(std::move(values), {size});
        }
      },
      std::move(column));
}

// Runs `work` while other threads of Python run.
template <class Work>
auto without_gil(const Work& work) {
  const nb::gil_scoped_release others_run;
  return work();
}

segy::SampleFormat format_of(const Samples& samples) {
  const nb::dlpack::dtype type = samples.dtype();
  const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
  if (code == nb::dlpack::dtype_code::Float && type.bits == 32) return segy::SampleFormat::ieee_float;
  if (code == nb::dlpack::dtype_code::Float && type.bits == 64) return segy::SampleFormat::ieee_double;
  if (code == nb::dlpack::dtype_code::Int && type.bits == 8) return segy::SampleFormat::int8;
  if (code == nb::dlpack::dtype_code::Int && type.bits == 16) return segy::SampleFormat::int16;
  if (code == nb::dlpack::dtype_code::Int && type.bits == 32) return segy::SampleFormat::int32;
  if (code == nb::dlpack::dtype_code::Int && type.bits == 64) return segy::SampleFormat::int64;
  throw nb::type_error("samples are read as float32, float64, int8, int16, int32 or int64");
}

Traces traces_of(const Numbers& numbers) { return std::span(numbers.data(), numbers.size()); }

void read_samples(const Survey& survey, const Traces& traces, const Samples& into) {
  const segy::SampleFormat format = format_of(into);
  const std::span bytes(static_cast<std::byte*>(into.data()), into.nbytes());
  without_gil([&] { survey.read_samples(traces, format, bytes); });
}

nb::object read_headers(const Survey& survey, const Traces& traces) {
  std::vector<std::byte> headers = without_gil([&] { return survey.read_headers(traces); });
  const std::size_t count = headers.size() / segy::trace_header_bytes;
  return array_of<std::uint8_t>(std::move(headers), {count, segy::trace_header_bytes});
}

nb::list read_columns(const Survey& survey, const Traces& traces, const std::vector<std::string>& names) {
  std::vector<Column> columns = without_gil([&] {
    std::vector<segy::Expression> expressions;
    for (const std::string& name : names) expressions.push_back(survey.expression(name));
    return survey.read_columns(traces, expressions);
  });
  nb::list list;
  for (Column& column : columns) list.append(object_of(std::move(column)));
  return list;
}

// Returns the truth of a condition for each trace.
nb::object read_condition(const Survey& survey, const Traces& traces, const std::string& text) {
  std::vector<Column> columns = without_gil([&] {
    const segy::Expression condition = survey.condition(text);
    return survey.read_columns(traces, {&condition, 1});
  });
  return object_of(std::move(columns.front()));
}

nb::bytes bytes_of(const std::vector<std::byte>& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

nb::list names_of_words(const Survey& survey) {
  nb::list names;
  for (const segy::TraceKey& word : all_words(survey.reader().words())) names.append(word.text());
  return names;
}

}  // namespace
}  // namespace sill::python

NB_MODULE(_sill, module) {
  using namespace sill;
  using namespace sill::python;
  using sill::python::Survey;
  translate_errors();
  add_commands(module);
  module.attr("__version__") = SILL_VERSION;
  module.def("require_memory", &require_memory);
  module.def("free_memory", &free_memory_bytes);

  nb::class_<SurveyGathers>(module, "Gathers")
      .def("__len__", [](const SurveyGathers& gathers) { return gathers.all().size(); })
      .def("traces", [](const SurveyGathers& gathers, std::int64_t i) {
        const std::span<const std::int64_t> traces = gathers.all()[i].traces();
        return array_of<std::int64_t>(std::vector(traces.begin(), traces.end()), {traces.size()});
      });

  nb::class_<Survey>(module, "Survey")
      .def("__init__",
           [](Survey* self, const std::vector<nb::bytes>& paths, const nb::bytes& map,
              const std::vector<std::string>& assume) {
             OpenOptions options{.map = {map.c_str(), map.size()}, .assume = assume};
             for (const nb::bytes& path : paths) options.paths.emplace_back(path.c_str(), path.size());
             without_gil([&] { new (self) Survey(std::move(options)); });
           })
      .def_prop_ro("traces", [](const Survey& survey) { return survey.reader().traces(); })
      .def_prop_ro("samples", &Survey::samples_per_trace)
      .def_prop_ro("is_uniform", [](const Survey& survey) { return survey.reader().is_uniform(); })
      .def_prop_ro("interval_us", [](const Survey& survey) { return survey.reader().files().front().interval_us; })
      .def_prop_ro("is_depth",
                   [](const Survey& survey) { return survey.reader().files().front().domain == segy::Domain::depth; })
      .def_prop_ro("form",
                   [](const Survey& survey) {
                     const segy::FileDescription& file = survey.reader().files().front();
                     return nb::make_tuple(std::string(name_of(file.kind)), file.revision,
                                           std::string(segy::name_of(file.sample_format)));
                   })
      .def_prop_ro("sizes",
                   [](const Survey& survey) {
                     nb::list sizes;
                     for (const segy::FileDescription& file : survey.reader().files()) sizes.append(file.file_bytes);
                     return sizes;
                   })
      .def_prop_ro("words", &names_of_words)
      .def("samples_of",
           [](const Survey& survey, std::int64_t trace) {
             survey.reader().require_traces({trace, 1});
             return survey.reader().shape_of(trace).samples;
           })
      .def("read_samples",
           [](const Survey& survey, std::int64_t first, std::int64_t count, const Samples& into) {
             read_samples(survey, ItemRange{first, count}, into);
           })
      .def("read_samples", [](const Survey& survey, const Numbers& numbers,
                              const Samples& into) { read_samples(survey, traces_of(numbers), into); })
      .def("read_headers",
           [](const Survey& survey, std::int64_t first, std::int64_t count) {
             return read_headers(survey, ItemRange{first, count});
           })
      .def("read_headers",
           [](const Survey& survey, const Numbers& numbers) { return read_headers(survey, traces_of(numbers)); })
      .def("read_columns",
           [](const Survey& survey, std::int64_t first, std::int64_t count, const std::vector<std::string>& names) {
             return read_columns(survey, ItemRange{first, count}, names);
           })
      .def("read_columns",
           [](const Survey& survey, const Numbers& numbers, const std::vector<std::string>& names) {
             return read_columns(survey, traces_of(numbers), names);
           })
      .def("read_condition",
           [](const Survey& survey, std::int64_t first, std::int64_t count, const std::string& condition) {
             return read_condition(survey, ItemRange{first, count}, condition);
           })
      .def("read_condition",
           [](const Survey& survey, const Numbers& numbers, const std::string& condition) {
             return read_condition(survey, traces_of(numbers), condition);
           })
      .def("require_condition", [](const Survey& survey, const std::string& text) { (void)survey.condition(text); })
      .def("grid",
           [](const Survey& survey) {
             GridTraces grid = without_gil([&] { return survey.grid(); });
             const auto axis_of = [](const LineAxis& axis) { return nb::make_tuple(axis.word, axis.first, axis.step); };
             const auto rows = static_cast<std::size_t>(grid.rows);
             const auto columns = static_cast<std::size_t>(grid.columns);
             return nb::make_tuple(axis_of(grid.ilines), axis_of(grid.xlines),
                                   array_of<std::int64_t>(std::move(grid.numbers), {rows, columns}));
           })
      .def("read_slice",
           [](const Survey& survey, const Numbers& numbers, double at_us) {
             const std::span<const std::int64_t> places(numbers.data(), numbers.size());
             return array_of<float>(without_gil([&] { return survey.read_slice(places, at_us); }), {numbers.size()});
           })
      .def(
          "gathers",
          [](const Survey& survey, const std::string& keys, const std::string& then) {
            return without_gil([&] { return std::make_unique<SurveyGathers>(survey, keys, then); });
          },
          nb::keep_alive<0, 1>())
      .def("text", &Survey::text, nb::call_guard<nb::gil_scoped_release>())
      .def("binary_header", [](const Survey& survey, std::int64_t file) {
        return bytes_of(without_gil([&] { return survey.binary_header(file); }));
      });
}
