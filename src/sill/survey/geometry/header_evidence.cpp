#include "sill/survey/geometry/header_evidence.hpp"

#include <algorithm>
#include <cmath>

namespace sill {
namespace {

constexpr std::array<const char*, geometry_words> word_names{"iline",  "xline",  "cdp",    "fldr",  "ep",    "tracf",
                                                             "offset", "sx",     "sy",     "gx",    "gy",    "cdpx",
                                                             "cdpy",   "scalco", "counit", "gelev", "selev", "sdepth"};

// A larger distance cannot be one between neighbouring traces, in any unit of length; the sum would then be
// meaningless.
constexpr double longest_step = 1e5;
constexpr double millionths = 1e6;

constexpr std::array<GeometryWord, 2> bin_words{GeometryWord::iline, GeometryWord::xline};
constexpr std::array<GeometryWord, 1> cdp_words{GeometryWord::cdp};
constexpr std::array<GeometryWord, 2> fldr_ep_words{GeometryWord::fldr, GeometryWord::ep};
constexpr std::array<GeometryWord, 1> fldr_words{GeometryWord::fldr};
constexpr std::array<GeometryWord, 1> ep_words{GeometryWord::ep};
constexpr std::array<GeometryWord, 2> source_words{GeometryWord::sx, GeometryWord::sy};
constexpr std::array<GeometryWord, 2> receiver_words{GeometryWord::gx, GeometryWord::gy};

constexpr std::array<OrderCandidate, HeaderEvidence::candidates> make_candidates() {
  using enum GeometryWord;
  return {{
      {{iline, xline, offset}, 3}, {{xline, iline, offset}, 3}, {{offset, iline, xline}, 3},
      {{offset, xline, iline}, 3}, {{iline, offset, xline}, 3}, {{xline, offset, iline}, 3},
      {{cdp, offset}, 2},          {{offset, cdp}, 2},          {{cdp, fldr, tracf}, 3},
      {{fldr, cdp, offset}, 3},    {{cdp, fldr, offset}, 3},    {{fldr, ep, tracf}, 3},
      {{fldr, ep, offset}, 3},     {{fldr, tracf, offset}, 3},  {{fldr, offset, tracf}, 3},
      {{ep, tracf, offset}, 3},    {{ep, offset, tracf}, 3},    {{sx, sy, tracf}, 3},
      {{sx, sy, offset}, 3},       {{gx, gy, fldr}, 3},         {{gx, gy, ep}, 3},
      {{gx, gy, offset}, 3},       {{sx, sy, gx}, 3},           {{gx, gy, sx}, 3},
      {{iline, cdp, offset}, 3},
  }};
}
constexpr std::array<OrderCandidate, HeaderEvidence::candidates> all_candidates = make_candidates();

void take_end(EndOfWord& end, const EndOfWord& other, bool is_better) {
  if (other.trace < 0) return;
  if (end.trace < 0 || is_better || (other.value == end.value && other.trace < end.trace)) end = other;
}

}  // namespace

const char* name_of(GeometryWord word) { return word_names[static_cast<std::size_t>(word)]; }

std::span<const GeometryWord> words_of(GatherBy by) {
  switch (by) {
    case GatherBy::bin: return bin_words;
    case GatherBy::cdp: return cdp_words;
    case GatherBy::fldr_ep: return fldr_ep_words;
    case GatherBy::fldr: return fldr_words;
    case GatherBy::ep: return ep_words;
    case GatherBy::source: return source_words;
    case GatherBy::receiver: return receiver_words;
  }
  return {};
}

std::span<const OrderCandidate> order_candidates() { return all_candidates; }

std::optional<double> HeaderEvidence::path() const {
  if (jumps_ > 0) return std::nullopt;
  return static_cast<double>(path_millionths_) / millionths;
}

void HeaderEvidence::add(const GeometryRow& row, std::int64_t trace, const ExpectedPositions* expected) {
  for (std::size_t w = 0; w < geometry_words; ++w) {
    Word& word = words_[w];
    const std::int32_t value = row.words[w];
    word.smallest = std::min(word.smallest, value);
    word.largest = std::max(word.largest, value);
    const bool is_unfit = ((row.unfit >> w) & 1U) != 0;
    word.zeros += value == 0 && !is_unfit ? 1 : 0;
    word.unfit += is_unfit ? 1 : 0;
  }
  for (std::size_t w = 0; w < ends; ++w) {
    const std::int32_t value = row.words[w];
    if (smallest_[w].trace >= 0 && value >= smallest_[w].value && value <= largest_[w].value) continue;
    const EndOfWord end{value, trace, row.x, row.y};
    take_end(smallest_[w], end, value < smallest_[w].value);
    take_end(largest_[w], end, value > largest_[w].value);
  }
  take_position(row, trace, expected);
  if (traces_ == 0) {
    first_ = row;
  } else {
    step(last_, row);
  }
  last_ = row;
  ++traces_;
}

void HeaderEvidence::take_position(const GeometryRow& row, std::int64_t trace, const ExpectedPositions* expected) {
  if (!row.has_position()) {
    ++without_position_;
    return;
  }
  bounds_ = {std::min(bounds_.smallest_x, row.x), std::max(bounds_.largest_x, row.x),
             std::min(bounds_.smallest_y, row.y), std::max(bounds_.largest_y, row.y)};
  if (expected == nullptr) return;
  const GridFit& fit = expected->fit;
  const double slow = row[expected->slow];
  const double fast = row[expected->fast];
  const double distance = std::hypot(row.x - (fit.x0 + slow * fit.x_iline + fast * fit.x_xline),
                                     row.y - (fit.y0 + slow * fit.y_iline + fast * fit.y_xline));
  if (!(distance <= expected->far)) ++far_;
  if (distance > largest_distance_) {
    largest_distance_ = distance;
    largest_distance_trace_ = trace;
  }
}

void HeaderEvidence::step(const GeometryRow& from, const GeometryRow& to) {
  std::array<int, geometry_words> sign{};
  for (std::size_t w = 0; w < geometry_words; ++w) {
    sign[w] = (to.words[w] > from.words[w] ? 1 : 0) - (to.words[w] < from.words[w] ? 1 : 0);
    words_[w].changes += sign[w] != 0 ? 1 : 0;
  }
  for (std::size_t g = 0; g < gather_kinds; ++g) {
    bool changes = false;
    for (const GeometryWord word : words_of(static_cast<GatherBy>(g)))
      changes = changes || sign[static_cast<std::size_t>(word)] != 0;
    gathers_[g] += changes ? 1 : 0;
  }
  for (std::size_t c = 0; c < all_candidates.size(); ++c) {
    for (std::size_t k = 0; k < all_candidates[c].count; ++k) {
      const int s = sign[static_cast<std::size_t>(all_candidates[c].words[k])];
      if (s == 0) continue;
      ++(s > 0 ? steps_[c].up : steps_[c].down)[k];
      break;
    }
  }
  if (!from.has_position() || !to.has_position()) return;
  const double distance = std::hypot(to.x - from.x, to.y - from.y);
  std::int64_t sum = 0;
  if (distance <= longest_step &&
      !__builtin_add_overflow(path_millionths_, std::llround(distance * millionths), &sum)) {
    path_millionths_ = sum;
  } else {
    ++jumps_;
  }
}

void HeaderEvidence::append(const HeaderEvidence& next) {
  const std::int64_t auxiliary = auxiliary_ + next.auxiliary_;
  if (next.traces_ > 0 && traces_ == 0) {
    *this = next;
  } else if (next.traces_ > 0) {
    append_traces(next);
  }
  auxiliary_ = auxiliary;
}

void HeaderEvidence::append_traces(const HeaderEvidence& next) {
  step(last_, next.first_);
  last_ = next.last_;
  traces_ += next.traces_;
  for (std::size_t w = 0; w < geometry_words; ++w) {
    words_[w].smallest = std::min(words_[w].smallest, next.words_[w].smallest);
    words_[w].largest = std::max(words_[w].largest, next.words_[w].largest);
    words_[w].zeros += next.words_[w].zeros;
    words_[w].changes += next.words_[w].changes;
    words_[w].unfit += next.words_[w].unfit;
  }
  for (std::size_t g = 0; g < gather_kinds; ++g) gathers_[g] += next.gathers_[g];
  for (std::size_t c = 0; c < candidates; ++c) {
    for (std::size_t k = 0; k < max_order_words; ++k) {
      steps_[c].up[k] += next.steps_[c].up[k];
      steps_[c].down[k] += next.steps_[c].down[k];
    }
  }
  for (std::size_t w = 0; w < ends; ++w) {
    take_end(smallest_[w], next.smallest_[w], next.smallest_[w].value < smallest_[w].value);
    take_end(largest_[w], next.largest_[w], next.largest_[w].value > largest_[w].value);
  }
  without_position_ += next.without_position_;
  bounds_ = {std::min(bounds_.smallest_x, next.bounds_.smallest_x), std::max(bounds_.largest_x, next.bounds_.largest_x),
             std::min(bounds_.smallest_y, next.bounds_.smallest_y),
             std::max(bounds_.largest_y, next.bounds_.largest_y)};
  if (std::int64_t sum = 0; !__builtin_add_overflow(path_millionths_, next.path_millionths_, &sum)) {
    path_millionths_ = sum;
  } else {
    ++jumps_;  // the sum overflows
  }
  jumps_ += next.jumps_;
  far_ += next.far_;
  if (next.largest_distance_ > largest_distance_) {
    largest_distance_ = next.largest_distance_;
    largest_distance_trace_ = next.largest_distance_trace_;
  }
}

}  // namespace sill
