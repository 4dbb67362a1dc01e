// The extension module sill._sill, which the package sill (bindings/python/sill) uses.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "apply.hpp"
#include "arrays.hpp"
#include "commands.hpp"
#include "dataset.hpp"
#include "errors.hpp"
#include "flows.hpp"
#include "process.hpp"
#include "remote.hpp"
#include "sections.hpp"
#include "segy_file.hpp"
#include "sill/formats/segy/samples/conversion.hpp"
#include "sill/survey/arrays/trace_grid.hpp"
#include "sill/survey/geometry/geometry.hpp"
#include "sill/survey/select/scan.hpp"
#include "survey.hpp"
#include "survey_output.hpp"

namespace nb = nanobind;

namespace sill::python {
namespace {

/// Traces by number, from 0: (first, count), or an array.
using Selection = std::variant<std::pair<std::int64_t, std::int64_t>, Numbers>;

Traces traces_of(const Selection& selection) {
  if (const auto* range = std::get_if<0>(&selection)) return ItemRange{range->first, range->second};
  const Numbers& numbers = std::get<Numbers>(selection);
  return std::span(numbers.data(), numbers.size());
}

std::vector<segy::Expression> expressions_of(const Survey& survey, const std::vector<std::string>& names) {
  std::vector<segy::Expression> expressions;
  for (const std::string& name : names) expressions.push_back(survey.expression(name));
  return expressions;
}

nb::list list_of(std::vector<Column>&& columns) {
  nb::list list;
  for (Column& column : columns) list.append(object_of(std::move(column)));
  return list;
}

// Returns the values of expressions, as `read_columns` does.
nb::list read_samples(const Survey& survey, const Selection& selection, const Samples& into,
                      const std::vector<std::string>& names) {
  const segy::SampleFormat format = format_of(into.dtype());
  const Traces traces = traces_of(selection);
  const std::span bytes(static_cast<std::byte*>(into.data()), into.nbytes());
  return list_of(
      without_gil([&] { return survey.read_samples(traces, format, bytes, expressions_of(survey, names)); }));
}

// Returns the samples of one trace as values of a NumPy type such as "f4". Making an array takes longer than reading.
nb::bytearray read_trace(const Survey& survey, std::int64_t trace, const std::string& type) {
  using enum nb::dlpack::dtype_code;
  const auto kind = type.at(0) == 'f' ? Float : type.at(0) == 'i' ? Int : UInt;
  const segy::SampleFormat format =
      format_of({static_cast<std::uint8_t>(kind), static_cast<std::uint8_t>(8 * (type.at(1) - '0')), 1});
  survey.reader().require_traces({trace, 1});
  const std::int64_t bytes = survey.reader().shape_of(trace).samples * segy::bytes_of(format);
  require_memory(bytes);
  nb::bytearray memory(nullptr, static_cast<std::size_t>(bytes));
  const std::span into(static_cast<std::byte*>(memory.data()), memory.size());
  without_gil([&] { survey.read_samples(ItemRange{trace, 1}, format, into); });
  return memory;
}

// Returns the first 240 bytes of the header of one trace.
nb::bytearray read_header(const Survey& survey, std::int64_t trace) {
  survey.reader().require_traces({trace, 1});
  nb::bytearray memory(nullptr, segy::trace_header_bytes);
  const std::span into(static_cast<std::byte*>(memory.data()), memory.size());
  without_gil([&] { survey.reader().read_own_headers({&trace, 1}, into); });
  return memory;
}

Array<std::uint8_t> read_headers(const Survey& survey, const Selection& selection) {
  const Traces traces = traces_of(selection);
  std::vector<std::byte> headers = without_gil([&] { return survey.read_headers(traces); });
  const std::size_t count = headers.size() / segy::trace_header_bytes;
  return array_of<std::uint8_t>(std::move(headers), {count, segy::trace_header_bytes});
}

nb::list read_columns(const Survey& survey, const Selection& selection, const std::vector<std::string>& names) {
  const Traces traces = traces_of(selection);
  return list_of(without_gil([&] { return survey.read_columns(traces, expressions_of(survey, names)); }));
}

// Returns the truth of a condition for each trace.
Array<bool> read_condition(const Survey& survey, const Selection& selection, const std::string& text) {
  const Traces traces = traces_of(selection);
  std::vector<Column> columns = without_gil([&] {
    const segy::Expression condition = survey.condition(text);
    return survey.read_columns(traces, {&condition, 1});
  });
  auto& holds = std::get<std::vector<std::uint8_t>>(columns.front());
  const std::size_t size = holds.size();
  return array_of<bool>(std::move(holds), {size});
}

Array<std::uint8_t> byte_array(std::vector<std::byte>&& bytes) {
  const std::size_t size = bytes.size();
  return array_of<std::uint8_t>(std::move(bytes), {size});
}

nb::bytes bytes_of(const std::vector<std::byte>& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

// Returns the properties of the first file that sill.segyio needs.
nb::dict layout_of(const Survey& survey) {
  const segy::FileDescription& file = survey.reader().files().front();
  nb::dict layout;
  layout["is_segy"] = file.kind == segy::FileKind::segy;
  layout["order"] = std::string(name_of(file.byte_order));
  layout["revision"] = file.revision;
  layout["format"] = segy::code_of(file.sample_format);
  layout["sample_bytes"] = segy::bytes_of(file.sample_format);
  layout["text"] = std::string(name_of(file.text_encoding));
  layout["label_bytes"] = file.label_bytes;
  layout["ext_headers"] = file.extended_text_headers;
  layout["header_bytes"] = file.header_bytes();
  layout["first_trace_byte"] = file.first_trace_byte;
  layout["trace_bytes"] = file.trace_bytes;
  layout["is_contiguous"] = survey.reader().is_uniform() && file.wrapping.empty();
  return layout;
}

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const std::byte> span_of(const Bytes& bytes) {
  return {reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()};
}

// Decodes samples as stored in a file into `into`.
void decode_samples(const Bytes& bytes, int code, int revision, const std::string& order, const Samples& into) {
  const segy::SampleFormat from = sample_format_of(code, revision);
  const segy::SampleFormat to = format_of(into.dtype());
  if (bytes.size() / static_cast<std::size_t>(segy::bytes_of(from)) != into.size())
    throw nb::value_error("the array has another number of samples");
  const segy::SampleConversion conversion(from, byte_order_of(order), to, native_order, {});
  segy::ConversionAccount account;
  conversion.convert(span_of(bytes).first(into.size() * static_cast<std::size_t>(segy::bytes_of(from))),
                     {static_cast<std::byte*>(into.data()), into.nbytes()}, account);
}

std::vector<std::string> names_of_words(const Survey& survey) {
  std::vector<std::string> names;
  for (const segy::TraceKey& word : all_words(survey.reader().words())) names.push_back(word.text());
  return names;
}

}  // namespace
}  // namespace sill::python

NB_MODULE(_sill, module) {
  using namespace sill;
  using namespace sill::python;
  using sill::python::Survey;
  nb::set_leak_warnings(false);  // daemon threads may hold surveys at the end
  translate_errors();
  remove_part_files_on_termination();
  add_commands(module);
  add_datasets(module);
  add_flows(module);
  add_apply();
  add_remote(module);
  module.attr("__version__") = SILL_VERSION;
  module.attr("mpi") = SILL_MPI_FAMILY;
  module.def("require_memory", &require_memory);
  module.def("free_memory", &free_memory_bytes);

  module.def("decode_samples", &decode_samples);
  add_words(module);

  nb::class_<NewFile>(module, "NewFile")
      .def("__init__",
           [](NewFile* self, const nb::bytes& path, const Bytes& start, std::int64_t size_bytes) {
             const std::string to(path.c_str(), path.size());
             without_gil([&] { new (self) NewFile(to, span_of(start), size_bytes); });
           })
      .def("__init__",
           [](NewFile* self, const nb::bytes& path) {
             const std::string to(path.c_str(), path.size());
             without_gil([&] { new (self) NewFile(to); });
           })
      .def_prop_ro("path", [](const NewFile& file) { return nb::bytes(file.path().data(), file.path().size()); })
      .def("commit", [](NewFile& file) { without_gil([&] { file.commit(); }); });

  nb::class_<EditableFile>(module, "EditableFile")
      .def("__init__",
           [](EditableFile* self, const nb::bytes& path, bool is_writable, bool locks) {
             const std::string from(path.c_str(), path.size());
             without_gil([&] { new (self) EditableFile(from, is_writable, locks); });
           })
      .def_prop_ro("has_lock", &EditableFile::has_lock)
      .def("is_at",
           [](const EditableFile& file, const nb::bytes& path) {
             return file.is_at({path.c_str(), path.size()});
           })
      .def("read",
           [](const EditableFile& file, std::int64_t first, std::int64_t count) {
             return byte_array(without_gil([&] { return file.read({first, count}); }));
           })
      .def("read_parts",
           [](const EditableFile& file, const Numbers& positions, std::int64_t length) {
             const std::span<const std::int64_t> at(positions.data(), positions.size());
             return byte_array(without_gil([&] { return file.read_parts(at, length); }));
           })
      .def("write",
           [](const EditableFile& file, const Numbers& positions, const Bytes& bytes) {
             without_gil([&] { file.write({positions.data(), positions.size()}, span_of(bytes)); });
           })
      .def("write_samples",
           [](const EditableFile& file, const Numbers& positions, const Values& samples, int code, int revision,
              const std::string& order) {
             const segy::SampleFormat from = format_of(samples.dtype());
             const std::span bytes(static_cast<const std::byte*>(samples.data()), samples.nbytes());
             without_gil([&] {
               file.write_samples({positions.data(), positions.size()}, bytes, from, sample_format_of(code, revision),
                                  byte_order_of(order));
             });
           })
      .def("require_signal",
           [](const EditableFile& file, const nb::bytes& path) {
             file.require_signal({path.c_str(), path.size()});
           })
      .def("sync", [](const EditableFile& file) { without_gil([&] { file.sync(); }); });

  nb::class_<SurveyGathers>(module, "Gathers")
      .def("__len__", [](const SurveyGathers& gathers) { return gathers.all().size(); })
      .def_prop_ro("keys", &SurveyGathers::keys)
      .def("traces", [](const SurveyGathers& gathers, std::int64_t i) {
        const std::span<const std::int64_t> traces = gathers.all()[i].traces();
        return array_of<std::int64_t>(std::vector(traces.begin(), traces.end()), {traces.size()});
      });

  nb::class_<Survey>(module, "Survey")
      .def(
          "__init__",
          [](Survey* self, const std::vector<nb::bytes>& paths, const nb::bytes& map,
             const std::vector<std::string>& assume, const RangedFiles* remote, bool is_fixed) {
            OpenOptions options{
                .map = {map.c_str(), map.size()}, .assume = assume, .remote = remote, .is_fixed = is_fixed};
            for (const nb::bytes& path : paths) options.paths.emplace_back(path.c_str(), path.size());
            without_gil([&] { new (self) Survey(options); });
          },
          nb::arg("paths"), nb::arg("map"), nb::arg("assume"), nb::arg("remote").none() = nb::none(),
          nb::arg("is_fixed") = false)
      .def("require_unchanged", [](const Survey& survey) { survey.require_unchanged(); })
      .def_prop_ro("traces", [](const Survey& survey) { return survey.reader().traces(); })
      .def_prop_ro("samples", &Survey::samples_per_trace)
      .def_prop_ro("is_uniform", [](const Survey& survey) { return survey.reader().is_uniform(); })
      .def_prop_ro("interval_us", [](const Survey& survey) { return survey.reader().files().front().interval_us; })
      .def_prop_ro("is_depth",
                   [](const Survey& survey) { return survey.reader().files().front().domain == segy::Domain::depth; })
      .def_prop_ro("form",
                   [](const Survey& survey) {
                     const segy::FileDescription& file = survey.reader().files().front();
                     return std::tuple(std::string(name_of(file.kind)), file.revision,
                                       std::string(segy::name_of(file.sample_format)));
                   })
      .def_prop_ro("sizes",
                   [](const Survey& survey) {
                     std::vector<std::int64_t> sizes;
                     for (const segy::FileDescription& file : survey.reader().files()) sizes.push_back(file.file_bytes);
                     return sizes;
                   })
      .def_prop_ro("layout", &layout_of)
      .def_prop_ro("words", &names_of_words)
      .def_prop_ro("text_allows_lines", [](const Survey& survey) { return text_allows_lines(survey.reader()); })
      .def("samples_of",
           [](const Survey& survey, std::int64_t trace) {
             survey.reader().require_traces({trace, 1});
             return survey.reader().shape_of(trace).samples;
           })
      .def("read_samples", &read_samples, nb::arg("traces"), nb::arg("into"), nb::arg("words") = nb::list())
      .def("read_trace", &read_trace)
      .def("read_header", &read_header)
      .def("read_headers", &read_headers)
      .def("read_columns", &read_columns)
      .def("read_condition", &read_condition)
      .def("true_text",
           [](const Survey& survey, const std::string& name) {
             const std::string text = "true(" + name + ")";
             try {
               (void)survey.expression(text);
               return text;
             } catch (const Error&) {
               return name;
             }
           })
      .def("require_condition", [](const Survey& survey, const std::string& text) { (void)survey.condition(text); })
      .def("grid",
           [](const Survey& survey) {
             GridTraces grid = without_gil([&] { return survey.grid(); });
             const auto axis_of = [](const LineAxis& axis) { return std::tuple(axis.word, axis.first, axis.step); };
             const auto rows = static_cast<std::size_t>(grid.rows);
             const auto columns = static_cast<std::size_t>(grid.columns);
             return std::tuple(axis_of(grid.ilines), axis_of(grid.xlines),
                               array_of<std::int64_t>(std::move(grid.numbers), {rows, columns}));
           })
      .def("trace_grid",
           [](const Survey& survey, std::vector<std::string> names, const std::vector<Doubles>& columns,
              double max_per_trace) {
             std::vector<TraceDimension> dimensions;
             HeaderPass pass;
             for (std::size_t d = 0; d < names.size(); ++d) {
               dimensions.push_back({names[d], names[d]});
               pass.values.emplace_back(columns[d].data(), columns[d].data() + columns[d].size());
             }
             TraceGrid grid = without_gil([&] {
               return trace_grid(survey.resources(), survey.reader(), std::move(dimensions), pass, max_per_trace);
             });
             nb::list axes;
             std::vector<std::size_t> shape;
             for (TraceDimension& each : grid.dimensions) {
               shape.push_back(each.values.size());
               axes.append(array_of<double>(std::move(each.values), {shape.back()}));
             }
             if (grid.traces.empty()) {
               grid.traces.resize(static_cast<std::size_t>(survey.reader().traces()));
               std::iota(grid.traces.begin(), grid.traces.end(), std::int64_t{0});
             }
             const std::size_t positions = grid.traces.size();
             return nb::make_tuple(axes, array_of<std::int64_t>(std::move(grid.traces), {positions}));
           })
      .def("read_slice",
           [](const Survey& survey, const Numbers& numbers, double at_us) {
             const std::span<const std::int64_t> places(numbers.data(), numbers.size());
             return array_of<float>(without_gil([&] { return survey.read_slice(places, at_us); }), {numbers.size()});
           })
      .def("read_sample",
           [](const Survey& survey, const Numbers& numbers, std::int64_t sample) {
             return array_of<double>(without_gil([&] { return survey.read_sample(traces_of(numbers), sample); }),
                                     {numbers.size()});
           })
      .def(
          "gathers",
          [](const Survey& survey, const std::string& keys, const std::string& then) {
            return without_gil([&] { return std::make_unique<SurveyGathers>(survey, keys, then); });
          },
          nb::keep_alive<0, 1>())
      .def("text", [](const Survey& survey,
                      std::int64_t file) { return path_str(without_gil([&] { return survey.text(file); })); })
      .def("file_header",
           [](const Survey& survey) { return bytes_of(without_gil([&] { return survey.reader().file_header(0); })); })
      .def("binary_header", [](const Survey& survey, std::int64_t file) {
        return bytes_of(without_gil([&] { return survey.binary_header(file); }));
      });
  add_sections(module);
  add_survey_outputs(module);
}
