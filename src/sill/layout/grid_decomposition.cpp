#include "sill/layout/grid_decomposition.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sill/base/error.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

[[noreturn]] void refuse(std::string problem) {
  throw Error({.code = ErrorCode::usage, .problem = "decomposition of a grid: " + std::move(problem)});
}

}  // namespace

GridDecomposition GridDecomposition::blocks(const Index& shape, const Index& parts) {
  if (shape.size() != parts.size()) {
    refuse(fmt::format("the grid has {} dimensions, but the parts have {}", shape.size(), parts.size()));
  }
  std::vector<std::vector<std::int64_t>> cuts(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] < 0 || parts[d] < 1) refuse(fmt::format("dimension {}: {} in {} parts", d, shape[d], parts[d]));
    for (std::int64_t part = 0; part < parts[d]; ++part) cuts[d].push_back(block_of(shape[d], parts[d], part).first);
    cuts[d].push_back(shape[d]);
  }
  return GridDecomposition(std::move(cuts));
}

GridDecomposition GridDecomposition::irregular(std::vector<std::vector<std::int64_t>> cuts) {
  for (std::size_t d = 0; d < cuts.size(); ++d) {
    if (cuts[d].size() < 2 || cuts[d].front() != 0 || !std::is_sorted(cuts[d].begin(), cuts[d].end())) {
      refuse(fmt::format("the cuts of dimension {} must ascend from 0 to its length", d));
    }
  }
  return GridDecomposition(std::move(cuts));
}

Index GridDecomposition::shape() const {
  Index shape;
  for (const auto& of_dimension : cuts_) shape.push_back(of_dimension.back());
  return shape;
}

std::int64_t GridDecomposition::parts() const {
  std::int64_t parts = 1;
  for (const auto& of_dimension : cuts_) parts *= static_cast<std::int64_t>(of_dimension.size()) - 1;
  return parts;
}

Box GridDecomposition::box_of(std::int64_t part) const {
  Box box{Index(cuts_.size(), 0), Index(cuts_.size(), 0)};
  if (part >= parts()) return box;
  for (std::size_t d = cuts_.size(); d-- > 0;) {
    const auto parts_here = static_cast<std::int64_t>(cuts_[d].size()) - 1;
    const auto at = static_cast<std::size_t>(part % parts_here);
    part /= parts_here;
    box.first[d] = cuts_[d][at];
    box.count[d] = cuts_[d][at + 1] - cuts_[d][at];
  }
  return box;
}

std::int64_t GridDecomposition::part_holding(const Index& index) const {
  std::int64_t part = 0;
  for (std::size_t d = 0; d < cuts_.size(); ++d) {
    const auto& cuts = cuts_[d];
    const auto after = std::upper_bound(cuts.begin(), cuts.end(), index[d]);
    part = part * (static_cast<std::int64_t>(cuts.size()) - 1) + (after - cuts.begin() - 1);
  }
  return part;
}

}  // namespace sill
