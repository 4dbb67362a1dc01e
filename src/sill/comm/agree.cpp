#include "sill/comm/agree.hpp"

#include <span>
#include <vector>

#include "sill/comm/packer.hpp"

namespace sill {
namespace {

// Packs an error, so that all ranks rebuild an equal one.
std::vector<std::byte> pack(const ErrorParts& parts) {
  Packer packer;
  packer.number(static_cast<int>(parts.code));
  packer.list(parts.problem);
  packer.list(parts.where.file);
  packer.maybe(parts.where.byte);
  packer.maybe(parts.where.item);
  packer.list(parts.where.item_word);
  packer.list(parts.clause);
  packer.list(parts.action);
  packer.number(parts.system_error_number);
  return packer.take();
}

ErrorParts unpack(std::span<const std::byte> bytes) {
  Unpacker unpacker(bytes);
  ErrorParts parts;
  parts.code = static_cast<ErrorCode>(unpacker.number());
  parts.problem = unpacker.text();
  parts.where.file = unpacker.text();
  parts.where.byte = unpacker.maybe();
  parts.where.item = unpacker.maybe();
  parts.where.item_word = unpacker.text();
  parts.clause = unpacker.text();
  parts.action = unpacker.text();
  parts.system_error_number = static_cast<int>(unpacker.number());
  return parts;
}

}  // namespace

void agree(Communicator& comm, const std::optional<Error>& mine) {
  const int at_fault = static_cast<int>(all_reduce(comm, mine ? comm.rank() : comm.size(), Reduction::min));
  if (at_fault == comm.size()) return;
  std::vector<std::byte> bytes;
  if (comm.rank() == at_fault) bytes = pack(mine->parts());
  std::int64_t size = static_cast<std::int64_t>(bytes.size());
  comm.broadcast(std::as_writable_bytes(std::span(&size, 1)), at_fault);
  bytes.resize(static_cast<std::size_t>(size));
  comm.broadcast(bytes, at_fault);
  Error error(unpack(bytes));
  error.set_agreed(at_fault, comm.size());
  throw error;
}

}  // namespace sill
