#include "survey.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

#include "errors.hpp"
#include "process.hpp"
#include "sill/formats/segy/samples/time_window.hpp"
#include "sill/formats/segy/text/text_header.hpp"
#include "sill/io/survey/file_words.hpp"
#include "sill/store/handle_cache.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill::python {
namespace {

// The cost of reading one sample of a trace, as consecutive bytes; and of its header, which expressions evaluate.
constexpr std::int64_t sample_cost_bytes = 256;
constexpr std::int64_t header_cost_bytes = 4 << 10;
// Each thread of a remote survey waits for one request; pieces of this size are read by one request each.
constexpr int remote_threads = 8;
constexpr std::int64_t remote_piece_bytes = std::int64_t{8} << 20U;
// The memory of a slice: three numbers and a value per trace.
constexpr std::int64_t slice_bytes_per_trace = 3 * 8 + 4;

// The problem of unknown words and functions begins with it, that of wrong syntax does not.
constexpr std::string_view unknown = "unknown ";

std::int64_t size_of(const Traces& traces) {
  if (const auto* range = std::get_if<ItemRange>(&traces)) return range->count;
  return std::ssize(std::get<1>(traces));
}

// Calls `read(numbers, into)` for the `numbers` that are not -1. The items of -1 are filled with the byte `none`.
template <class Read>
void read_or_fill(std::span<const std::int64_t> numbers, std::span<std::byte> into, std::byte none, const Read& read) {
  std::vector<std::int64_t> present;
  std::ranges::copy_if(numbers, std::back_inserter(present), [](std::int64_t number) { return number >= 0; });
  if (present.size() == numbers.size()) return read(numbers, into);
  const std::size_t each = into.size() / numbers.size();
  const auto item = [&](std::size_t i) { return into.subspan(i * each, each); };
  read(std::span<const std::int64_t>(present), into.first(present.size() * each));
  for (std::size_t i = numbers.size(), from = present.size(); i-- > 0;) {
    if (numbers[i] < 0)
      std::ranges::fill(item(i), none);
    else if (--from != i)
      std::ranges::copy(item(from), item(i).begin());
  }
}

std::vector<segy::TraceKey> keys_of(const Survey& survey, const std::string& text) {
  return with_kind(
      Wrong::name, [&] { return segy::TraceKey::parse_list(text, survey.reader().words()); }, unknown);
}

[[noreturn]] void throw_changed(const std::string& path) {
  throw Error({.code = ErrorCode::input,
               .problem = "the file was changed after it was opened",
               .where = {.file = path},
               .action = "open it again"});
}

std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

// The values of expressions for traces.
class Columns {
 public:
  Columns(const SurveyReader& reader, std::span<const segy::Expression> expressions, std::int64_t traces)
      : reader_(reader), expressions_(expressions) {
    require_memory(traces * std::ssize(expressions) * std::int64_t{sizeof(double)});
    for (const segy::Expression& expression : expressions) {
      needed_ = joined(needed_, expression.needed_bytes());
      columns_.push_back(column_of(expression, traces));
    }
  }

  // The bytes of headers that the expressions need.
  [[nodiscard]] ByteRange needed() const { return needed_; }
  [[nodiscard]] std::vector<Column> take() { return std::move(columns_); }

  // Sets the values of trace `trace`, the `i`-th of the columns.
  void set(std::int64_t i, std::int64_t trace, const segy::HeaderView& header) {
    for_each_trace(reader_, trace, 1, [&](std::int64_t) {
      for (std::size_t k = 0; k < expressions_.size(); ++k)
        set_value(columns_[k], static_cast<std::size_t>(i), expressions_[k], header);
    });
  }

  // Sets the values of `traces`, the first of which is the `first`-th of the columns, from as many bytes of the headers
  // of each as are needed.
  void set(std::int64_t first, std::span<const std::int64_t> traces, std::span<const std::byte> headers) {
    const auto each = static_cast<std::size_t>(needed_.end());
    for (std::size_t i = 0; i < traces.size(); ++i)
      set(first + static_cast<std::int64_t>(i), traces[i], reader_.view(traces[i], headers.data() + i * each));
  }

 private:
  const SurveyReader& reader_;
  std::span<const segy::Expression> expressions_;
  ByteRange needed_;
  std::vector<Column> columns_;
};

// All bytes of a floating-point number that is not a number.
constexpr std::byte nan_byte{0xFF};

}  // namespace

Survey::Survey(const OpenOptions& options) : is_remote_(options.remote != nullptr), resources_(shared_resources()) {
  if (is_remote_) {
    resources_.open = options.remote->opener(resources_.open, *resources_.meter);
    resources_.policy.threads = std::max(resources_.threads(), remote_threads);
  }
  if (options.is_fixed)  // before the files are read; URLs have no state here, their stores check it
    for (const std::string& path : options.paths)
      opened_.emplace_back(path, options.paths.size() <= safe_open_files() / 4);
  checked_ns_ = std::vector<std::atomic<std::int64_t>>(opened_.size());
  InputRules rules;
  for (const std::string& text : options.assume) rules.assume.add(text);
  std::optional<segy::HeaderMap> map;
  if (!options.map.empty()) map = open_header_map(resources_.comm, options.map);
  reader_ = std::make_unique<SurveyReader>(resources_, options.paths, map ? &*map : nullptr, rules);
  for (std::size_t i = 0; i < opened_.size(); ++i)
    if (state_of(options.paths[i], -1) != opened_[i].was) throw_changed(options.paths[i]);
}

// Calls `work(first, numbers)` on several threads for pieces of `traces`: the position of the first of `numbers` among
// them.
template <class Work>
void Survey::for_pieces(const Traces& traces, std::int64_t bytes_per_trace, const Work& work) const {
  const auto on_piece = [&](std::int64_t first, std::int64_t count) {
    if (const auto* list = std::get_if<1>(&traces))
      return work(first, list->subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), std::get<ItemRange>(traces).first + first);
    work(first, std::span<const std::int64_t>(numbers));
  };
  python::for_pieces(size_of(traces), bytes_per_trace, on_piece, is_remote_ ? remote_piece_bytes : piece_bytes,
                     resources_.threads());
}

std::int64_t Survey::samples_per_trace() const {
  if (!reader_->is_uniform())
    throw Error({.code = ErrorCode::usage,
                 .problem = "traces differ in their numbers of samples, so they do not fit one array",
                 .where = {.file = reader_->paths().front()},
                 .action = "read traces one by one: traces[0]"});
  return reader_->files().front().samples;
}

std::optional<Survey::FileState> Survey::state_of(const std::string& path, int file) {
  struct stat status {};
  if ((file < 0 ? ::stat(path.c_str(), &status) : ::fstat(file, &status)) != 0) return std::nullopt;
  return FileState{status.st_dev, status.st_ino, stamp_of_status(status)};
}

Survey::OpenedFile::OpenedFile(const std::string& path, bool is_held)
    : file(is_held ? ::open(path.c_str(), O_PATH | O_CLOEXEC) : -1), was(state_of(path, file)) {}

Survey::OpenedFile::~OpenedFile() {
  if (file >= 0) ::close(file);
}

void Survey::require_unchanged(ItemRange files) const {
  for (std::int64_t file = files.first; file < files.first + files.count && file < std::ssize(opened_); ++file) {
    const auto i = static_cast<std::size_t>(file);
    if (state_of(reader_->paths()[i], opened_[i].file) != opened_[i].was) throw_changed(reader_->paths()[i]);
    checked_ns_[i] = now_ns();
  }
}

void Survey::require_unchanged(const Traces& traces) const {
  const auto* range = std::get_if<ItemRange>(&traces);
  if (opened_.empty() || (range != nullptr && range->count == 0)) return;
  if (range != nullptr) {
    const int first = reader_->file_of(range->first);
    constexpr std::int64_t check_ns = 10'000'000;
    if (range->count == 1 && now_ns() - checked_ns_[static_cast<std::size_t>(first)] < check_ns) return;
    return require_unchanged(ItemRange{first, reader_->file_of(range->first + range->count - 1) - first + 1});
  }
  std::vector<bool> is_read(opened_.size());
  for (const std::int64_t trace : std::get<1>(traces))
    if (trace >= 0) is_read[static_cast<std::size_t>(reader_->file_of(trace))] = true;
  for (std::size_t i = 0; i < is_read.size(); ++i)
    if (is_read[i]) require_unchanged(ItemRange{static_cast<std::int64_t>(i), 1});
}

// Returns the number of `traces`. Numbers from `lowest` to -1 stand for no trace. Errors: usage if a trace is missing.
std::int64_t Survey::count(const Traces& traces, std::int64_t lowest) const {
  if (const auto* range = std::get_if<ItemRange>(&traces)) {
    reader_->require_traces(*range);
  } else {
    for (const std::int64_t trace : std::get<1>(traces))
      if (trace >= 0 || trace < lowest) reader_->require_traces({trace, 1});
  }
  require_unchanged(traces);
  return size_of(traces);
}

void Survey::require_sample_format() const {
  const std::scoped_lock one_thread(format_check_);
  reader_->require_sample_format();
}

std::vector<Column> Survey::read_samples(const Traces& traces, segy::SampleFormat format, std::span<std::byte> into,
                                         std::span<const segy::Expression> expressions) const {
  const std::int64_t all = count(traces, expressions.empty() ? -1 : 0);
  const std::int64_t one = all != 1                                    ? -1
                           : std::holds_alternative<ItemRange>(traces) ? std::get<ItemRange>(traces).first
                                                                       : std::get<1>(traces).front();
  const std::int64_t samples = one < 0 ? samples_per_trace() : reader_->shape_of(one).samples;
  const std::int64_t trace_bytes = samples * segy::bytes_of(format);
  if (all * trace_bytes != std::ssize(into))
    refuse(fmt::format("{} traces of {} samples are requested in an array of {} samples", all, samples,
                       std::ssize(into) / segy::bytes_of(format)),
           "pass an array of the shape (traces, samples)");
  require_sample_format();
  const bool is_real = format == segy::SampleFormat::ieee_float || format == segy::SampleFormat::ieee_double;
  const auto read = [&](std::span<const std::int64_t> numbers, std::span<std::byte> part,
                        std::span<std::byte> headers = {}) {
    try {
      reader_->read_own_samples(numbers, format, part, headers);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::input || format == segy::SampleFormat::ieee_double) throw;
      ErrorParts parts = error.parts();
      parts.action = "read as float64: traces.read(dtype='f8')";
      throw Error(parts);
    }
  };
  Columns columns(*reader_, expressions, all);
  const auto header_bytes = static_cast<std::size_t>(columns.needed().end());
  if (one >= 0 && expressions.empty()) {
    read({&one, 1}, into);
    return {};
  }
  for_pieces(traces, reader_->longest_trace_bytes(), [&](std::int64_t first, std::span<const std::int64_t> numbers) {
    const std::span<std::byte> part = into.subspan(static_cast<std::size_t>(first * trace_bytes),
                                                   static_cast<std::size_t>(std::ssize(numbers) * trace_bytes));
    if (expressions.empty()) return read_or_fill(numbers, part, is_real ? nan_byte : std::byte{}, read);
    std::vector<std::byte> headers(numbers.size() * header_bytes);
    read(numbers, part, headers);
    columns.set(first, numbers, headers);
  });
  return columns.take();
}

std::vector<std::byte> Survey::read_headers(const Traces& traces) const {
  constexpr std::int64_t bytes = segy::trace_header_bytes;
  const std::int64_t all = count(traces);
  require_memory(all * bytes);
  std::vector<std::byte> headers(static_cast<std::size_t>(all * bytes));
  for_pieces(traces, bytes, [&](std::int64_t first, std::span<const std::int64_t> numbers) {
    reader_->read_own_headers(
        numbers, std::span(headers).subspan(static_cast<std::size_t>(first * bytes), numbers.size() * bytes));
  });
  return headers;
}

segy::Expression Survey::expression(const std::string& text) const {
  return with_kind(
      Wrong::name, [&] { return segy::Expression::parse(text, reader_->words()); }, unknown);
}

segy::Expression Survey::condition(const std::string& text) const {
  return with_kind(
      Wrong::name, [&] { return segy::Expression::parse_condition(text, reader_->words()); }, unknown);
}

std::vector<Column> Survey::read_columns(const Traces& traces, std::span<const segy::Expression> expressions) const {
  const std::int64_t all = count(traces);
  Columns columns(*reader_, expressions, all);
  const ByteRange needed = columns.needed();
  if (const auto* range = std::get_if<ItemRange>(&traces)) {
    reader_->scan_headers(*range, needed, resources_.threads(), [&](const HeaderBlock& block, int thread) {
      check_signals(thread);
      for (std::int64_t i = 0; i < block.count; ++i)
        columns.set(block.first_trace + i - range->first, block.first_trace + i, block.view(i));
    });
    return columns.take();
  }
  const auto header_bytes = static_cast<std::size_t>(needed.end());
  for_pieces(traces, is_remote_ ? needed.end() : header_cost_bytes,
             [&](std::int64_t first, std::span<const std::int64_t> numbers) {
               std::vector<std::byte> headers(numbers.size() * header_bytes);
               if (is_remote_ && !needed.empty()) reader_->will_need_headers(numbers);
               if (!needed.empty()) reader_->read_own_headers(numbers, headers, needed.end());
               columns.set(first, numbers, headers);
             });
  return columns.take();
}

GridTraces Survey::grid() const {
  require_unchanged();
  const SurveyGeometry geometry = require_grid(resources_, *reader_);
  const std::int64_t rows = geometry.grid->ilines.places();
  const std::int64_t columns = geometry.grid->xlines.places();
  require_memory(2 * rows * columns * std::int64_t{sizeof(std::int64_t)});
  return grid_traces(resources_, *reader_, *geometry.grid, rows, columns);
}

// Returns the time of the first sample of all traces; nullopt if traces differ in it, or in length. Reads all headers,
// in the first call only.
std::optional<double> Survey::common_start_us() const {
  std::call_once(starts_read_, [&] {
    const segy::DelayWord delay(reader_->words());
    const segy::TrueBytes needed = delay.needed_bytes();
    if (!reader_->is_uniform() || reader_->traces() == 0) return;
    const int threads = resources_.threads();
    std::vector<std::optional<double>> starts(static_cast<std::size_t>(threads));
    std::atomic<bool> differ = false;
    reader_->scan_headers({0, reader_->traces()}, {needed.first, needed.end - needed.first}, threads,
                          [&](const HeaderBlock& block, int thread) {
                            check_signals(thread);
                            std::optional<double>& start = starts[static_cast<std::size_t>(thread)];
                            for_each_trace(*reader_, block.first_trace, block.count, [&](std::int64_t i) {
                              const double own = delay.start_us(block.header(i), block.byte_order);
                              if (start.value_or(own) != own || !(std::abs(own) < segy::farthest_start_us))
                                differ = true;
                              start = own;
                            });
                          });
    std::erase(starts, std::nullopt);
    if (!differ && std::ranges::all_of(starts, [&](const auto& start) { return start == starts.front(); }))
      common_start_us_ = starts.front();
  });
  return common_start_us_;
}

std::vector<float> Survey::read_slice(std::span<const std::int64_t> numbers, double at_us) const {
  const segy::FileDescription& file = reader_->files().front();
  const bool is_depth = file.domain == segy::Domain::depth;
  if (!(file.interval_us > 0.0) || !std::isfinite(at_us))
    throw Error(
        {.code = ErrorCode::usage,
         .problem = std::isfinite(at_us) ? "the sample interval is 0, so samples have no times"
                                         : "the time of the slice is not finite",
         .where = {.file = file.path},
         .action = std::isfinite(at_us) ? "open with assume={'interval': MICROSECONDS}" : "give a time in seconds"});
  (void)count(numbers, -1);
  require_sample_format();
  require_memory(std::ssize(numbers) * slice_bytes_per_trace);
  std::vector<float> values(numbers.size(), std::numeric_limits<float>::quiet_NaN());
  SliceSamples slice;
  if (const std::optional<double> start_us = common_start_us()) {
    const double sample = std::round((at_us - *start_us) / file.interval_us);
    const bool has_sample = sample >= 0.0 && sample < static_cast<double>(samples_per_trace());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] < 0 || !has_sample) continue;
      slice.traces.push_back(numbers[i]);
      slice.places.push_back(i);
    }
    slice.samples.assign(slice.traces.size(), has_sample ? static_cast<std::int64_t>(sample) : 0);
  } else {
    slice = samples_at(*reader_, numbers, at_us);
  }
  if (slice.traces.empty() && std::ranges::any_of(numbers, [](std::int64_t number) { return number >= 0; }))
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("no trace has a sample at {:g} {}", at_us / (is_depth ? 1e3 : 1e6),
                                        is_depth ? "m or ft" : "s"),
                 .where = {.file = file.path},
                 .action = "the word `delrt` and the sample interval state the times of samples"});
  for_pieces(std::span<const std::int64_t>(slice.traces), sample_cost_bytes,
             [&](std::int64_t first, std::span<const std::int64_t> traces) {
               const auto begin = static_cast<std::size_t>(first);
               std::vector<double> samples(traces.size());
               reader_->read_own_sample(traces, std::span(slice.samples).subspan(begin, traces.size()), samples);
               for (std::size_t i = 0; i < samples.size(); ++i) {
                 if (std::isfinite(samples[i]) && std::abs(samples[i]) > double{std::numeric_limits<float>::max()})
                   throw Error({.code = ErrorCode::input,
                                .problem = fmt::format("sample {:g} exceeds the range of float32", samples[i]),
                                .where = reader_->where(traces[i]),
                                .action = "read the trace as float64: traces.read(dtype='f8')"});
                 values[slice.places[begin + i]] = static_cast<float>(samples[i]);
               }
             });
  return values;
}

std::vector<double> Survey::read_sample(const Traces& traces, std::int64_t sample) const {
  const std::int64_t all = count(traces, -1);
  if (sample < 0 || sample >= samples_per_trace())
    refuse(fmt::format("there is no sample {} among {}", sample, samples_per_trace()), "count samples from 0");
  require_memory(all * std::int64_t{sizeof(double)});
  require_sample_format();
  std::vector<double> values(static_cast<std::size_t>(all));
  for_pieces(traces, sample_cost_bytes, [&](std::int64_t first, std::span<const std::int64_t> numbers) {
    const auto here = std::span(values).subspan(static_cast<std::size_t>(first), numbers.size());
    read_or_fill(numbers, std::as_writable_bytes(here), nan_byte, [&](std::span<const std::int64_t> present, auto) {
      reader_->read_own_sample(present, std::vector<std::int64_t>(present.size(), sample), here.first(present.size()));
    });
  });
  return values;
}

SurveyGathers::SurveyGathers(const Survey& survey, const std::string& keys, const std::string& then)
    : gathers_((survey.require_unchanged(), survey.resources()), survey.reader(), keys_of(survey, keys),
               then.empty() ? std::vector<segy::TraceKey>() : keys_of(survey, then)) {
  for (const segy::TraceKey& key : keys_of(survey, keys)) keys_.push_back(key.text());
}

// Returns the text header and the binary header; nothing for a file without them.
std::vector<std::byte> Survey::file_header(std::int64_t file) const {
  if (file < 0 || file >= std::ssize(reader_->files()))
    refuse(fmt::format("there is no file {} among {}", file, reader_->files().size()), "count files from 0");
  require_unchanged(ItemRange{file, 1});
  const auto label = static_cast<std::size_t>(reader_->files()[static_cast<std::size_t>(file)].label_bytes);
  std::vector<std::byte> bytes = reader_->file_header(static_cast<int>(file));
  if (bytes.size() < label + segy::file_header_bytes) return {};
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(label));
  bytes.resize(segy::file_header_bytes);
  return bytes;
}

std::string Survey::text(std::int64_t file) const {
  const std::vector<std::byte> header = file_header(file);
  std::string text;
  if (header.empty()) return text;
  const segy::TextEncoding encoding = reader_->files()[static_cast<std::size_t>(file)].text_encoding;
  for (std::string line : segy::decode_text_header(std::span(header).first<segy::text_header_bytes>(), encoding)) {
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::vector<std::byte> Survey::binary_header(std::int64_t file) const {
  const std::vector<std::byte> header = file_header(file);
  if (header.empty()) return {};
  return {header.begin() + segy::text_header_bytes, header.end()};
}

}  // namespace sill::python
