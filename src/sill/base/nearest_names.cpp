// Suggestions for a misspelt name, by edit distance.
#include "sill/base/nearest_names.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <utility>

namespace sill {
namespace {

// Returns `name` in lower case, without separators.
std::string folded(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c != '_' && c != '-' && c != ' ') result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

// Returns the edit distance: insertions, deletions, replacements and swaps of neighbours.
int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  std::vector<int> before_last(columns);
  std::vector<int> last(columns);
  std::vector<int> row(columns);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < columns; ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string_view> known) {
  constexpr std::size_t max = 3;
  const std::string wanted = folded(name);
  const int limit = std::clamp(static_cast<int>(wanted.size()) / 3, 1, 4);
  std::vector<std::pair<int, std::string_view>> near;
  for (const std::string_view candidate_name : known) {
    if (candidate_name.empty() || wanted.empty()) continue;
    const std::string candidate = folded(candidate_name);
    // Each extra or missing letter is an insertion or deletion, so names of very different lengths are never near.
    if (std::abs(std::ssize(wanted) - std::ssize(candidate)) > limit) continue;
    const int distance = edit_distance(wanted, candidate);
    // A distance of the complete name is not a similarity: "x" is not a misspelt "ns".
    if (distance > limit || distance >= static_cast<int>(std::min(wanted.size(), candidate.size()))) continue;
    const bool is_listed = std::ranges::any_of(near, [&](const auto& n) { return folded(n.second) == candidate; });
    if (!is_listed) near.emplace_back(distance, candidate_name);
  }
  std::ranges::stable_sort(near, {}, [](const auto& n) { return n.first; });
  std::vector<std::string> result;
  for (const auto& [distance, near_name] : near) {
    if (result.size() == max) break;
    result.emplace_back(near_name);
  }
  return result;
}

std::string did_you_mean(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "did you mean " : ", ") + name;
  if (!text.empty()) text += "? ";
  return text;
}

}  // namespace sill
