#include "sill/move/execute.hpp"

#include <sys/uio.h>

#include <cstring>
#include <optional>
#include <vector>

#include "sill/comm/agree.hpp"

namespace sill {
namespace {

template <class Byte>
std::span<Byte> part_of(std::span<Byte> bytes, ByteRange range) {
  return bytes.subspan(static_cast<std::size_t>(range.offset), static_cast<std::size_t>(range.length));
}

// `memory_of` gives the first byte of a request's memory.
template <class MemoryOf>
void perform(const Round& round, Operation operation, const MemoryOf& memory_of, const StoreOf& store_of) {
  for (const FileRequest& wanted : round.requests) {
    const iovec piece{memory_of(wanted), static_cast<std::size_t>(wanted.memory.length)};
    const Request request{operation, wanted.offset_bytes, {&piece, 1}};
    store_of(wanted.file).submit({&request, 1});
  }
}

// The stage may be what there is no memory for; the rank must then still receive what is sent to it, so this is
// agreed on before the first message.
std::vector<std::byte> agreed_stage(Communicator& comm, const Schedule& schedule) {
  return together(comm, [&] { return std::vector<std::byte>(static_cast<std::size_t>(schedule.stage_bytes)); });
}

}  // namespace

void execute_write(Communicator& comm, const Schedule& schedule, std::span<const std::byte> memory,
                   const StoreOf& store_of) {
  std::vector<std::byte> stage_memory = agreed_stage(comm, schedule);
  const std::span<std::byte> stage(stage_memory);
  std::optional<Error> failure;
  for (const Round& round : schedule.rounds) {
    std::vector<Outgoing> sends;
    std::vector<Incoming> receives;
    for (const Passage& send : round.sends) sends.push_back({send.peer, part_of(memory, send.bytes)});
    for (const Passage& receive : round.receives) receives.push_back({receive.peer, part_of(stage, receive.bytes)});
    if (!sends.empty() || !receives.empty()) comm.exchange(sends, receives);
    for (const StageCopy& copy : round.copies) {
      std::memcpy(stage.data() + copy.stage.offset, memory.data() + copy.memory_offset_bytes,
                  static_cast<std::size_t>(copy.stage.length));
    }
    if (failure) continue;
    failure = attempt([&] {
      perform(
          round, Operation::write,
          [&](const FileRequest& wanted) {
            // A write request leaves the memory alone; iovec has no const.
            return wanted.staged ? stage.data() + wanted.memory.offset
                                 : const_cast<std::byte*>(memory.data()) + wanted.memory.offset;
          },
          store_of);
    });
  }
  agree(comm, failure);
}

void execute_read(Communicator& comm, const Schedule& schedule, std::span<std::byte> memory, const StoreOf& store_of) {
  std::vector<std::byte> stage_memory = agreed_stage(comm, schedule);
  const std::span<std::byte> stage(stage_memory);
  std::optional<Error> failure;
  for (const Round& round : schedule.rounds) {
    if (!failure) {
      failure = attempt([&] {
        perform(
            round, Operation::read,
            [&](const FileRequest& wanted) {
              return (wanted.staged ? stage.data() : memory.data()) + wanted.memory.offset;
            },
            store_of);
      });
    }
    std::vector<Outgoing> sends;
    std::vector<Incoming> receives;
    for (const Passage& receive : round.receives) {
      sends.push_back({receive.peer, part_of(std::span<const std::byte>(stage), receive.bytes)});
    }
    for (const Passage& send : round.sends) receives.push_back({send.peer, part_of(memory, send.bytes)});
    if (!sends.empty() || !receives.empty()) comm.exchange(sends, receives);
    for (const StageCopy& copy : round.copies) {
      std::memcpy(memory.data() + copy.memory_offset_bytes, stage.data() + copy.stage.offset,
                  static_cast<std::size_t>(copy.stage.length));
    }
  }
  agree(comm, failure);
}

}  // namespace sill
