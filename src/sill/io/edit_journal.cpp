#include "sill/io/edit_journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "sill/base/byte_order.hpp"
#include "sill/base/checksum.hpp"
#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

// docs/edit.md has the format.
constexpr std::array<char, 8> journal_magic{'S', 'I', 'L', 'L', '-', 'J', 'N', 'L'};
constexpr std::uint64_t journal_version = 1;
constexpr std::int64_t journal_head_bytes = 32;
constexpr std::int64_t segment_entry_bytes = 24;
constexpr std::int64_t journal_checksum_bytes = 8;
constexpr std::size_t change_head_bytes = 16;

[[noreturn]] void refuse_journal(const std::string& journal, std::string problem) {
  throw Error({.code = ErrorCode::input,
               .problem = std::move(problem),
               .where = {.file = journal},
               .action = "nothing was written; keep both files, and bring back the edited one from a copy"});
}

std::int64_t journal_table_bytes(std::int64_t segments) {
  return journal_head_bytes + segments * segment_entry_bytes + journal_checksum_bytes;
}

bool journal_exists(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG) return false;
  throw system_error(errno, "stat", {.file = path});
}

// One stretch of bytes that an edit changes.
struct Change {
  std::int64_t offset = 0;
  std::span<const std::byte> old;
  std::span<const std::byte> fresh;
};

// The changes of a segment, whose checksum was right.
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

struct JournalHead {
  std::int64_t file_bytes = 0;
  std::int64_t segments = 0;
};

// A complete journal, open for reading.
class KeptJournal {
 public:
  KeptJournal(const Resources& resources, const std::string& journal)
      : name_(journal), store_(resources.open(journal, OpenMode::read)) {
    const std::int64_t bytes = store_->size_bytes();
    std::vector<std::byte> table(journal_head_bytes);
    if (bytes < journal_table_bytes(0)) refuse_journal(name_, "this is no journal of an edit, or it was cut short");
    read_at(*store_, 0, table);
    if (std::memcmp(table.data(), journal_magic.data(), journal_magic.size()) != 0)
      refuse_journal(name_, "this has the name of a journal of an edit, and is none");
    const auto version = load<std::uint64_t>(table.data() + 8, ByteOrder::little);
    if (version != journal_version)
      refuse_journal(
          name_, fmt::format("the journal has version {}, this program knows version {}", version, journal_version));
    head_.file_bytes = load<std::int64_t>(table.data() + 16, ByteOrder::little);
    head_.segments = load<std::int64_t>(table.data() + 24, ByteOrder::little);
    if (head_.segments < 0 || head_.segments > (bytes - journal_table_bytes(0)) / segment_entry_bytes)
      refuse_journal(name_, "the journal is damaged");
    table.resize(static_cast<std::size_t>(journal_table_bytes(head_.segments)));
    read_at(*store_, 0, table);
    const std::span<const std::byte> summed = std::span(table).first(table.size() - journal_checksum_bytes);
    Checksum sum;
    sum.add(summed);
    if (sum.value() != load<std::uint64_t>(table.data() + summed.size(), ByteOrder::little))
      refuse_journal(name_, "the journal is damaged: its checksum is wrong");
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
    if (at != bytes) refuse_journal(name_, "the journal is damaged: it has another length than it tells");
  }

  [[nodiscard]] const JournalHead& head() const { return head_; }

  // Calls `visit(changes)` for the segments that are this rank's to treat, on several threads.
  template <class Visit>
  void for_own_segments(const Resources& resources, Visit&& visit) {
    const ItemRange own = block_of(head_.segments, resources.comm.size(), resources.comm.rank());
    const int threads = resources.threads();
    std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(threads));
    hand_out(threads, own.count, [&](std::int64_t task, int thread) {
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

 private:
  std::string name_;
  std::unique_ptr<Store> store_;
  JournalHead head_;
  std::vector<JournalSegment> segments_;
};

// The requests of many small writes at once.
void write_all(Store& store, std::span<const Change> changes, bool fresh) {
  std::vector<iovec> pieces(changes.size());
  std::vector<Request> requests(changes.size());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::span<const std::byte> bytes = fresh ? changes[i].fresh : changes[i].old;
    pieces[i] = {const_cast<std::byte*>(bytes.data()), bytes.size()};
    requests[i] = {Operation::write, changes[i].offset, {&pieces[i], 1}};
  }
  store.submit(requests);
}

void remove_journal(const Resources& resources, const std::string& journal) {
  on_rank(resources.comm, 0, [&] {
    if (::unlink(journal.c_str()) != 0) throw system_error(errno, "removing the journal", {.file = journal});
    // A journal that came back after a crash of the machine would undo an edit that was told to be done.
    const std::string folder = std::filesystem::path(journal).parent_path().string();
    const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) throw system_error(errno, "opening the folder of the journal", {.file = journal});
    const int result = ::fsync(descriptor);
    const int reason = errno;
    ::close(descriptor);
    if (result != 0) throw system_error(reason, "fsync of the folder of the journal", {.file = journal});
  });
}

}  // namespace

std::string journal_path_of(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path real = std::filesystem::canonical(path, failed);
  return (failed ? path : real.string()) + ".sill-journal";
}

EditLocks::EditLocks(const Resources& resources, const std::vector<std::string>& paths) {
  Communicator& comm = resources.comm;
  const auto refuse = [](const std::string& path) {
    throw Error({.code = ErrorCode::io,
                 .problem = "another edit has this file at the moment",
                 .where = {.file = path},
                 .action = "wait until it has ended; nothing was changed"});
  };
  // Rank 0 asks for the files alone, which it gets only if nobody holds a part in them; then all take one. So they stay
  // locked while any rank lives.
  on_rank(comm, 0, [&] {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      std::error_code unknown;
      for (std::size_t before = 0; before < i; ++before)
        if (std::filesystem::equivalent(paths[before], paths[i], unknown))
          throw Error({.code = ErrorCode::usage,
                       .problem = "a file that is to be edited is named twice",
                       .where = {.file = paths[i]},
                       .action = "name it once"});
      locks_.push_back(std::make_unique<FileLock>(paths[i]));
      if (!locks_.back()->try_alone()) refuse(paths[i]);
    }
  });
  together(comm, [&] {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (comm.rank() != 0) {
        locks_.push_back(std::make_unique<FileLock>(paths[i]));
        continue;
      }
      if (!locks_[i]->try_shared()) refuse(paths[i]);
    }
  });
  together(comm, [&] {
    for (std::size_t i = 0; i < paths.size() && comm.rank() != 0; ++i)
      if (!locks_[i]->try_shared()) refuse(paths[i]);
  });
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

EditJournal::EditJournal(const Resources& resources, const std::string& path,
                         std::span<const std::int64_t> own_segments)
    : resources_(resources), durable_(resources), path_(path), journal_path_(journal_path_of(path)) {
  Communicator& comm = resources.comm;
  durable_.policy.sync = Policy::Sync::close;
  durable_.striping = nullptr;
  on_rank(comm, 0, [&] {
    if (!journal_exists(journal_path_)) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = "the journal of an edit is there already",
                 .where = {.file = journal_path_},
                 .action = "undo that edit first: sill edit FILE --recover"});
  });
  const std::vector<std::int64_t> counts = all_gather(comm, std::ssize(own_segments));
  const std::vector<std::int64_t> sizes =
      all_gather(comm, std::accumulate(own_segments.begin(), own_segments.end(), std::int64_t{0}));
  all_segments_ = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  first_segment_ = std::accumulate(counts.begin(), counts.begin() + comm.rank(), std::int64_t{0});
  std::int64_t at = std::accumulate(sizes.begin(), sizes.begin() + comm.rank(), journal_table_bytes(all_segments_));
  for (const std::int64_t length : own_segments) {
    own_.push_back({.offset = at, .length = length});
    at += length;
  }
  const std::int64_t all_bytes = std::accumulate(sizes.begin(), sizes.end(), journal_table_bytes(all_segments_));
  file_.emplace(durable_, journal_path_, all_bytes);
  together(comm, [&] { (void)file_->store(); });
}

void EditJournal::write_segment(std::size_t segment, std::span<const std::byte> changes) {
  JournalSegment& own = own_[segment];
  if (std::ssize(changes) != own.length)
    throw Error({.code = ErrorCode::input,
                 .problem = "the file changed while its edit was prepared",
                 .where = {.file = path_},
                 .action = "nothing was written; run the edit when nobody else writes the file"});
  Checksum sum;
  sum.add(changes);
  own.checksum = sum.value();
  if (!changes.empty()) write_at(file_->store(), own.offset, changes);
}

void EditJournal::complete() {
  Communicator& comm = resources_.comm;
  const std::vector<JournalSegment> all = all_gather_all(comm, std::span<const JournalSegment>(own_));
  on_rank(comm, 0, [&] {
    std::vector<std::byte> table(static_cast<std::size_t>(journal_table_bytes(all_segments_)));
    std::memcpy(table.data(), journal_magic.data(), journal_magic.size());
    sill::store<std::uint64_t>(table.data() + 8, journal_version, ByteOrder::little);
    const std::int64_t file_bytes = resources_.open(path_, OpenMode::read)->size_bytes();
    sill::store<std::int64_t>(table.data() + 16, file_bytes, ByteOrder::little);
    sill::store<std::int64_t>(table.data() + 24, all_segments_, ByteOrder::little);
    std::byte* at = table.data() + journal_head_bytes;
    for (const JournalSegment& segment : all) {
      sill::store<std::int64_t>(at, segment.offset, ByteOrder::little);
      sill::store<std::int64_t>(at + 8, segment.length, ByteOrder::little);
      sill::store<std::uint64_t>(at + 16, segment.checksum, ByteOrder::little);
      at += segment_entry_bytes;
    }
    Checksum sum;
    sum.add(std::span(table).first(table.size() - journal_checksum_bytes));
    sill::store<std::uint64_t>(at, sum.value(), ByteOrder::little);
    write_at(file_->store(), 0, table);
  });
  file_->finish();
}

void EditJournal::apply() {
  Communicator& comm = resources_.comm;
  together(comm, [&] {
    KeptJournal kept(resources_, journal_path_);
    const std::unique_ptr<Store> file = resources_.open(path_, OpenMode::write);
    kept.for_own_segments(resources_, [&](const std::vector<Change>& changes) { write_all(*file, changes, true); });
    file->sync();
    file->close();
  });
}

void EditJournal::remove() { remove_journal(resources_, journal_path_); }

std::optional<Diagnostic> journal_diagnostic(const Resources& resources, const std::string& path) {
  std::int64_t is_there = 0;
  on_rank(resources.comm, 0, [&] { is_there = journal_exists(journal_path_of(path)) ? 1 : 0; });
  resources.comm.broadcast(std::as_writable_bytes(std::span(&is_there, 1)), 0);
  if (is_there == 0) return std::nullopt;
  return Diagnostic{
      .grade = Grade::critical,
      .problem = "an edit of this file was interrupted or is going on: some of its traces may be changed, others not",
      .where = journal_path_of(path),
      .clause = {},
      .action = "undo it: sill edit FILE --recover"};
}

bool has_journal(const std::string& path) { return journal_exists(journal_path_of(path)); }

void require_no_journal(const Resources& resources, const std::string& path) {
  const std::optional<Diagnostic> found = journal_diagnostic(resources, path);
  if (!found) return;
  together(resources.comm, [&] {
    throw Error({.code = ErrorCode::input,
                 .problem = found->problem,
                 .where = {.file = path},
                 .action = fmt::format("{}; its journal is {}", found->action, found->where)});
  });
}

UndoneEdit undo_edit(const Resources& resources, const std::string& path) {
  Communicator& comm = resources.comm;
  UndoneEdit undone;
  const std::string journal = journal_path_of(path);
  std::int64_t is_there = 0;
  on_rank(comm, 0, [&] { is_there = journal_exists(journal) ? 1 : 0; });
  comm.broadcast(std::as_writable_bytes(std::span(&is_there, 1)), 0);
  if (is_there == 0) return undone;
  undone.was_there = true;
  std::atomic<std::int64_t> changes = 0;
  std::atomic<std::int64_t> changed = 0;
  std::optional<KeptJournal> kept;
  std::unique_ptr<Store> file;
  together(comm, [&] {
    kept.emplace(resources, journal);
    file = resources.open(path, OpenMode::write);
    if (file->size_bytes() != kept->head().file_bytes)
      refuse_journal(journal, fmt::format("the journal is of a file of {} bytes, {} has {}", kept->head().file_bytes,
                                          path, file->size_bytes()));
    kept->for_own_segments(resources, [&](const std::vector<Change>& all) {
      std::vector<std::byte> now;
      for (const Change& change : all) {
        now.resize(change.old.size());
        read_at(*file, change.offset, now);
        for (std::size_t i = 0; i < now.size(); ++i)
          if (now[i] != change.old[i] && now[i] != change.fresh[i])
            throw Error(
                {.code = ErrorCode::input,
                 .problem = "the file holds neither what it had before the interrupted edit nor what that wrote",
                 .where = {.file = path, .byte = change.offset + static_cast<std::int64_t>(i)},
                 .action = "someone wrote the file since; nothing was undone, and the journal is kept"});
        changes += 1;
        if (!std::ranges::equal(now, change.old)) changed += 1;
      }
    });
  });
  together(comm, [&] {
    kept->for_own_segments(resources, [&](const std::vector<Change>& all) { write_all(*file, all, false); });
    file->sync();
    file->close();
  });
  remove_journal(resources, journal);
  undone.changes = all_reduce(comm, changes, Reduction::sum);
  undone.changes_undone = all_reduce(comm, changed, Reduction::sum);
  return undone;
}

}  // namespace sill
