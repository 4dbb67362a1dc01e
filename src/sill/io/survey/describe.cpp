#include "sill/io/survey/describe.hpp"

#include <utility>
#include <vector>

#include "sill/comm/agree.hpp"
#include "sill/formats/segy/detect/probe.hpp"
#include "sill/io/edit/journal_finding.hpp"
#include "sill/io/files/open_on_all_ranks.hpp"

namespace sill {

DescribedFile described(const Resources& resources, std::unique_ptr<Store> store, const std::string& path,
                        const segy::Assumptions& assume) {
  Communicator& comm = resources.comm;
  DescribedFile file{.store = std::move(store), .description = {}};
  std::int64_t file_bytes = 0;
  run_on_rank(comm, 0, [&] { file_bytes = file.store->size_bytes(); });
  comm.broadcast(std::as_writable_bytes(std::span(&file_bytes, 1)), 0);

  // Every rank follows the probe on the same bytes and comes to the same end.
  segy::Probe probe = run_and_agree(comm, [&] { return segy::Probe(path, file_bytes, assume); });
  std::vector<std::byte> bytes;
  while (const std::optional<ByteRange> wanted = probe.next()) {
    bytes.resize(static_cast<std::size_t>(wanted->length));
    run_on_rank(comm, 0, [&] { read_at(*file.store, wanted->offset, bytes); });
    comm.broadcast(bytes, 0);
    run_and_agree(comm, [&] { probe.feed(bytes); });
  }
  file.description = run_and_agree(comm, [&] { return probe.result(); });
  return file;
}

DescribedFile open_despite_journal(const Resources& resources, const std::string& path,
                                   const segy::Assumptions& assume) {
  return described(resources, std::move(open_on_all_ranks(resources, {&path, 1}).front()), path, assume);
}

DescribedFile open_described(const Resources& resources, const std::string& path, const segy::Assumptions& assume,
                             bool ignores_journal) {
  DescribedFile file = open_despite_journal(resources, path, assume);
  if (const std::optional<Diagnostic> found = journal_diagnostic(resources, path, ignores_journal))
    file.description.diagnostics.push_back(*found);
  return file;
}

}  // namespace sill
