// Finds the nearest remaining items at points of a space, with a k-d tree.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "sill/base/threads.hpp"

namespace sill {

/// The distance and the number of an item.
struct Nearest {
  static constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

  double distance = 0.0;
  std::int64_t item = none;

  /// Local. Returns true if this item precedes `other`: it is nearer, or as near with a lower number.
  [[nodiscard]] bool is_before(const Nearest& other) const {
    return distance < other.distance || (distance == other.distance && item < other.item);
  }
};

/// A tree over points, split at the median of their widest coordinate; coordinate 0, a group, is split first. `Measure`
/// has a type `Point`, an array of doubles; `distance(from, point)`; and `bound(from, low, high)`, a lower limit of the
/// distances to all points between `low` and `high`, as computed. If rounding is monotone, results are those of a
/// search through all points. The expected cost of a search is O(log n). Source: J. H. Friedman, J. L. Bentley and R.
/// A. Finkel, "An algorithm for finding best matches in logarithmic expected time", ACM TOMS 3 (1977).
template <class Measure>
class NearestTree {
 public:
  using Point = typename Measure::Point;

  /// Local. Builds the tree. The number of an item is its index in `points`.
  NearestTree(std::span<const Point> points, const Measure& measure, int threads) : measure_(measure) {
    entries_.reserve(points.size());
    for (const Point& point : points) entries_.push_back({point, std::ssize(entries_)});
    places_.resize(points.size());
    build_all(threads);
  }

  /// Local. Finds the nearest remaining items, no farther than `limit` (finite), in ascending order; among items at the
  /// same distance, those with the lowest numbers come first. Fills `best`, with `Nearest::none` if there are too few.
  /// May be called by several threads.
  void nearest(const Point& from, double limit, std::span<Nearest> best) const {
    std::ranges::fill(best, Nearest{limit});
    if (!entries_.empty()) search(all(), from, best);
  }

  [[nodiscard]] bool is_left(std::int64_t item) const { return places_[static_cast<std::size_t>(item)] >= 0; }

  /// Local. Removes an item. When half of all items are removed, the tree is rebuilt from the others, so that searches
  /// do not visit empty nodes. Precondition: the item was not removed.
  void remove(std::int64_t item, int threads) {
    const std::int64_t place = std::exchange(places_[static_cast<std::size_t>(item)], -1);
    entry(place).item = Nearest::none;
    constexpr std::int64_t few = 4096;
    if (2 * ++removed_ >= std::ssize(entries_) && removed_ >= few) {
      std::erase_if(entries_, [](const Entry& one) { return one.item == Nearest::none; });
      return build_all(threads);
    }
    Part part = all();
    while (part.level < levels_) part = place < part.middle() ? part.lower() : part.upper();
    lowest_[part.node] = lowest_of_leaf(part);
    for (std::size_t node = part.node / 2; node > 0 && lowest_[node] == item; node /= 2)
      lowest_[node] = lowest_of_halves(node);
  }

 private:
  static constexpr std::int64_t leaf_points = 8;

  struct Entry {
    Point point;
    std::int64_t item = 0;  // `none`: was removed
  };
  struct Node {
    Point low;
    Point high;
  };
  // A node and its entries; the halves of node n are nodes 2 n and 2 n + 1.
  struct Part {
    std::size_t node = 1;
    int level = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;

    [[nodiscard]] std::int64_t middle() const { return begin + (end - begin) / 2; }
    [[nodiscard]] Part lower() const { return {2 * node, level + 1, begin, middle()}; }
    [[nodiscard]] Part upper() const { return {2 * node + 1, level + 1, middle(), end}; }
  };

  void build_all(int threads) {
    const std::int64_t count = std::ssize(entries_);
    removed_ = 0;
    levels_ = 0;
    while ((count >> levels_) > leaf_points) ++levels_;
    nodes_.resize(std::size_t{2} << levels_);
    lowest_.resize(nodes_.size());
    constexpr int first_levels = 4;  // enough subtrees for threads
    std::vector<Part> parts{{1, 0, 0, count}};
    while (parts.front().level < std::min(levels_, first_levels)) {
      std::vector<Part> halves;
      for (const Part& part : parts) {
        split(part);
        halves.push_back(part.lower());
        halves.push_back(part.upper());
      }
      parts = std::move(halves);
    }
    parallel_for(threads, std::ssize(parts),
                 [&](std::int64_t i, int /*thread*/) { build(parts[static_cast<std::size_t>(i)]); });
    for (std::size_t node = parts.front().node; --node > 0;) lowest_[node] = lowest_of_halves(node);
    for (std::int64_t i = 0; i < count; ++i) places_[static_cast<std::size_t>(entry(i).item)] = i;
  }

  [[nodiscard]] Part all() const { return {1, 0, 0, std::ssize(entries_)}; }
  [[nodiscard]] Entry& entry(std::int64_t place) { return entries_[static_cast<std::size_t>(place)]; }
  [[nodiscard]] const Entry& entry(std::int64_t place) const { return entries_[static_cast<std::size_t>(place)]; }

  [[nodiscard]] std::int64_t lowest_of_leaf(const Part& part) const {
    std::int64_t lowest = Nearest::none;
    for (std::int64_t i = part.begin; i < part.end; ++i) lowest = std::min(lowest, entry(i).item);
    return lowest;
  }
  [[nodiscard]] std::int64_t lowest_of_halves(std::size_t node) const {
    return std::min(lowest_[2 * node], lowest_[2 * node + 1]);
  }

  void bound(const Part& part) {
    Node& node = nodes_[part.node];
    node.low.fill(std::numeric_limits<double>::infinity());
    node.high.fill(-std::numeric_limits<double>::infinity());
    for (std::int64_t i = part.begin; i < part.end; ++i) {
      const Point& point = entry(i).point;
      for (std::size_t c = 0; c < point.size(); ++c) {
        node.low[c] = std::min(node.low[c], point[c]);
        node.high[c] = std::max(node.high[c], point[c]);
      }
    }
  }

  void split(const Part& part) {
    bound(part);
    const Node& node = nodes_[part.node];
    const auto extent = [&](std::size_t c) { return node.high[c] - node.low[c]; };
    std::size_t widest = 0;
    if (!(extent(0) > 0.0))
      for (std::size_t c = 1; c < node.low.size(); ++c)
        if (extent(c) > extent(widest)) widest = c;
    const auto at = [&](std::int64_t place) { return entries_.begin() + static_cast<std::ptrdiff_t>(place); };
    std::nth_element(at(part.begin), at(part.middle()), at(part.end),
                     [&](const Entry& a, const Entry& b) { return a.point[widest] < b.point[widest]; });
  }

  void build(const Part& part) {
    if (part.level == levels_) {
      bound(part);
      lowest_[part.node] = lowest_of_leaf(part);
      return;
    }
    split(part);
    build(part.lower());
    build(part.upper());
    lowest_[part.node] = lowest_of_halves(part.node);
  }

  void search(const Part& part, const Point& from, std::span<Nearest> best) const {
    if (part.level == levels_) {
      for (std::int64_t i = part.begin; i < part.end; ++i) {
        if (entry(i).item == Nearest::none) continue;
        const Nearest one{measure_.distance(from, entry(i).point), entry(i).item};
        std::size_t at = best.size();
        for (; at > 0 && one.is_before(best[at - 1]); --at)
          if (at < best.size()) best[at] = best[at - 1];
        if (at < best.size()) best[at] = one;
      }
      return;
    }
    const auto nearest_of = [&](const Part& half) {
      const Node& node = nodes_[half.node];
      return Nearest{measure_.bound(from, node.low, node.high), lowest_[half.node]};
    };
    const Part lower = part.lower();
    const Part upper = part.upper();
    const Nearest of_lower = nearest_of(lower);
    const Nearest of_upper = nearest_of(upper);
    const bool lower_first = of_lower.is_before(of_upper);
    const auto visit = [&](const Part& half, const Nearest& bound) {
      if (bound.item != Nearest::none && bound.is_before(best.back())) search(half, from, best);
    };
    visit(lower_first ? lower : upper, lower_first ? of_lower : of_upper);
    visit(lower_first ? upper : lower, lower_first ? of_upper : of_lower);
  }

  Measure measure_;
  int levels_ = 0;
  std::vector<Entry> entries_;
  std::int64_t removed_ = 0;          // number of removed entries
  std::vector<std::int64_t> places_;  // positions of items in `entries_`; -1: the item was removed
  std::vector<Node> nodes_;
  std::vector<std::int64_t> lowest_;  // lowest remaining item of each node
};

}  // namespace sill
