#include "sill/io/describe.hpp"

#include <vector>

#include "sill/comm/agree.hpp"
#include "sill/formats/segy/probe.hpp"
#include "sill/io/edit_journal.hpp"

namespace sill {

DescribedFile open_despite_journal(const Resources& resources, const std::string& path,
                                   const segy::Assumptions& assume) {
  Communicator& comm = resources.comm;
  DescribedFile file;
  file.store = together(comm, [&] { return resources.open(path, OpenMode::read); });
  std::int64_t file_bytes = 0;
  on_rank(comm, 0, [&] { file_bytes = file.store->size_bytes(); });
  comm.broadcast(std::as_writable_bytes(std::span(&file_bytes, 1)), 0);

  // Every rank follows the probe on the same bytes and comes to the same end.
  segy::Probe probe = together(comm, [&] { return segy::Probe(path, file_bytes, assume); });
  std::vector<std::byte> bytes;
  while (const std::optional<ByteRange> wanted = probe.next()) {
    bytes.resize(static_cast<std::size_t>(wanted->length));
    on_rank(comm, 0, [&] { read_at(*file.store, wanted->offset, bytes); });
    comm.broadcast(bytes, 0);
    together(comm, [&] { probe.feed(bytes); });
  }
  file.description = together(comm, [&] { return probe.result(); });
  return file;
}

DescribedFile open_described(const Resources& resources, const std::string& path, const segy::Assumptions& assume) {
  DescribedFile file = open_despite_journal(resources, path, assume);
  if (const std::optional<Diagnostic> found = journal_diagnostic(resources, path))
    file.description.diagnostics.push_back(*found);
  return file;
}

}  // namespace sill
