// The journal of an edit as it lies in a file: docs/edit.md has the format.
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

/// Which file a journal belongs to, and how many segments of changes it has.
struct JournalHead {
  std::int64_t file_bytes = 0;
  std::int64_t inode = 0;  ///< of the file. Not its device: that has another number after a boot, or on a next node
  ByteRange untouched;     ///< bytes of the file that the edit does not change
  std::int64_t untouched_sum = 0;  ///< their checksum
  std::int64_t segments = 0;
};

/// Changes that were brought together: a part of a journal.
struct JournalSegment {
  std::int64_t offset = 0;  ///< in the journal
  std::int64_t length = 0;
  std::uint64_t checksum = 0;
};

/// One stretch of bytes that an edit changes.
struct Change {
  std::int64_t offset = 0;  ///< in the file
  std::span<const std::byte> old;
  std::span<const std::byte> fresh;
};

/// Local. Appends to the bytes of a journal that `fresh` is to be written over `old`, of the same length, from byte
/// `offset` of the file on.
void append_change(std::vector<std::byte>& journal, std::int64_t offset, std::span<const std::byte> old,
                   std::span<const std::byte> fresh);

/// Local. The bytes of a journal before its segments: of `segments` of them, and what they are.
[[nodiscard]] std::int64_t journal_table_bytes(std::int64_t segments);
[[nodiscard]] std::vector<std::byte> journal_table(const JournalHead& head, std::span<const JournalSegment> segments);

/// Local. The checksum of a stretch of a file. Errors: io.
[[nodiscard]] std::int64_t sum_of_bytes(Store& file, ByteRange bytes);

/// Local. Returns the head of a journal without verifying its checksum; nothing if the file is no journal. Errors: io.
struct JournalBeginning {
  std::uint64_t version = 0;
  JournalHead head;  ///< if the version is the one that this program knows
};
[[nodiscard]] std::optional<JournalBeginning> journal_beginning(Store& journal);
[[nodiscard]] bool is_known_version(const JournalBeginning& journal);

/// Local. Whether a file of `file_bytes` can have this stretch, as far as a journal may name one.
[[nodiscard]] bool is_possible_stretch(ByteRange untouched, std::int64_t file_bytes);

/// Local. Throws Error(input): why a journal is not followed.
[[noreturn]] void refuse_journal(const std::string& journal, std::string problem);

/// A complete journal, open for reading.
class StoredJournal {
 public:
  /// Local. `owners`: the users whose journal it may be. Errors: io, if it is another user's or no regular file, too;
  /// input if it is none, or damaged as far as its table states.
  StoredJournal(const Resources& resources, const std::string& journal, std::span<const std::int64_t> owners);

  [[nodiscard]] const JournalHead& head() const { return head_; }

  /// Local. Calls `visit` with the changes of each segment that is this rank's to treat, on several threads.
  /// Errors: io; input if a segment is damaged; what `visit` throws.
  void for_own_segments(const Resources& resources, const std::function<void(const std::vector<Change>&)>& visit) const;

 private:
  std::string name_;
  std::unique_ptr<Store> store_;
  JournalHead head_;
  std::vector<JournalSegment> segments_;
};

}  // namespace sill
