#include "sill/survey/arrays/survey_from_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/detect/file_signs.hpp"
#include "sill/formats/segy/samples/conversion.hpp"
#include "sill/io/arrays/dataset_reader.hpp"
#include "sill/io/survey/same_file.hpp"
#include "sill/io/survey/survey_writer.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/arrays/cell_windows.hpp"
#include "sill/survey/arrays/stored_survey.hpp"

namespace sill {
namespace {

using Kind = CellVariable::Kind;

// Errors: input.
[[noreturn]] void refuse_value(std::string problem) {
  throw Error({.code = ErrorCode::input, .problem = std::move(problem)});
}

// Converts a float of the dataset to the integer type of the file. Errors: input if it is not an integer in the range
// of T.
template <class T>
T whole_number(double value, std::string_view name) {
  const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (value != std::trunc(value) || !(value < end) || value < static_cast<double>(std::numeric_limits<T>::lowest()))
    refuse_value(fmt::format("{} is {}, but the file holds integers of {} bytes", name, value, sizeof(T)));
  return static_cast<T>(value);
}

// Collective. Returns all bytes of a variable; nothing if there is none.
std::vector<std::byte> bytes_in(Communicator& comm, DatasetReader& reader, const std::string& name) {
  const auto& variables = reader.description().variables;
  const auto found = std::ranges::find(variables, name, &Variable::name);
  if (found == variables.end()) return {};
  auto bytes = run_and_agree(comm, [&] {
    return std::vector<std::byte>(static_cast<std::size_t>(reader.description().element_bytes(*found)));
  });
  const std::vector<ArrayPart> parts{{name, whole({std::ssize(bytes)}), reinterpret_cast<std::uint8_t*>(bytes.data())}};
  reader.read(parts);
  return bytes;
}

// Collective. Checks that the dataset has each trace once. Errors: input.
void require_each_trace(const Resources& resources, const std::string& path, const StoredSurvey& stored,
                        const Index& window, DatasetReader& reader) {
  Communicator& comm = resources.comm;
  auto seen = run_and_agree(comm, [&] {  // one bit per trace
    return std::vector<std::int64_t>(static_cast<std::size_t>((stored.traces - 1) / 64 + 1));
  });
  std::int64_t count = 0;
  std::int64_t wrong = -1;  // a number that is not that of a trace, or that occurs twice
  const CellVariable trace = stored.variables[1];
  std::vector<std::int64_t> numbers;
  for_each_window(resources, stored.shape, window, trace.bytes(), [&](std::span<const Box> boxes) {
    std::size_t items = 0;
    for (const Box& each : boxes) items += static_cast<std::size_t>(each.items());
    std::vector<ArrayPart> parts;
    run_and_agree(comm, [&] {
      numbers.resize(items);
      std::byte* first = reinterpret_cast<std::byte*>(numbers.data());
      for (const Box& each : boxes) {
        if (!each.empty()) parts.push_back(part_of_cells(trace, each, first));
        first += each.items() * trace.bytes();
      }
    });
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
        wrong >= 0 ? fmt::format("trace {} occurs twice, or is not one of the {} traces", wrong, stored.traces)
                   : fmt::format("it has {} of the {} traces", different, stored.traces);
    throw Error({.code = ErrorCode::input,
                 .problem = "the variable trace does not contain each trace once: " + problem,
                 .where = {.file = path},
                 .action = "convert the complete dataset; select traces of the SEG-Y file with sill cut"});
  });
}

// Makes traces from the elements of boxes.
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

  // Local. Makes traces from the elements that were read. Errors: input.
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
        parts.action = "correct the value in the dataset";
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
        if (variable.type == ElementType::f8 && segy::is_float(variable.word)) {
          value.number = load<double>(at, native_order);
        } else if (variable.type == ElementType::f8) {
          value.number = whole_number<std::int64_t>(load<double>(at, native_order), variable.name);
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
    const bool has_floats = stored_.variables[0].type != element_type_of(stored_.format);
    encode_.convert(has_floats ? as_integers(element(0)) : element(0), to.subspan(headers.size()), account);
  }

  // Converts samples that are 8-byte floats to integers. Errors: input if one is not an integer.
  [[nodiscard]] std::span<const std::byte> as_integers(std::span<const std::byte> floats) const {
    thread_local std::vector<std::byte> integers;
    visit_type(element_type_of(stored_.format), [&](auto of_type) {
      using T = decltype(of_type);
      const std::size_t samples = floats.size() / 8;
      integers.resize(samples * sizeof(T));
      for (std::size_t i = 0; i < samples; ++i)
        store(integers.data() + i * sizeof(T),
              whole_number<T>(load<double>(floats.data() + i * 8, native_order), "a sample"), native_order);
    });
    return integers;
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
  run_and_agree(comm, [&] {
    const bool is_su = stored.is_seismic_unix;
    if (is_su == segy::has_name_of_su(output)) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("the dataset holds a {} file", is_su ? "Seismic Unix" : "SEG-Y"),
                 .where = {.file = output},
                 .action = fmt::format("name the output .{}, and convert it again", is_su ? "su" : "sgy")});
  });
  stored.file_header = bytes_in(comm, reader, "file_header");
  stored.file_trailer = bytes_in(comm, reader, "file_trailer");
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
