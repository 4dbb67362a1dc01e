#include "sill/io/edit/journal_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/io/files/sidecar_header.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

constexpr SidecarKind journal_kind{{'S', 'I', 'L', 'L', '-', 'J', 'N', 'L'}, 2};
constexpr std::int64_t journal_words = 6;
constexpr std::int64_t journal_head_bytes = sidecar_header_bytes(journal_words);
constexpr std::int64_t segment_entry_bytes = 24;
constexpr std::size_t change_head_bytes = 16;
// The maximum bytes of a file that a rank reads to identify it.
constexpr std::int64_t max_untouched_bytes = 1 << 20;

// Returns the changes of a segment with a correct checksum.
std::vector<Change> changes_of(std::span<const std::byte> bytes, const std::string& journal, std::int64_t file_bytes) {
  std::vector<Change> changes;
  while (!bytes.empty()) {
    if (bytes.size() < change_head_bytes) refuse_journal(journal, "the journal is damaged");
    const auto offset = load<std::int64_t>(bytes.data(), ByteOrder::little);
    const auto length = load<std::uint64_t>(bytes.data() + 8, ByteOrder::little);
    bytes = bytes.subspan(change_head_bytes);
    if (length > bytes.size() / 2 || offset < 0 || offset > file_bytes - static_cast<std::int64_t>(length))
      refuse_journal(journal, "the journal is damaged");
    changes.push_back({offset, bytes.first(length), bytes.subspan(length, length)});
    bytes = bytes.subspan(2 * length);
  }
  return changes;
}

}  // namespace

void refuse_journal(const std::string& journal, std::string problem) {
  throw Error({.code = ErrorCode::input,
               .problem = std::move(problem),
               .where = {.file = journal},
               .action = "nothing was written; keep both files, and restore the edited file from a copy"});
}

void append_change(std::vector<std::byte>& journal, std::int64_t offset, std::span<const std::byte> old,
                   std::span<const std::byte> fresh) {
  std::array<std::byte, change_head_bytes> head{};
  store<std::int64_t>(head.data(), offset, ByteOrder::little);
  store<std::uint64_t>(head.data() + 8, old.size(), ByteOrder::little);
  journal.insert(journal.end(), head.begin(), head.end());
  journal.insert(journal.end(), old.begin(), old.end());
  journal.insert(journal.end(), fresh.begin(), fresh.end());
}

std::int64_t journal_table_bytes(std::int64_t segments) {
  return journal_head_bytes + segments * segment_entry_bytes + sidecar_checksum_bytes;
}

std::vector<std::byte> journal_table(const JournalHead& head, std::span<const JournalSegment> segments) {
  std::vector<std::byte> table(static_cast<std::size_t>(journal_table_bytes(std::ssize(segments))));
  const std::array<std::int64_t, journal_words> words{head.file_bytes,       head.inode,         head.untouched.offset,
                                                      head.untouched.length, head.untouched_sum, head.segments};
  put_sidecar_header(journal_kind, words, table);
  std::byte* at = table.data() + journal_head_bytes;
  for (const JournalSegment& segment : segments) {
    store<std::int64_t>(at, segment.offset, ByteOrder::little);
    store<std::int64_t>(at + 8, segment.length, ByteOrder::little);
    store<std::uint64_t>(at + 16, segment.checksum, ByteOrder::little);
    at += segment_entry_bytes;
  }
  Checksum sum;
  sum.add(std::span(table).first(table.size() - sidecar_checksum_bytes));
  put_checksum(sum, std::span(table).last(sidecar_checksum_bytes));
  return table;
}

std::int64_t sum_of_bytes(Store& file, ByteRange bytes) {
  std::vector<std::byte> read(static_cast<std::size_t>(bytes.length));
  if (!read.empty()) read_at(file, bytes.offset, read);
  Checksum sum;
  sum.add(read);
  return static_cast<std::int64_t>(sum.value());
}

std::optional<JournalBeginning> journal_beginning(Store& journal) {
  const std::int64_t bytes = journal.size_bytes();
  std::vector<std::byte> head(static_cast<std::size_t>(std::min(bytes, journal_head_bytes)));
  if (!head.empty()) read_at(journal, 0, head);
  if (bytes < sidecar_header_bytes(0) || !is_of_kind(journal_kind, head)) return std::nullopt;
  JournalBeginning found{.version = sidecar_version(head), .head = {}};
  if (!is_known_version(found)) return found;
  if (bytes < journal_table_bytes(0)) return std::nullopt;
  std::array<std::int64_t, journal_words> words{};
  get_sidecar_words(head, words);
  found.head = {words[0], words[1], {words[2], words[3]}, words[4], words[5]};
  return found;
}

bool is_known_version(const JournalBeginning& journal) { return journal.version == journal_kind.version; }

bool is_possible_stretch(ByteRange untouched, std::int64_t file_bytes) {
  return untouched.offset >= 0 && untouched.length >= 0 && untouched.length <= max_untouched_bytes &&
         untouched.offset <= file_bytes - untouched.length;
}

StoredJournal::StoredJournal(const Resources& resources, const std::string& journal,
                             std::span<const std::int64_t> owners)
    : name_(journal) {
  std::int64_t owner = -1;
  store_ = open_stored_beside(journal, owner);
  if (std::ranges::find(owners, owner) == owners.end())
    throw Error({.code = ErrorCode::io,
                 .problem = fmt::format("the journal belongs to user {}, and is not used", owner),
                 .where = {.file = journal},
                 .action = "nothing was written"});
  if (resources.meter != nullptr) store_ = metered(std::move(store_), *resources.meter);
  const std::int64_t bytes = store_->size_bytes();
  const std::optional<JournalBeginning> beginning = journal_beginning(*store_);
  if (!beginning)
    refuse_journal(name_, "this file has the name of an edit journal, but is not a journal, or is a truncated one");
  if (!is_known_version(*beginning))
    refuse_journal(name_, fmt::format("the journal has version {}, this program knows version {}", beginning->version,
                                      journal_kind.version));
  head_ = beginning->head;
  if (head_.segments < 0 || head_.segments > (bytes - journal_table_bytes(0)) / segment_entry_bytes)
    refuse_journal(name_, "the journal is damaged");
  std::vector<std::byte> table(static_cast<std::size_t>(journal_table_bytes(head_.segments)));
  read_at(*store_, 0, table);
  const std::span<const std::byte> summed = std::span(table).first(table.size() - sidecar_checksum_bytes);
  Checksum sum;
  sum.add(summed);
  if (!has_checksum(sum, std::span(table).last(sidecar_checksum_bytes)))
    refuse_journal(name_, "the journal is damaged: its checksum is wrong");
  if (!is_possible_stretch(head_.untouched, head_.file_bytes)) refuse_journal(name_, "the journal is damaged");
  std::int64_t at = journal_table_bytes(head_.segments);
  for (std::int64_t i = 0; i < head_.segments; ++i) {
    const std::byte* const entry = table.data() + journal_head_bytes + i * segment_entry_bytes;
    const JournalSegment segment{load<std::int64_t>(entry, ByteOrder::little),
                                 load<std::int64_t>(entry + 8, ByteOrder::little),
                                 load<std::uint64_t>(entry + 16, ByteOrder::little)};
    if (segment.offset != at || segment.length < 0 || segment.length > bytes - at)
      refuse_journal(name_, "the journal is damaged");
    at += segment.length;
    segments_.push_back(segment);
  }
  if (at != bytes) refuse_journal(name_, "the journal is damaged: its length differs from the stated length");
}

void StoredJournal::for_own_segments(const Resources& resources,
                                     const std::function<void(const std::vector<Change>&)>& visit) const {
  const ItemRange own = block_of(head_.segments, resources.comm.size(), resources.comm.rank());
  const int threads = resources.threads();
  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(threads));
  parallel_for(threads, own.count, [&](std::int64_t task, int thread) {
    const JournalSegment& segment = segments_[static_cast<std::size_t>(own.first + task)];
    std::vector<std::byte>& bytes = buffers[static_cast<std::size_t>(thread)];
    bytes.resize(static_cast<std::size_t>(segment.length));
    if (bytes.empty()) return;
    read_at(*store_, segment.offset, bytes);
    Checksum sum;
    sum.add(bytes);
    if (sum.value() != segment.checksum) refuse_journal(name_, "the journal is damaged: a checksum is wrong");
    visit(changes_of(bytes, name_, head_.file_bytes));
  });
}

}  // namespace sill
