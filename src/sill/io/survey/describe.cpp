#include "sill/io/survey/describe.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/segy/detect/probe.hpp"
#include "sill/formats/segy/detect/record_marks.hpp"
#include "sill/io/arrays/dataset_file.hpp"
#include "sill/io/edit/journal_finding.hpp"
#include "sill/io/files/open_on_all_ranks.hpp"
#include "sill/io/survey/inner_headers.hpp"
#include "sill/store/pieces_store.hpp"
#include "sill/store/ranged/ranged_source.hpp"

namespace sill {

namespace {

// Only rank 0 reads; every rank runs the probe on the same bytes and gets the same result. `begin` is called with the
// first bytes of the file, and may request another beginning by returning true.
template <class Begin>
std::optional<segy::FileDescription> probed(Communicator& comm, Store& store, const std::string& path,
                                            const segy::Assumptions& assume, Begin&& begin) {
  const std::int64_t file_bytes = value_from_rank(comm, 0, [&] { return store.size_bytes(); });
  segy::Probe probe = run_and_agree(comm, [&] { return segy::Probe(path, file_bytes, assume); });
  std::vector<std::byte> bytes;
  for (bool is_first = true; const std::optional<ByteRange> wanted = probe.next(); is_first = false) {
    bytes.resize(static_cast<std::size_t>(wanted->length));
    run_on_rank(comm, 0, [&] { read_at(store, wanted->offset, bytes); });
    comm.broadcast(bytes, 0);
    if (is_first && begin(file_bytes, bytes)) return std::nullopt;
    run_and_agree(comm, [&] { probe.feed(bytes); });
  }
  return run_and_agree(comm, [&] { return probe.result(); });
}

// Collective. Returns the records of a file with marks between them.
segy::MarkedRecords marked_records(Communicator& comm, Store& store, std::int64_t file_bytes) {
  segy::MarkedRecords found;
  run_on_rank(comm, 0, [&] {
    found = segy::find_marked_records(
        file_bytes, [&](std::int64_t offset, std::span<std::byte> bytes) { read_at(store, offset, bytes); });
  });
  broadcast_all(comm, found.name, 0);
  broadcast_all(comm, found.records, 0);
  comm.broadcast(std::as_writable_bytes(std::span(&found.lost_bytes, 1)), 0);
  return found;
}

Diagnostic marks_diagnostic(const segy::MarkedRecords& marked) {
  return {.grade = marked.lost_bytes > 0 ? Grade::critical : Grade::major,
          .problem = marked.lost_bytes > 0
                         ? fmt::format("this is SEG-Y in {}, but the {} bytes at its end are not a complete record",
                                       marked.name, marked.lost_bytes)
                         : fmt::format("this is SEG-Y in {}: there are marks between its records", marked.name),
          .where = "the complete file",
          .clause = "SEG-Y rev 2.1, clause 4: a file is its headers and traces, one after another",
          .action =
              "read without the marks, which are not counted in byte positions; 'sill repair' writes the file without "
              "them"};
}

Diagnostic joined_diagnostic(const InnerHeaders& inner) {
  const std::string where = fmt::format("byte {}", inner.bytes.front().offset + 1);
  return {.grade = inner.alike ? Grade::major : Grade::critical,
          .problem = fmt::format("{} SEG-Y files were joined: file headers are between the traces, at {}{}",
                                 inner.bytes.size() + 1, where,
                                 inner.bytes.size() > 1 ? fmt::format(" and {} more", inner.bytes.size() - 1) : ""),
          .where = where,
          .clause = "SEG-Y rev 1, clause 4: a file has one header",
          .action = inner.alike
                        ? "the traces of all files are read, without these headers, which are not counted in byte "
                          "positions; 'sill repair' writes them as one file"
                        : "the joined files differ in sample format, samples or interval: cut the file at this header"};
}

// Returns the ranges of the file outside `left_out`.
std::vector<PieceRun> runs_between(const std::vector<ByteRange>& left_out, std::int64_t file_bytes) {
  std::vector<PieceRun> runs;
  std::int64_t begin = 0;
  const auto add = [&](std::int64_t end) {
    if (end > begin) runs.push_back({begin, end - begin, end - begin, 1});
  };
  for (const ByteRange& bytes : left_out) {
    add(bytes.offset);
    begin = bytes.end();
  }
  add(file_bytes);
  return runs;
}

// Collective. Returns the result of `work`, which opens surveys; the error of a dataset of arrays names the commands
// for it.
template <class Work>
auto opened_survey(const Resources& resources, Work&& work) {
  std::optional<std::invoke_result_t<Work>> opened;
  const std::optional<Error> error = attempt_together(resources.comm, [&] { opened.emplace(work()); });
  if (!error) return std::move(*opened);
  const std::string& path = error->parts().where.file;
  const bool may_be_dataset = error->code() == ErrorCode::input || error->parts().system_error_number == EISDIR;
  if (!may_be_dataset || path.empty() || is_url(path)) throw Error(*error);
  const std::string kind = value_from_rank(resources.comm, 0, [&] { return kind_of_dataset(resources, path); });
  run_and_agree(resources.comm, [&] {
    if (kind.empty()) return;
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("this is {}, not a survey", kind),
                 .where = {.file = path},
                 .action = fmt::format("`sill arrays info {0}` shows it; `sill convert {0} -o FILE.sgy` converts a "
                                       "survey that was stored in it",
                                       echoed(path, 4096))});
  });
  throw Error(*error);
}

// Collective. Describes a survey, as `described`.
DescribedFile described_survey(const Resources& resources, std::unique_ptr<Store> store, const std::string& path,
                               const segy::Assumptions& assume) {
  Communicator& comm = resources.comm;
  segy::MarkedRecords marked;
  const auto find_marks = [&](std::int64_t file_bytes, std::span<const std::byte> head) {
    if (!segy::may_begin_with_mark(head)) return false;
    marked = marked_records(comm, *store, file_bytes);
    return !marked.name.empty();
  };
  const auto take_all = [](std::int64_t /*file_bytes*/, std::span<const std::byte> /*head*/) { return false; };
  std::optional<segy::FileDescription> description = probed(comm, *store, path, assume, find_marks);
  if (!description) {
    store = std::make_unique<PiecesStore>(std::move(store), marked.records);
    description = probed(comm, *store, path, assume, take_all);
    description->wrapping = marked.name;
    description->diagnostics.push_back(marks_diagnostic(marked));
  }
  const InnerHeaders inner = find_inner_headers(resources, *store, *description);
  if (!inner.bytes.empty()) {
    if (inner.alike) {
      store = std::make_unique<PiecesStore>(std::move(store), runs_between(inner.bytes, description->file_bytes));
      description = probed(comm, *store, path, assume, take_all);
      description->wrapping = marked.name;
      description->is_joined = true;
    }
    description->diagnostics.push_back(joined_diagnostic(inner));
  }
  return {.store = std::move(store), .description = std::move(*description)};
}

}  // namespace

std::vector<std::unique_ptr<Store>> open_surveys(const Resources& resources, std::span<const std::string> paths) {
  return opened_survey(resources, [&] { return open_on_all_ranks(resources, paths); });
}

DescribedFile described(const Resources& resources, std::unique_ptr<Store> store, const std::string& path,
                        const segy::Assumptions& assume) {
  return opened_survey(resources, [&] { return described_survey(resources, std::move(store), path, assume); });
}

DescribedFile open_despite_journal(const Resources& resources, const std::string& path,
                                   const segy::Assumptions& assume) {
  return described(resources, std::move(open_surveys(resources, {&path, 1}).front()), path, assume);
}

DescribedFile open_described(const Resources& resources, const std::string& path, const segy::Assumptions& assume,
                             bool ignores_journal) {
  DescribedFile file = open_despite_journal(resources, path, assume);
  if (const std::optional<Diagnostic> found = journal_diagnostic(resources, path, ignores_journal))
    file.description.diagnostics.push_back(*found);
  return file;
}

}  // namespace sill
