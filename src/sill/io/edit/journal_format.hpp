// The file format of the journal of an edit, described in docs/edit.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/layout/range.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// The file to which a journal belongs, and the number of its segments.
struct JournalHead {
  std::int64_t file_bytes = 0;
  std::int64_t inode = 0;  ///< inode of the file. The device is not stored: its number differs after a reboot and
                           ///< between nodes
  ByteRange untouched;     ///< bytes of the file that the edit does not change
  std::int64_t untouched_sum = 0;  ///< checksum of the bytes `untouched`
  std::int64_t segments = 0;
};

/// Changes that were passed together: a segment of a journal.
struct JournalSegment {
  std::int64_t offset = 0;  ///< offset in the journal
  std::int64_t length = 0;
  std::uint64_t checksum = 0;
};

/// One stretch of bytes that an edit changes.
struct Change {
  std::int64_t offset = 0;  ///< offset in the file
  std::span<const std::byte> old;
  std::span<const std::byte> fresh;
};

/// Local. Appends a change to the bytes of a journal: `fresh` will replace `old`, of the same length, starting at byte
/// `offset` of the file.
void append_change(std::vector<std::byte>& journal, std::int64_t offset, std::span<const std::byte> old,
                   std::span<const std::byte> fresh);

/// Local. Return the size of the table before the segments of a journal; the bytes of the table.
[[nodiscard]] std::int64_t journal_table_bytes(std::int64_t segments);
[[nodiscard]] std::vector<std::byte> journal_table(const JournalHead& head, std::span<const JournalSegment> segments);

/// Local. Returns the checksum of a stretch of a file. Errors: io.
[[nodiscard]] std::int64_t sum_of_bytes(Store& file, ByteRange bytes);

/// The version and the head of a journal, read without verifying the journal's checksum.
struct JournalBeginning {
  std::uint64_t version = 0;
  JournalHead head;  ///< valid if this program knows the version
};
/// Local. Returns the beginning of a journal; nullopt if the file is not a journal. Errors: io.
[[nodiscard]] std::optional<JournalBeginning> journal_beginning(Store& journal);
[[nodiscard]] bool is_known_version(const JournalBeginning& journal);

/// Local. Returns true if a file of `file_bytes` bytes can contain the stretch `untouched`, within the limits for a
/// journal.
[[nodiscard]] bool is_possible_stretch(ByteRange untouched, std::int64_t file_bytes);

/// Local. Throws Error(input) with the reason why a journal is not applied.
[[noreturn]] void refuse_journal(const std::string& journal, std::string problem);

/// A complete journal, open for reading.
class StoredJournal {
 public:
  /// Local. Opens a journal, which must belong to one of the users `owners`. Errors: io, also if it belongs to another
  /// user or is not a regular file; input if it is not a journal, or if its table or the bytes before it are damaged.
  StoredJournal(const Resources& resources, const std::string& journal, std::span<const std::int64_t> owners);

  [[nodiscard]] const JournalHead& head() const { return head_; }

  /// Local. Calls `visit` with the changes of each segment assigned to this rank, on several threads. Errors: io; input
  /// if a segment is damaged; any error that `visit` throws.
  void for_own_segments(const Resources& resources, const std::function<void(const std::vector<Change>&)>& visit) const;

 private:
  std::string name_;
  std::unique_ptr<Store> store_;
  JournalHead head_;
  std::vector<JournalSegment> segments_;
};

}  // namespace sill
