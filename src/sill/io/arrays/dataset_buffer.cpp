#include "sill/io/arrays/dataset_buffer.hpp"

#include <algorithm>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"

namespace sill {

DatasetBuffer::DatasetBuffer(Communicator& comm, std::int64_t memory_bytes) {
  constexpr std::int64_t max_bytes = 64 << 20;  // more is not faster
  const std::int64_t bytes = std::clamp<std::int64_t>(memory_bytes / 4, 4096, max_bytes);
  limits_ = {comm.rank(), comm.size(), all_reduce(comm, bytes, Reduction::min)};
  bytes_ = limits_.max_bytes;
  run_and_agree(comm, [&] { memory_.reset(new std::byte[static_cast<std::size_t>(bytes_)]); });
}

std::vector<ArrayPart> DatasetBuffer::parts_of(const DatasetDescription& description,
                                               std::span<const PieceOfVariable> piece) {
  std::int64_t bytes = 0;
  for (const PieceOfVariable& each : piece) {
    // Whole elements of 8 bytes, so that elements of every type lie at their multiples.
    bytes += (each.box.items() * bytes_of(description.variables[each.variable].type) + 7) / 8 * 8;
  }
  if (bytes > bytes_) {
    memory_.reset(new std::byte[static_cast<std::size_t>(bytes)]);
    bytes_ = bytes;
  }
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
    at += (each.box.items() * bytes_of(variable.type) + 7) / 8 * 8;
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace sill
