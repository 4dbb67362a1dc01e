// Reading of traces by a list of numbers.
#include <algorithm>
#include <memory>
#include <vector>

#include "sill/formats/segy/samples/sample_codec.hpp"
#include "sill/io/survey/reading_blocks.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/permute/item_runs.hpp"

namespace sill {
namespace {

// Headers within this distance are read by one request, with the data between them, because a request costs more than
// these bytes.
constexpr std::int64_t max_bridged_bytes = 16 << 10;
constexpr std::int64_t max_samples_at_once = 1 << 16;

// Consecutive traces of one file.
struct FileRun {
  std::size_t file = 0;
  ItemRange in_file;      // numbered within that file
  std::size_t begin = 0;  // index in the list
};

template <class Visit>
void for_each_run(const SurveyReader& reader, std::span<const std::int64_t> traces, Visit&& visit) {
  for (std::size_t begin = 0; begin < traces.size();) {
    const auto file = static_cast<std::size_t>(reader.file_of(traces[begin]));
    const std::int64_t first_of_file = reader.inputs()[file].first_item;
    const std::int64_t first = traces[begin] - first_of_file;
    std::size_t end = begin + 1;
    while (end < traces.size() && traces[end] == traces[end - 1] + 1 &&
           traces[end] - first_of_file < reader.tables()[file].traces())
      ++end;
    visit(FileRun{file, {first, static_cast<std::int64_t>(end - begin)}, begin});
    begin = end;
  }
}

// Returns the bytes from the first header of a run to the end of the last, with the samples between.
ByteRange headers_of(const segy::TraceTable& table, ItemRange run,
                     std::int64_t header_bytes = segy::trace_header_bytes) {
  const std::int64_t first = table.bytes_of({run.first, 1}).offset;
  return {first, table.bytes_of({run.end() - 1, 1}).offset + header_bytes - first};
}

}  // namespace

std::int64_t SurveyReader::bytes_of(std::span<const std::int64_t> traces) const {
  if (is_uniform_) return std::ssize(traces) * trace_bytes();
  std::int64_t bytes = 0;
  for (const std::int64_t trace : traces) bytes += bytes_of({trace, 1});
  return bytes;
}

void SurveyReader::read_own(std::span<const std::int64_t> traces, std::span<std::byte> into) const {
  if (is_uniform_ && traces.size() == 1) return read_items(inputs_, {traces.front(), 1}, into);  // most often in loops
  std::vector<std::int64_t> starts;
  if (!is_uniform_) {
    starts.push_back(0);
    for (const std::int64_t trace : traces) starts.push_back(starts.back() + bytes_of({trace, 1}));
  }
  ChunkReader(inputs_).read(traces, into.data(), starts);
}

void SurveyReader::read_own_headers(std::span<const std::int64_t> traces, std::span<std::byte> into,
                                    std::int64_t header_bytes) const {
  std::vector<std::byte> bridged;
  for_each_run(*this, traces, [&](const FileRun& run) {
    const segy::TraceTable& table = tables_[run.file];
    require_headers(run.file, run.in_file, {0, header_bytes});
    const auto place = [&](std::int64_t i) {
      return into.begin() + (static_cast<std::int64_t>(run.begin) + i) * header_bytes;
    };
    if (const ByteRange all = headers_of(table, run.in_file, header_bytes); all.length <= max_bridged_bytes) {
      if (run.in_file.count == 1) {
        read_at(*stores_[run.file], all.offset, {&*place(0), static_cast<std::size_t>(header_bytes)});
        count_done(resources_.progress, header_bytes);
        return;
      }
      bridged.resize(static_cast<std::size_t>(all.length));
      read_at(*stores_[run.file], all.offset, bridged);
      for (std::int64_t i = 0; i < run.in_file.count; ++i)
        std::copy_n(bridged.begin() + (table.bytes_of({run.in_file.first + i, 1}).offset - all.offset), header_bytes,
                    place(i));
      count_done(resources_.progress, run.in_file.count * header_bytes);
      return;
    }
    const std::int64_t first = inputs_[run.file].first_item + run.in_file.first;
    scan_headers({first, run.in_file.count}, {0, header_bytes}, 1, [&](const HeaderBlock& block, int /*thread*/) {
      std::copy_n(block.headers, block.count * header_bytes, place(block.first_trace - first));
    });
  });
}

void SurveyReader::will_need(std::span<const std::int64_t> traces) const {
  std::vector<std::vector<ByteRange>> of_files(stores_.size());
  for_each_run(*this, traces,
               [&](const FileRun& run) { of_files[run.file].push_back(tables_[run.file].bytes_of(run.in_file)); });
  for (std::size_t file = 0; file < stores_.size(); ++file) stores_[file]->will_need(of_files[file]);
}

void SurveyReader::will_need_headers(std::span<const std::int64_t> traces) const {
  std::vector<std::vector<ByteRange>> of_files(stores_.size());
  for_each_run(*this, traces, [&](const FileRun& run) {
    const segy::TraceTable& table = tables_[run.file];
    if (const ByteRange all = headers_of(table, run.in_file); all.length <= max_bridged_bytes) {
      of_files[run.file].push_back(all);
      return;
    }
    for (std::int64_t i = 0; i < run.in_file.count; ++i)
      of_files[run.file].push_back(headers_of(table, {run.in_file.first + i, 1}));
  });
  for (std::size_t file = 0; file < stores_.size(); ++file) stores_[file]->will_need(of_files[file]);
}

void SurveyReader::read_own_sample(std::span<const std::int64_t> traces, std::span<const std::int64_t> samples,
                                   std::span<double> into) const {
  require_checked_format();
  const segy::FileDescription& format = files_.front();
  const std::int64_t sample_bytes = segy::bytes_of(format.sample_format);
  std::vector<std::byte> bytes;
  for_each_run(*this, traces, [&](const FileRun& run) {
    const segy::TraceTable& table = tables_[run.file];
    // One request reads the same sample of traces of one shape.
    for (std::int64_t first = 0; first < run.in_file.count;) {
      const std::size_t begin = run.begin + static_cast<std::size_t>(first);
      const segy::TraceShape shape = table.shape_of(run.in_file.first + first);
      std::int64_t count = 1;
      while (first + count < run.in_file.count && count < max_samples_at_once &&
             samples[begin + static_cast<std::size_t>(count)] == samples[begin] &&
             (table.is_uniform() || table.shape_of(run.in_file.first + first + count) == shape))
        ++count;
      bytes.resize(static_cast<std::size_t>(count * sample_bytes));
      read_trace_parts(*stores_[run.file], table, {run.in_file.first + first, count},
                       {shape.header_bytes() + samples[begin] * sample_bytes, sample_bytes}, bytes.data());
      segy::decode(bytes, format.sample_format, format.byte_order,
                   into.subspan(begin, static_cast<std::size_t>(count)));
      first += count;
    }
  });
}

void SurveyReader::require_checked_format() const {
  if (!is_format_checked_ && !assumptions_.format_code)
    throw Error({.code = ErrorCode::usage,
                 .problem = "samples are read before their format was checked",
                 .where = {.file = paths_.front()},
                 .action = "call SurveyReader::require_sample_format on all ranks first, or assume the format"});
}

void SurveyReader::read_own_samples(std::span<const std::int64_t> traces, std::span<float> into) const {
  read_own_samples(traces, segy::SampleFormat::ieee_float, std::as_writable_bytes(into));
}

void SurveyReader::read_own_samples(std::span<const std::int64_t> traces, segy::SampleFormat format,
                                    std::span<std::byte> into, std::span<std::byte> headers) const {
  require_checked_format();
  const auto size = static_cast<std::size_t>(bytes_of(traces));
  const auto bytes = std::make_unique_for_overwrite<std::byte[]>(size);
  read_own(traces, {bytes.get(), size});
  std::span<const std::byte> rest(bytes.get(), size);
  if (!headers.empty()) {
    const std::size_t header_bytes = headers.size() / traces.size();
    for_each_run(*this, traces, [&](const FileRun& run) {
      require_headers(run.file, run.in_file, {0, static_cast<std::int64_t>(header_bytes)});
    });
    for (const std::int64_t trace : traces) {
      std::ranges::copy(rest.first(header_bytes), headers.begin());
      headers = headers.subspan(header_bytes);
      rest = rest.subspan(static_cast<std::size_t>(bytes_of({trace, 1})));
    }
    rest = {bytes.get(), size};
  }
  for (std::size_t begin = 0; begin < traces.size();) {
    std::size_t end = begin + 1;
    while (end < traces.size() && traces[end] == traces[end - 1] + 1) ++end;
    const ItemRange run{traces[begin], static_cast<std::int64_t>(end - begin)};
    const auto decoded = static_cast<std::size_t>(samples_of(run) * segy::bytes_of(format));
    decode_samples(run, rest, format, into.first(decoded));
    rest = rest.subspan(static_cast<std::size_t>(bytes_of(run)));
    into = into.subspan(decoded);
    begin = end;
  }
}

}  // namespace sill
