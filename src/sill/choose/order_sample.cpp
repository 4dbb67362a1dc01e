#include "sill/choose/order_sample.hpp"

#include <algorithm>
#include <cmath>

#include "sill/base/splitmix.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

constexpr std::int64_t max_groups = 16;
constexpr std::int64_t looks_per_group = 32;
constexpr std::int64_t min_looks = 64;
constexpr std::int64_t greatest_looks = 1024;
constexpr std::int64_t longest_look = 1024;
constexpr std::int64_t min_items = 512;
constexpr std::int64_t one_in = 100;

// So that samples do not follow a pattern of the data; the same on every machine.
std::uint64_t scrambled(std::uint64_t number) { return splitmix_of(number + splitmix_step); }

std::int64_t somewhere_in(ItemRange items) {
  const auto count = static_cast<std::uint64_t>(items.count);
  return items.first +
         static_cast<std::int64_t>(scrambled(static_cast<std::uint64_t>(items.first) * 3 + count) % count);
}

// Adds at most `max_count` single looks that represent `items`, on one side of a long look. Each represents more items
// than the preceding one.
void add_single_looks(ItemRange items, std::int64_t max_count, bool ascending, std::vector<Look>& looks) {
  const double growth = std::pow(static_cast<double>(items.count), 1.0 / static_cast<double>(max_count));
  double length = 1;
  std::int64_t taken = 0;
  for (std::int64_t i = 1; taken < items.count; ++i) {
    // The exact length, so that rounding errors of the preceding spans do not accumulate.
    length *= growth;
    const std::int64_t end = i == max_count ? items.count : std::min(items.count, static_cast<std::int64_t>(length));
    const std::int64_t here = std::max<std::int64_t>(1, end - taken);
    const ItemRange span{ascending ? items.first + taken : items.end() - taken - here, here};
    looks.push_back({{somewhere_in(span), 1}, here});
    taken += here;
  }
}

// The estimated position of an item in the new order.
struct Place {
  double begin = 0;  // number of items before it
  double end = 0;    // `begin` plus the number of items that it represents
};

constexpr std::size_t distances_per_mean = 8;

double distance_of(const Place& a, const Place& b) { return 1 + std::max(a.begin, b.begin) - std::min(a.end, b.end); }

}  // namespace

std::vector<Look> looks_at(std::int64_t items, std::int64_t max_looks) {
  std::vector<Look> looks;
  if (items <= min_items) {
    if (items > 0) looks.push_back({{0, items}, items});
    return looks;
  }
  const std::int64_t wanted = std::max(min_items, items / one_in);
  const std::int64_t look_limit = std::clamp(std::min(max_looks, wanted / 4), min_looks, greatest_looks);
  const std::int64_t groups = std::min(max_groups, look_limit / looks_per_group);
  const std::int64_t singles = look_limit / groups / 2;
  const std::int64_t together = std::min(longest_look, wanted / groups - 2 * singles);
  for (std::int64_t g = 0; g < groups; ++g) {
    const ItemRange part = block_of(items, groups, g);
    const ItemRange whole{somewhere_in({part.first, part.count - together + 1}), together};
    add_single_looks({part.first, whole.first - part.first}, singles, false, looks);
    looks.push_back({whole, whole.count});
    add_single_looks({whole.end(), part.end() - whole.end()}, singles, true, looks);
  }
  std::sort(looks.begin(), looks.end(), [](const Look& a, const Look& b) { return a.items.first < b.items.first; });
  return looks;
}

OrderSample::OrderSample(std::span<const Look> looks, std::span<const std::int64_t> order) {
  std::vector<std::size_t> first{0};  // index of each look's first item in `places`
  for (const Look& look : looks) first.push_back(first.back() + static_cast<std::size_t>(look.items.count));
  std::vector<Place> places(first.back());
  for (const std::int64_t item : order) {
    const auto after = std::upper_bound(looks.begin(), looks.end(), item,
                                        [](std::int64_t i, const Look& look) { return i < look.items.first; });
    const Look& look = *std::prev(after);
    const auto at =
        first[static_cast<std::size_t>(after - looks.begin()) - 1] + static_cast<std::size_t>(item - look.items.first);
    const double stands_for = static_cast<double>(look.stands_for) / static_cast<double>(look.items.count);
    places[at] = {items_, items_ + stands_for};
    items_ += stands_for;
  }
  // The items between two neighbours are known only where all items were sampled. Elsewhere an item represents many, so
  // a single distance is uncertain; means of several distances are less so.
  for (std::size_t l = 0; l < looks.size(); ++l) {
    if (!looks[l].is_whole()) continue;
    for (std::size_t i = first[l] + 1; i < first[l + 1]; i += distances_per_mean) {
      const std::size_t end = std::min(first[l + 1], i + distances_per_mean);
      double sum = 0;
      for (std::size_t k = i; k < end; ++k) sum += distance_of(places[k - 1], places[k]);
      distances_.insert(distances_.end(), end - i, sum / static_cast<double>(end - i));
    }
  }
}

double OrderSample::joined(std::int64_t piece_items) const {
  if (static_cast<double>(piece_items) >= items_) return 1;
  if (distances_.empty()) return 0;
  // Adds the probability that no boundary between pieces separates two neighbours.
  double sum = 0;
  for (const double distance : distances_) sum += std::max(0.0, 1 - distance / static_cast<double>(piece_items));
  return sum / static_cast<double>(distances_.size());
}

}  // namespace sill
