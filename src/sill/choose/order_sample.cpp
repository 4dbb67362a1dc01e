#include "sill/choose/order_sample.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

constexpr std::int64_t most_stretches = 64;
constexpr std::int64_t longest_stretch = 1024;
constexpr std::int64_t fewest_items = 512;
constexpr std::int64_t one_in = 50;

// Where an item of a stretch comes in the new order: among all that were looked at, and among its own stretch.
struct Rank {
  std::int64_t of_all = 0;
  std::int64_t of_stretch = 0;
};

}  // namespace

OrderSample::OrderSample(std::span<const ItemRange> stretches, std::span<const std::int64_t> order, std::int64_t items)
    : items_(items) {
  std::vector<std::size_t> first{0};  // of each stretch, in `ranks`
  for (const ItemRange& stretch : stretches) first.push_back(first.back() + static_cast<std::size_t>(stretch.count));
  std::vector<Rank> ranks(first.back());
  std::vector<std::int64_t> seen(stretches.size(), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto after = std::upper_bound(stretches.begin(), stretches.end(), order[i],
                                        [](std::int64_t item, const ItemRange& range) { return item < range.first; });
    const auto stretch = static_cast<std::size_t>(after - stretches.begin()) - 1;
    const std::size_t at = first[stretch] + static_cast<std::size_t>(order[i] - stretches[stretch].first);
    ranks[at] = {static_cast<std::int64_t>(i), seen[stretch]++};
  }

  // All of a stretch's neighbourhood was looked at, so what of it comes between two neighbours counts once; each item
  // of another stretch stands for many.
  const double others = order.empty() ? 0 : static_cast<double>(items) / static_cast<double>(order.size());
  for (std::size_t s = 0; s < stretches.size(); ++s) {
    for (std::size_t i = first[s] + 1; i < first[s + 1]; ++i) {
      const std::int64_t all = std::abs(ranks[i].of_all - ranks[i - 1].of_all);
      const std::int64_t own = std::abs(ranks[i].of_stretch - ranks[i - 1].of_stretch);
      distances_.push_back(static_cast<double>(own) + static_cast<double>(all - own) * others);
    }
  }
}

double OrderSample::joined(std::int64_t piece_items) const {
  if (piece_items >= items_) return 1;
  if (distances_.empty()) return 0;
  // Two items at a distance are parted by the cuts that fall between them.
  const auto part = [&](double sum, double distance) {
    return sum + std::max(0.0, 1 - distance / static_cast<double>(piece_items));
  };
  return std::accumulate(distances_.begin(), distances_.end(), 0.0, part) / static_cast<double>(distances_.size());
}

std::vector<ItemRange> stretches_to_look_at(std::int64_t items) {
  const std::int64_t wanted =
      std::min(items, std::clamp(items / one_in, std::min(items, fewest_items), most_stretches * longest_stretch));
  const std::int64_t count = std::clamp<std::int64_t>(wanted / 8, 1, most_stretches);
  std::vector<ItemRange> stretches;
  for (std::int64_t i = 0; i < count; ++i) {
    // In the middle of its part of the items.
    const ItemRange part = block_of(items, count, i);
    const std::int64_t length = std::min(part.count, wanted / count);
    if (length > 0) stretches.push_back({part.first + (part.count - length) / 2, length});
  }
  return stretches;
}

}  // namespace sill
