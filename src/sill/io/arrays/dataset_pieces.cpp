#include "sill/io/arrays/dataset_pieces.hpp"

#include <algorithm>

#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

// The division of a variable: along dimension `cut`, for each index of the dimensions before it.
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

void for_each_piece(const DatasetDescription& description, std::span<const std::size_t> variables,
                    const PieceLimits& limits, const std::function<void(std::span<const PieceOfVariable>)>& visit) {
  std::vector<PieceOfVariable> piece;
  bool has_piece = false;                // even if this rank has no element of it
  std::int64_t room = limits.max_bytes;  // of the rank with the largest share
  const auto end_piece = [&] {
    if (has_piece) visit(piece);
    piece.clear();
    room = limits.max_bytes;
    has_piece = false;
  };
  const auto add = [&](PieceOfVariable of_rank, std::int64_t max_bytes_of_rank) {
    if (max_bytes_of_rank > room) end_piece();
    room -= max_bytes_of_rank;
    has_piece = true;
    const bool is_of_other_rank = of_rank.box.dimensions() == 0 && limits.rank != 0;
    if (!is_of_other_rank) piece.push_back(std::move(of_rank));
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
        add({v, std::move(box)}, room_of(max_bytes));
        first += layers;
      }
    }
  }
  end_piece();
}

}  // namespace sill
