#include "sill/io/survey/survey_reader.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/first_index.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/segy/detect/header_checks.hpp"
#include "sill/formats/segy/samples/conversion.hpp"
#include "sill/io/edit/journal_finding.hpp"
#include "sill/io/files/open_on_all_ranks.hpp"
#include "sill/io/survey/describe.hpp"
#include "sill/io/survey/file_words.hpp"
#include "sill/io/survey/index_file.hpp"
#include "sill/io/survey/reading_blocks.hpp"
#include "sill/io/survey/sample_format_look.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/permute/item_runs.hpp"
#include "sill/store/ranged/ranged_source.hpp"

namespace sill {
namespace {

// The size of the blocks of a scan: a mapped window for long traces, and limits for short ones.
constexpr std::int64_t block_window_bytes = 8 << 20;
constexpr std::int64_t block_buffer_bytes = 1 << 20;
constexpr std::int64_t min_block_traces = 64;
constexpr std::int64_t max_block_traces = 16384;

void require_same(const segy::FileDescription& first, const segy::FileDescription& other, bool same,
                  std::string_view what, const std::string& of_first, const std::string& of_other,
                  std::string_view clause) {
  if (same) return;
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("the files cannot be read as one survey: {} is {} here, but {} in {}", what,
                                      of_other, of_first, first.path),
               .where = {.file = other.path},
               .clause = std::string(clause),
               .action = "convert the files to one form first, or process them separately"});
}

// Rejects a file that is named twice, by any path or link: its traces would be in the survey twice.
void require_different_files(const std::vector<std::string>& paths) {
  std::map<std::string, std::string_view> seen;
  for (const std::string& path : paths) {
    struct stat status {};
    const bool is_remote = is_url(path);
    if (!is_remote && ::stat(path.c_str(), &status) != 0) continue;  // opening the file reports the cause
    const auto [first, is_new] =
        seen.emplace(is_remote ? path : fmt::format("{} {}", status.st_dev, status.st_ino), path);
    if (is_new) continue;
    throw Error({.code = ErrorCode::usage,
                 .problem = first->second == path ? "this input is named twice"
                                                  : fmt::format("this input is the same file as {}", first->second),
                 .where = {.file = path},
                 .action = "name it once: otherwise each of its traces would be read twice"});
  }
}

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

SurveyReader::SurveyReader(const Resources& resources, const std::vector<std::string>& paths,
                           const segy::HeaderMap* map, const InputRules& rules)
    : resources_(resources),
      assumptions_(rules.assume),
      paths_(paths),
      ignores_journals_(rules.ignores_journals || rules.despite_journals) {
  run_and_agree(resources_.comm, [&] {
    if (paths.empty()) throw Error({.code = ErrorCode::usage, .problem = "no input file is named"});
  });
  run_on_rank(resources_.comm, 0, [&] {
    if (!rules.may_differ) require_different_files(paths);
    for (const std::string& path : paths) stamps_.push_back(own_stamp_of(path));
  });
  broadcast_all(resources_.comm, stamps_, 0);  // each rank may check for changes independently
  std::vector<std::unique_ptr<Store>> opened = open_surveys(resources_, paths);
  const auto describe = [&](std::size_t file) {
    if (!ignores_journals_) require_no_journal(resources_, paths[file]);
    return described(resources_, std::move(opened[file]), paths[file], assumptions_);
  };
  std::vector<std::optional<DescribedFile>> remote(paths.size());
  if (const int threads = threads_for_urls(resources_, paths); threads > 1)
    parallel_for(threads, std::ssize(paths), [&](std::int64_t task, int /*thread*/) {
      const auto file = static_cast<std::size_t>(task);
      if (is_url(paths[file])) remote[file] = describe(file);
    });
  for (std::size_t file = 0; file < paths.size(); ++file)
    add_file(paths[file], remote[file] ? std::move(*remote[file]) : describe(file), rules);
  is_uniform_ = is_uniform_ && std::ranges::all_of(files_, [&](const segy::FileDescription& file) {
                  return file.trace_bytes == files_.front().trace_bytes && file.samples == files_.front().samples;
                });
  // The tables do not move in memory, even when the reader is moved.
  for (std::size_t file = 0; !is_uniform_ && file < inputs_.size(); ++file)
    inputs_[file].place_of = [table = &tables_[file]](ItemRange traces) { return table->bytes_of(traces); };
  // Callers with stricter rules get these findings, too, even if they do not use samples.
  for (int file = 0; rules.stops_at < Grade::critical && file < static_cast<int>(files_.size()); ++file)
    if (const std::optional<Diagnostic> found = sample_format_finding(file))
      files_[static_cast<std::size_t>(file)].diagnostics.push_back(*found);
  run_and_agree(resources_.comm, [&] {
    if (rules.stops_at < Grade::critical) segy::refuse_from(files_, rules.stops_at);
    if (!rules.takes_damaged) require_whole_traces();
    if (!rules.may_differ) require_one_survey();
  });
  words_ = words_of_files(resources_, stores_, files_, map);
  run_and_agree(resources_.comm, [&] {
    if (!rules.takes_damaged || rules.stops_at < Grade::critical) segy::refuse_from(files_, rules.stops_at);
  });  // findings about the stanzas
}

void SurveyReader::add_file(const std::string& path, DescribedFile file, const InputRules& rules) {
  segy::FileDescription& description = file.description;
  if (!rules.despite_journals)
    if (const std::optional<Diagnostic> found = journal_diagnostic(resources_, path, rules.ignores_journals))
      description.diagnostics.push_back(*found);
  index_words_.emplace_back();
  if (description.lengths_vary) {
    IndexedFile indexed_file = indexed(resources_, *file.store, description);
    description.traces = indexed_file.index.table.traces();
    description.remainder_bytes = indexed_file.index.remainder_bytes;
    // Unusable words of an index matter only to callers that request words.
    if (indexed_file.diagnostic && (rules.index_words || !indexed_file.is_stored))
      description.diagnostics.push_back(*indexed_file.diagnostic);
    tables_.push_back(std::move(indexed_file.index.table));
    if (rules.index_words) index_words_.back() = std::move(indexed_file.words);
    if (description.remainder_bytes == 0) segy::check_trace_count(description);
    // The traces of a file with varying lengths may all have one length. With a truncated trace this is not known.
    if (tables_.back().is_uniform() && description.traces > 0 && description.remainder_bytes == 0) {
      description.lengths_vary = false;
      description.samples = tables_.back().shape_of(0).samples;
      description.additional_trace_headers = tables_.back().shape_of(0).headers - 1;
      description.trace_bytes = tables_.back().trace_bytes(0);
    }
  } else {
    tables_.emplace_back(description);
    if (rules.index_words && !is_url(path)) {
      StoredIndex kept = read_index_file(resources_, *file.store, description);
      if (kept.diagnostic) description.diagnostics.push_back(std::move(*kept.diagnostic));
      index_words_.back() = std::move(kept.words);
    }
  }
  is_uniform_ = is_uniform_ && !description.lengths_vary;
  inputs_.push_back(
      {file.store.get(), {description.first_trace_byte, description.trace_bytes, description.traces}, traces_});
  traces_ += description.traces;
  stores_.push_back(std::move(file.store));
  files_.push_back(std::move(description));
}

void SurveyReader::require_whole_traces() const {
  for (const segy::FileDescription& file : files_) {
    const Where end{.file = file.path, .byte = file.traces_end_byte() - file.remainder_bytes};
    if (file.remainder_bytes != 0)
      throw Error({.code = ErrorCode::input,
                   .problem = file.lengths_vary
                                  ? fmt::format("{} bytes remain after the last of {} complete traces: the next trace "
                                                "extends beyond the end of the file",
                                                file.remainder_bytes, file.traces)
                                  : fmt::format("{} bytes remain after the last complete trace, but a trace has {}",
                                                file.remainder_bytes, file.trace_bytes),
                   .where = end,
                   .clause = "SEG-Y rev 1, clause 4: a file ends with a complete trace",
                   .action = "the file is truncated, or a header states a wrong number of samples: get an intact copy "
                             "of the file; sill repair drops or pads the last trace"});
    segy::refuse_critical(file, end);
  }
}

void SurveyReader::require_one_survey() const {
  const segy::FileDescription& first = files_.front();
  for (const segy::FileDescription& other : files_) {
    require_same(first, other, first.kind == other.kind, "the format", std::string(name_of(first.kind)),
                 std::string(name_of(other.kind)), "");
    require_same(first, other, first.byte_order == other.byte_order, "the byte order",
                 std::string(name_of(first.byte_order)), std::string(name_of(other.byte_order)), "");
    require_same(first, other, first.sample_format == other.sample_format, "the sample format",
                 std::string(segy::name_of(first.sample_format)), std::string(segy::name_of(other.sample_format)),
                 "SEG-Y rev 1, bytes 3225-3226");
    // The one header written for all files describes one kind, and values that a trace does not state come from its own
    // file.
    require_same(first, other, first.lengths_vary == other.lengths_vary, "the length of traces",
                 first.lengths_vary ? "different" : "one for all", other.lengths_vary ? "different" : "one for all",
                 "SEG-Y rev 1, bytes 3503-3504");
    require_same(first, other, first.lengths_vary || first.samples == other.samples, "the number of samples per trace",
                 fmt::format("{}", first.samples), fmt::format("{}", other.samples), "SEG-Y rev 1, bytes 3221-3222");
    require_same(first, other, first.additional_trace_headers == other.additional_trace_headers,
                 "the number of additional trace headers", fmt::format("{}", first.additional_trace_headers),
                 fmt::format("{}", other.additional_trace_headers), "SEG-Y rev 2.1, bytes 3507-3508");
    require_same(first, other, first.interval_us == other.interval_us, "the sample interval",
                 fmt::format("{} us", first.interval_us), fmt::format("{} us", other.interval_us),
                 "SEG-Y rev 1, bytes 3217-3218");
    require_same(first, other, segy::scale_times_alike(first, other),
                 "the revision (bytes 215-216 scale times from 1 on)",
                 std::string(segy::name_of(segy::revision_of(first))),
                 std::string(segy::name_of(segy::revision_of(other))), "SEG-Y rev 1, trace header bytes 215-216");
    const bool same_units = first.measurement_system == other.measurement_system || first.measurement_system == 0 ||
                            other.measurement_system == 0;
    require_same(first, other, same_units, "the measurement system", fmt::format("{}", first.measurement_system),
                 fmt::format("{}", other.measurement_system), "SEG-Y rev 1, bytes 3255-3256");
  }
}

void SurveyReader::require_unchanged(Communicator& comm) const {
  run_on_rank(comm, 0, [&] {
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      if (own_stamp_of(paths_[i]) == stamps_[i] && (ignores_journals_ || !has_journal(paths_[i]))) continue;
      throw Error(
          {.code = ErrorCode::io,
           .problem =
               "this file was changed while it was read: the data that were read may be a mixture of old and new",
           .where = {.file = paths_[i]},
           .action = "run again when no program writes to it; no output was made"});
    }
  });
}

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
