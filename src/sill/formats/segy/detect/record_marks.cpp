#include "sill/formats/segy/detect/record_marks.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/text/text_header.hpp"

namespace sill::segy {
namespace {

constexpr std::array<std::int64_t, 3> first_records{3200, 3600, 128};

/// A record or a file mark, and the position of the next mark.
struct Record {
  std::int64_t begin = 0;   // first byte of the record
  std::int64_t bytes = -1;  // length of the record; -1: a file mark
  std::int64_t next = 0;    // position of the next mark
};

/// The marks of one kind.
class Marks {
 public:
  virtual ~Marks() = default;
  [[nodiscard]] virtual const char* name() const = 0;
  /// Returns the record whose mark is at `at`, or nullopt if there is no complete record.
  [[nodiscard]] virtual std::optional<Record> at(std::int64_t at) const = 0;

 protected:
  Marks(std::int64_t file_bytes, const ReadBytes& read) : file_bytes_(file_bytes), read_(read) {}

  template <class T>
  [[nodiscard]] std::optional<std::int64_t> number(std::int64_t at, ByteOrder order) const {
    if (at < 0 || at + static_cast<std::int64_t>(sizeof(T)) > file_bytes_) return std::nullopt;
    std::array<std::byte, sizeof(T)> bytes{};
    read_(at, bytes);
    return static_cast<std::int64_t>(load<T>(bytes.data(), order));
  }
  [[nodiscard]] std::int64_t file_bytes() const { return file_bytes_; }

 private:
  std::int64_t file_bytes_;
  const ReadBytes& read_;
};

class LengthMarks final : public Marks {
 public:
  LengthMarks(std::int64_t file_bytes, const ReadBytes& read, ByteOrder order)
      : Marks(file_bytes, read), order_(order) {}

  [[nodiscard]] const char* name() const override {
    return order_ == ByteOrder::big ? "Fortran records, big-endian" : "Fortran records or a tape image, little-endian";
  }
  [[nodiscard]] std::optional<Record> at(std::int64_t at) const override {
    constexpr std::int64_t mark = 4;
    const std::optional<std::int64_t> bytes = number<std::uint32_t>(at, order_);
    if (!bytes) return std::nullopt;
    if (*bytes == 0) return Record{.next = at + mark};
    for (const std::int64_t padding : {*bytes % 2, std::int64_t{0}}) {
      const std::int64_t end = at + mark + *bytes + padding;
      if (number<std::uint32_t>(end, order_) == bytes) return Record{at + mark, *bytes, end + mark};
    }
    return std::nullopt;
  }

 private:
  ByteOrder order_;
};

template <class Offset>
class LinkMarks final : public Marks {
 public:
  LinkMarks(std::int64_t file_bytes, const ReadBytes& read) : Marks(file_bytes, read) {}

  [[nodiscard]] const char* name() const override {
    return sizeof(Offset) == 4 ? "a tape image (TIF)" : "a tape image (TIF8)";
  }
  [[nodiscard]] std::optional<Record> at(std::int64_t at) const override {
    constexpr std::int64_t type_bytes = 4;
    constexpr auto offset_bytes = static_cast<std::int64_t>(sizeof(Offset));
    constexpr std::int64_t mark = type_bytes + 2 * offset_bytes;
    const auto type = number<std::uint32_t>(at, ByteOrder::little);
    const auto next = number<Offset>(at + type_bytes + offset_bytes, ByteOrder::little);
    if (!type || !next || *type > 1 || *next > file_bytes() || *next < at + mark) return std::nullopt;
    if (*type == 1) return Record{.next = *next};
    return Record{at + mark, *next - at - mark, *next};
  }
};

// Adds a record to the runs: to the last run if the record continues it, otherwise as a new run.
void add(std::vector<PieceRun>& runs, const Record& record) {
  if (!runs.empty()) {
    PieceRun& last = runs.back();
    const std::int64_t stride = record.begin - last.first_byte - (last.count - 1) * last.stride_bytes;
    if (last.piece_bytes == record.bytes && (last.count == 1 || last.stride_bytes == stride)) {
      last.stride_bytes = stride;
      ++last.count;
      return;
    }
  }
  runs.push_back({record.begin, record.bytes, record.bytes, 1});
}

// Returns the number of further records like those of `run` that follow from mark `next`: as many as fit into the file,
// if the marks of the last one and of two others are present; otherwise 0.
std::int64_t more_alike(const Marks& marks, const PieceRun& run, std::int64_t next, std::int64_t file_bytes) {
  std::int64_t count = (file_bytes - next) / run.stride_bytes;
  const auto is_alike = [&](std::int64_t i) {
    const std::optional<Record> record = marks.at(next + i * run.stride_bytes);
    return record && record->bytes == run.piece_bytes && record->next == next + (i + 1) * run.stride_bytes;
  };
  // The remaining bytes may be file marks.
  while (count > 0 && file_bytes - next - count * run.stride_bytes < 64 && !is_alike(count - 1)) --count;
  return count > 0 && is_alike(count - 1) && is_alike(count / 2) && is_alike(count / 4) ? count : 0;
}

bool is_first_record(std::int64_t bytes) { return std::ranges::find(first_records, bytes) != first_records.end(); }

MarkedRecords followed(const Marks& marks, std::int64_t file_bytes) {
  MarkedRecords found;
  const std::optional<Record> first = marks.at(0);
  if (!first || !is_first_record(first->bytes)) return found;
  const std::optional<Record> second = marks.at(first->next);
  if (!second || second->bytes < 0) return found;
  constexpr std::int64_t enough_to_judge = 4;
  std::int64_t at = 0;
  while (at < file_bytes) {
    const std::optional<Record> record = marks.at(at);
    if (!record) break;
    at = record->next;
    if (record->bytes <= 0) continue;
    add(found.records, *record);
    PieceRun& run = found.records.back();
    if (run.count != enough_to_judge) continue;
    const std::int64_t more = more_alike(marks, run, at, file_bytes);
    run.count += more;
    at += more * run.stride_bytes;
  }
  found.name = marks.name();
  found.lost_bytes = file_bytes - at;
  return found;
}

}  // namespace

bool may_begin_with_mark(std::span<const std::byte> head) {
  constexpr std::size_t longest_mark = 20;
  if (head.size() < longest_mark) return false;
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little})
    if (is_first_record(load<std::uint32_t>(head.data(), order))) return true;
  if (load<std::uint32_t>(head.data(), ByteOrder::little) != 0) return false;
  return is_first_record(std::int64_t{load<std::uint32_t>(head.data() + 8, ByteOrder::little)} - 12) ||
         is_first_record(static_cast<std::int64_t>(load<std::uint64_t>(head.data() + 12, ByteOrder::little)) - 20);
}

MarkedRecords find_marked_records(std::int64_t file_bytes, const ReadBytes& read) {
  const LengthMarks big(file_bytes, read, ByteOrder::big);
  const LengthMarks little(file_bytes, read, ByteOrder::little);
  const LinkMarks<std::uint32_t> tif(file_bytes, read);
  const LinkMarks<std::uint64_t> tif8(file_bytes, read);
  for (const Marks* const marks : {static_cast<const Marks*>(&big), static_cast<const Marks*>(&little),
                                   static_cast<const Marks*>(&tif), static_cast<const Marks*>(&tif8)}) {
    MarkedRecords found = followed(*marks, file_bytes);
    if (!found.name.empty()) return found;
  }
  return {};
}

}  // namespace sill::segy
