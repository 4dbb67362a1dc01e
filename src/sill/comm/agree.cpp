#include "sill/comm/agree.hpp"

#include <span>
#include <utility>
#include <vector>

#include "sill/comm/packer.hpp"

namespace sill {
namespace {

// Packs or unpacks an error, so that all ranks rebuild an equal one.
template <class Message, class Parts>
void exchange(Message& message, Parts& parts) {
  message(parts.code, parts.problem, parts.where.file, parts.where.byte, parts.where.item, parts.where.item_word,
          parts.clause, parts.action, parts.system_error_number);
}

}  // namespace

void agree(Communicator& comm, const std::optional<Error>& mine) {
  const int at_fault = static_cast<int>(all_reduce(comm, mine ? comm.rank() : comm.size(), Reduction::min));
  if (at_fault == comm.size()) return;
  Packer packer;
  if (comm.rank() == at_fault) exchange(packer, mine->parts());
  std::vector<std::byte> bytes = packer.take();
  std::int64_t size = static_cast<std::int64_t>(bytes.size());
  comm.broadcast(std::as_writable_bytes(std::span(&size, 1)), at_fault);
  bytes.resize(static_cast<std::size_t>(size));
  comm.broadcast(bytes, at_fault);
  Unpacker unpacker(bytes);
  ErrorParts parts;
  exchange(unpacker, parts);
  Error error(std::move(parts));
  error.set_agreed(at_fault, comm.size());
  throw error;
}

}  // namespace sill
