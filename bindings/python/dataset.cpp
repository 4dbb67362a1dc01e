#include "dataset.hpp"

#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "arrays.hpp"
#include "communicator.hpp"
#include "errors.hpp"
#include "process.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/same_text.hpp"
#include "sill/formats/array/cf_coordinate.hpp"
#include "sill/formats/array/container.hpp"
#include "sill/io/arrays/dataset_errors.hpp"
#include "sill/io/arrays/dataset_reader.hpp"
#include "sill/io/arrays/dataset_writer.hpp"
#include "sill/io/session/io_session.hpp"

namespace nb = nanobind;

namespace sill::python {
namespace {

using Elements = nb::ndarray<nb::ro, nb::device::cpu>;
using Space = nb::ndarray<nb::device::cpu>;

/// The elements of a variable in an array: the variable; the first index and the count of a box, or the numbers of
/// listed elements; the step, counted from the first step of the call; the array; whether its bytes are text.
template <class Array>
using Part = std::tuple<std::string, std::variant<std::pair<Index, Index>, Numbers>, std::int64_t, Array, bool>;
template <class Array>
using Parts = std::vector<Part<Array>>;

ElementType type_of(const nb::dlpack::dtype& type, bool is_text) {
  if (is_text) return ElementType::text;
  using enum nb::dlpack::dtype_code;
  const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
  const char letter = code == Int ? 'i' : code == UInt ? 'u' : code == Float ? 'f' : '?';
  const std::string name = fmt::format("{}{}", letter, type.bits / 8);
  if (const auto found = element_type_named(name)) return *found;
  refuse("the elements of an array have a type that files of arrays do not have",
         "use integers of 1 to 8 bytes, float32, float64 or S1");
}

template <class Array>
std::vector<ArrayPart> array_parts(const Parts<Array>& given) {
  std::vector<ArrayPart> parts;
  for (const auto& [variable, place, step, array, is_text] : given) {
    ArrayPart& part = parts.emplace_back();
    part.variable = variable;
    part.type = type_of(array.dtype(), is_text);
    part.first = const_cast<std::byte*>(static_cast<const std::byte*>(array.data()));
    part.step = step;
    if (const Numbers* const numbers = std::get_if<Numbers>(&place)) {
      part.elements = std::span(numbers->data(), numbers->size());
      continue;
    }
    const auto& [first, count] = std::get<0>(place);
    part.box = {first, count};
    for (std::size_t d = 0; d < array.ndim(); ++d) part.strides.push_back(array.stride(d));
  }
  return parts;
}

IoOptions io_options(const nb::dict& given) {
  IoOptions options;
  std::string policies;
  set(given, "policy", policies);
  set(given, "memory", options.memory_bytes);
  set(given, "threads", options.threads);
  set(given, "report", options.report);
  set(given, "options", options.file);
  set(given, "environment", options.environment);
  if (!policies.empty()) options.policies = PolicySet::parse(policies);
  return options;
}

DatasetOptions dataset_options(const nb::dict& given, const std::string& mode) {
  using enum DatasetOptions::Existing;
  DatasetOptions options{.existing = mode == "w" ? replace : mode == "a" ? append : refuse};
  std::string container;
  set(given, "container", container);
  set(given, "version", options.form.version);
  set(given, "align", options.form.align);
  set(given, "variable_align", options.form.variable_align);
  set(given, "record_align", options.form.record_align);
  set(given, "fill", options.fill);
  set(given, "field_data", options.field_data);
  std::int64_t steps = 0;
  set(given, "steps", steps);
  if (given.contains("steps")) options.steps = steps;
  std::vector<std::string> codecs;
  set(given, "codec", codecs);
  for (const std::string& each : codecs) options.codecs.add(each);
  Index chunk;
  set(given, "chunks", chunk);
  if (given.contains("chunks")) options.chunk = chunk;
  std::int64_t first_step = -1;
  set(given, "first_step", first_step);
  if (given.contains("first_step")) options.first_step = first_step;
  options.container = container_named(container);
  if (!container.empty() && !options.container) {
    python::refuse("unknown container " + container, "containers are: " + container_names(", "));
  }
  return options;
}

Attribute attribute_of(const std::string& name, const nb::object& value, bool is_text) {
  if (is_text) {
    const auto text = nb::cast<nb::bytes>(value);
    return {name, std::string_view(text.c_str(), text.size())};
  }
  const auto array = nb::cast<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>>(value);
  Attribute attribute;
  attribute.name = name;
  attribute.type = type_of(array.dtype(), false);
  const auto* const first = static_cast<const std::byte*>(array.data());
  attribute.values.assign(first, first + array.nbytes());
  return attribute;
}

// Returns name, type and dimensions.
nb::tuple tuple_of(const Variable& variable) {
  return nb::make_tuple(variable.name, std::string(name_of(variable.type)), variable.dimensions);
}

/// A dataset and the session in which it is open. The functions are called with the GIL.
class Dataset {
 public:
  /// Collective. Opens the session, and the dataset if it is read. Errors: as make_communicator, require_one_writer,
  /// IoSession and DatasetReader; usage for options.
  Dataset(const nb::object& comm, std::string path, const std::string& mode, const nb::dict& options,
          const Problem& problem)
      : open_(std::make_unique<Open>()) {
    Open& open = *open_;
    open.by = OpenedBy(!comm.is_none());
    open.path = std::move(path);
    if (mode != "r") require_one_writer(comm);
    open.comm = make_communicator(comm);
    IoOptions of_session;
    Missing missing = Missing::refuse;
    std::optional<Error> error = error_of(problem);
    keep_first(error, attempt([&] {
                 of_session = io_options(options);
                 open.options = dataset_options(options, mode);
                 if (options.contains("missing")) missing = Missing::fill;
               }));
    collective(error, [&] {
      require_same_on_all(
          *open.comm, [&] { return mode; }, "arrays: the ranks were given different modes");
      open.io.emplace(*open.comm, of_session);
      if (mode == "r") open.reader.emplace(open.io->resources("arrays"), open.path, missing);
    });
  }
  Dataset(const Dataset&) = delete;
  Dataset& operator=(const Dataset&) = delete;
  /// Local. Releases the dataset, without completing it. In a forked process, on a thread that may not call MPI, and
  /// after MPI ended, its resources stay allocated.
  ~Dataset() {
    if (!open_->by.is_here()) (void)open_.release();
  }

  [[nodiscard]] int rank() const { return open_->comm->rank(); }
  [[nodiscard]] std::int64_t steps() const {
    if (open_->reader) return open_->reader->steps();
    if (!open_->writer) {
      if (open_->options.existing != DatasetOptions::Existing::append) return 0;
      refuse_dataset(open_->path, "its file is not open yet", "call begin() first");
    }
    return open_->step_begun.value_or(open_->writer->steps());
  }
  [[nodiscard]] bool is_begun() const { return open_->writer || open_->reader; }
  [[nodiscard]] bool is_closed() const { return open_->is_closed; }
  [[nodiscard]] nb::list dimensions() const {
    nb::list list;
    for (const auto& [name, length] : description().dimensions)
      list.append(nb::make_tuple(name, length == unlimited ? nb::none() : nb::cast(length)));
    return list;
  }
  [[nodiscard]] nb::list variables() const {
    nb::list list;
    for (const Variable& each : description().variables) list.append(tuple_of(each));
    return list;
  }
  [[nodiscard]] nb::list attributes(const std::string& variable) const {
    nb::list list;
    for (const Attribute& each : variable.empty() ? description().attributes : variable_named(variable).attributes)
      list.append(nb::make_tuple(each.name, std::string(name_of(each.type)),
                                 nb::bytes(each.values.data(), each.values.size())));
    return list;
  }
  /// Local. Errors: Wrong::name, with similar names, if there is no such variable.
  [[nodiscard]] const Variable& variable_named(const std::string& name) const {
    const std::size_t found = with_kind(Wrong::name, [&] { return description().variable_named(name); });
    return description().variables[found];
  }

  void define_dimension(const std::string& name, std::optional<std::int64_t> length) {
    described().dimensions.push_back({name, length.value_or(unlimited)});
  }
  void define_variable(const std::string& name, const std::string& type, const std::vector<std::string>& dimensions) {
    const auto found = element_type_named(type);
    with_kind(Wrong::type, [&] {
      if (!found) {
        refuse_dataset(open_->path, fmt::format("variable {} has the type {}", name, type),
                       "use i1, i2, i4, i8, u1, u2, u4, u8, f4, f8 or S1");
      }
    });
    described().variables.push_back({.name = name, .type = *found, .dimensions = dimensions});
  }
  void define_coordinate(const std::string& dimension, const std::string& axis, const std::string& units,
                         const std::string& positive, const std::string& standard_name) {
    add_cf_coordinate(described(), {dimension, axis, units, positive, standard_name});
  }
  /// Collective if the file is open, otherwise local.
  void set_attribute(const std::string& variable, const std::string& name, const nb::object& value, bool is_text,
                     const Problem& problem) {
    Attribute attribute;
    std::optional<Error> error = error_of(problem);
    keep_first(error, attempt([&] { attribute = attribute_of(name, value, is_text); }));
    if (is_begun() || open_->is_closed) {
      return collective(error, [&] { writer().set_attribute(attribute, variable); });
    }
    if (error) throw Error(*error);
    if (!variable.empty()) (void)described().variable_named(variable);  // throws before the description is moved
    described() = with_attribute(std::move(described()), attribute, variable);
  }

  void begin() {
    if (open_->writer && !open_->is_closed) return;
    collective({}, [&] { (void)writer(); });
  }
  /// Collective. Writes parts; those of variables with steps into `step`, the next one or the one that earlier calls
  /// began. The first call for a later step completes the earlier one. Errors: usage also for another step.
  void write(std::optional<std::int64_t> step, const Parts<Elements>& given, const Problem& problem) {
    std::vector<ArrayPart> parts;
    collective(error_in(given, parts, problem), [&] {
      DatasetWriter& writer = this->writer();
      require_same_on_all(
          *open_->comm, [&] { return step ? fmt::format("{}", *step) : std::string("none"); },
          "arrays: the ranks were given different steps");
      if (step && open_->step_begun && *step == *open_->step_begun + 1) complete_step();
      const std::int64_t next = steps();
      if (step && *step != next) {
        refuse_dataset(open_->path, fmt::format("step {} is written, but the next one is {}", *step, next),
                       "write steps in their order, with the same step on all ranks; write_own changes complete steps");
      }
      writer.write(parts);
      if (step) open_->step_begun = next;
    });
  }
  void write_steps(std::int64_t steps, const Parts<Elements>& given, bool is_lent, const Problem& problem) {
    std::vector<ArrayPart> parts;
    const std::optional<Error> error = error_in(given, parts, problem);
    for (const auto& part : given)
      if (is_lent) open_->lent.push_back(std::get<Elements>(part));
    collective(error, [&] {
      DatasetWriter& writer = this->writer();
      if (open_->step_begun) {
        refuse_dataset(open_->path, fmt::format("step {} was begun by other calls", *open_->step_begun),
                       "complete it with sync() before write_step, or pass all of its arrays to write_step");
      }
      writer.write_steps(steps, parts, is_lent ? Memory::lent : Memory::copied);
    });
  }
  /// Local.
  void write_own(std::int64_t step, const Parts<Elements>& given) {
    open_->by.require_here(open_->path);
    if (!open_->writer || open_->is_closed) {
      refuse_dataset(open_->path, "it is not open for writing", "write its steps first");
    }
    const std::vector<ArrayPart> parts = array_parts(given);
    without_gil([&] {
      const std::scoped_lock lock(open_->mutex);
      open_->writer->write_own(step, parts);
    });
  }
  void sync() {
    collective({}, [&] {
      if (open_->step_begun) complete_step();
      writer().wait();
    });
    open_->lent.clear();
  }
  /// Collective. Completes the dataset and closes it. A second call does nothing.
  void close() {
    if (open_->is_closed) return;
    collective({}, [&] {
      std::optional<Error> error;
      if (!open_->reader) {
        DatasetWriter& writer = this->writer();
        if (open_->step_begun) error = attempt_together(*open_->comm, [&] { complete_step(); });
        keep_first(error, attempt_together(*open_->comm, [&] { writer.close(); }));
      }
      open_->is_closed = true;
      if (error) throw Error(*error);
      if (!open_->io->options().report.empty()) open_->io->finish();
    });
    open_->lent.clear();
  }
  /// Local. Releases the files without completing them.
  void abandon() {
    open_->is_closed = true;
    if (!open_->by.is_here()) return;
    without_gil([&] {
      open_->kept = description();
      open_->writer.reset();
      open_->reader.reset();
    });
    open_->lent.clear();
  }

  /// Collective. Reads parts into arrays; ArrayPart::step counts from step 0.
  void read(const Parts<Space>& given, const Problem& problem) {
    std::vector<ArrayPart> parts;
    collective(error_in(given, parts, problem), [&] {
      DatasetReader& reader = this->reader();
      if (reader.steps() > 0) return reader.read_step(0, parts);
      reader.read(parts);
    });
  }
  /// Local. Errors: usage unless the dataset is open for reading.
  void require_reader() { (void)reader(); }
  [[nodiscard]] bool holds(const std::string& variable, std::int64_t step) { return reader().holds(variable, step); }
  [[nodiscard]] nb::list files() {
    nb::list list;
    for (const std::string& each : reader().files()) list.append(path_str(each));
    return list;
  }
  [[nodiscard]] std::vector<std::string> left_out() { return reader().left_out(); }
  [[nodiscard]] std::string report() {
    return collective({}, [&] { return open_->io->report().json(); });
  }

 private:
  // Destroyed in reverse order.
  struct Open {
    OpenedBy by{false};
    std::mutex mutex;
    std::string path;
    DatasetOptions options;
    DatasetDescription kept;  // the description, before the file is open and after an error
    std::vector<Elements> lent;
    std::optional<std::int64_t> step_begun;  // step of earlier calls that is not completed
    bool is_closed = false;
    std::unique_ptr<Communicator> comm;
    std::optional<IoSession> io;
    std::optional<DatasetWriter> writer;
    std::optional<DatasetReader> reader;
  };

  // Collective. Runs `work`, which is collective, unless a rank passes an error. Calls on several threads follow one
  // another. Errors: as `work`; usage, on this rank only, in a forked process, after MPI ended, and on another thread
  // than the one that opened a dataset of ranks.
  template <class Work>
  std::invoke_result_t<const Work&> collective(const std::optional<Error>& error, const Work& work) {
    open_->by.require_here(open_->path);
    return without_gil([&] {
      const std::scoped_lock lock(open_->mutex);
      agree(*open_->comm, error);
      return work();
    });
  }
  template <class Array>
  static std::optional<Error> error_in(const Parts<Array>& given, std::vector<ArrayPart>& parts,
                                       const Problem& problem) {
    std::optional<Error> error = error_of(problem);
    keep_first(error, attempt([&] { parts = array_parts(given); }));
    return error;
  }

  [[nodiscard]] const DatasetDescription& description() const {
    if (open_->reader) return open_->reader->description();
    return open_->writer ? open_->writer->description() : open_->kept;
  }
  // Local. Errors: usage after the file was opened.
  DatasetDescription& described() {
    if (!is_begun() && !open_->is_closed) return open_->kept;
    refuse_dataset(open_->path, "it is described after its file was opened",
                   "define dimensions and variables before the first write");
  }
  // Collective, if the file is not open yet.
  DatasetWriter& writer() {
    if (open_->reader) refuse_dataset(open_->path, "it is open for reading", "open it with mode \"w\", \"x\" or \"a\"");
    if (open_->is_closed) refuse_closed(open_->path);
    if (!open_->writer) {
      open_->writer.emplace(open_->io->resources("arrays"), open_->path, open_->kept, open_->options);
    }
    return *open_->writer;
  }
  DatasetReader& reader() {
    if (open_->is_closed) refuse_closed(open_->path);
    if (!open_->reader) refuse_dataset(open_->path, "it is open for writing", "open it with mode \"r\"");
    return *open_->reader;
  }
  // After an error the step can be written again, or be omitted.
  void complete_step() {
    open_->step_begun.reset();
    open_->writer->write_step({});
  }

  std::unique_ptr<Open> open_;
};

}  // namespace

void add_datasets(nb::module_& module) {
  nb::class_<Dataset>(module, "Dataset")
      .def(
          "__init__",
          [](Dataset* self, const nb::object& comm, const nb::bytes& path, const std::string& mode,
             const nb::dict& options, const Problem& problem) {
            new (self) Dataset(comm, {path.c_str(), path.size()}, mode, options, problem);
          },
          nb::arg("comm").none(), nb::arg("path"), nb::arg("mode"), nb::arg("options"), nb::arg("problem").none())
      .def_prop_ro("rank", &Dataset::rank)
      .def_prop_ro("steps", &Dataset::steps)
      .def_prop_ro("is_begun", &Dataset::is_begun)
      .def_prop_ro("is_closed", &Dataset::is_closed)
      .def("dimensions", &Dataset::dimensions)
      .def("variables", &Dataset::variables)
      .def("attributes", &Dataset::attributes)
      .def("variable",
           [](const Dataset& dataset, const std::string& name) { return tuple_of(dataset.variable_named(name)); })
      .def("define_dimension", &Dataset::define_dimension, nb::arg("name"), nb::arg("length").none())
      .def("define_variable", &Dataset::define_variable)
      .def("define_coordinate", &Dataset::define_coordinate)
      .def("set_attribute", &Dataset::set_attribute, nb::arg("variable"), nb::arg("name"), nb::arg("value").none(),
           nb::arg("is_text"), nb::arg("problem").none())
      .def("begin", &Dataset::begin)
      .def("write", &Dataset::write, nb::arg("step").none(), nb::arg("parts"), nb::arg("problem").none())
      .def("write_steps", &Dataset::write_steps, nb::arg("steps"), nb::arg("parts"), nb::arg("is_lent"),
           nb::arg("problem").none())
      .def("write_own", &Dataset::write_own)
      .def("sync", &Dataset::sync)
      .def("close", &Dataset::close)
      .def("abandon", &Dataset::abandon)
      .def("read", &Dataset::read, nb::arg("parts"), nb::arg("problem").none())
      .def("require_reader", &Dataset::require_reader)
      .def("holds", &Dataset::holds)
      .def("files", &Dataset::files)
      .def("left_out", &Dataset::left_out)
      .def("report", &Dataset::report);
}

}  // namespace sill::python
