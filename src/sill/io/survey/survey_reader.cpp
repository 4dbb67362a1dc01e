#include "sill/io/survey/survey_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/first_index.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/segy/samples/conversion.hpp"
#include "sill/io/survey/index_file.hpp"
#include "sill/io/survey/reading_blocks.hpp"
#include "sill/io/survey/sample_format_look.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

// The size of the blocks of a scan: a mapped window for long traces, and limits for short ones.
constexpr std::int64_t block_window_bytes = 8 << 20;
constexpr std::int64_t block_buffer_bytes = 1 << 20;
constexpr std::int64_t min_block_traces = 64;
constexpr std::int64_t max_block_traces = 16384;

/// The section of a range of traces that is in one file.
struct InFile {
  std::size_t file = 0;
  ItemRange traces;  ///< numbered within the file
};

std::vector<InFile> by_file(std::span<const InputItems> inputs, ItemRange traces) {
  std::vector<InFile> parts;
  for (std::size_t file = 0; file < inputs.size(); ++file) {
    const std::int64_t first = inputs[file].first_item;
    const ItemRange here = intersection(traces, {first, inputs[file].items.count});
    if (!here.empty()) parts.push_back({file, {here.first - first, here.count}});
  }
  return parts;
}

void require_room(ItemRange traces, std::int64_t given, std::int64_t wanted, std::string_view what) {
  if (given == wanted) return;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("{} traces of {} {} do not fit into {}", traces.count, wanted, what, given)});
}

}  // namespace

int SurveyReader::file_of(std::int64_t trace) const {
  const auto after = std::upper_bound(inputs_.begin(), inputs_.end(), trace,
                                      [](std::int64_t t, const InputItems& in) { return t < in.first_item; });
  return static_cast<int>(after - inputs_.begin()) - 1;
}

Where SurveyReader::where(std::int64_t trace) const {
  const auto file = static_cast<std::size_t>(file_of(trace));
  const std::int64_t in_file = trace - inputs_[file].first_item;
  return {.file = files_[file].path,
          .byte = tables_[file].bytes_of({in_file, 1}).offset,
          .item = in_file + 1,
          .item_word = "trace"};
}

segy::TraceShape SurveyReader::shape_of(std::int64_t trace) const {
  const auto file = static_cast<std::size_t>(file_of(trace));
  return tables_[file].shape_of(trace - inputs_[file].first_item);
}

std::int64_t SurveyReader::bytes_of(ItemRange traces) const {
  if (is_uniform_) return traces.count * trace_bytes();
  std::int64_t bytes = 0;
  for (const InFile& part : by_file(inputs_, traces)) bytes += tables_[part.file].bytes_of(part.traces).length;
  return bytes;
}

std::int64_t SurveyReader::longest_trace_bytes() const {
  std::int64_t longest = 0;
  for (const segy::TraceTable& table : tables_) longest = std::max(longest, table.longest_trace_bytes());
  return longest;
}

std::int64_t SurveyReader::samples_of(ItemRange traces) const {
  if (is_uniform_) return traces.count * files_.front().samples;
  std::int64_t samples = 0;
  for (const InFile& part : by_file(inputs_, traces))
    tables_[part.file].for_each_stretch(part.traces, [&](ItemRange alike, ByteRange, segy::TraceShape shape) {
      samples += alike.count * shape.samples;
    });
  return samples;
}

std::vector<std::byte> SurveyReader::file_header(int file) const {
  const auto index = static_cast<std::size_t>(file);
  std::vector<std::byte> bytes(static_cast<std::size_t>(files_[index].first_trace_byte));
  read_at(*stores_[index], 0, bytes);
  return bytes;
}

std::vector<std::byte> SurveyReader::file_trailer(int file) const {
  const auto index = static_cast<std::size_t>(file);
  std::vector<std::byte> bytes(static_cast<std::size_t>(files_[index].trailers) * segy::text_header_bytes);
  read_at(*stores_[index], files_[index].traces_end_byte(), bytes);
  return bytes;
}

std::vector<std::byte> SurveyReader::cut_trace(int file) const {
  const auto index = static_cast<std::size_t>(file);
  std::vector<std::byte> bytes(static_cast<std::size_t>(files_[index].remainder_bytes));
  read_at(*stores_[index], files_[index].traces_end_byte() - files_[index].remainder_bytes, bytes);
  return bytes;
}

// Checks that the headers of traces of a file have the bytes `part`.
void SurveyReader::require_headers(std::size_t file, ItemRange in_file, ByteRange part) const {
  if (part.end() <= segy::trace_header_bytes) return;
  const std::int64_t bytes = std::int64_t{segy::trace_header_bytes} * tables_[file].min_headers(in_file);
  if (part.end() <= bytes) return;
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format(
                   "bytes {} to {} of the trace headers were requested, but some traces have headers of {} bytes",
                   part.offset + 1, part.end(), bytes),
               .where = {.file = files_[file].path},
               .clause = "SEG-Y rev 2.1, bytes 3507-3508",
               .action = "name words that all traces have"});
}

void SurveyReader::scan_headers(ItemRange traces, ByteRange part, int threads, const HeaderVisitor& visit) const {
  std::vector<HeaderBlock> blocks;
  const std::int64_t bytes_per_trace = std::max<std::int64_t>(1, traces.empty() ? 1 : bytes_of(traces) / traces.count);
  // Scans of single traces are frequent; clearing larger buffers would waste time.
  const std::int64_t traces_per_block = std::min(
      std::max<std::int64_t>(1, traces.count),
      std::clamp(
          std::min(block_window_bytes / bytes_per_trace, block_buffer_bytes / std::max<std::int64_t>(1, part.length)),
          min_block_traces, max_block_traces));
  for (const InFile& in_file : by_file(inputs_, traces)) {
    require_headers(in_file.file, in_file.traces, part);
    const std::int64_t first_item = inputs_[in_file.file].first_item;
    for (std::int64_t first = in_file.traces.first; first < in_file.traces.end(); first += traces_per_block) {
      blocks.push_back({first_item + first, std::min(traces_per_block, in_file.traces.end() - first),
                        static_cast<int>(in_file.file), files_[in_file.file].byte_order, nullptr, part.length});
    }
  }
  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(threads));
  parallel_for(threads, static_cast<std::int64_t>(blocks.size()), [&](std::int64_t task, int thread) {
    HeaderBlock block = blocks[static_cast<std::size_t>(task)];
    const auto file = static_cast<std::size_t>(block.file);
    const InputItems& input = inputs_[file];
    std::vector<std::byte>& buffer = buffers[static_cast<std::size_t>(thread)];
    buffer.resize(static_cast<std::size_t>(part.offset + traces_per_block * part.length));
    if (!part.empty())
      read_trace_parts(*input.store, tables_[file], {block.first_trace - input.first_item, block.count}, part,
                       buffer.data() + part.offset);
    block.headers = buffer.data();
    visit(block, thread);
    count_done(resources_.progress, block.count * part.length);
  });
}

bool SurveyReader::has_index_words(std::span<const segy::WordRef> words) const {
  return std::ranges::all_of(index_words_, [&](const auto& stored) { return stored && stored->hold(words); });
}

void SurveyReader::scan_index_words(ItemRange traces, int threads, const HeaderVisitor& visit) const {
  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(threads));
  for (const InFile& in_file : by_file(inputs_, traces)) {
    const IndexWords& words = *index_words_[in_file.file];
    const ByteRange part = words.part();
    const auto index = open_index_words(resources_, files_[in_file.file].path);
    words.require_same_index(*index);
    const ItemRange blocks = words.blocks_of(in_file.traces);
    parallel_for(threads, blocks.count, [&](std::int64_t task, int thread) {
      const ItemRange of_block = words.traces_of(blocks.first + task);
      const ItemRange wanted = intersection(of_block, in_file.traces);
      std::vector<std::byte>& buffer = buffers[static_cast<std::size_t>(thread)];
      buffer.resize(static_cast<std::size_t>(part.offset + of_block.count * part.length));
      words.read(*index, blocks.first + task, std::span(buffer).subspan(static_cast<std::size_t>(part.offset)));
      visit(
          {inputs_[in_file.file].first_item + wanted.first, wanted.count, static_cast<int>(in_file.file),
           files_[in_file.file].byte_order, buffer.data() + (wanted.first - of_block.first) * part.length, part.length},
          thread);
    });
  }
}

void SurveyReader::read_own(ItemRange traces, std::span<std::byte> into) const {
  for (const InFile& part : by_file(inputs_, traces)) {
    const ByteRange bytes = tables_[part.file].bytes_of(part.traces);
    read_at(*stores_[part.file], bytes.offset, into.first(static_cast<std::size_t>(bytes.length)));
    into = into.subspan(static_cast<std::size_t>(bytes.length));
  }
}

void SurveyReader::read_headers(ItemRange traces, std::span<std::byte> into) const {
  scan_headers(traces, {0, segy::trace_header_bytes}, resources_.threads(), [&](const HeaderBlock& block, int) {
    const auto at = static_cast<std::size_t>((block.first_trace - traces.first) * segy::trace_header_bytes);
    std::copy_n(block.headers, block.count * segy::trace_header_bytes, into.subspan(at).begin());
  });
}

void SurveyReader::require_traces(ItemRange traces) const {
  if (!lies_in(traces, traces_))
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("{} traces starting at trace {} were requested, but the survey has {}",
                                        traces.count, traces.first + first_index(), traces_),
                 .action = fmt::format("count traces from {} across all files", first_index())});
}

void SurveyReader::read(ItemRange traces, std::span<std::byte> into) const {
  Communicator& comm = resources_.comm;
  run_and_agree(comm, [&] {
    require_traces(traces);
    require_room(traces, std::ssize(into), bytes_of(traces), "bytes");
  });
  const std::vector<ItemRange> wanted = all_gather(comm, traces);
  const auto plan_of = [&](int rank, std::byte* memory) {
    std::vector<Extent> extents;
    for (const InFile& part : by_file(inputs_, wanted[static_cast<std::size_t>(rank)])) {
      const ByteRange bytes = tables_[part.file].bytes_of(part.traces);
      extents.push_back(contiguous(static_cast<int>(part.file), bytes, memory));
      if (memory != nullptr) memory += bytes.length;
    }
    return AccessPlan::for_reading(std::move(extents));
  };
  if (!mover_) mover_.emplace(comm, resources_.files(paths_, OpenMode::read), resources_.policy, resources_.limits());
  const AccessPlan mine = run_and_agree(comm, [&] { return plan_of(comm.rank(), into.data()); });
  mover_->read(mine, [&](int rank) { return plan_of(rank, nullptr); });
}

std::optional<Diagnostic> SurveyReader::sample_format_finding(int file) const {
  const auto i = static_cast<std::size_t>(file);
  return look_at_sample_format(resources_, *stores_[i], files_[i], &tables_[i], assumptions_.format_code.has_value());
}

void SurveyReader::require_sample_format() const {
  if (is_format_checked_ || assumptions_.format_code) return;
  for (int i = 0; i < static_cast<int>(files_.size()); ++i) {
    const std::optional<Diagnostic> found = sample_format_finding(i);
    if (!found || found->grade < Grade::major) continue;
    const segy::FileDescription& file = files_[static_cast<std::size_t>(i)];
    run_and_agree(resources_.comm, [&] {
      throw Error({.code = ErrorCode::input,
                   .problem = found->problem,
                   .where = {.file = file.path},
                   .clause = found->clause,
                   .action = fmt::format("{}; --assume sample_format={} reads the format that the file states",
                                         found->action, code_of(file.sample_format))});
    });
  }
  is_format_checked_ = true;
}

void SurveyReader::read_samples(ItemRange traces, std::span<float> into) const {
  Communicator& comm = resources_.comm;
  require_sample_format();
  std::vector<std::byte> bytes = run_and_agree(comm, [&] {
    require_traces(traces);
    require_room(traces, std::ssize(into), samples_of(traces), "samples");
    return std::vector<std::byte>(static_cast<std::size_t>(bytes_of(traces)));
  });
  read(traces, bytes);
  run_and_agree(comm, [&] {
    const int threads = resources_.threads();
    run_on_threads(threads, [&](int thread) {
      const ItemRange own = block_of(traces.count, threads, thread);
      if (own.empty()) return;
      const ItemRange before{traces.first, own.first};
      decode_samples({traces.first + own.first, own.count},
                     std::span(bytes).subspan(static_cast<std::size_t>(bytes_of(before))),
                     segy::SampleFormat::ieee_float,
                     std::as_writable_bytes(into.subspan(static_cast<std::size_t>(samples_of(before)))));
    });
  });
}

void SurveyReader::decode_samples(ItemRange traces, std::span<const std::byte> bytes, segy::SampleFormat format,
                                  std::span<std::byte> into) const {
  const segy::FileDescription& file = files_.front();
  const segy::SampleConversion conversion(file.sample_format, file.byte_order, format, native_order, {});
  const auto sample_bytes = static_cast<std::size_t>(segy::bytes_of(file.sample_format));
  const auto decoded_bytes = static_cast<std::size_t>(segy::bytes_of(format));
  segy::ConversionAccount account;
  for (std::int64_t trace = traces.first; trace < traces.end(); ++trace) {
    const segy::TraceShape shape = shape_of(trace);
    const auto samples = static_cast<std::size_t>(shape.samples);
    bytes = bytes.subspan(static_cast<std::size_t>(shape.header_bytes()));
    try {
      conversion.convert(bytes.first(samples * sample_bytes), into.first(samples * decoded_bytes), account);
    } catch (const Error& error) {
      throw_at(error, where(trace));
    }
    bytes = bytes.subspan(samples * sample_bytes);
    into = into.subspan(samples * decoded_bytes);
  }
}

}  // namespace sill
