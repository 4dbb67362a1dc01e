#include "sill/formats/segy/seismic_unix.hpp"

#include <algorithm>

#include "sill/formats/segy/trace_shape.hpp"
#include "sill/formats/segy/words.hpp"

namespace sill::segy {
namespace {

constexpr std::int64_t sample_bytes = 4;

// Trace headers are full of zeros, which neither text nor packed data is.
bool may_begin_data(std::span<const std::byte> header) {
  return std::ranges::count(header, std::byte{0}) >= 60 &&
         std::ranges::any_of(header, [](std::byte b) { return b != std::byte{0}; });
}

}  // namespace

SeismicUnix::SeismicUnix(std::span<const std::byte> head, std::int64_t file_bytes) {
  if (std::ssize(head) < trace_header_bytes) return;
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
    const std::int64_t samples = load<std::uint16_t>(head.data() + samples_at, order);
    const std::int64_t trace_bytes = trace_header_bytes + sample_bytes * samples;
    const bool is_cut = file_bytes % trace_bytes != 0;
    if (samples == 0 || (is_cut && !may_begin_data(head.first(trace_header_bytes)))) continue;
    const std::int64_t traces = file_bytes / trace_bytes;
    std::vector<std::int64_t> sampled = {1, traces / 2, traces - 1};
    std::erase_if(sampled, [&](std::int64_t trace) { return trace < 1 || trace >= traces; });
    std::sort(sampled.begin(), sampled.end());
    sampled.erase(std::unique(sampled.begin(), sampled.end()), sampled.end());
    for (const std::int64_t trace : sampled)
      wanted_.push_back({{trace * trace_bytes + samples_at, 2}, guesses_.size()});
    guesses_.push_back({.division = {order, samples, traces, is_cut}});
  }
}

std::optional<ByteRange> SeismicUnix::next() const {
  if (wanted_.empty()) return std::nullopt;
  return wanted_.front().bytes;
}

void SeismicUnix::feed(std::span<const std::byte> bytes) {
  Guess& guess = guesses_[wanted_.front().guess];
  wanted_.pop_front();
  guess.agrees = guess.agrees && load<std::uint16_t>(bytes.data(), guess.division.order) == guess.division.samples;
}

std::optional<SeismicUnix::Division> SeismicUnix::verdict(bool single) const {
  for (const Guess& guess : guesses_)
    if (guess.agrees && !guess.division.is_cut && (guess.division.traces > 1 || single)) return guess.division;
  return std::nullopt;
}

std::optional<SeismicUnix::Division> SeismicUnix::verdict_if_cut(bool has_name_of_su) const {
  std::optional<Division> best;  // numbers of samples grow when their bytes are read in the wrong order
  for (const Guess& guess : guesses_)
    if (guess.agrees && guess.division.is_cut && (guess.division.traces > 1 || has_name_of_su) &&
        (!best || guess.division.samples < best->samples))
      best = guess.division;
  return best;
}

}  // namespace sill::segy
