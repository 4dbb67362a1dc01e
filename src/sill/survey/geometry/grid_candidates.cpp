#include "sill/survey/geometry/grid_candidates.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "sill/formats/segy/words/words.hpp"

namespace sill {
namespace {

constexpr std::size_t max_candidates = 3;
constexpr int first_free_byte = 181;
constexpr int first_ensemble_byte = 181;
constexpr int last_ensemble_byte = 188;
constexpr int iline_byte = 189;
constexpr int xline_byte = 193;
constexpr std::array<int, 4> standard_bytes{5, 9, 17, 21};  // tracr, fldr, ep, cdp
// Minimum fraction of neighbours that must behave as in a grid.
constexpr double max_neighbours = 0.8;
constexpr double few_neighbours = 0.05;

/// The numbers at one position of the headers.
struct Column {
  LinePlace place;
  segy::LabelMeaning label = segy::LabelMeaning::other;
  std::vector<std::int32_t> values;

  [[nodiscard]] bool is_labelled() const { return label != segy::LabelMeaning::other; }
  [[nodiscard]] bool is_standard_word() const { return place.byte < first_free_byte; }
  [[nodiscard]] bool overlaps(const Column& other) const {
    return place.byte < other.place.byte + other.place.bytes && other.place.byte < place.byte + place.bytes;
  }
};

class Search {
 public:
  Search(const SampledHeaders& headers, const CandidateRules& rules) : headers_(headers), rules_(rules) {
    count_ = std::ssize(headers.bytes) / segy::trace_header_bytes;
    // Among labelled positions with the same numbers, the one with the highest byte is retained, as in the map of the
    // text header.
    std::vector<segy::ByteLabel> labels(rules.labels.begin(), rules.labels.end());
    std::ranges::stable_sort(labels, std::ranges::greater(), &segy::ByteLabel::first_byte);
    for (const segy::ByteLabel& label : labels) {
      if (label.meaning != segy::LabelMeaning::inline_number && label.meaning != segy::LabelMeaning::crossline_number)
        continue;
      const int bytes = label.last_byte == label.first_byte + 1 ? 2 : 4;
      if (label.first_byte + bytes - 1 <= segy::trace_header_bytes) add({label.first_byte, bytes}, label.meaning);
    }
    // Among positions with the same numbers the first is retained: standard four-byte positions before two-byte ones.
    for (int byte = first_free_byte; byte + 3 <= segy::trace_header_bytes; byte += 4) add({byte, 4});
    for (int byte = first_free_byte; byte + 1 <= segy::trace_header_bytes; byte += 2) add({byte, 2});
    for (int byte = first_free_byte + 2; byte + 3 <= segy::trace_header_bytes; byte += 4) add({byte, 4});
    for (const int byte : standard_bytes) add({byte, 4});
  }

  std::vector<GridCandidate> run() const {
    std::vector<std::pair<int, GridCandidate>> found;
    for (const Column& slow : columns_) {
      for (const Column& fast : columns_) {
        if (!may_be_pair(slow, fast) || !make_grid(slow.values, fast.values)) continue;
        found.emplace_back(doubt_of(slow) + doubt_of(fast), candidate(slow, fast));
      }
    }
    std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
    std::vector<GridCandidate> best;
    for (const auto& entry : found) {
      const GridCandidate& one = entry.second;
      // Halves of known numbers, such as their sign bytes, are not separate numbers.
      const bool is_part = std::ranges::any_of(best, [&](const GridCandidate& other) {
        return overlap_partly(one.ilines.place, other) || overlap_partly(one.xlines.place, other);
      });
      if (!is_part && best.size() < max_candidates) best.push_back(one);
    }
    return best;
  }

 private:
  void add(LinePlace place, segy::LabelMeaning label = segy::LabelMeaning::other) {
    const bool is_coordinate = rules_.uses_ensemble_coordinates && place.byte <= last_ensemble_byte &&
                               place.byte + place.bytes > first_ensemble_byte;
    if (is_coordinate) return;
    Column column{place, label, {}};
    column.values.reserve(static_cast<std::size_t>(count_));
    for (std::int64_t i = 0; i < count_; ++i) {
      const std::byte* const at = headers_.bytes.data() + i * segy::trace_header_bytes + place.byte - 1;
      column.values.push_back(place.bytes == 4 ? load<std::int32_t>(at, headers_.byte_order)
                                               : load<std::int16_t>(at, headers_.byte_order));
    }
    const bool is_known =
        std::ranges::any_of(columns_, [&](const Column& other) { return other.values == column.values; });
    if (!is_known && may_be_numbers(column.values)) columns_.push_back(std::move(column));
  }

  // Returns true if the values vary, their range does not exceed the number of traces, and they are not the upper half
  // of a four-byte number.
  [[nodiscard]] bool may_be_numbers(const std::vector<std::int32_t>& values) const {
    if (values.empty()) return false;
    std::int64_t step = 0;
    for (const std::int32_t value : values) step = std::gcd(step, std::int64_t{value} - values.front());
    if (step == 0 || step % 65'536 == 0) return false;
    const auto [smallest, largest] = std::ranges::minmax(values);
    return (std::int64_t{largest} - smallest) / step < headers_.traces;
  }

  [[nodiscard]] bool may_be_pair(const Column& slow, const Column& fast) const {
    if (&slow == &fast || slow.overlaps(fast)) return false;
    if (slow.place.byte == iline_byte && fast.place.byte == xline_byte) return false;  // these would have been used
    if (slow.place.byte == xline_byte && fast.place.byte == iline_byte) return false;
    const bool are_standard = slow.is_standard_word() && fast.is_standard_word();
    return rules_.standard_words || !are_standard || (slow.is_labelled() && fast.is_labelled());
  }

  [[nodiscard]] bool make_grid(const std::vector<std::int32_t>& slow, const std::vector<std::int32_t>& fast) const {
    std::map<std::int64_t, std::int64_t> steps;
    std::int64_t along = 0, forward = 0, turns = 0, returns = 0, up = 0, down = 0;
    std::set<std::pair<std::int32_t, std::int32_t>> places;
    std::int64_t entered = 0;  // number of transitions to a different bin
    for (std::size_t i = 0; i < slow.size(); ++i) {
      places.emplace(slow[i], fast[i]);
      if (i == 0) {
        ++entered;
        continue;
      }
      entered += slow[i] != slow[i - 1] || fast[i] != fast[i - 1] ? 1 : 0;
      up += slow[i] > slow[i - 1] ? 1 : 0;
      down += slow[i] < slow[i - 1] ? 1 : 0;
      if (static_cast<std::int64_t>(i) % headers_.consecutive == 0) continue;
      const std::int64_t step = std::int64_t{fast[i]} - fast[i - 1];
      if (slow[i] != slow[i - 1]) {
        ++turns;
        returns += step < 0 ? 1 : 0;
      } else if (step != 0) {
        ++along;
        forward += step > 0 ? 1 : 0;
        ++steps[std::abs(step)];
      }
    }
    if (along < 2 || up + down == 0 || along < turns) return false;
    const std::int64_t usual =
        std::ranges::max_element(steps, {}, [](const auto& step) { return step.second; })->second;
    const auto is_majority = [](std::int64_t part, std::int64_t of) {
      return static_cast<double>(part) >= max_neighbours * static_cast<double>(of);
    };
    const auto is_few = [](std::int64_t part, std::int64_t of) {
      return static_cast<double>(part) <= few_neighbours * static_cast<double>(of);
    };
    const bool descends = 2 * forward < along;
    return is_majority(usual, along) && is_majority(descends ? along - forward : forward, along) &&
           is_majority(descends ? turns - returns : returns, turns) && is_few(std::min(up, down), up + down) &&
           is_few(entered - std::ssize(places), entered) && begins_again(fast);
  }

  // A number that increases through all traces is not a crossline number: nearly the same range must occur in both
  // halves.
  [[nodiscard]] static bool begins_again(const std::vector<std::int32_t>& fast) {
    const auto middle = fast.begin() + std::ssize(fast) / 2;
    const auto [low_a, high_a] = std::minmax_element(fast.begin(), middle);
    const auto [low_b, high_b] = std::minmax_element(middle, fast.end());
    const std::int64_t shared = std::int64_t{std::min(*high_a, *high_b)} - std::max(*low_a, *low_b);
    const std::int64_t range = std::int64_t{std::max(*high_a, *high_b)} - std::min(*low_a, *low_b);
    return 2 * shared >= range;
  }

  [[nodiscard]] static bool overlap_partly(LinePlace place, const GridCandidate& other) {
    const auto with = [&](LinePlace known) {
      return place != known && place.byte < known.byte + known.bytes && known.byte < place.byte + place.bytes;
    };
    return with(other.ilines.place) || with(other.xlines.place);
  }

  [[nodiscard]] static int doubt_of(const Column& column) {
    return column.is_labelled() ? 0 : column.is_standard_word() ? 3 : column.place.bytes == 4 ? 1 : 2;
  }

  // The slow numbers are treated as inlines, unless the text header states otherwise.
  static GridCandidate candidate(const Column& slow, const Column& fast) {
    const bool swapped =
        slow.label == segy::LabelMeaning::crossline_number && fast.label == segy::LabelMeaning::inline_number;
    const auto numbers_of = [](const Column& column) {
      const auto [smallest, largest] = std::ranges::minmax(column.values);
      const std::set<std::int32_t> distinct(column.values.begin(), column.values.end());
      return LineNumbers{column.place, smallest, largest, std::ssize(distinct), column.is_labelled()};
    };
    return {numbers_of(swapped ? fast : slow), numbers_of(swapped ? slow : fast)};
  }

  const SampledHeaders& headers_;
  const CandidateRules& rules_;
  std::int64_t count_ = 0;
  std::vector<Column> columns_;
};

}  // namespace

std::vector<GridCandidate> grid_candidates(const SampledHeaders& headers, const CandidateRules& rules) {
  return Search(headers, rules).run();
}

}  // namespace sill
