#include "sill/survey/arrays/survey_from_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
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
#include "sill/survey/arrays/stored_checks.hpp"
#include "sill/survey/arrays/stored_survey.hpp"

namespace sill {
namespace {

using Kind = CellVariable::Kind;

// Errors: input.
[[noreturn]] void refuse_value(std::string problem) {
  throw Error({.code = ErrorCode::input, .problem = std::move(problem)});
}

// Converts a float of the dataset to the integer type of the file. Errors: input if it is not an integer in the range
// of T. `bytes` is the size of the integer in the file.
template <class T>
T whole_number(double value, std::string_view name, int bytes) {
  const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (value != std::trunc(value) || !(value < end) || value < static_cast<double>(std::numeric_limits<T>::lowest()))
    refuse_value(fmt::format("{} is {}, but the file holds integers of {} bytes there", name, value, bytes));
  return static_cast<T>(value);
}

[[noreturn]] void refuse_absent(const std::string& path, const std::string& name, std::optional<std::int64_t> trace) {
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("{} is not stored: a file of the dataset is missing, or a program left out "
                                      "chunks that have the fill value only",
                                      name),
               .where = {path, {}, trace, "trace"},
               .action = "restore the files of the variable, or make the program write such chunks (xarray: "
                         "to_zarr(..., write_empty_chunks=True))"});
}

// Collective. Returns all bytes of a variable; nothing if there is none. Errors: input if they are not stored; io.
std::vector<std::byte> bytes_in(Communicator& comm, DatasetReader& reader, const std::string& path,
                                const std::string& name) {
  const auto& variables = reader.description().variables;
  const auto found = std::ranges::find(variables, name, &Variable::name);
  if (found == variables.end()) return {};
  auto bytes = run_and_agree(comm, [&] {
    const std::int64_t size = reader.description().element_bytes(*found);
    if (!reader.absent(name, whole({size})).empty()) refuse_absent(path, name, {});
    return std::vector<std::byte>(static_cast<std::size_t>(size));
  });
  const std::vector<ArrayPart> parts{{name, whole({std::ssize(bytes)}), reinterpret_cast<std::uint8_t*>(bytes.data())}};
  reader.read(parts);
  return bytes;
}

// Collective. Checks what the dataset repeats: coordinates of dimensions, and texts of the file header. Errors: input
// if it was changed; io.
void require_unchanged(Communicator& comm, DatasetReader& reader, const std::string& path) {
  const DatasetDescription& description = reader.description();
  const auto checksum_in = [&](const std::string& name) {
    const auto& attributes = description.attributes;
    const auto found = std::ranges::find(attributes, std::string(checksum_prefix) + name, &Attribute::name);
    return found == attributes.end() ? std::string() : found->text();
  };
  std::vector<Attribute> repeated = description.attributes;
  for (const Variable& each : description.variables) {
    if (each.name == "segy_file_header") std::ranges::copy(each.attributes, std::back_inserter(repeated));
    if (checksum_in(each.name).empty() || each.dimensions != std::vector<std::string>{each.name}) continue;
    std::vector<double> values(static_cast<std::size_t>(description.shape_of(each).front()));
    reader.read(std::vector<ArrayPart>{{each.name, whole({std::ssize(values)}), values.data()}});
    repeated.emplace_back(each.name, std::span<const double>(values));
  }
  run_and_agree(comm, [&] {
    for (const Attribute& each : repeated) {
      const std::string checksum = checksum_in(each.name);
      if (checksum.empty() || checksum == checksum_of(each.values)) continue;
      throw Error(
          {.code = ErrorCode::input,
           .problem = fmt::format("{} was changed in the dataset, but SEG-Y has no place for it", each.name),
           .where = {.file = path},
           .action = fmt::format("change header words or file_header, and restore {0} or remove {0}", each.name)});
    }
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
        buffers_(stored.variables.size()),
        absent_(stored.variables.size()) {
    changed.resize(stored.words.size());
    seen.resize(static_cast<std::size_t>(stored.traces / 63 + 1));
  }

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

  // Local. Makes the traces of the elements that were read. Errors: input; io.
  void make(DatasetReader& reader, std::span<const Box> boxes) {
    for (std::size_t v = 0; v < absent_.size(); ++v) find_absent(reader, boxes, v);
    const auto trace_bytes = static_cast<std::size_t>(stored_.trace_bytes());
    numbers.clear();
    std::vector<std::int64_t> cells;
    for (std::int64_t cell = 0; cell < cells_; ++cell) {
      const auto number = load<std::int64_t>(buffers_[1].data() + cell * 8, native_order);
      if (number >= 0) {
        see(number);
        numbers.push_back(number);
        cells.push_back(cell);
      } else if (!is_hole(cell)) {
        require_stored(1, cell, {});
        throw Error({.code = ErrorCode::input,
                     .problem = "samples or trace_mask were set at a position where the variable trace is -1",
                     .where = {.file = path_},
                     .action = "only traces of the original file are written: set these samples to NaN or 0, and "
                               "trace_mask to 0"});
      }
    }
    traces.resize(numbers.size() * trace_bytes);
    std::vector<std::vector<std::int64_t>> counts(static_cast<std::size_t>(resources_.threads()));
    for (auto& each : counts) each.resize(changed.size());
    parallel_for(resources_.threads(), std::ssize(numbers), [&](std::int64_t i, int thread) {
      const std::span<std::byte> to = std::span(traces).subspan(static_cast<std::size_t>(i) * trace_bytes, trace_bytes);
      const std::int64_t number = numbers[static_cast<std::size_t>(i)];
      try {
        make_one(cells[static_cast<std::size_t>(i)], number, to, counts[static_cast<std::size_t>(thread)]);
      } catch (const Error& error) {
        if (!error.parts().where.file.empty()) throw;
        ErrorParts parts = error.parts();
        parts.code = ErrorCode::input;
        parts.where = {path_, {}, number + 1, "trace"};
        parts.action = "correct the value in the dataset";
        throw Error(parts);
      }
    });
    for (const auto& each : counts) {
      for (std::size_t w = 0; w < changed.size(); ++w) changed[w] += each[w];
    }
  }

  [[noreturn]] void refuse_traces(const std::string& problem) const {
    throw Error({.code = ErrorCode::input,
                 .problem = "the variable trace does not have each trace once: " + problem,
                 .where = {.file = path_},
                 .action = "convert the complete dataset; select traces of the SEG-Y file with sill cut"});
  }

  std::vector<std::int64_t> numbers;
  std::vector<std::byte> traces;
  std::vector<std::int64_t> changed;  // of each word, the traces with another value than in the headers
  std::vector<std::int64_t> seen;     // 63 traces in each
  std::int64_t count = 0;             // of traces

 private:
  void see(std::int64_t number) {
    const std::int64_t bit = std::int64_t{1} << (number % 63);
    if (number >= stored_.traces || (seen[static_cast<std::size_t>(number / 63)] & bit) != 0)
      refuse_traces(fmt::format("trace {} occurs twice, or is not one of the {} traces", number, stored_.traces));
    seen[static_cast<std::size_t>(number / 63)] |= bit;
    ++count;
  }

  // Local. Finds the cells of variable v that are not stored.
  void find_absent(DatasetReader& reader, std::span<const Box> boxes, std::size_t v) {
    const CellVariable& variable = stored_.variables[v];
    absent_[v].clear();
    std::int64_t begin = 0;
    for (const Box& box : boxes) {
      const Index strides = row_major_strides(box.count, 1);
      for (Box each : reader.absent(variable.name, part_of_cells(variable, box, nullptr).box)) {
        absent_[v].resize(static_cast<std::size_t>(cells_));
        each.first.resize(strides.size());
        each.count.resize(strides.size());
        for (std::size_t d = 0; d < strides.size(); ++d) each.first[d] -= box.first[d];
        for_each_position(each, box.count,
                          [&](std::int64_t cell) { absent_[v][static_cast<std::size_t>(begin + cell)] = true; });
      }
      begin += box.items();
    }
  }

  // Returns true if the samples of a position without a trace are NaN or 0, and the mask is 0.
  [[nodiscard]] bool is_hole(std::int64_t cell) const {
    for (std::size_t v = 0; v < stored_.variables.size(); ++v) {
      if (stored_.variables[v].kind == Kind::mask && element(v, cell).front() != std::byte{}) return false;
    }
    bool is_hole = true;
    visit_type(stored_.variables[0].type, [&](auto of_type) {
      using T = decltype(of_type);
      const std::span<const std::byte> samples = element(0, cell);
      for (std::size_t at = 0; at < samples.size(); at += sizeof(T)) {
        const auto value = load<T>(samples.data() + at, native_order);
        is_hole = is_hole && (value == T{} || value != value);
      }
    });
    return is_hole;
  }

  void require_stored(std::size_t v, std::int64_t cell, std::optional<std::int64_t> number) const {
    if (absent_[v].empty() || !absent_[v][static_cast<std::size_t>(cell)]) return;
    refuse_absent(path_, stored_.variables[v].name, number ? std::optional(*number + 1) : std::nullopt);
  }

  // Checks that no element of a position means that its value is missing. Errors: input.
  void require_values(std::size_t v, std::int64_t cell) const {
    const std::span<const std::byte> missing = stored_.missing[v];
    if (missing.empty()) return;
    const CellVariable& variable = stored_.variables[v];
    const std::span<const std::byte> elements = element(v, cell);
    visit_type(variable.type, [&](auto of_type) {
      using T = decltype(of_type);
      for (std::size_t at = 0; at < elements.size(); at += sizeof(T)) {
        const auto value = load<T>(elements.data() + at, native_order);
        for (std::size_t m = 0; m < missing.size(); m += sizeof(T)) {
          if (value != load<T>(missing.data() + m, native_order)) continue;
          const std::string of = variable.elements > 0 ? fmt::format("element {} of ", at / sizeof(T)) : "";
          refuse_value(
              fmt::format("{}{} is {}, which means that it is missing (_FillValue, missing_value, or the "
                          "default of netCDF)",
                          of, variable.name, +value));
        }
      }
    });
  }

  [[nodiscard]] std::span<const std::byte> element(std::size_t v, std::int64_t cell) const {
    const auto size = static_cast<std::size_t>(stored_.variables[v].bytes());
    return std::span(buffers_[v]).subspan(static_cast<std::size_t>(cell) * size, size);
  }

  void make_one(std::int64_t cell, std::int64_t number, std::span<std::byte> to,
                std::vector<std::int64_t>& counts) const {
    for (const std::size_t v : {0U, 2U}) require_stored(v, cell, number);
    for (const std::size_t v : {0U, 1U, 2U}) require_values(v, cell);
    const std::span<const std::byte> headers = element(2, cell);
    std::ranges::copy(headers, to.begin());
    set_words(cell, number, headers.data(), to.data(), counts);
    check_repeated(cell, headers.data(), to.data());
    segy::ConversionAccount account;
    const bool has_floats = stored_.variables[0].type != element_type_of(stored_.format);
    encode_.convert(has_floats ? as_integers(element(0, cell)) : element(0, cell), to.subspan(headers.size()), account);
  }

  // Sets the words that have other values than in the headers.
  void set_words(std::int64_t cell, std::int64_t number, const std::byte* headers, std::byte* to,
                 std::vector<std::int64_t>& counts) const {
    const auto is_other = [&](const MdioField& word, const segy::WordValue& value, const std::byte* in) {
      return !is_same(segy::read_word(in, word.byte, word.type, stored_.order), value);
    };
    bool has_changes = false;
    for (std::size_t w = 0; w < stored_.words.size(); ++w) {
      const MdioField& word = stored_.words[w].word;
      const segy::WordValue value = value_of(stored_.words[w], cell);
      if (!is_other(word, value, headers)) continue;
      require_stored(stored_.words[w].variable, cell, number);
      require_values(stored_.words[w].variable, cell);
      segy::write_word(to, word.byte, word.type, stored_.order, value, word.name);
      ++counts[w];
      has_changes = true;
    }
    for (const StoredWord& each : stored_.words) {
      if (!has_changes) break;
      const segy::WordValue value = value_of(each, cell);
      if (is_other(each.word, value, headers) && is_other(each.word, value, to))
        refuse_value(
            fmt::format("{} and another variable of the same bytes have different new values", each.word.name));
    }
  }

  // Checks what other variables repeat.
  void check_repeated(std::int64_t cell, const std::byte* headers, const std::byte* to) const {
    for (std::size_t v = 3; v < stored_.variables.size(); ++v) {
      const CellVariable& variable = stored_.variables[v];
      const std::byte* const at = element(v, cell).data();
      if (variable.kind == Kind::mask && *at == std::byte{})
        refuse_value("trace_mask is 0, but the variable trace has a trace there; sill cut removes traces of SEG-Y");
      if (variable.kind != Kind::x && variable.kind != Kind::y) continue;
      const segy::WordRef& word = variable.kind == Kind::x ? x_ : y_;
      const auto value = load<double>(at, native_order);
      const double written = segy::true_value(word, to, stored_.order);
      if (value != written && value != segy::true_value(word, headers, stored_.order))
        refuse_value(fmt::format("{} is {}, but the word {} with its scalar is {}, and only the word is written",
                                 variable.name, value, word.name, written));
    }
  }

  [[nodiscard]] segy::WordValue value_of(const StoredWord& word, std::int64_t cell) const {
    const std::byte* const at = element(word.variable, cell).data();
    if (word.begin >= 0) return segy::read_word(at + word.begin, 1, word.word.type, ByteOrder::little);
    segy::WordValue value;
    const ElementType type = stored_.variables[word.variable].type;
    if (type == ElementType::u8 && load<std::int64_t>(at, native_order) < 0) {
      value.number = load<std::uint64_t>(at, native_order);
    } else if (type != ElementType::f8) {
      value.number = load<std::int64_t>(at, native_order);
    } else if (segy::is_float(word.word.type)) {
      value.number = load<double>(at, native_order);
    } else {
      value.number = whole_number<std::int64_t>(load<double>(at, native_order), word.word.name, word.word.type.bytes);
    }
    return value;
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
              whole_number<T>(load<double>(floats.data() + i * 8, native_order), "a sample",
                              static_cast<int>(segy::bytes_of(stored_.format))),
              native_order);
    });
    return integers;
  }

  // Returns true if the value in a header is that in the dataset, which has integers below 2^63 as signed ones.
  static bool is_same(const segy::WordValue& in_header, const segy::WordValue& value) {
    const auto* const number = std::get_if<std::uint64_t>(&in_header.number);
    if (number == nullptr) return in_header == value;
    const auto* const other = std::get_if<std::uint64_t>(&value.number);
    return *number == (other ? *other : static_cast<std::uint64_t>(std::get<std::int64_t>(value.number)));
  }

  const Resources& resources_;
  const StoredSurvey& stored_;
  std::string path_;
  segy::SampleConversion encode_;
  segy::WordRef x_ = word_of_coordinate(Kind::x);
  segy::WordRef y_ = word_of_coordinate(Kind::y);
  std::vector<std::vector<std::byte>> buffers_;
  std::vector<std::vector<bool>> absent_;  // of each variable, the cells that are not stored; empty if there are none
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
                                          const std::string& output) {
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
  stored.file_header = bytes_in(comm, reader, input, "file_header");
  stored.file_trailer = bytes_in(comm, reader, input, "file_trailer");
  run_and_agree(comm, [&] { require_same_sizes(reader.description().attributes, stored.file_header, input); });
  require_unchanged(comm, reader, input);
  const Index window =
      window_shape(stored.shape, Index(stored.shape.size(), 1), cells_of_window(stored.variables.front()), false);
  SurveyFromArraysResult result{.traces = stored.traces};
  if (std::ranges::count(reader.description().variables, "inexact_samples", &Variable::name) > 0) {
    const std::vector<ArrayPart> parts{{"inexact_samples", Box{}, &result.inexact_samples}};
    reader.read(parts);
  }
  TraceMaker maker = run_and_agree(comm, [&] { return TraceMaker(resources, stored, input); });
  SurveyWriter writer(resources, output, ItemList{std::ssize(stored.file_header), stored.trace_bytes(), stored.traces},
                      SurveyWriter::Space::at_once, std::ssize(stored.file_trailer));
  writer.write_header(stored.file_header);
  resources.begin_stage("converting arrays", stored.traces * stored.trace_bytes() / comm.size());
  for_each_window(resources, stored.shape, window, stored.cell_bytes(), [&](std::span<const Box> boxes) {
    const std::vector<ArrayPart> parts = run_and_agree(comm, [&] { return maker.parts_of(boxes); });
    reader.read(parts);
    run_and_agree(comm, [&] { maker.make(reader, boxes); });
    writer.write(maker.numbers, maker.traces);
  });
  writer.write_trailer(stored.file_trailer);
  result.output_bytes = writer.file_bytes();
  comm.all_reduce(maker.seen, Reduction::bit_xor);  // a number on two ranks is lost here, and then missing
  const std::int64_t count = all_reduce(comm, maker.count, Reduction::sum);
  run_and_agree(comm, [&] {
    std::int64_t different = 0;
    for (const std::int64_t bits : maker.seen) different += std::popcount(static_cast<std::uint64_t>(bits));
    if (different != stored.traces || count != stored.traces)
      maker.refuse_traces(fmt::format("{} of the {} traces are there", different, stored.traces));
  });
  comm.all_reduce(maker.changed, Reduction::sum);
  for (std::size_t w = 0; w < stored.words.size(); ++w) {
    if (maker.changed[w] > 0) result.changed.emplace_back(stored.words[w].word.name, maker.changed[w]);
  }
  writer.finish();
  return result;
}

}  // namespace sill
