#include "sill/formats/segy/detect/seismic_unix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <string>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/formats/segy/detect/file_signs.hpp"
#include "sill/formats/segy/words/words.hpp"

namespace sill::segy {
namespace {

constexpr std::int64_t sample_bytes = 4;

// Returns true for bytes with many zeros, as in trace headers; text and packed data have none.
bool may_begin_data(std::span<const std::byte> header) {
  return std::ranges::count(header, std::byte{0}) >= 60 &&
         std::ranges::any_of(header, [](std::byte b) { return b != std::byte{0}; });
}

// Returns the order in which the words of a header (numbers, coordinates, counts) are smaller numbers, or nullopt if
// there is no difference.
std::optional<ByteOrder> order_of_small_numbers(const std::byte* header) {
  constexpr std::array long_bytes = {1, 5, 9, 13, 17, 21, 25, 37, 41, 45, 49, 61, 65, 73, 77, 81, 85};
  constexpr std::array short_bytes = {29, 31, 33, 69, 71, 89, 115, 117};
  const auto bits_in = [&](ByteOrder order) {
    const auto bits = [](std::int64_t value) {
      return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::abs(value))));
    };
    int total = 0;
    for (const int byte : long_bytes) total += bits(load<std::int32_t>(header + byte - 1, order));
    for (const int byte : short_bytes) total += bits(load<std::int16_t>(header + byte - 1, order));
    return total;
  };
  const int big = bits_in(ByteOrder::big);
  const int little = bits_in(ByteOrder::little);
  if (big == little) return std::nullopt;
  return big < little ? ByteOrder::big : ByteOrder::little;
}

}  // namespace

SeismicUnix::SeismicUnix(std::span<const std::byte> head, std::int64_t file_bytes) : file_bytes_(file_bytes) {
  if (std::ssize(head) < trace_header_bytes) return;
  first_.assign(head.begin(), head.begin() + trace_header_bytes);
  order_ = order_of_small_numbers(head.data());
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
    guesses_.push_back({.division = {.order = order, .samples = samples, .traces = traces, .is_cut = is_cut}});
  }
}

std::optional<ByteRange> SeismicUnix::next() const {
  if (wanted_.empty()) return std::nullopt;
  return wanted_.front().bytes;
}

void SeismicUnix::feed(std::span<const std::byte> bytes) {
  Guess& guess = guesses_[wanted_.front().guess];
  const std::int64_t place = wanted_.front().bytes.offset;
  wanted_.pop_front();
  const auto samples = load<std::uint16_t>(bytes.data(), guess.division.order);
  const bool agrees = samples == guess.division.samples;
  if (!agrees && guess.disagrees.empty())
    guess.disagrees = fmt::format("trace {} states {}",
                                  place / (trace_header_bytes + sample_bytes * guess.division.samples) + 1, samples);
  guess.second_agrees = guess.second_agrees || (guess.looked_at == 0 && agrees);
  ++guess.looked_at;
  guess.agree += agrees ? 1 : 0;
  guess.division.is_agreed = guess.agrees();
}

std::optional<SeismicUnix::Division> SeismicUnix::verdict(bool single) const {
  for (const Guess& guess : guesses_)
    if (guess.agrees() && !guess.division.is_cut && (guess.division.traces > 1 || single)) return guess.division;
  return std::nullopt;
}

std::optional<SeismicUnix::Division> SeismicUnix::verdict_if_cut(bool has_name_of_su) const {
  std::optional<Division> best;  // numbers of samples grow when their bytes are read in the wrong order
  for (const Guess& guess : guesses_) {
    const Division& division = guess.division;
    if (!division.is_cut || (order_ && division.order != *order_)) continue;
    const bool is_proved = division.traces > 1 && (guess.agrees() || guess.second_agrees);
    const bool is_named = has_name_of_su && guess.agrees();
    if ((is_proved || is_named) && (!best || division.samples < best->samples)) best = division;
  }
  return best;
}

std::string SeismicUnix::reason() const {
  if (first_.empty())
    return fmt::format("{} bytes are too few for a trace header of {}", file_bytes_, trace_header_bytes);
  std::string text;
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
    const std::int64_t samples = load<std::uint16_t>(first_.data() + samples_at, order);
    const std::int64_t trace_bytes = trace_header_bytes + sample_bytes * samples;
    const auto guess = std::ranges::find_if(guesses_, [&](const Guess& of) { return of.division.order == order; });
    text += fmt::format("{}in {} order the first header states {} samples", text.empty() ? "" : "; ", name_of(order),
                        samples);
    if (samples == 0) continue;
    if (const std::int64_t rest = file_bytes_ % trace_bytes; rest != 0)
      text += fmt::format(", but {2} of the {3} bytes of the file remain after {0} traces of {1} bytes",
                          file_bytes_ / trace_bytes, trace_bytes, rest, file_bytes_);
    if (guess != guesses_.end() && !guess->disagrees.empty())
      text += fmt::format(", {} {}", guess->division.is_cut ? "and" : "but", guess->disagrees);
  }
  return text;
}

SeismicUnix::Division assumed_division(std::span<const std::byte> head, const Assumptions& assume,
                                       const FileDescription& file) {
  const auto refuse = [&](std::string problem, std::string action) {
    throw Error({.code = ErrorCode::input,
                 .problem = std::move(problem),
                 .where = {.file = file.path},
                 .clause = "Seismic Unix, segy.h",
                 .action = std::move(action)});
  };
  if (std::ssize(head) < trace_header_bytes)
    refuse(fmt::format("{} bytes, too few for a trace header of Seismic Unix", head.size()),
           "check how the file was written or copied");
  const auto stated_in = [&](ByteOrder order) { return load<std::uint16_t>(head.data() + samples_at, order); };
  const auto samples_in = [&](ByteOrder order) { return assume.samples.value_or(stated_in(order)); };
  const auto trace_bytes_in = [&](ByteOrder order) { return trace_header_bytes + sample_bytes * samples_in(order); };
  const auto divides = [&](ByteOrder order) {
    return samples_in(order) > 0 && file.file_bytes % trace_bytes_in(order) == 0;
  };
  const bool both_alike = divides(ByteOrder::little) == divides(ByteOrder::big);
  const ByteOrder small =
      order_of_small_numbers(head.data())
          .value_or(stated_in(ByteOrder::little) < stated_in(ByteOrder::big) ? ByteOrder::little : ByteOrder::big);
  const ByteOrder dividing = divides(ByteOrder::little) ? ByteOrder::little : ByteOrder::big;
  const ByteOrder order = assume.byte_order.value_or(both_alike ? small : dividing);
  if (samples_in(order) == 0)
    refuse("the first trace header states 0 samples per trace",
           "give the number of samples with --assume kind=su,samples=N");
  return {.order = order,
          .samples = samples_in(order),
          .traces = file.file_bytes / trace_bytes_in(order),
          .is_cut = !divides(order)};
}

void describe(const SeismicUnix::Division& division, std::span<const std::byte> head, const Assumptions& assume,
              FileDescription& file) {
  file.kind = FileKind::seismic_unix;
  file.byte_order = division.order;
  file.sample_format = SampleFormat::ieee_float;
  file.samples = division.samples;
  file.interval_us = assume.interval_us.value_or(load<std::uint16_t>(head.data() + 116, division.order));
  file.first_trace_byte = 0;
  file.trace_bytes = trace_header_bytes + division.samples * sample_bytes;
  const bool is_assumed = assume.kind == FileKind::seismic_unix;
  file.evidence.push_back(
      {"format",
       "Seismic Unix",
       is_assumed ? "assumed" : "there is no SEG-Y binary header with a trace length that divides the file",
       {}});
  file.evidence.push_back({"byte order",
                           std::string(name_of(division.order)),
                           assume.byte_order ? "assumed"
                           : division.is_cut
                               ? "the words of the first trace header are smaller in this order"
                               : fmt::format("{} samples at bytes 115-116 divide the file", division.samples),
                           {}});
  file.evidence.push_back({"traces",
                           fmt::format("{} of {} samples from byte 0", division.traces, division.samples),
                           !division.is_agreed ? "the second trace header agrees, later ones do not"
                           : !division.is_cut
                               ? "traces of this length divide the file, and the examined trace headers agree"
                           : division.traces > 1 ? "the examined trace headers agree; the file is truncated"
                           : is_assumed          ? "assumed; the file is truncated"
                                                 : "its name ends with .su; the file is truncated",
                           {}});
  if (!division.is_agreed)
    file.diagnostics.push_back(
        {.grade = Grade::major,
         .problem = fmt::format("the first two trace headers state {} samples, but the headers at the positions of the "
                                "middle and the last trace state other numbers",
                                division.samples),
         .where = "trace bytes 115-116",
         .clause = "Seismic Unix, segy.h",
         .action = "bytes are missing inside the file, or there are too many: get an intact copy of the file"});
  if (!is_assumed && !has_name_of_su(file.path))
    file.diagnostics.push_back(
        {.grade = Grade::info,
         .problem = "this is Seismic Unix data, although its name does not end with .su",
         .where = "the complete file",
         .clause = "Seismic Unix, segy.h",
         .action = fmt::format("read as {} traces of {} samples according to bytes 115-116{}", division.traces,
                               division.samples, division.is_cut ? "" : ", which fill the file exactly")});
}

}  // namespace sill::segy
