#include "sill/io/reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/describe.hpp"
#include "sill/io/file_words.hpp"
#include "sill/move/item_runs.hpp"

namespace sill {
namespace {

// Enough for a mapped window of long traces, and bounded for short ones.
constexpr std::int64_t block_window_bytes = 8 << 20;
constexpr std::int64_t block_buffer_bytes = 1 << 20;
constexpr std::int64_t fewest_block_traces = 64;
constexpr std::int64_t most_block_traces = 16384;

void require_same(const segy::FileDescription& first, const segy::FileDescription& other, bool same,
                  std::string_view what, const std::string& of_first, const std::string& of_other,
                  std::string_view clause) {
  if (same) return;
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("the files do not make one survey: {} is {} here, but {} in {}", what, of_other,
                                      of_first, first.path),
               .where = {.file = other.path},
               .clause = std::string(clause),
               .action = "convert the files to one form first, or treat them apart"});
}

}  // namespace

Reader::Reader(const Resources& resources, const std::vector<std::string>& paths, const segy::HeaderMap* map)
    : resources_(resources), paths_(paths) {
  together(resources_.comm, [&] {
    if (paths.empty()) throw Error({.code = ErrorCode::usage, .problem = "no input file is named"});
  });
  for (const std::string& path : paths) {
    DescribedFile file = open_described(resources, path);
    inputs_.push_back({file.store.get(), file.description.trace_list(), traces_});
    traces_ += file.description.traces;
    stores_.push_back(std::move(file.store));
    files_.push_back(std::move(file.description));
  }
  together(resources_.comm, [&] {
    require_whole_traces();
    require_one_survey();
  });
  words_ = words_of_files(resources_, stores_, files_, map);
}

void Reader::require_whole_traces() const {
  for (const segy::FileDescription& file : files_) {
    if (file.remainder_bytes == 0) continue;
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("{} bytes remain after the last whole trace, a trace has {}",
                                        file.remainder_bytes, file.trace_bytes),
                 .where = {.file = file.path, .byte = file.file_bytes - file.remainder_bytes},
                 .clause = "SEG-Y rev 1, clause 4: a file ends with a whole trace",
                 .action = "the file was cut short or the header's number of samples is wrong: fetch it again"});
  }
}

void Reader::require_one_survey() const {
  const segy::FileDescription& first = files_.front();
  for (const segy::FileDescription& other : files_) {
    require_same(first, other, first.byte_order == other.byte_order, "the byte order",
                 std::string(name_of(first.byte_order)), std::string(name_of(other.byte_order)), "");
    require_same(first, other, first.sample_format == other.sample_format, "the sample format",
                 std::string(segy::name_of(first.sample_format)), std::string(segy::name_of(other.sample_format)),
                 "SEG-Y rev 1, bytes 3225-3226");
    require_same(first, other, first.samples == other.samples, "the number of samples a trace",
                 fmt::format("{}", first.samples), fmt::format("{}", other.samples), "SEG-Y rev 1, bytes 3221-3222");
    require_same(first, other, first.interval_us == other.interval_us, "the sample interval",
                 fmt::format("{} us", first.interval_us), fmt::format("{} us", other.interval_us),
                 "SEG-Y rev 1, bytes 3217-3218");
    const bool same_units = first.measurement_system == other.measurement_system || first.measurement_system == 0 ||
                            other.measurement_system == 0;
    require_same(first, other, same_units, "the measurement system", fmt::format("{}", first.measurement_system),
                 fmt::format("{}", other.measurement_system), "SEG-Y rev 1, bytes 3255-3256");
  }
}

int Reader::file_of(std::int64_t trace) const {
  const auto after = std::upper_bound(inputs_.begin(), inputs_.end(), trace,
                                      [](std::int64_t t, const InputItems& in) { return t < in.first_item; });
  return static_cast<int>(after - inputs_.begin()) - 1;
}

Where Reader::where(std::int64_t trace) const {
  const auto file = static_cast<std::size_t>(file_of(trace));
  const std::int64_t in_file = trace - inputs_[file].first_item;
  return {.file = files_[file].path,
          .byte = inputs_[file].items.bytes_of({in_file, 1}).offset,
          .item = in_file + 1,
          .item_word = "trace"};
}

std::vector<std::byte> Reader::file_header(int file) const {
  const auto index = static_cast<std::size_t>(file);
  std::vector<std::byte> bytes(static_cast<std::size_t>(files_[index].first_trace_byte));
  read_at(*stores_[index], 0, bytes);
  return bytes;
}

void Reader::scan_headers(ItemRange traces, ByteRange part, int threads, const HeaderVisitor& visit) const {
  std::vector<HeaderBlock> blocks;
  const std::int64_t block_traces = std::clamp(
      std::min(block_window_bytes / trace_bytes(), block_buffer_bytes / std::max<std::int64_t>(1, part.length)),
      fewest_block_traces, most_block_traces);
  for (std::size_t file = 0; file < inputs_.size(); ++file) {
    const ItemRange here = intersection(traces, {inputs_[file].first_item, inputs_[file].items.count});
    for (std::int64_t first = here.first; first < here.end(); first += block_traces) {
      blocks.push_back({first, std::min(block_traces, here.end() - first), static_cast<int>(file),
                        files_[file].byte_order, nullptr, part.length});
    }
  }
  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(threads));
  hand_out(threads, static_cast<std::int64_t>(blocks.size()), [&](std::int64_t task, int thread) {
    HeaderBlock block = blocks[static_cast<std::size_t>(task)];
    const InputItems& input = inputs_[static_cast<std::size_t>(block.file)];
    std::vector<std::byte>& buffer = buffers[static_cast<std::size_t>(thread)];
    buffer.resize(static_cast<std::size_t>(part.offset + block_traces * part.length));
    if (!part.empty()) {
      const ByteRange bytes = input.items.bytes_of({block.first_trace - input.first_item, block.count});
      input.store->submit_strided(
          {bytes.offset + part.offset, part.length, input.items.item_bytes, block.count, buffer.data() + part.offset});
    }
    block.headers = buffer.data();
    visit(block, thread);
    if (resources_.progress != nullptr) resources_.progress->done_bytes += block.count * part.length;
  });
}

void Reader::read_own(ItemRange traces, std::span<std::byte> into) const { read_items(inputs_, traces, into); }

void Reader::read(ItemRange traces, std::span<std::byte> into) const {
  Communicator& comm = resources_.comm;
  together(comm, [&] {
    if (traces.first < 0 || traces.count < 0 || traces.end() > traces_) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("traces {} to {} were asked for, the survey has {}", traces.first + 1,
                                          traces.end(), traces_)});
    }
    if (static_cast<std::int64_t>(into.size()) != traces.count * trace_bytes()) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("{} traces of {} bytes were to be read into {} bytes", traces.count,
                                          trace_bytes(), into.size())});
    }
  });
  const std::vector<ItemRange> wanted = all_gather(comm, traces);
  const auto plan_of = [&](int rank, std::byte* memory) {
    const ItemRange of_rank = wanted[static_cast<std::size_t>(rank)];
    std::vector<Extent> extents;
    for (std::size_t file = 0; file < inputs_.size(); ++file) {
      const InputItems& input = inputs_[file];
      const ItemRange here = intersection(of_rank, {input.first_item, input.items.count});
      if (here.empty()) continue;
      const ByteRange bytes = input.items.bytes_of({here.first - input.first_item, here.count});
      extents.push_back(contiguous(static_cast<int>(file), bytes, memory));
      if (memory != nullptr) memory += bytes.length;
    }
    return AccessPlan::for_reading(std::move(extents));
  };
  if (!mover_) mover_.emplace(comm, resources_.files(paths_, OpenMode::read), resources_.policy, resources_.limits());
  const AccessPlan mine = together(comm, [&] { return plan_of(comm.rank(), into.data()); });
  mover_->read(mine, [&](int rank) { return plan_of(rank, nullptr); });
}

}  // namespace sill
