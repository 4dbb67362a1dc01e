#include "sill/survey/check/trace_tally.hpp"

#include <algorithm>
#include <iterator>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"

namespace sill {
namespace {

constexpr std::int64_t dead_code = 2;
constexpr std::int64_t dummy_code = 3;

struct CountedValue {
  std::int64_t value;
  TraceCount count;
};

}  // namespace

void TraceCount::add(std::int64_t trace) {
  if (traces < std::ssize(first)) first[static_cast<std::size_t>(traces)] = trace;
  ++traces;
}

void TraceCount::merge(const TraceCount& other) {
  std::array<std::int64_t, 2 * max_listed> both;
  const auto mine = listed();
  const auto others = other.listed();
  const auto end = std::merge(mine.begin(), mine.end(), others.begin(), others.end(), both.begin());
  traces += other.traces;
  std::copy_n(both.begin(), std::min<std::ptrdiff_t>(end - both.begin(), std::ssize(first)), first.begin());
}

std::span<const std::int64_t> TraceCount::listed() const {
  return std::span(first).first(static_cast<std::size_t>(std::min<std::int64_t>(traces, std::ssize(first))));
}

void TraceKinds::merge(const TraceKinds& other) {
  zero.merge(other.zero);
  zero_marked.merge(other.zero_marked);
  marked_alive.merge(other.marked_alive);
  constant.merge(other.constant);
  clipped.merge(other.clipped);
  not_finite.merge(other.not_finite);
  refuting_format.merge(other.refuting_format);
  auxiliary.merge(other.auxiliary);
  samples += other.samples;
  zeros += other.zeros;
  nans += other.nans;
  infinities += other.infinities;
  smallest = std::min(smallest, other.smallest);
  largest = std::max(largest, other.largest);
  squares.merge(other.squares);
  squares_beyond = squares_beyond || other.squares_beyond;
}

TraceTally::TraceTally(const segy::FileDescription& file, std::span<const CountedPlace, counted_words> places,
                       std::span<const std::byte> first_headers)
    : order_(file.byte_order),
      whole_numbers_(segy::holds_whole_numbers(file.sample_format)),
      is_seismic_unix_(file.kind == segy::FileKind::seismic_unix),
      first_headers_(first_headers),
      differing_(first_headers.size()) {
  std::ranges::copy(places, places_.begin());
}

void TraceTally::see_headers(std::int64_t trace, const std::byte* headers) {
  trace_ = trace;
  for (std::size_t i = 0; i < differing_.size(); ++i) differing_[i] |= headers[i] ^ first_headers_[i];
  for (std::size_t w = 0; w < counted_words; ++w) {
    const CountedPlace& place = places_[w];
    if (!place.exists()) continue;
    const std::uint64_t bits = segy::load_bits(headers + place.byte - 1, place.type.bytes, order_);
    const std::int64_t value = place.type.kind == segy::WordKind::signed_integer
                                   ? segy::sign_extended(bits, place.type.bytes)
                                   : static_cast<std::int64_t>(bits);
    Last& last = last_[w];
    if (last.count == nullptr || last.value != value) last = {value, &count_of(w, value)};
    last.count->add(trace);
  }
  const Last& code = last_[static_cast<std::size_t>(CountedWord::trace_code)];
  trace_code_ = code.count == nullptr ? 0 : code.value;
}

TraceCount& TraceTally::count_of(std::size_t word, std::int64_t value) {
  auto& values = values_[word];
  if (values.size() < max_values || values.contains(value)) return values[value];
  const auto largest = std::prev(values.end());
  if (value > largest->first) return beyond_[word];
  beyond_[word].merge(largest->second);
  values.erase(largest);
  return values[value];
}

void TraceTally::see_samples(const segy::TraceStatistics& statistics) {
  const bool marked = trace_code_ == dead_code || trace_code_ == dummy_code;
  if (statistics.all_zero()) (marked ? kinds_.zero_marked : kinds_.zero).add(trace_);
  if (trace_code_ == dead_code && statistics.samples > 0 && !statistics.all_zero()) kinds_.marked_alive.add(trace_);
  if (statistics.constant()) kinds_.constant.add(trace_);
  if (statistics.clipped(whole_numbers_)) kinds_.clipped.add(trace_);
  if (statistics.finite() != statistics.samples) kinds_.not_finite.add(trace_);
  if (is_auxiliary()) return kinds_.auxiliary.add(trace_);
  kinds_.samples += statistics.samples;
  kinds_.zeros += statistics.zeros;
  kinds_.nans += statistics.nans;
  kinds_.infinities += statistics.infinities;
  kinds_.smallest = std::min(kinds_.smallest, statistics.smallest);
  kinds_.largest = std::max(kinds_.largest, statistics.largest);
  if (statistics.square_sum <= std::numeric_limits<double>::max()) {
    kinds_.squares.add(statistics.square_sum);
  } else {
    kinds_.squares_beyond = true;
  }
}

void TraceTally::merge(const TraceTally& other) {
  for (std::size_t i = 0; i < differing_.size(); ++i) differing_[i] |= other.differing_[i];
  for (std::size_t w = 0; w < counted_words; ++w)
    for (const auto& [value, count] : other.values_[w]) count_of(w, value).merge(count);
  for (std::size_t w = 0; w < counted_words; ++w) beyond_[w].merge(other.beyond_[w]);
  last_ = {};
  kinds_.merge(other.kinds_);
}

void TraceTally::add_ranks(Communicator& comm) {
  if (comm.size() == 1) return;
  const std::vector<std::byte> differing = all_gather_all(comm, std::span<const std::byte>(differing_));
  for (std::size_t i = 0; i < differing.size(); ++i) differing_[i % differing_.size()] |= differing[i];
  last_ = {};
  const auto beyond = all_gather(comm, beyond_);
  beyond_ = {};
  for (std::size_t w = 0; w < counted_words; ++w) {
    for (const auto& of_rank : beyond) beyond_[w].merge(of_rank[w]);
    const std::vector<CountedValue> mine = run_and_agree(comm, [&] {
      std::vector<CountedValue> counted;
      for (const auto& [value, count] : values_[w]) counted.push_back({value, count});
      values_[w].clear();
      return counted;
    });
    const std::vector<CountedValue> all = all_gather_all(comm, std::span<const CountedValue>(mine));
    run_and_agree(comm, [&] {
      for (const CountedValue& of_rank : all) count_of(w, of_rank.value).merge(of_rank.count);
    });
  }
  const std::vector<TraceKinds> all = all_gather(comm, kinds_);
  kinds_ = {};
  for (const TraceKinds& of_rank : all) kinds_.merge(of_rank);
}

bool TraceTally::is_same(int byte, int bytes) const {
  const auto word = std::span(differing_).subspan(static_cast<std::size_t>(byte - 1), static_cast<std::size_t>(bytes));
  return std::ranges::all_of(word, [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace sill
