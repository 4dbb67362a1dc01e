#include "sill/io/survey/index_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/io/edit/journal_finding.hpp"
#include "sill/io/files/sidecar_header.hpp"
#include "sill/io/survey/output_file.hpp"
#include "sill/io/survey/trace_chain.hpp"
#include "sill/store/part/part_file.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "sill/store/ranged/ranged_source.hpp"

namespace sill {
namespace {

// docs/index-file.md describes the format.
constexpr SidecarKind index_kind{{'S', 'I', 'L', 'L', '-', 'I', 'D', 'X'}, 2};
constexpr std::int64_t head_words = 13;
constexpr std::int64_t head_bytes = sidecar_header_bytes(head_words);
constexpr std::int64_t stretch_bytes = 24;
constexpr std::int64_t stretches_at_once = 40000;
constexpr std::int64_t max_spread_stretches = 16;

// All data before the stretches. The members are in the order of the file.
struct Head {
  FileStamp stamp;
  std::int64_t first_trace_byte = 0;
  std::int64_t traces_end_byte = 0;
  std::int64_t byte_order = 0;
  std::int64_t sample_bytes = 0;
  std::int64_t open_samples = 0;
  std::int64_t additional_headers = 0;
  std::int64_t start_checksum = 0;
  std::int64_t traces = 0;
  std::int64_t end_byte = 0;
  std::int64_t stretches = 0;
  std::int64_t words = 0;

  // Lists the members once, for both directions.
  template <class Each>
  void for_each_word(Each&& each) {
    for (std::int64_t* word :
         {&stamp.bytes, &stamp.changed_ns, &first_trace_byte, &traces_end_byte, &byte_order, &sample_bytes,
          &open_samples, &additional_headers, &start_checksum, &traces, &end_byte, &stretches, &words})
      each(*word);
  }
};

void encode(Head head, std::span<std::byte> into) {
  std::vector<std::int64_t> words;
  head.for_each_word([&](std::int64_t& word) { words.push_back(word); });
  put_sidecar_header(index_kind, words, into);
}

void encode(const segy::TraceStretch& stretch, std::byte* into) {
  store<std::int64_t>(into, stretch.first_trace, ByteOrder::little);
  store<std::int64_t>(into + 8, stretch.first_byte, ByteOrder::little);
  store<std::uint32_t>(into + 16, stretch.samples, ByteOrder::little);
  store<std::uint32_t>(into + 20, stretch.headers, ByteOrder::little);
}

Head decode_head(std::span<const std::byte> bytes) {
  std::array<std::int64_t, head_words> words{};
  get_sidecar_words(bytes, words);
  Head head;
  auto next = words.begin();
  head.for_each_word([&](std::int64_t& word) { word = *next++; });
  return head;
}

// Returns the head that an index of the current file has, without the counts of its table.
Head head_of(Store& store, const segy::FileDescription& file, const FileStamp& stamp) {
  std::vector<std::byte> start(
      static_cast<std::size_t>(std::clamp<std::int64_t>(file.file_bytes, 0, segy::file_header_bytes)));
  if (!start.empty()) read_at(store, 0, start);
  Checksum sum;
  sum.add(start);
  return {.stamp = stamp,
          .first_trace_byte = file.first_trace_byte,
          .traces_end_byte = file.traces_end_byte(),
          .byte_order = static_cast<std::int64_t>(file.byte_order),
          .sample_bytes = segy::bytes_of(file.sample_format),
          .open_samples = file.samples,
          .additional_headers = file.additional_trace_headers,
          .start_checksum = static_cast<std::int64_t>(sum.value())};
}

bool exists(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  throw system_error(errno, "stat", {.file = path});
}

// Opens an index of any owner, and sets `owner`; callers check its content.
std::unique_ptr<Store> open_index(const Resources& resources, const std::string& path, std::int64_t& owner) {
  if (is_url(path)) return resources.open(path, OpenMode::read);
  std::unique_ptr<Store> store = open_stored_beside(path, owner);
  return resources.meter != nullptr ? metered(std::move(store), *resources.meter) : std::move(store);
}

// Checks that a file with the name of the index is an index: other files must not be replaced or removed.
void require_index(const Resources& resources, const std::string& path) {
  std::int64_t owner = -1;
  const auto old = open_index(resources, path, owner);
  std::array<std::byte, 8> start{};
  if (old->size_bytes() >= std::ssize(start)) read_at(*old, 0, start);
  if (is_of_kind(index_kind, start)) return;
  throw Error({.code = ErrorCode::usage,
               .problem = "a file has the name of the index, but is not an index",
               .where = {.file = path},
               .action = "rename it; nothing was changed"});
}

// Returns the reason why words are not used from the index of the file at `path`; empty if they are used. The words
// determine for which traces a condition holds, and most of them are not compared with a header.
std::string why_words_refused(std::int64_t owner, const std::string& path) {
  if (owner == 0 || is_caller_or_owner(owner, path)) return {};
  return fmt::format("the index stored next to the file belongs to user {}, who does not own the file",
                     name_of_user(owner));
}

// The reason why a stored index is not used: thrown and caught in this file.
struct Unfit {
  std::string reason;
};

// Returns the size of an index before the words of all traces.
std::int64_t main_bytes(const Head& head) {
  return head_bytes + head.stretches * stretch_bytes + head.words * index_word_bytes + sidecar_checksum_bytes;
}

struct MainPart {
  segy::TraceTable table;
  std::optional<IndexWords> words;
};

MainPart read_main_part(Store& stored, const Head& head) {
  std::vector<segy::TraceStretch> stretches(static_cast<std::size_t>(head.stretches));
  std::vector<std::byte> bytes(static_cast<std::size_t>(head_bytes));
  Checksum sum;
  read_at(stored, 0, bytes);
  sum.add(bytes);
  for (std::int64_t first = 0; first < head.stretches; first += stretches_at_once) {
    const std::int64_t count = std::min(stretches_at_once, head.stretches - first);
    bytes.resize(static_cast<std::size_t>(count * stretch_bytes));
    read_at(stored, head_bytes + first * stretch_bytes, bytes);
    sum.add(bytes);
    const std::byte* at = bytes.data();
    for (std::int64_t i = 0; i < count; ++i, at += stretch_bytes) {
      stretches[static_cast<std::size_t>(first + i)] = {.first_trace = load<std::int64_t>(at, ByteOrder::little),
                                                        .first_byte = load<std::int64_t>(at + 8, ByteOrder::little),
                                                        .samples = load<std::uint32_t>(at + 16, ByteOrder::little),
                                                        .headers = load<std::uint32_t>(at + 20, ByteOrder::little)};
    }
  }
  std::vector<std::byte> encoded_words(static_cast<std::size_t>(head.words * index_word_bytes));
  read_at(stored, head_bytes + head.stretches * stretch_bytes, encoded_words);
  sum.add(encoded_words);
  bytes.resize(sidecar_checksum_bytes);
  read_at(stored, main_bytes(head) - sidecar_checksum_bytes, bytes);
  if (!has_checksum(sum, bytes)) throw Unfit{"it is damaged: its checksum is wrong"};
  try {
    MainPart part{.table = segy::TraceTable(std::move(stretches), head.traces, head.end_byte,
                                            static_cast<int>(head.sample_bytes)),
                  .words = {}};
    std::vector<IndexWord> words;
    for (std::int64_t i = 0; i < head.words; ++i)
      words.push_back(decoded_index_word(encoded_words.data() + i * index_word_bytes));
    if (!words.empty()) part.words.emplace(std::move(words), head.traces, main_bytes(head), sum.value());
    return part;
  } catch (const Error& error) {
    throw Unfit{fmt::format("it is damaged: {}", error.parts().problem)};
  }
}

// Checks at some positions that the headers of the file agree with the table.
void check_some(Store& store, const segy::FileDescription& file, const segy::TraceTable& table, const Head& head) {
  std::vector<std::pair<std::int64_t, segy::TraceShape>> traces;
  const auto last = static_cast<std::int64_t>(table.stretches().size()) - 1;
  std::int64_t before = -1;
  for (std::int64_t i = 0; i <= max_spread_stretches + 1 && last >= 0; ++i) {
    // last * i / 17, without overflow
    const std::int64_t stretch = last / 17 * i + last % 17 * i / 17;
    if (std::exchange(before, stretch) == stretch) continue;
    const ItemRange of_stretch = table.traces_of(static_cast<std::size_t>(stretch));
    const segy::TraceShape shape = table.stretches()[static_cast<std::size_t>(stretch)].shape();
    traces.emplace_back(of_stretch.first, shape);
    traces.emplace_back(of_stretch.end() - 1, shape);
  }
  std::vector<ByteRange> headers;
  for (const auto& [trace, shape] : traces)
    headers.push_back({table.bytes_of({trace, 1}).offset, segy::trace_header_bytes});
  store.will_need(headers);
  TraceWalk walk(store, file, nullptr);
  for (std::size_t i = 0; i < traces.size(); ++i)
    if (walk.shape_at(headers[i].offset) != traces[i].second)
      throw Unfit{fmt::format("the header of trace {} at byte {} states a different length", traces[i].first + 1,
                              headers[i].offset)};
  const std::int64_t first_byte = table.bytes_of({0, 0}).offset;
  if (first_byte != head.first_trace_byte) throw Unfit{"it is damaged: it begins at a different byte"};
}

// Reads the data before the stretches.
Head read_head(Store& stored, std::int64_t stored_bytes) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(head_bytes));
  if (stored_bytes < head_bytes + sidecar_checksum_bytes) throw Unfit{"it is truncated, or not an index"};
  read_at(stored, 0, bytes);
  if (!is_of_kind(index_kind, bytes)) throw Unfit{"it is not an index"};
  if (const std::uint64_t version = sidecar_version(bytes); version != index_kind.version)
    throw Unfit{fmt::format("it has version {}, this program reads version {}", version, index_kind.version)};
  return decode_head(bytes);
}

// Checks that an index with the head `head` belongs to the current file and the way it is read now.
void require_same_file(const Head& head, const Head& now) {
  if (head.stamp.bytes != now.stamp.bytes) throw Unfit{"the size of the file has changed"};
  if (head.stamp.changed_ns != now.stamp.changed_ns) throw Unfit{"the file has changed"};
  if (head.start_checksum != now.start_checksum) throw Unfit{"the file header has changed"};
  if (head.first_trace_byte != now.first_trace_byte || head.traces_end_byte != now.traces_end_byte ||
      head.byte_order != now.byte_order || head.sample_bytes != now.sample_bytes ||
      head.open_samples != now.open_samples || head.additional_headers != now.additional_headers)
    throw Unfit{"it was made with other assumptions about the file"};
}

// Checks sizes before memory is allocated for them.
void require_sizes(const Head& head, std::int64_t stored_bytes, std::int64_t file_bytes) {
  if (head.stretches < 0 || head.stretches > stored_bytes / stretch_bytes || head.words < 0 ||
      head.words > max_index_words || head.traces < 0 || head.traces > file_bytes || main_bytes(head) > stored_bytes)
    throw Unfit{"it is damaged: its size does not fit its stretches"};
}

// Checks that the traces of the file are at the positions in the table, as far as this is cheap.
void require_traces(const segy::TraceTable& table, const Head& head, Store& store, const segy::FileDescription& file) {
  if (table.end_byte() > file.traces_end_byte()) throw Unfit{"it lists traces beyond the end of the traces"};
  if (file.lengths_vary) return check_some(store, file, table, head);
  const segy::TraceTable now_there(file);
  if (table.traces() != file.traces || !std::ranges::equal(table.stretches(), now_there.stretches()))
    throw Unfit{"it lists other traces"};
}

StoredIndex read_own(const Resources& resources, const std::string& path, Store& store,
                     const segy::FileDescription& file, std::string& words_refused) {
  std::int64_t owner = -1;
  const auto stored = open_index(resources, path, owner);
  const std::int64_t stored_bytes = stored->size_bytes();
  const Head head = read_head(*stored, stored_bytes);
  // Copies on servers have other times.
  const FileStamp stamp =
      is_url(file.path) ? FileStamp{store.size_bytes(), head.stamp.changed_ns} : own_stamp_of(file.path);
  require_same_file(head, head_of(store, file, stamp));
  require_sizes(head, stored_bytes, file.file_bytes);
  MainPart part = read_main_part(*stored, head);
  if (stored_bytes != main_bytes(head) + (part.words ? part.words->bytes() : 0))
    throw Unfit{"it is damaged: its size does not fit its stretches and words"};
  require_traces(part.table, head, store, file);
  if (is_url(path)) part.words.reset();  // servers do not state who made it
  if (part.words) words_refused = why_words_refused(owner, file.path);
  if (!words_refused.empty()) part.words.reset();
  if (part.words) {
    if (const auto trace = part.words->first_misfit(*stored, store, part.table))
      throw Unfit{fmt::format("the header of trace {} contains other words than the index", *trace + 1)};
  }
  return {.index = index_of(std::move(part.table), store, file), .words = std::move(part.words), .diagnostic = {}};
}

}  // namespace

std::string index_path_of(const std::string& path) {
  const std::size_t end = is_url(path) ? std::min(path.find('?'), path.size()) : path.size();
  return path.substr(0, end) + ".sill-index" + path.substr(end);
}

std::unique_ptr<Store> open_index_words(const Resources& resources, const std::string& path) {
  const std::string index = index_path_of(path);
  std::int64_t owner = -1;
  std::unique_ptr<Store> store = open_index(resources, index, owner);
  if (const std::string reason = why_words_refused(owner, path); !reason.empty())
    throw Error(
        {.code = ErrorCode::io, .problem = reason, .where = {.file = index}, .action = "its words are not used"});
  return store;
}

std::int64_t write_index_file(const Resources& resources, Store& store, const segy::FileDescription& file,
                              const TraceIndex& index, const std::vector<IndexWord>& words, const FileStamp& before) {
  const std::string path = index_path_of(file.path);
  const std::span<const segy::TraceStretch> stretches = index.table.stretches();
  Head head;
  head.traces = index.table.traces();
  head.end_byte = index.table.end_byte();
  head.stretches = std::ssize(stretches);
  head.words = std::ssize(words);
  const IndexWords stored(words, head.traces, main_bytes(head), 0);
  const std::int64_t all_bytes = main_bytes(head) + (words.empty() ? 0 : stored.bytes());
  run_on_rank(resources.comm, 0, [&] {
    if (exists(path)) require_index(resources, path);
  });
  OutputFile out(resources, path, all_bytes, StoredBeside{file.path});
  if (!words.empty()) {
    run_and_agree(resources.comm, [&] { stored.write_share(resources, store, index.table, *out.handle()); });
  }
  run_on_rank(resources.comm, 0, [&] {
    Head whole = head_of(store, file, before);
    whole.traces = head.traces;
    whole.end_byte = head.end_byte;
    whole.stretches = head.stretches;
    whole.words = head.words;
    std::vector<std::byte> bytes(static_cast<std::size_t>(head_bytes));
    encode(whole, bytes);
    Checksum sum;
    std::int64_t at_byte = 0;
    const auto put = [&] {
      sum.add(bytes);
      out.write_own(at_byte, bytes);
      at_byte += std::ssize(bytes);
    };
    put();
    for (std::int64_t first = 0; first < head.stretches; first += stretches_at_once) {
      const std::int64_t count = std::min(stretches_at_once, head.stretches - first);
      bytes.resize(static_cast<std::size_t>(count * stretch_bytes));
      std::byte* at = bytes.data();
      for (const segy::TraceStretch& stretch :
           stretches.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count))) {
        encode(stretch, at);
        at += stretch_bytes;
      }
      put();
    }
    bytes.resize(static_cast<std::size_t>(head.words * index_word_bytes));
    for (std::size_t i = 0; i < words.size(); ++i) encode(words[i], bytes.data() + i * index_word_bytes);
    put();
    bytes.resize(sidecar_checksum_bytes);
    put_checksum(sum, bytes);
    out.write_own(at_byte, bytes);
    if (own_stamp_of(file.path) != before) {
      throw Error({.code = ErrorCode::input,
                   .problem = "the file was changed while its index was built",
                   .where = {.file = file.path},
                   .action = "build the index when the file is complete"});
    }
  });
  out.finish();
  return all_bytes;
}

StoredIndex read_index_file(const Resources& resources, Store& store, const segy::FileDescription& file) {
  Communicator& comm = resources.comm;
  const std::string path = index_path_of(file.path);
  // The result of rank 0, for all ranks.
  struct Found {
    std::int64_t is_there = 0;
    std::int64_t fits = 0;
    std::int64_t stretches = 0;
    std::int64_t traces = 0;
    std::int64_t end_byte = 0;
    std::int64_t words_byte = 0;
    std::uint64_t checksum = 0;
  } found;
  std::string reason;  // why it, or its words, are not used
  std::string advice = "run `sill index` to make a new one";
  StoredIndex stored;
  run_on_rank(comm, 0, [&] {
    try {
      if (!is_url(path) && !exists(path)) return;
      found.is_there = 1;
      stored = read_own(resources, path, store, file, reason);
      found.fits = 1;
      found.stretches = std::ssize(stored.index->table.stretches());
      found.traces = stored.index->table.traces();
      found.end_byte = stored.index->table.end_byte();
      if (stored.words) {
        found.words_byte = stored.words->first_byte();
        found.checksum = stored.words->index_checksum();
      }
      return;
    } catch (const Unfit& unfit) {
      reason = unfit.reason;
    } catch (const Error& error) {
      if (error.parts().where.file != path) throw;
      const int number = error.parts().system_error_number;
      // Some servers refuse access to files that do not exist.
      found.is_there = is_url(path) && (number == ENOENT || number == EACCES) ? 0 : 1;
      reason = fmt::format("it cannot be read: {}", error.parts().problem);
      advice = "remove it, and run `sill index` to make a new one";  // `sill index` does not replace a file that it
                                                                     // cannot read
    }
  });
  comm.broadcast(std::as_writable_bytes(std::span(&found, 1)), 0);
  if (found.is_there == 0) return stored;
  broadcast_all(comm, reason, 0);
  if (found.fits == 0) {
    broadcast_all(comm, advice, 0);
    stored.diagnostic = Diagnostic{.grade = Grade::minor,
                                   .problem = fmt::format("the index stored next to the file does not fit: {}", reason),
                                   .where = path,
                                   .clause = {},
                                   .action = fmt::format("not used; {}", advice)};
    return stored;
  }
  if (!reason.empty())
    stored.diagnostic = Diagnostic{.grade = Grade::minor,
                                   .problem = reason,
                                   .where = path,
                                   .clause = {},
                                   .action = "its words are not used; run `sill index --words` to store them again"};
  std::vector<segy::TraceStretch> stretches = run_and_agree(comm, [&] {
    if (!stored.index) return std::vector<segy::TraceStretch>(static_cast<std::size_t>(found.stretches));
    const auto own = stored.index->table.stretches();
    return comm.size() > 1 ? std::vector<segy::TraceStretch>(own.begin(), own.end())
                           : std::vector<segy::TraceStretch>();
  });
  if (comm.size() == 1) return stored;
  comm.broadcast(std::as_writable_bytes(std::span(stretches)), 0);
  stored.index = run_and_agree(comm, [&] {
    return index_of(
        segy::TraceTable(std::move(stretches), found.traces, found.end_byte, segy::bytes_of(file.sample_format)), store,
        file);
  });
  if (found.words_byte == 0) return stored;
  std::vector<IndexWord> words =
      stored.words ? std::vector<IndexWord>(stored.words->words().begin(), stored.words->words().end())
                   : std::vector<IndexWord>();
  broadcast_all(comm, words, 0);
  stored.words = IndexWords(std::move(words), found.traces, found.words_byte, found.checksum);
  return stored;
}

bool remove_index_file(const Resources& resources, const std::string& path) {
  const std::string stored = index_path_of(path);
  return value_from_rank(resources.comm, 0, [&] {
    if (!exists(stored)) return false;
    require_index(resources, stored);
    if (::unlink(stored.c_str()) != 0) throw system_error(errno, "removing", {.file = stored});
    return true;
  });
}

IndexedFile indexed(const Resources& resources, Store& store, const segy::FileDescription& file) {
  StoredIndex stored = read_index_file(resources, store, file);
  if (stored.index)
    return {.index = std::move(*stored.index),
            .words = std::move(stored.words),
            .is_stored = true,
            .diagnostic = std::move(stored.diagnostic)};
  return {.index = index_traces(resources, store, file),
          .words = {},
          .is_stored = false,
          .diagnostic = std::move(stored.diagnostic)};
}

}  // namespace sill
