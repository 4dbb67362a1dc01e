#include "sill/io/records/records_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <string_view>
#include <utility>

#include "sill/base/crc32.hpp"
#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/base/units.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

constexpr std::int64_t piece_bytes = 1 << 20;  // frame size for a file that is not compressed

}  // namespace

RecordsFile::RecordsFile(const Resources& resources, std::string path)
    : resources_(resources), path_(std::move(path)), store_(resources.open(path_, OpenMode::read)) {
  file_bytes_ = store_->size_bytes();
  const std::string index = records::index_path(path_);
  if (!std::filesystem::exists(index)) {
    throw Error(
        {.code = ErrorCode::input,
         .problem = "the index of the records, a file next to this one, is missing",
         .where = {.file = index},
         .action = "copy the index together with the file; `zstd -d` or `gzip -d` decompress all records without it"});
  }
  const std::unique_ptr<Store> lines = resources.open(index, OpenMode::read);
  std::string text(static_cast<std::size_t>(lines->size_bytes()), '\0');
  read_at(*lines, 0, std::as_writable_bytes(std::span(text)));
  records::FoundIndex found = records::parse_index(text);
  if (found.damaged_line) {
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("line {} of the index is damaged", *found.damaged_line),
                 .where = {.file = index},
                 .action = "get an intact copy of the index"});
  }
  index_ = std::move(found.records);
  find_frames();
  if (!incomplete_ && !found.is_complete) incomplete_ = "its index is incomplete: the writer was stopped";
}

void RecordsFile::find_frames() {
  std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(records::frame_header_bytes, file_bytes_)));
  read_at(*store_, 0, bytes);
  codec_ = records::codec_of(bytes);
  const auto add = [&](std::int64_t at, records::FrameSize size) {
    frames_.push_back({at, size.packed, raw_bytes_, size.raw});
    raw_bytes_ += size.raw;
  };
  if (codec_ == records::Codec::none) {
    for (std::int64_t at = 0; at < file_bytes_; at += piece_bytes) {
      const std::int64_t size = std::min(piece_bytes, file_bytes_ - at);
      add(at, {size, size});
    }
    return;
  }
  constexpr std::int64_t last_bytes = 9;
  if (codec_ == records::Codec::zstd && file_bytes_ > last_bytes) {
    std::array<std::byte, last_bytes> last{};
    read_at(*store_, file_bytes_ - last_bytes, last);
    const auto table_bytes = records::frame_table_bytes(last);
    if (table_bytes && *table_bytes <= file_bytes_) {
      std::vector<std::byte> table(static_cast<std::size_t>(*table_bytes));
      read_at(*store_, file_bytes_ - *table_bytes, table);
      const auto listed = records::frames_in_table(table);
      std::int64_t end = *table_bytes;
      for (const records::FrameSize& each : listed.value_or(std::vector<records::FrameSize>())) end += each.packed;
      if (listed && end == file_bytes_) {
        std::int64_t at = 0;
        for (const records::FrameSize& each : *listed) {
          add(at, each);
          at += each.packed;
        }
        return;
      }
    }
  }
  std::int64_t at = 0;
  while (at < file_bytes_) {
    bytes.resize(static_cast<std::size_t>(std::min(records::frame_header_bytes, file_bytes_ - at)));
    read_at(*store_, at, bytes);
    const auto enough = records::bytes_to_find_end(codec_, bytes);
    if (!enough) break;
    bytes.resize(static_cast<std::size_t>(std::min(*enough, file_bytes_ - at)));
    read_at(*store_, at, bytes);
    const auto size = records::frame_at(codec_, bytes);
    if (!size) break;
    if (size->raw > 0) add(at, *size);
    at += size->packed;
  }
  if (at < file_bytes_) {
    incomplete_ =
        fmt::format("its frames end at byte {} of {}: it is truncated or damaged at this byte", at, file_bytes_);
  }
}

const records::RecordPlace* RecordsFile::find(std::int64_t id) const {
  const auto found = std::ranges::lower_bound(index_, id, {}, &records::RecordPlace::id);
  return found != index_.end() && found->id == id ? &*found : nullptr;
}

std::size_t RecordsFile::frame_of(std::int64_t offset) const {
  const auto after = std::ranges::upper_bound(frames_, offset, {}, &Frame::offset);
  return static_cast<std::size_t>(after - frames_.begin()) - 1;
}

std::optional<std::string> RecordsFile::unpack(const Frame& frame, std::vector<std::byte>& raw) const {
  std::vector<std::byte> packed(static_cast<std::size_t>(frame.packed));
  read_at(*store_, frame.at, packed);
  raw.resize(static_cast<std::size_t>(frame.raw));
  const auto fault = records::unpack_frame(codec_, packed, raw);
  if (!fault) return std::nullopt;
  return fmt::format("the frame starting at byte {} is damaged: {}", frame.at, *fault);
}

std::optional<std::string> RecordsFile::read_from(Unpacked& last, const records::RecordPlace& record,
                                                  std::vector<std::byte>& bytes) const {
  bytes.clear();
  if (record.offset + record.bytes > raw_bytes_) return "its end is not in the file";
  while (std::ssize(bytes) < record.bytes) {
    const std::int64_t at = record.offset + std::ssize(bytes);
    if (const std::size_t number = frame_of(at); number != last.frame) {
      last.frame = number;
      last.fault = unpack(frames_[number], last.raw);
    }
    if (last.fault) return last.fault;
    const auto begin = static_cast<std::size_t>(at - frames_[last.frame].offset);
    const std::size_t count = std::min(last.raw.size() - begin, static_cast<std::size_t>(record.bytes) - bytes.size());
    bytes.insert(bytes.end(), last.raw.begin() + static_cast<std::ptrdiff_t>(begin),
                 last.raw.begin() + static_cast<std::ptrdiff_t>(begin + count));
  }
  if (crc32_of(bytes) != record.crc32) return "its bytes differ from the written bytes";
  return std::nullopt;
}

RecordsFile::Verified RecordsFile::verify() const {
  Verified found;
  const int threads = resources_.threads();
  std::vector<std::optional<std::string>> faults(index_.size());
  run_on_threads(threads, [&](int thread) {
    const ItemRange mine = block_of(std::ssize(index_), threads, thread);
    Unpacked last;
    std::vector<std::byte> bytes;
    for (std::int64_t r = mine.first; r < mine.first + mine.count; ++r)
      faults[static_cast<std::size_t>(r)] = read_from(last, index_[static_cast<std::size_t>(r)], bytes);
  });
  for (std::size_t r = 0; r < index_.size(); ++r) {
    if (!faults[r]) continue;
    if (found.damaged.empty()) found.first_fault = *faults[r];
    found.damaged.push_back(index_[r]);
  }
  const std::int64_t listed = index_.empty() ? 0 : index_.back().offset + index_.back().bytes;
  found.unlisted_bytes = std::max<std::int64_t>(0, raw_bytes_ - listed);
  return found;
}

}  // namespace sill
