#include "sill/io/arrays/dataset_buffer.hpp"

#include <algorithm>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"

namespace sill {

DatasetBuffer::DatasetBuffer(Communicator& comm, std::int64_t memory_bytes) {
  constexpr std::int64_t max_bytes = 64 << 20;  // larger buffers are not faster
  const std::int64_t bytes = std::clamp<std::int64_t>(memory_bytes / 4, 4096, max_bytes);
  limits_ = {comm.rank(), comm.size(), all_reduce(comm, bytes, Reduction::min) / piece_alignment * piece_alignment};
  run_and_agree(comm, [&] { memory_.reset(new std::byte[static_cast<std::size_t>(limits_.max_bytes)]); });
}

std::vector<ArrayPart> DatasetBuffer::parts_of(const DatasetDescription& description,
                                               std::span<const PieceOfVariable> piece) {
  std::vector<ArrayPart> parts;
  std::byte* at = memory_.get();
  for (const PieceOfVariable& each : piece) {
    const Variable& variable = description.variables[each.variable];
    ArrayPart part;
    part.variable = variable.name;
    part.box = each.box;
    part.type = variable.type;
    part.first = at;
    part.strides = row_major_strides(each.box.count, 1);
    at += room_of(each.box.items() * bytes_of(variable.type));
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace sill
