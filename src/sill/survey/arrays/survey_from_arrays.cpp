#include "sill/survey/arrays/survey_from_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <utility>
#include <vector>

#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/samples/conversion.hpp"
#include "sill/io/arrays/dataset_reader.hpp"
#include "sill/io/survey/same_file.hpp"
#include "sill/io/survey/survey_writer.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/arrays/cell_windows.hpp"
#include "sill/survey/arrays/survey_layout.hpp"

namespace sill {
namespace {

using Kind = CellVariable::Kind;

[[noreturn]] void refuse_arrays(ErrorCode code, const std::string& path, std::string problem, std::string action) {
  throw Error({.code = code, .problem = std::move(problem), .where = {.file = path}, .action = std::move(action)});
}

const Attribute* attribute_of(const std::vector<Attribute>& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

std::int64_t number_in(const std::vector<Attribute>& attributes, std::string_view name, std::int64_t otherwise) {
  const Attribute* const attribute = attribute_of(attributes, name);
  if (attribute == nullptr) return otherwise;
  const std::string text = attribute->text();
  std::int64_t number = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The survey that a dataset holds.
struct StoredSurvey {
  std::vector<CellVariable> variables = {};
  Index shape = {};
  std::int64_t traces = 0;
  std::int64_t samples = 0;
  std::int64_t header_bytes = 0;
  segy::SampleFormat format = segy::SampleFormat::ibm_float;
  ByteOrder order = ByteOrder::big;
  std::vector<std::byte> file_header = {};
  std::vector<std::byte> file_trailer = {};

  [[nodiscard]] std::int64_t cell_bytes() const {
    std::int64_t bytes = 0;
    for (const CellVariable& each : variables) bytes += each.bytes();
    return bytes;
  }
  [[nodiscard]] std::int64_t trace_bytes() const { return header_bytes + samples * segy::bytes_of(format); }
};

// Errors: usage if the dataset does not hold a survey.
StoredSurvey survey_in(const DatasetDescription& description, const std::string& path) {
  const auto variable = [&](const char* name) -> const Variable* {
    const auto found = std::ranges::find(description.variables, name, &Variable::name);
    return found == description.variables.end() ? nullptr : &*found;
  };
  if (number_in(description.attributes, "sill_survey", 0) != survey_layout_version) {
    refuse_arrays(ErrorCode::usage, path,
                  "the dataset does not hold a survey that this version of Sill converted to arrays",
                  "convert a dataset that `sill convert` made of a survey, or write samples with the Python package");
  }
  StoredSurvey stored;
  const bool mdio = variable("amplitude") != nullptr;
  const char* const samples = mdio ? "amplitude" : "samples";
  const char* const headers = mdio ? "raw_headers" : "trace_headers";
  for (const char* const name : {samples, "trace", headers}) {
    if (variable(name) == nullptr)
      refuse_arrays(ErrorCode::usage, path, fmt::format("the dataset lacks the variable {}", name),
                    "restore the variable");
  }
  stored.shape = description.shape_of(*variable("trace"));
  stored.traces = number_in(description.attributes, "traces", -1);
  const Index of_samples = description.shape_of(*variable(samples));
  const Index of_headers = description.shape_of(*variable(headers));
  const auto is_over_traces = [&](const Index& shape) {
    return shape.size() == stored.shape.size() + 1 &&
           std::equal(stored.shape.begin(), stored.shape.end(), shape.begin());
  };
  if (!is_over_traces(of_samples) || !is_over_traces(of_headers))
    refuse_arrays(ErrorCode::usage, path, fmt::format("{}, trace and {} differ in their dimensions", samples, headers),
                  "restore the variables");
  stored.samples = of_samples.back();
  stored.header_bytes = of_headers.back();
  const Attribute* const format = attribute_of(description.attributes, "sample_format");
  const auto known = format == nullptr ? std::nullopt : segy::sample_format_from_word(format->text());
  if (!known)
    refuse_arrays(ErrorCode::usage, path, "samples of the original file's format (code 4) cannot be written",
                  "use the original file");
  stored.format = *known;
  const Attribute* const order = attribute_of(description.attributes, "byte_order");
  for (const ByteOrder each : {ByteOrder::big, ByteOrder::little, ByteOrder::pairwise}) {
    if (order != nullptr && order->text() == name_of(each)) stored.order = each;
  }
  stored.variables = {{Kind::samples, samples, element_type_of(stored.format), stored.samples},
                      {Kind::trace, "trace", ElementType::i8},
                      {Kind::headers, headers, ElementType::u1, stored.header_bytes}};
  if (const Variable* const fields = mdio ? variable("headers") : nullptr)
    stored.variables.push_back({Kind::fields, "headers", ElementType::u1, description.shape_of(*fields).back()});
  for (const Variable& each : description.variables) {
    const Attribute* const type = attribute_of(each.attributes, "type");
    const std::int64_t byte = number_in(each.attributes, "byte", 0);
    const auto word = type == nullptr ? std::nullopt : segy::parse_word_type(type->text());
    if (!word || byte < 1 || byte - 1 + word->bytes > stored.header_bytes) continue;
    if (description.shape_of(each) != stored.shape)
      refuse_arrays(ErrorCode::usage, path, fmt::format("the word {} has other dimensions than trace", each.name),
                    "restore the variable, or remove it");
    const bool is_float = segy::is_float(*word);
    stored.variables.push_back(
        {Kind::word, each.name, is_float ? ElementType::f8 : ElementType::i8, 0, static_cast<int>(byte), *word});
  }
  return stored;
}

// Collective. Returns all bytes of a variable; nothing if there is none.
std::vector<std::byte> bytes_in(DatasetReader& reader, const std::string& name) {
  const auto& variables = reader.description().variables;
  const auto found = std::ranges::find(variables, name, &Variable::name);
  if (found == variables.end()) return {};
  std::vector<std::byte> bytes(static_cast<std::size_t>(reader.description().element_bytes(*found)));
  const std::vector<ArrayPart> parts{{name, whole({std::ssize(bytes)}), reinterpret_cast<std::uint8_t*>(bytes.data())}};
  reader.read(parts);
  return bytes;
}

// Collective. Checks that the dataset has each trace once. Errors: input.
void require_each_trace(const Resources& resources, const std::string& path, const StoredSurvey& stored,
                        const Index& window, DatasetReader& reader) {
  Communicator& comm = resources.comm;
  std::vector<std::int64_t> seen(static_cast<std::size_t>((stored.traces + 63) / 64));  // one bit per trace
  std::int64_t count = 0;
  std::int64_t wrong = -1;  // a number that is not that of a trace, or one that is there twice
  const CellVariable trace = stored.variables[1];
  std::vector<std::int64_t> numbers;
  for_each_window(resources, stored.shape, window, trace.bytes(), [&](std::span<const Box> boxes) {
    std::size_t items = 0;
    for (const Box& each : boxes) items += static_cast<std::size_t>(each.items());
    numbers.resize(items);
    std::vector<ArrayPart> parts;
    std::byte* first = reinterpret_cast<std::byte*>(numbers.data());
    for (const Box& each : boxes) {
      if (!each.empty()) parts.push_back(part_of_cells(trace, each, first));
      first += each.items() * trace.bytes();
    }
    reader.read(parts);
    for (const std::int64_t number : numbers) {
      if (number < 0) continue;
      ++count;
      if (number >= stored.traces) {
        wrong = number;
        continue;
      }
      auto bits = static_cast<std::uint64_t>(seen[static_cast<std::size_t>(number / 64)]);
      const std::uint64_t bit = std::uint64_t{1} << (number % 64);
      if ((bits & bit) != 0) wrong = number;
      bits |= bit;
      seen[static_cast<std::size_t>(number / 64)] = static_cast<std::int64_t>(bits);
    }
  });
  comm.all_reduce(seen, Reduction::bit_xor);  // a number on two ranks is lost here, and then missing
  count = all_reduce(comm, count, Reduction::sum);
  wrong = all_reduce(comm, wrong, Reduction::max);
  std::int64_t different = 0;
  for (const std::int64_t bits : seen) different += std::popcount(static_cast<std::uint64_t>(bits));
  run_and_agree(comm, [&] {
    if (wrong < 0 && count == stored.traces && different == stored.traces) return;
    const std::string problem =
        wrong >= 0 ? fmt::format("trace {} is there twice, or is not one of the {} traces", wrong, stored.traces)
                   : fmt::format("{} of the {} traces are there", different, stored.traces);
    refuse_arrays(ErrorCode::input, path, "the variable trace does not have each trace once: " + problem,
                  "convert the complete dataset; select traces of the SEG-Y file with sill cut");
  });
}

// Makes traces of the elements of boxes.
class TraceMaker {
 public:
  TraceMaker(const Resources& resources, const StoredSurvey& stored, std::string path)
      : resources_(resources),
        stored_(stored),
        path_(std::move(path)),
        encode_(memory_format_of(stored.format), native_order, stored.format, stored.order, {}),
        buffers_(stored.variables.size()) {}

  std::vector<ArrayPart> parts_of(std::span<const Box> boxes) {
    cells_ = 0;
    for (const Box& each : boxes) cells_ += each.items();
    std::vector<ArrayPart> parts;
    for (std::size_t v = 0; v < buffers_.size(); ++v) {
      const CellVariable& variable = stored_.variables[v];
      buffers_[v].resize(static_cast<std::size_t>(cells_ * variable.bytes()));
      std::byte* first = buffers_[v].data();
      for (const Box& each : boxes) {
        if (!each.empty()) parts.push_back(part_of_cells(variable, each, first));
        first += each.items() * variable.bytes();
      }
    }
    return parts;
  }

  // Local. Makes the traces of the elements that were read. Errors: input.
  void make() {
    const auto trace_bytes = static_cast<std::size_t>(stored_.trace_bytes());
    numbers.clear();
    std::vector<std::int64_t> cells;
    for (std::int64_t cell = 0; cell < cells_; ++cell) {
      const auto number = load<std::int64_t>(buffers_[1].data() + cell * 8, native_order);
      if (number < 0) continue;
      numbers.push_back(number);
      cells.push_back(cell);
    }
    traces.resize(numbers.size() * trace_bytes);
    std::vector<std::int64_t> changed(static_cast<std::size_t>(resources_.threads()));
    parallel_for(resources_.threads(), std::ssize(numbers), [&](std::int64_t i, int thread) {
      const std::span<std::byte> to = std::span(traces).subspan(static_cast<std::size_t>(i) * trace_bytes, trace_bytes);
      try {
        make_one(cells[static_cast<std::size_t>(i)], to, changed[static_cast<std::size_t>(thread)]);
      } catch (const Error& error) {
        ErrorParts parts = error.parts();
        parts.code = ErrorCode::input;
        parts.where = {path_, {}, numbers[static_cast<std::size_t>(i)] + 1, "trace"};
        throw Error(parts);
      }
    });
    for (const std::int64_t each : changed) changed_words += each;
  }

  std::vector<std::int64_t> numbers;
  std::vector<std::byte> traces;
  std::int64_t changed_words = 0;

 private:
  void make_one(std::int64_t cell, std::span<std::byte> to, std::int64_t& changed) const {
    const auto element = [&](std::size_t v) {
      const auto size = static_cast<std::size_t>(stored_.variables[v].bytes());
      return std::span(buffers_[v]).subspan(static_cast<std::size_t>(cell) * size, size);
    };
    const std::span<const std::byte> headers = element(2);
    std::ranges::copy(headers, to.begin());
    for (std::size_t v = 3; v < stored_.variables.size(); ++v) {
      const CellVariable& variable = stored_.variables[v];
      const std::byte* at = element(v).data();
      if (variable.kind == Kind::word) {
        segy::WordValue value;
        if (variable.type == ElementType::f8) {
          value.number = load<double>(at, native_order);
        } else {
          value.number = load<std::int64_t>(at, native_order);
        }
        changed += set_word({variable.name, variable.byte, variable.word}, value, headers.data(), to.data());
        continue;
      }
      for (const MdioField& each : fields_) {
        segy::WordValue value = segy::read_word(at, 1, each.type, ByteOrder::little);
        at += each.type.bytes;
        changed += set_word(each, value, headers.data(), to.data());
      }
    }
    segy::ConversionAccount account;
    encode_.convert(element(0), to.subspan(headers.size()), account);
  }

  // Sets a word that has another value than in the headers; returns 1 if it does.
  std::int64_t set_word(const MdioField& word, const segy::WordValue& value, const std::byte* headers,
                        std::byte* to) const {
    const segy::WordValue before = segy::read_word(headers, word.byte, word.type, stored_.order);
    const bool is_same = std::visit(
        [&](const auto& number) {
          using T = std::decay_t<decltype(number)>;
          if constexpr (std::is_same_v<T, double>) return value == segy::WordValue{.number = number};
          if constexpr (std::is_integral_v<T>)
            return static_cast<std::int64_t>(number) == std::get<std::int64_t>(value.number);
          return false;
        },
        before.number);
    if (is_same) return 0;
    segy::write_word(to, word.byte, word.type, stored_.order, value, word.name);
    return 1;
  }

  const Resources& resources_;
  const StoredSurvey& stored_;
  std::string path_;
  std::vector<MdioField> fields_ = mdio_fields();
  segy::SampleConversion encode_;
  std::vector<std::vector<std::byte>> buffers_;
  std::int64_t cells_ = 0;
};

}  // namespace

bool is_name_of_arrays(const std::string& path) {
  std::string name = path;
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  return std::ranges::any_of(std::array{".zarr", ".mdio", ".nc", ".nc4", ".h5", ".hdf5"},
                             [&](const char* ending) { return name.ends_with(ending); });
}

SurveyFromArraysResult survey_from_arrays(const Resources& resources, const std::string& input,
                                          const std::string& output, PartFile* part) {
  Communicator& comm = resources.comm;
  require_other_file(resources, output, {input});
  DatasetReader reader(resources, input);
  StoredSurvey stored = run_and_agree(comm, [&] { return survey_in(reader.description(), input); });
  stored.file_header = bytes_in(reader, "file_header");
  stored.file_trailer = bytes_in(reader, "file_trailer");
  const Index window =
      window_shape(stored.shape, Index(stored.shape.size(), 1), cells_of_window(stored.variables.front()), false);
  require_each_trace(resources, input, stored, window, reader);
  SurveyFromArraysResult result{.traces = stored.traces};
  if (std::ranges::count(reader.description().variables, "inexact_samples", &Variable::name) > 0) {
    const std::vector<ArrayPart> parts{{"inexact_samples", Box{}, &result.inexact_samples}};
    reader.read(parts);
  }
  TraceMaker maker = run_and_agree(comm, [&] { return TraceMaker(resources, stored, input); });
  SurveyWriter writer(resources, output, ItemList{std::ssize(stored.file_header), stored.trace_bytes(), stored.traces},
                      SurveyWriter::Space::at_once, std::ssize(stored.file_trailer), part);
  writer.write_header(stored.file_header);
  resources.begin_stage("converting arrays", stored.traces * stored.trace_bytes() / comm.size());
  for_each_window(resources, stored.shape, window, stored.cell_bytes(), [&](std::span<const Box> boxes) {
    const std::vector<ArrayPart> parts = run_and_agree(comm, [&] { return maker.parts_of(boxes); });
    reader.read(parts);
    run_and_agree(comm, [&] { maker.make(); });
    writer.write(maker.numbers, maker.traces);
  });
  writer.write_trailer(stored.file_trailer);
  result.output_bytes = writer.file_bytes();
  result.changed_words = all_reduce(comm, maker.changed_words, Reduction::sum);
  writer.finish();
  return result;
}

}  // namespace sill
