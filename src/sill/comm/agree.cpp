#include "sill/comm/agree.hpp"

#include <cstring>
#include <string>
#include <vector>

namespace sill {
namespace {

// Serializes an Error as length-prefixed texts and numbers, so that all ranks rebuild an equal Error.
class Packer {
 public:
  void number(std::int64_t value) {
    const auto* raw = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), raw, raw + sizeof value);
  }
  void text(const std::string& value) {
    number(static_cast<std::int64_t>(value.size()));
    const auto* raw = reinterpret_cast<const std::byte*>(value.data());
    bytes_.insert(bytes_.end(), raw, raw + value.size());
  }
  void maybe(const std::optional<std::int64_t>& value) {
    number(value ? 1 : 0);
    number(value.value_or(0));
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::int64_t number() {
    std::int64_t value = 0;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return value;
  }
  std::string text() {
    const auto size = static_cast<std::size_t>(number());
    std::string value(reinterpret_cast<const char*>(bytes_.data()), size);
    bytes_ = bytes_.subspan(size);
    return value;
  }
  std::optional<std::int64_t> maybe() {
    const bool present = number() != 0;
    const std::int64_t value = number();
    return present ? std::optional(value) : std::nullopt;
  }

 private:
  std::span<const std::byte> bytes_;
};

std::vector<std::byte> pack(const ErrorParts& parts) {
  Packer packer;
  packer.number(static_cast<int>(parts.code));
  packer.text(parts.problem);
  packer.text(parts.where.file);
  packer.maybe(parts.where.byte);
  packer.maybe(parts.where.item);
  packer.text(parts.where.item_word);
  packer.text(parts.clause);
  packer.text(parts.action);
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
