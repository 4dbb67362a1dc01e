#include "sill/store/burst/burst_segment.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <filesystem>
#include <map>

#include "sill/base/crc32.hpp"
#include "sill/base/error.hpp"
#include "sill/store/posix/unnamed_file.hpp"

namespace sill {
namespace {

static_assert(std::endian::native == std::endian::little, "a log can only be read on the node that wrote it");

struct Head {
  std::array<char, 8> magic{'S', 'I', 'L', 'L', 'L', 'O', 'G', '1'};
  std::int64_t number = 0;    // 0: cleared
  std::int64_t end_byte = 0;  // of its contents
  std::int64_t sum = 0;       // of the fields before it
};

enum class Kind : std::uint32_t { file = 1, run = 2 };

// A record is followed by `length` bytes: the path of a file or the bytes of a run.
struct Record {
  std::uint32_t own_sum = 0;    // of all following fields
  std::uint32_t bytes_sum = 0;  // of the bytes after the record
  Kind kind = Kind::run;
  std::int32_t file = 0;
  std::int64_t segment = 0;
  std::int64_t length = 0;
  std::int64_t place = 0;  // offset of a run, device of a file
  std::int64_t inode = 0;  // of a file
};

template <class Plain>
std::span<const std::byte> bytes_of(const Plain& plain) {
  return std::as_bytes(std::span(&plain, 1));
}

Head head_of(std::int64_t number, std::int64_t end_byte) {
  Head head{.number = number, .end_byte = end_byte};
  head.sum = raw_crc32(~0U, bytes_of(head).first(offsetof(Head, sum)));
  return head;
}

std::uint32_t own_sum_of(const Record& record) {
  return raw_crc32(~0U, bytes_of(record).subspan(sizeof record.own_sum));
}

std::uint32_t sum_of(std::span<const iovec> memory) {
  std::uint32_t sum = ~0U;
  for (const iovec& piece : memory)
    sum = raw_crc32(sum, {static_cast<const std::byte*>(piece.iov_base), piece.iov_len});
  return sum;
}

iovec piece_of(const void* memory, std::size_t bytes) { return {const_cast<void*>(memory), bytes}; }

// Returns the record of the file at `path`. It names the file so that another process in another folder can find it.
std::pair<std::string, Record> record_of_file(int file, const std::string& path, std::int64_t segment) {
  std::string text;
  Record record{.kind = Kind::file, .file = file, .segment = segment};
  if (!unnamed_file_at(path)) {
    text = std::filesystem::absolute(path).string();
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) {
      record.place = static_cast<std::int64_t>(status.st_dev);
      record.inode = static_cast<std::int64_t>(status.st_ino);
    }
  }
  const iovec piece = piece_of(text.data(), text.size());
  record.length = static_cast<std::int64_t>(text.size());
  record.bytes_sum = sum_of({&piece, 1});
  record.own_sum = own_sum_of(record);
  return {std::move(text), record};
}

}  // namespace

BurstSegment::BurstSegment(const std::string& path, const Opener& open)
    : path_(path), store_(open(path, OpenMode::create)) {
  try {
    write_at(*store_, 0, bytes_of(head_of(0, 0)));
  } catch (...) {
    ::unlink(path_.c_str());
    throw;
  }
}

BurstSegment::~BurstSegment() { ::unlink(path_.c_str()); }

void BurstSegment::begin(std::int64_t number) {
  number_ = number;
  end_byte_ = sizeof(Head);
  named_.clear();
  runs_.clear();
}

void BurstSegment::append(int file, const std::string& path, std::span<const Request> requests) {
  std::vector<Record> records;
  records.reserve(requests.size());
  std::vector<iovec> pieces(2);  // room for the path record and the path
  std::int64_t total = 0;
  for (const Request& request : requests) {
    Record& record = records.emplace_back(Record{.bytes_sum = sum_of(request.memory),
                                                 .file = file,
                                                 .segment = number_,
                                                 .length = length_of(request),
                                                 .place = request.offset_bytes});
    record.own_sum = own_sum_of(record);
    pieces.push_back(piece_of(&record, sizeof record));
    pieces.insert(pieces.end(), request.memory.begin(), request.memory.end());
    total += static_cast<std::int64_t>(sizeof record) + record.length;
  }
  std::pair<std::string, Record> named;
  std::size_t before = 2;  // index of the first piece to write
  std::int64_t begin = 0;
  {
    const std::lock_guard lock(mutex_);
    if (named_.insert(file).second) {
      named = record_of_file(file, path, number_);
      pieces[--before] = piece_of(named.first.data(), named.first.size());
      pieces[--before] = piece_of(&named.second, sizeof named.second);
    }
    begin = end_byte_;
    for (std::size_t i = before; i < 2; ++i) end_byte_ += static_cast<std::int64_t>(pieces[i].iov_len);
    end_byte_ += total;
  }
  const Request all{Operation::write, begin, std::span(pieces).subspan(before)};
  store_->submit({&all, 1});
  const std::lock_guard lock(mutex_);
  std::int64_t at = begin + length_of(all) - total;
  for (const Record& record : records) {
    at += static_cast<std::int64_t>(sizeof record);
    runs_.push_back({file, record.place, record.length, at});
    at += record.length;
  }
}

void BurstSegment::seal() { write_at(*store_, 0, bytes_of(head_of(number_, end_byte_))); }

void BurstSegment::clear() {
  write_at(*store_, 0, bytes_of(head_of(0, 0)));
  begin(0);
}

LeftSegment read_segment(Store& store) {
  const std::int64_t size = store.size_bytes();
  LeftSegment left;
  Head head;
  const auto read_into = [&store](std::int64_t at, auto& plain) {
    read_at(store, at, std::as_writable_bytes(std::span(&plain, 1)));
  };
  if (size < static_cast<std::int64_t>(sizeof head)) return left;
  read_into(0, head);
  if (head.magic != Head{}.magic) {
    throw Error({.code = ErrorCode::input,
                 .problem = "this file has the name of a log of Sill, but is not a log",
                 .where = {.file = store.name()},
                 .action = "remove it, if it is not needed"});
  }
  left.number = head.number;
  left.is_damaged = head.sum != head_of(head.number, head.end_byte).sum || head.end_byte > size;
  if (left.number == 0) return left;
  constexpr std::int64_t read_bytes = 1 << 20;
  std::vector<std::byte> block;
  std::map<int, int> places;  // in `left.files`
  for (std::int64_t at = sizeof head; at < head.end_byte && !left.is_damaged;) {
    left.is_damaged = true;  // until this record is known to be intact
    Record record;
    const std::int64_t bytes_at = at + static_cast<std::int64_t>(sizeof record);
    if (bytes_at > head.end_byte) break;
    read_into(at, record);
    if (record.own_sum != own_sum_of(record) || record.segment != left.number) break;
    if (record.length < 0 || record.length > head.end_byte - bytes_at) break;
    const bool is_file = record.kind == Kind::file;
    std::string path;
    std::uint32_t sum = ~0U;
    for (std::int64_t done = 0; done < record.length; done += std::ssize(block)) {
      block.resize(static_cast<std::size_t>(std::min(read_bytes, record.length - done)));
      read_at(store, bytes_at + done, block);
      sum = raw_crc32(sum, block);
      if (is_file) path.append(reinterpret_cast<const char*>(block.data()), block.size());
    }
    if (sum != record.bytes_sum || (!is_file && !places.contains(record.file))) break;
    if (is_file) {
      places.emplace(record.file, static_cast<int>(left.files.size()));
      left.files.push_back({std::move(path), record.place, record.inode});
    } else {
      left.runs.push_back({places[record.file], record.place, record.length, bytes_at});
    }
    at = bytes_at + record.length;
    left.is_damaged = false;
  }
  return left;
}

}  // namespace sill
