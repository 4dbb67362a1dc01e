// The extension module sill._sill: what the package sill (bindings/python/sill) is made of.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "sill/base/diagnostic.hpp"
#include "sill/comm/node.hpp"
#include "survey.hpp"

namespace nb = nanobind;

namespace sill::python {
namespace {

using Numbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Samples = nb::ndarray<float, nb::c_contig, nb::device::cpu>;

// An array that owns what `values` hold.
template <class Value, class Element = Value>
nb::object array_of(std::vector<Value>&& values, std::initializer_list<std::size_t> shape) {
  auto* held = new std::vector<Value>(std::move(values));
  const nb::capsule owner(held, [](void* memory) noexcept { delete static_cast<std::vector<Value>*>(memory); });
  return nb::cast(nb::ndarray<nb::numpy, Element>(reinterpret_cast<Element*>(held->data()), shape, owner));
}

nb::object object_of(Column&& column) {
  return std::visit(
      [](auto&& values) -> nb::object {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        const std::size_t size = values.size();
        if constexpr (std::is_same_v<Value, std::string>) {
          return nb::cast(values);
        } else if constexpr (std::is_same_v<Value, std::uint8_t>) {
          return array_of<std::uint8_t, bool>(std::move(values), {size});
        } else {
          return array_of(std::move(values), {size});
        }
      },
      std::move(column));
}

Traces traces_of(const Numbers& numbers) { return std::span(numbers.data(), numbers.size()); }
Traces traces_of(std::int64_t first, std::int64_t count) { return ItemRange{first, count}; }

void read_samples(const Survey& survey, const Traces& traces, const Samples& into) {
  const std::span<float> to(into.data(), into.size());
  const nb::gil_scoped_release others_run;
  survey.read_samples(traces, to);
}

nb::object read_headers(const Survey& survey, const Traces& traces) {
  std::vector<std::byte> headers = [&] {
    const nb::gil_scoped_release others_run;
    return survey.read_headers(traces);
  }();
  const std::size_t count = headers.size() / segy::trace_header_bytes;
  return array_of<std::byte, std::uint8_t>(std::move(headers), {count, segy::trace_header_bytes});
}

nb::list read_columns(const Survey& survey, const Traces& traces, const std::vector<std::string>& expressions) {
  std::vector<Column> columns = [&] {
    const nb::gil_scoped_release others_run;
    return survey.read_columns(traces, expressions);
  }();
  nb::list list;
  for (Column& column : columns) list.append(object_of(std::move(column)));
  return list;
}

nb::object where(const Survey& survey, const std::string& condition) {
  std::vector<std::int64_t> traces = [&] {
    const nb::gil_scoped_release others_run;
    return survey.where(condition);
  }();
  const std::size_t count = traces.size();
  return array_of(std::move(traces), {count});
}

nb::dict form_of(const segy::FileDescription& file) {
  nb::dict form;
  form["path"] = file.path;
  form["kind"] = std::string(name_of(file.kind));
  form["byte_order"] = std::string(name_of(file.byte_order));
  form["revision"] = file.revision;
  form["sample_format"] = std::string(segy::name_of(file.sample_format));
  form["interval_us"] = file.interval_us;
  form["domain"] = std::string(name_of(file.domain));
  form["measurement_system"] = file.measurement_system;
  form["sorting_code"] = file.sorting_code;
  form["bytes"] = file.file_bytes;
  return form;
}

nb::list findings_of(const segy::FileDescription& file) {
  nb::list findings;
  for (const Diagnostic& found : file.diagnostics) {
    nb::dict finding;
    finding["file"] = file.path;
    finding["grade"] = std::string(name_of(found.grade));
    finding["problem"] = found.problem;
    finding["where"] = found.where;
    finding["clause"] = found.clause;
    finding["action"] = found.action;
    findings.append(finding);
  }
  return findings;
}

std::unique_ptr<Survey> opened(std::vector<std::string> paths, std::string map, std::string assume) {
  const nb::gil_scoped_release others_run;
  return std::make_unique<Survey>(OpenOptions{std::move(paths), std::move(map), std::move(assume)});
}

nb::list for_each_file(const Survey& survey, nb::object (*of)(const segy::FileDescription&)) {
  nb::list all;
  for (const segy::FileDescription& file : survey.reader().files()) all.append(of(file));
  return all;
}

}  // namespace
}  // namespace sill::python

NB_MODULE(_sill, module) {
  using namespace sill::python;
  using sill::python::Survey;
  translate_errors(module);
  module.attr("__version__") = SILL_VERSION;
  module.def("free_memory", &sill::cacheable_bytes);
  module.def("open", &opened, nb::arg("paths"), nb::arg("map"), nb::arg("assume"));

  nb::class_<Survey>(module, "Survey")
      .def_prop_ro("traces", [](const Survey& survey) { return survey.reader().traces(); })
      .def_prop_ro("samples", &Survey::samples_per_trace)
      .def_prop_ro("is_uniform", [](const Survey& survey) { return survey.reader().is_uniform(); })
      .def_prop_ro("paths", [](const Survey& survey) { return survey.options().paths; })
      .def_prop_ro("map", [](const Survey& survey) { return survey.options().map; })
      .def_prop_ro("assume", [](const Survey& survey) { return survey.options().assume; })
      .def("forms",
           [](const Survey& survey) {
             return for_each_file(survey, [](const auto& file) -> nb::object { return form_of(file); });
           })
      .def("findings",
           [](const Survey& survey) {
             return for_each_file(survey, [](const auto& file) -> nb::object { return findings_of(file); });
           })
      .def("samples_of",
           [](const Survey& survey, std::int64_t trace) {
             survey.reader().require_traces({trace, 1});
             return survey.reader().shape_of(trace).samples;
           })
      .def("read_samples", [](const Survey& survey, std::int64_t first, std::int64_t count,
                              const Samples& into) { read_samples(survey, traces_of(first, count), into); })
      .def("read_samples", [](const Survey& survey, const Numbers& numbers,
                              const Samples& into) { read_samples(survey, traces_of(numbers), into); })
      .def("read_headers", [](const Survey& survey, std::int64_t first,
                              std::int64_t count) { return read_headers(survey, traces_of(first, count)); })
      .def("read_headers",
           [](const Survey& survey, const Numbers& numbers) { return read_headers(survey, traces_of(numbers)); })
      .def("read_columns",
           [](const Survey& survey, std::int64_t first, std::int64_t count, const std::vector<std::string>& wanted) {
             return read_columns(survey, traces_of(first, count), wanted);
           })
      .def("read_columns",
           [](const Survey& survey, const Numbers& numbers, const std::vector<std::string>& wanted) {
             return read_columns(survey, traces_of(numbers), wanted);
           })
      .def("where", &where)
      .def("text", &Survey::text, nb::call_guard<nb::gil_scoped_release>())
      .def("binary_header", [](const Survey& survey, std::int64_t file) {
        const std::vector<std::byte> header = survey.binary_header(file);
        return nb::bytes(reinterpret_cast<const char*>(header.data()), header.size());
      });
}
