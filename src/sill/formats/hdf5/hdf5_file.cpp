#include "sill/formats/hdf5/hdf5_file.hpp"

#include <algorithm>

#include "sill/base/byte_order.hpp"

namespace sill::hdf5 {

FileArray FileLayout::places(int file, const DatasetDescription& description, std::size_t variable,
                             std::int64_t step) const {
  const Variable& of = description.variables[variable];
  return row_major(file, begins[variable] + step * description.element_bytes(of), description.shape_of(of),
                   bytes_of(of.type));
}

std::vector<FilePiece> FileLayout::beginning(const DatasetDescription& description, std::int64_t complete) const {
  const auto text = std::as_bytes(std::span(signature));
  std::vector<FilePiece> pieces{{0, {text.begin(), text.end()}}};
  if (!description.has_steps()) return pieces;
  pieces.push_back({count_begin, count_bytes});
  std::vector<std::byte>& bytes = pieces.back().bytes;
  bytes.resize(std::max(bytes.size(), sizeof complete));
  store(bytes.data(), complete, ByteOrder::little);
  for (std::size_t end = 0; end < 2 * sizeof complete && !count_bytes.empty(); end += sizeof complete)
    store(bytes.data() + (bytes.size() - sizeof complete - end), complete, ByteOrder::little);
  return pieces;
}

}  // namespace sill::hdf5
