#include "survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/formats/segy/expression/expression.hpp"
#include "sill/formats/segy/text/text_header.hpp"
#include "sill/io/session/io_session.hpp"
#include "sill/io/survey/file_words.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill::python {
namespace {

// What one task reads, so that threads share the work and memory stays small.
constexpr std::int64_t task_bytes = std::int64_t{4} << 20U;

// One for the process: options of the environment, threads, memory.
struct Process {
  std::unique_ptr<Communicator> comm = make_alone();
  IoSession io{*comm};
  Resources& resources = io.resources("segy");
};
Process& process() {
  static Process* const one = new Process;  // never destroyed: surveys may outlive static objects
  return *one;
}

std::int64_t size_of(const Traces& traces) {
  if (const auto* range = std::get_if<ItemRange>(&traces)) return range->count;
  return std::ssize(std::get<1>(traces));
}

// Calls `work(first, numbers, thread)` for pieces of `traces`: the position of the first of `numbers` among them.
template <class Work>
void for_pieces(const Traces& traces, std::int64_t traces_at_once, int threads, const Work& work) {
  const std::int64_t all = size_of(traces);
  traces_at_once = std::max<std::int64_t>(1, traces_at_once);
  const std::int64_t tasks = (all + traces_at_once - 1) / traces_at_once;
  parallel_for(
      static_cast<int>(std::clamp<std::int64_t>(tasks, 1, threads)), tasks, [&](std::int64_t task, int thread) {
        const std::int64_t first = task * traces_at_once;
        const std::int64_t here = std::min(traces_at_once, all - first);
        if (const auto* list = std::get_if<1>(&traces))
          return work(first, list->subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(here)), thread);
        std::vector<std::int64_t> numbers(static_cast<std::size_t>(here));
        std::iota(numbers.begin(), numbers.end(), std::get<0>(traces).first + first);
        work(first, std::span<const std::int64_t>(numbers), thread);
      });
}

Column column_of(const segy::Expression& expression, std::int64_t traces) {
  const auto size = static_cast<std::size_t>(traces);
  switch (expression.kind()) {
    case segy::ValueKind::integer: return std::vector<std::int64_t>(size);
    case segy::ValueKind::real: return std::vector<double>(size);
    case segy::ValueKind::truth: return std::vector<std::uint8_t>(size);
    default: return std::vector<std::string>(size);
  }
}

void set(Column& column, std::size_t i, const segy::Expression& expression, const segy::HeaderView& header) {
  std::visit(
      [&](auto& values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_same_v<Value, std::int64_t>) {
          values[i] = expression.integer(header);
        } else if constexpr (std::is_same_v<Value, double>) {
          values[i] = expression.real(header);
        } else if constexpr (std::is_same_v<Value, std::uint8_t>) {
          values[i] = expression.holds(header) ? 1 : 0;
        } else {
          values[i] = expression.value(header).text();
        }
      },
      column);
}

}  // namespace

Survey::Survey(OpenOptions options) : options_(std::move(options)) {
  InputRules rules;
  if (!options_.assume.empty()) rules.assume.add(options_.assume);
  std::optional<segy::HeaderMap> map;
  if (!options_.map.empty()) map = open_header_map(*process().comm, options_.map);
  reader_ = std::make_unique<SurveyReader>(process().resources, options_.paths, map ? &*map : nullptr, rules);
}

std::int64_t Survey::samples_per_trace() const {
  if (!reader_->is_uniform())
    throw Error({.code = ErrorCode::usage,
                 .problem = "traces differ in their numbers of samples, so they do not fit one array",
                 .where = {.file = reader_->paths().front()},
                 .action = "read traces of one length, one by one"});
  return reader_->traces() == 0 ? reader_->files().front().samples : reader_->shape_of(0).samples;
}

std::int64_t Survey::count(const Traces& traces) const {
  if (const auto* range = std::get_if<ItemRange>(&traces)) {
    reader_->require_traces(*range);
  } else {
    for (const std::int64_t trace : std::get<1>(traces)) reader_->require_traces({trace, 1});
  }
  return size_of(traces);
}

void Survey::read_samples(const Traces& traces, std::span<float> into) const {
  const std::int64_t all = count(traces);
  // Where each piece goes: traces of one length follow one another evenly.
  std::vector<std::int64_t> begins;
  const bool is_uniform = reader_->is_uniform();
  const std::int64_t samples = is_uniform ? samples_per_trace() : 0;
  if (!is_uniform) {
    begins.push_back(0);
    for_pieces(traces, all, 1, [&](std::int64_t, std::span<const std::int64_t> numbers, int) {
      for (const std::int64_t trace : numbers) begins.push_back(begins.back() + reader_->shape_of(trace).samples);
    });
  }
  const auto begin_of = [&](std::int64_t i) { return is_uniform ? i * samples : begins[static_cast<std::size_t>(i)]; };
  if (begin_of(all) != std::ssize(into))
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("{} samples were to be read into {}", begin_of(all), into.size()),
                 .action = "pass an array with room for the samples of all traces"});
  reader_->require_sample_format();
  const std::int64_t trace_bytes = std::max<std::int64_t>(1, reader_->longest_trace_bytes());
  for_pieces(traces, task_bytes / trace_bytes, process().resources.threads(),
             [&](std::int64_t first, std::span<const std::int64_t> numbers, int) {
               const std::int64_t begin = begin_of(first);
               const std::int64_t end = begin_of(first + std::ssize(numbers));
               reader_->read_own_samples(
                   numbers, into.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
             });
}

std::vector<std::byte> Survey::read_headers(const Traces& traces) const {
  constexpr std::int64_t bytes = segy::trace_header_bytes;
  std::vector<std::byte> headers(static_cast<std::size_t>(count(traces) * bytes));
  const auto part = [&](std::int64_t first, std::int64_t of) {
    return std::span(headers).subspan(static_cast<std::size_t>(first * bytes), static_cast<std::size_t>(of * bytes));
  };
  if (const auto* range = std::get_if<ItemRange>(&traces)) {
    reader_->read_headers(*range, headers);
  } else {
    for_pieces(traces, task_bytes / bytes, process().resources.threads(),
               [&](std::int64_t first, std::span<const std::int64_t> numbers, int) {
                 reader_->read_own_headers(numbers, part(first, std::ssize(numbers)));
               });
  }
  return headers;
}

std::vector<Column> Survey::read_columns(const Traces& traces, const std::vector<std::string>& expressions) const {
  std::vector<segy::Expression> wanted;
  ByteRange needed;
  for (const std::string& text : expressions) {
    wanted.push_back(segy::Expression::parse(text, reader_->words()));
    needed = joined(needed, wanted.back().needed_bytes());
  }
  const std::int64_t all = count(traces);
  std::vector<Column> columns;
  for (const segy::Expression& expression : wanted) columns.push_back(column_of(expression, all));
  const auto set_all = [&](std::int64_t i, std::int64_t trace, const segy::HeaderView& header) {
    try {
      for (std::size_t k = 0; k < wanted.size(); ++k) set(columns[k], static_cast<std::size_t>(i), wanted[k], header);
    } catch (const Error& error) {
      throw_at(error, reader_->where(trace));
    }
  };
  if (const auto* range = std::get_if<ItemRange>(&traces)) {
    reader_->scan_headers(*range, needed, process().resources.threads(), [&](const HeaderBlock& block, int) {
      for (std::int64_t i = 0; i < block.count; ++i)
        set_all(block.first_trace + i - range->first, block.first_trace + i, block.view(i));
    });
    return columns;
  }
  for_pieces(traces, task_bytes / std::max<std::int64_t>(1, needed.end()), process().resources.threads(),
             [&](std::int64_t first, std::span<const std::int64_t> numbers, int) {
               std::vector<std::byte> headers(numbers.size() * static_cast<std::size_t>(needed.end()));
               if (needed.length > 0) reader_->read_own_headers(numbers, headers, needed.end());
               for (std::size_t i = 0; i < numbers.size(); ++i)
                 set_all(first + static_cast<std::int64_t>(i), numbers[i],
                         reader_->view(numbers[i], headers.data() + i * static_cast<std::size_t>(needed.end())));
             });
  return columns;
}

std::vector<std::int64_t> Survey::where(const std::string& condition) const {
  (void)segy::Expression::parse_condition(condition, reader_->words());
  const std::vector<Column> holds = read_columns(ItemRange{0, reader_->traces()}, {condition});
  const auto& values = std::get<std::vector<std::uint8_t>>(holds.front());
  std::vector<std::int64_t> traces;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != 0) traces.push_back(static_cast<std::int64_t>(i));
  return traces;
}

std::size_t Survey::checked_file(std::int64_t file) const {
  if (file < 0 || file >= std::ssize(reader_->files()))
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("there is no file {} of {}", file, reader_->files().size()),
                 .action = "count files from 0"});
  return static_cast<std::size_t>(file);
}

// The bytes before the first trace, and where the text header begins in them.
std::pair<std::vector<std::byte>, std::size_t> Survey::file_header(std::int64_t file) const {
  const std::size_t number = checked_file(file);
  const auto label = static_cast<std::size_t>(reader_->files()[number].label_bytes);
  std::vector<std::byte> header = reader_->file_header(static_cast<int>(file));
  if (header.size() < label + static_cast<std::size_t>(segy::file_header_bytes)) header.clear();
  return {std::move(header), label};
}

std::string Survey::text(std::int64_t file) const {
  const auto [header, label] = file_header(file);
  std::string text;
  if (header.empty()) return text;
  const auto block = std::span(header).subspan(label).first<segy::text_header_bytes>();
  const segy::TextEncoding encoding = reader_->files()[static_cast<std::size_t>(file)].text_encoding;
  for (std::string line : segy::decode_text_header(block, encoding)) {
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::vector<std::byte> Survey::binary_header(std::int64_t file) const {
  const auto [header, label] = file_header(file);
  if (header.empty()) return {};
  const auto begin = header.begin() + static_cast<std::ptrdiff_t>(label) + segy::text_header_bytes;
  return {begin, begin + (segy::file_header_bytes - segy::text_header_bytes)};
}

}  // namespace sill::python
