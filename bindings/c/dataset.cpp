// Writing and reading of distributed arrays in files, for C.
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "memory.hpp"
#include "session.hpp"
#include "sill/formats/array/cf_coordinate.hpp"
#include "sill/io/arrays/dataset_reader.hpp"
#include "sill/io/arrays/dataset_writer.hpp"

using namespace sill;
using namespace sill::bindings;

namespace sill::bindings {

// The data that a rank passes to the next call that writes, or requests from the next call that reads.
class DatasetParts {
 public:
  // Limits copies to `max_copied_bytes` in total.
  explicit DatasetParts(std::int64_t max_copied_bytes) : max_copied_bytes_(max_copied_bytes) {}

  void add_box(const char* variable, int rank, const std::int64_t* first, const std::int64_t* count,
               const std::int64_t* stored_first, const std::int64_t* stored_count, int type, const void* values) {
    add(box_part(variable, rank, first, count, stored_first, stored_count, type, values));
  }
  void copy_box(const char* variable, int rank, const std::int64_t* first, const std::int64_t* count,
                const std::int64_t* stored_first, const std::int64_t* stored_count, int type, const void* values) {
    add(copied(box_part(variable, rank, first, count, stored_first, stored_count, type, values)));
  }

  void add_elements(const char* variable, std::int64_t count, const std::int64_t* numbers, int first_number, int type,
                    const void* values) {
    add(list_part(variable, count, numbers, first_number, type, values));
  }
  void copy_elements(const char* variable, std::int64_t count, const std::int64_t* numbers, int first_number, int type,
                     const void* values) {
    add(copied(list_part(variable, count, numbers, first_number, type, values)));
  }

  void copy_value(const char* variable, double value) {
    add(copied(box_part(variable, 0, nullptr, nullptr, nullptr, nullptr, SILL_F8, &value)));
  }

  [[nodiscard]] bool is_empty() const { return parts_.empty() && step_ == 0; }

  // Frees the memory of lent copies. Precondition: no request is in progress.
  void forget_lent() { lent_.clear(); }

  // Assigns all parts added after this call to the following step.
  void next_step() { ++step_; }

  // Calls `by` with all parts added so far and the number of their steps, and removes the parts. Lent copies remain
  // until `forget_lent`.
  template <class Move>
  void move(Memory memory, Move&& by) {
    const std::vector<ArrayPart> parts = std::exchange(parts_, {});
    const std::deque<std::vector<std::int64_t>> lists = std::exchange(lists_, {});
    const std::shared_ptr<Copies> copies = std::exchange(copies_, std::make_shared<Copies>());
    if (memory == Memory::lent && !copies->empty()) lent_.push_back(copies);
    memory_.clear();
    by(parts, std::exchange(step_, 0) + 1);
  }

 private:
  using Copies = std::deque<std::vector<std::byte>>;

  // Returns a part to which `add_place` adds the box or the list. The call that moves the part reports wrong arguments,
  // on all ranks.
  template <class AddPlace>
  static ArrayPart new_part(const char* variable, int type, const void* values, AddPlace&& add_place) {
    ArrayPart part;
    const std::optional<Error> error = attempt([&] {
      part.variable = &at(variable, "the name of the variable");
      part.type = element_type(type);
      part.first = const_cast<std::byte*>(static_cast<const std::byte*>(values));
      add_place(part);
    });
    if (!error) return part;
    ArrayPart wrong;
    wrong.error = std::make_shared<const Error>(*error);
    return wrong;
  }

  ArrayPart box_part(const char* variable, int rank, const std::int64_t* first, const std::int64_t* count,
                     const std::int64_t* stored_first, const std::int64_t* stored_count, int type, const void* values) {
    const auto index_of = [&](const std::int64_t* numbers) {
      const auto all = elements(numbers, rank);
      return Index(all.begin(), all.end());
    };
    const Box box{index_of(first), index_of(count)};
    const Box stored = stored_count == nullptr ? box : Box{index_of(stored_first), index_of(stored_count)};
    return new_part(variable, type, values, [&](ArrayPart& part) {
      part.box = box;
      part.lie_in(stored);
    });
  }

  ArrayPart list_part(const char* variable, std::int64_t count, const std::int64_t* numbers, int first_number, int type,
                      const void* values) {
    return new_part(variable, type, values, [&](ArrayPart& part) {
      const auto all = list_of(numbers, count, "the list of elements of variable " + part.variable);
      std::vector<std::int64_t>& list = lists_.emplace_back();
      for (const std::int64_t number : all) list.push_back(number - first_number);
      part.elements = list;
    });
  }

  // Returns a part that refers to a copy of its elements. A part that the call will reject is returned unchanged.
  ArrayPart copied(ArrayPart part) {
    const std::size_t dimensions = part.box.count.size();
    const bool is_countable_box = !part.elements && part.strides.size() == dimensions && is_countable(part.box, 8);
    if (part.first == nullptr || (!part.elements && !is_countable_box)) return part;
    const std::int64_t count = elements_of(part);
    const std::int64_t bytes = count * bytes_of(part.type);
    std::int64_t held = bytes;
    for (const auto& each : lent_) held += bytes_in(*each);
    held += bytes_in(*copies_);
    if (held > max_copied_bytes_) {
      refuse("copies of arrays would take " + std::to_string(held) + " bytes, of " + std::to_string(max_copied_bytes_) +
                 " that a rank may use",
             "write the arrays of earlier calls, wait for lent arrays, or pass memory that remains valid, with "
             "sill_dataset_put");
    }
    std::vector<std::byte>& copy = copies_->emplace_back(static_cast<std::size_t>(bytes));
    ArrayBox from{.first = part.first, .type = part.type, .count = {count}, .strides_bytes = {bytes_of(part.type)}};
    if (!part.elements) {
      from.count = part.box.count;
      from.strides_bytes = part.strides;
      for (std::int64_t& each : from.strides_bytes) each *= bytes_of(part.type);
      part.stored = part.box;
      part.strides = row_major_strides(part.box.count, 1);
    }
    ArrayEncoder(from, {part.type}, part.variable).fill({0, bytes}, copy);
    part.first = copy.data();
    return part;
  }

  static std::int64_t bytes_in(const Copies& copies) {
    std::int64_t bytes = 0;
    for (const auto& each : copies) bytes += std::ssize(each);
    return bytes;
  }

  void add(ArrayPart part) {
    if (part.first != nullptr && elements_of(part) > 0 && !memory_.insert(part.first).second) {
      refuse("the memory of variable " + part.variable +
                 " was passed for another part of this call: both parts would have its values at the time of the write",
             "give each part its own memory until the call, or pass copies: sill_dataset_put_copy");
    }
    part.step = step_;
    parts_.push_back(std::move(part));
  }

  std::int64_t max_copied_bytes_;
  std::int64_t step_ = 0;
  std::vector<ArrayPart> parts_;
  std::unordered_set<const std::byte*> memory_;  // addresses of the first elements of the parts
  std::deque<std::vector<std::int64_t>> lists_;
  std::shared_ptr<Copies> copies_ = std::make_shared<Copies>();
  std::vector<std::shared_ptr<Copies>> lent_;  // copies in calls whose requests may still read them
};

struct DatasetArguments {
  std::string path;
  DatasetOptions options = {};
};

}  // namespace sill::bindings

namespace {

DatasetArguments dataset_arguments(const char* path, const sill_dataset_options* given) {
  DatasetArguments arguments{.path = &at(path, "the path")};
  if (given == nullptr) return arguments;
  DatasetOptions& options = arguments.options;
  switch (given->existing) {
    case SILL_REFUSE_EXISTING: break;
    case SILL_REPLACE_EXISTING: options.existing = DatasetOptions::Existing::replace; break;
    case SILL_APPEND_TO_EXISTING: options.existing = DatasetOptions::Existing::append; break;
    default:
      refuse("what becomes of an existing file is " + std::to_string(given->existing),
             "give SILL_REFUSE_EXISTING, SILL_REPLACE_EXISTING or SILL_APPEND_TO_EXISTING");
  }
  if (const std::string container = text_of(given->container); !container.empty()) {
    options.container = container_named(container);
    if (!options.container) refuse("unknown container " + container, "give one of " + container_names(", "));
  }
  if (given->first_step != nullptr) options.first_step = *given->first_step;
  options.form.version = given->version;
  if (given->align != 0) options.form.align = given->align;
  if (given->variable_align != 0) options.form.variable_align = given->variable_align;
  if (given->record_align != 0) options.form.record_align = given->record_align;
  options.fill = given->no_fill == 0;
  options.field_data = given->field_data != 0;
  if (const std::string layout = text_of(given->layout); !layout.empty())
    options.take(DatasetLayouts::parse(layout).of(arguments.path));
  return arguments;
}

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    std::string& name = names.emplace_back(text.substr(0, comma));
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return names;
}

}  // namespace

struct sill_dataset {
  sill_dataset(std::shared_ptr<Session> session, DatasetArguments given)
      : held(std::move(session)), arguments(std::move(given)), parts(held->io->resources("arrays").memory()) {}
  std::shared_ptr<Session> held;
  DatasetArguments arguments;
  DatasetDescription description;
  DatasetParts parts;
  std::optional<DatasetWriter> writer;
};

struct sill_dataset_reader {
  sill_dataset_reader(std::shared_ptr<Session> session, const std::string& path)
      : held(std::move(session)), parts(0), reader(held->io->resources("arrays"), path) {}
  std::shared_ptr<Session> held;
  DatasetParts parts;
  DatasetReader reader;
};

namespace {

sill_dataset& described(sill_dataset* dataset) {
  sill_dataset& found = object_of(dataset, "the dataset");
  if (found.writer) refuse("the dataset is described when its file is made already", "describe it before");
  return found;
}

template <class Dataset>
auto& writer_of(Dataset* dataset) {
  auto& found = object_of(dataset, "the dataset");
  if (!found.writer) refuse("the dataset is written before its file is made", "call sill_dataset_begin first");
  return *found.writer;
}

void define(sill_dataset& dataset, const char* variable, const Attribute& attribute) {
  dataset.description = with_attribute(dataset.description, attribute, text_of(variable));
}

}  // namespace

extern "C" {

int sill_dataset_open(sill_session* session, const char* path, const sill_dataset_options* options,
                      sill_dataset** dataset) {
  return opened(session, dataset, [&] { return dataset_arguments(path, options); });
}

int sill_dataset_define_dimension(sill_dataset* dataset, const char* name, int64_t length) {
  return status_of([&] {
    described(dataset).description.dimensions.push_back(
        {&at(name, "the name of the dimension"), length == 0 ? unlimited : length});
  });
}

int sill_dataset_define_variable(sill_dataset* dataset, const char* name, int type, const char* dimensions) {
  return status_of([&] {
    described(dataset).description.variables.push_back({.name = &at(name, "the name of the variable"),
                                                        .type = element_type(type),
                                                        .dimensions = names_in(text_of(dimensions))});
  });
}

int sill_dataset_define_attribute(sill_dataset* dataset, const char* variable, const char* name, int type,
                                  int64_t count, const void* values) {
  return status_of([&] { define(described(dataset), variable, attribute_of(name, type, count, values)); });
}

int sill_dataset_define_text(sill_dataset* dataset, const char* variable, const char* name, const char* text) {
  return status_of([&] {
    define(described(dataset), variable, {&at(name, "the name of the attribute"), text_of(text)});
  });
}

int sill_dataset_define_coordinate(sill_dataset* dataset, const char* dimension, const char* axis, const char* units,
                                   const char* positive, const char* standard_name) {
  return status_of([&] {
    add_cf_coordinate(described(dataset).description, {.dimension = &at(dimension, "the name of the dimension"),
                                                       .axis = &at(axis, "the axis"),
                                                       .units = &at(units, "the units"),
                                                       .positive = std::string(text_of(positive)),
                                                       .standard_name = std::string(text_of(standard_name))});
  });
}

int sill_dataset_begin(sill_dataset* dataset) {
  return status_of([&] {
    sill_dataset& found = described(dataset);
    found.writer.emplace(found.held->io->resources("arrays"), found.arguments.path, found.description,
                         found.arguments.options);
  });
}

int sill_dataset_set_attribute(sill_dataset* dataset, const char* variable, const char* name, int type, int64_t count,
                               const void* values) {
  return status_of([&] {
    DatasetWriter& writer = writer_of(dataset);
    const Attribute attribute =
        run_and_agree(*dataset->held->comm, [&] { return attribute_of(name, type, count, values); });
    writer.set_attribute(attribute, text_of(variable));
  });
}

int sill_dataset_set_text(sill_dataset* dataset, const char* variable, const char* name, const char* text) {
  return status_of([&] {
    DatasetWriter& writer = writer_of(dataset);
    const Attribute attribute = run_and_agree(
        *dataset->held->comm, [&] { return Attribute(&at(name, "the name of the attribute"), text_of(text)); });
    writer.set_attribute(attribute, text_of(variable));
  });
}

int sill_dataset_put(sill_dataset* dataset, const char* variable, int rank, const int64_t* first, const int64_t* count,
                     const int64_t* stored_first, const int64_t* stored_count, int type, const void* values) {
  return status_of([&] {
    object_of(dataset, "the dataset")
        .parts.add_box(variable, rank, first, count, stored_first, stored_count, type, values);
  });
}

int sill_dataset_put_elements(sill_dataset* dataset, const char* variable, int64_t count, const int64_t* elements,
                              int type, const void* values) {
  return status_of([&] {
    sill_dataset& found = object_of(dataset, "the dataset");
    found.parts.add_elements(variable, count, elements, found.held->first_index, type, values);
  });
}

int sill_dataset_put_copy(sill_dataset* dataset, const char* variable, int rank, const int64_t* first,
                          const int64_t* count, const int64_t* stored_first, const int64_t* stored_count, int type,
                          const void* values) {
  return status_of([&] {
    object_of(dataset, "the dataset")
        .parts.copy_box(variable, rank, first, count, stored_first, stored_count, type, values);
  });
}

int sill_dataset_put_elements_copy(sill_dataset* dataset, const char* variable, int64_t count, const int64_t* elements,
                                   int type, const void* values) {
  return status_of([&] {
    sill_dataset& found = object_of(dataset, "the dataset");
    found.parts.copy_elements(variable, count, elements, found.held->first_index, type, values);
  });
}

int sill_dataset_put_value(sill_dataset* dataset, const char* variable, double value) {
  return status_of([&] {
    sill_dataset& found = object_of(dataset, "the dataset");
    if (found.held->comm->rank() == 0) found.parts.copy_value(variable, value);
  });
}

int sill_dataset_next_step(sill_dataset* dataset) {
  return status_of([&] { object_of(dataset, "the dataset").parts.next_step(); });
}

int sill_dataset_write(sill_dataset* dataset, int memory) {
  return status_of([&] {
    DatasetWriter& writer = writer_of(dataset);
    dataset->parts.move(memory_of(memory), [&](const std::vector<ArrayPart>& parts, std::int64_t steps) {
      run_and_agree(*dataset->held->comm, [&] {
        if (steps > 1) refuse("several steps were passed, but none is completed", "call sill_dataset_write_step");
      });
      writer.write(parts, memory_of(memory));
    });
  });
}

int sill_dataset_write_step(sill_dataset* dataset, int memory) {
  return status_of([&] {
    DatasetWriter& writer = writer_of(dataset);
    dataset->parts.move(memory_of(memory), [&](const std::vector<ArrayPart>& parts, std::int64_t steps) {
      writer.write_steps(steps, parts, memory_of(memory));
    });
  });
}

int sill_dataset_write_own(sill_dataset* dataset, int64_t step) {
  return status_of([&] {
    DatasetWriter& writer = writer_of(dataset);
    dataset->parts.move(Memory::copied,
                        [&](const std::vector<ArrayPart>& parts, std::int64_t) { writer.write_own(step, parts); });
  });
}

int sill_dataset_wait(sill_dataset* dataset) {
  return status_of([&] {
    writer_of(dataset).wait();
    dataset->parts.forget_lent();
  });
}

int sill_dataset_steps(const sill_dataset* dataset, int64_t* steps) {
  return status_of([&] { at(steps, "the pointer for the number of steps") = writer_of(dataset).steps(); });
}

int sill_dataset_close(sill_dataset** dataset) {
  return status_of([&] {
    const std::unique_ptr<sill_dataset> own = taken(dataset, "the dataset");
    if (!own->writer) return;
    own->writer->close();
    run_and_agree(*own->held->comm, [&] {
      if (own->parts.is_empty()) return;
      refuse("arrays were passed but not written before the dataset was closed", "call sill_dataset_write_step");
    });
  });
}

int sill_dataset_free(sill_dataset** dataset) { return freed(dataset, "the pointer to the dataset"); }

int sill_dataset_reader_open(sill_session* session, const char* path, sill_dataset_reader** reader) {
  return opened(session, reader, [&] { return std::string(&at(path, "the path")); });
}

int sill_dataset_reader_steps(const sill_dataset_reader* reader, int64_t* steps) {
  return status_of([&] {
    at(steps, "the pointer for the number of steps") = object_of(reader, "the dataset reader").reader.steps();
  });
}

int sill_dataset_reader_holds(const sill_dataset_reader* reader, const char* variable, int64_t step, int* holds) {
  return status_of([&] {
    int& found = at(holds, "the pointer for what was found");
    found = object_of(reader, "the dataset reader").reader.holds(text_of(variable), step) ? 1 : 0;
  });
}

int sill_dataset_reader_length(const sill_dataset_reader* reader, const char* dimension, int64_t* length) {
  return status_of([&] {
    const DatasetReader& found = object_of(reader, "the dataset reader").reader;
    const DatasetDescription& description = found.description();
    const std::int64_t stated =
        description.dimensions[description.dimension_named(&at(dimension, "the name of the dimension"))].length;
    at(length, "the pointer for the length") = stated == unlimited ? found.steps() : stated;
  });
}

int sill_dataset_reader_get(sill_dataset_reader* reader, const char* variable, int rank, const int64_t* first,
                            const int64_t* count, const int64_t* stored_first, const int64_t* stored_count, int type,
                            void* values) {
  return status_of([&] {
    object_of(reader, "the dataset reader")
        .parts.add_box(variable, rank, first, count, stored_first, stored_count, type, values);
  });
}

int sill_dataset_reader_get_elements(sill_dataset_reader* reader, const char* variable, int64_t count,
                                     const int64_t* elements, int type, void* values) {
  return status_of([&] {
    sill_dataset_reader& found = object_of(reader, "the dataset reader");
    found.parts.add_elements(variable, count, elements, found.held->first_index, type, values);
  });
}

int sill_dataset_reader_next_step(sill_dataset_reader* reader) {
  return status_of([&] { object_of(reader, "the dataset reader").parts.next_step(); });
}

int sill_dataset_reader_read(sill_dataset_reader* reader) {
  return status_of([&] {
    sill_dataset_reader& found = object_of(reader, "the dataset reader");
    found.parts.move(Memory::copied,
                     [&](const std::vector<ArrayPart>& parts, std::int64_t) { found.reader.read(parts); });
  });
}

int sill_dataset_reader_read_step(sill_dataset_reader* reader, int64_t step) {
  return status_of([&] {
    sill_dataset_reader& found = object_of(reader, "the dataset reader");
    found.parts.move(Memory::copied,
                     [&](const std::vector<ArrayPart>& parts, std::int64_t) { found.reader.read_step(step, parts); });
  });
}

int sill_dataset_reader_free(sill_dataset_reader** reader) {
  return freed(reader, "the pointer to the dataset reader");
}

}  // extern "C"
