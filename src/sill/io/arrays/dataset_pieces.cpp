#include "sill/io/arrays/dataset_pieces.hpp"

#include <algorithm>

#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

// How a variable is cut: along dimension `cut`, for each index of those before it.
struct Cut {
  std::size_t dimension = 0;
  std::int64_t bytes_of_layer = 0;
};

Cut cut_of(const Index& shape, std::int64_t element_bytes, std::int64_t max_bytes) {
  Cut cut{.bytes_of_layer = element_bytes};
  for (std::size_t d = 1; d < shape.size(); ++d) cut.bytes_of_layer *= shape[d];
  while (cut.dimension + 1 < shape.size() && cut.bytes_of_layer > max_bytes) {
    cut.bytes_of_layer /= shape[++cut.dimension];
  }
  return cut;
}

}  // namespace

std::vector<std::vector<PieceOfVariable>> pieces_of(const DatasetDescription& description,
                                                    std::span<const std::size_t> variables, const PieceLimits& limits) {
  std::vector<std::vector<PieceOfVariable>> pieces;
  std::int64_t room = 0;  // of the rank that holds most of the last piece
  const auto add = [&](PieceOfVariable piece, std::int64_t max_bytes_of_rank) {
    if (pieces.empty() || max_bytes_of_rank > room) {
      pieces.emplace_back();
      room = limits.max_bytes;
    }
    room -= max_bytes_of_rank;
    const bool is_of_other_rank = piece.box.dimensions() == 0 && limits.rank != 0;
    if (!is_of_other_rank) pieces.back().push_back(std::move(piece));
  };
  for (const std::size_t v : variables) {
    const Variable& variable = description.variables[v];
    const Index shape = description.shape_of(variable);
    if (shape.empty()) {
      add({v, {}}, piece_alignment);
      continue;
    }
    const Cut cut = cut_of(shape, bytes_of(variable.type), limits.max_bytes);
    const std::int64_t layers_of_rank = std::max<std::int64_t>(1, limits.max_bytes / cut.bytes_of_layer);
    std::int64_t outer = 1;
    for (std::size_t d = 0; d < cut.dimension; ++d) outer *= shape[d];
    for (std::int64_t i = 0; i < outer; ++i) {
      for (std::int64_t first = 0; first < shape[cut.dimension];) {
        const std::int64_t left = shape[cut.dimension] - first;
        const std::int64_t layers = layers_of_rank > left / limits.ranks ? left : layers_of_rank * limits.ranks;
        const ItemRange mine = block_of({first, layers}, limits.ranks, limits.rank);
        Box box = whole(shape);
        std::int64_t rest = i;
        for (std::size_t d = cut.dimension; d-- > 0;) {
          box.first[d] = rest % shape[d];
          box.count[d] = 1;
          rest /= shape[d];
        }
        box.first[cut.dimension] = mine.first;
        box.count[cut.dimension] = mine.count;
        const std::int64_t max_bytes = (layers + limits.ranks - 1) / limits.ranks * cut.bytes_of_layer;
        add({v, std::move(box)}, (max_bytes + piece_alignment - 1) / piece_alignment * piece_alignment);
        first += layers;
      }
    }
  }
  return pieces;
}

}  // namespace sill
