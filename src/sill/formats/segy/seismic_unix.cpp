#include "sill/formats/segy/seismic_unix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/formats/segy/file_signs.hpp"
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
  const auto told_in = [&](ByteOrder order) { return load<std::uint16_t>(head.data() + samples_at, order); };
  const auto samples_in = [&](ByteOrder order) { return assume.samples.value_or(told_in(order)); };
  const auto trace_bytes_in = [&](ByteOrder order) { return trace_header_bytes + sample_bytes * samples_in(order); };
  const auto divides = [&](ByteOrder order) {
    return samples_in(order) > 0 && file.file_bytes % trace_bytes_in(order) == 0;
  };
  const bool both_alike = divides(ByteOrder::little) == divides(ByteOrder::big);
  const bool is_little = both_alike ? told_in(ByteOrder::little) < told_in(ByteOrder::big) : divides(ByteOrder::little);
  const ByteOrder order = assume.byte_order.value_or(is_little ? ByteOrder::little : ByteOrder::big);
  if (samples_in(order) == 0)
    refuse("the first trace header says 0 samples", "tell their number: --assume kind=su,samples=N");
  return {order, samples_in(order), file.file_bytes / trace_bytes_in(order), !divides(order)};
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
       is_assumed ? "assumed" : "there is no binary header of SEG-Y by which traces divide the file",
       {}});
  file.evidence.push_back({"byte order",
                           std::string(name_of(division.order)),
                           assume.byte_order
                               ? "assumed"
                               : fmt::format("{} samples at bytes 115-116 {}", division.samples,
                                             division.is_cut ? "are the smaller number" : "divide the file"),
                           {}});
  file.evidence.push_back({"traces",
                           fmt::format("{} of {} samples from byte 0", division.traces, division.samples),
                           !division.is_cut      ? "they divide the file, and the trace headers looked at agree"
                           : division.traces > 1 ? "the trace headers looked at agree; the file was cut"
                           : is_assumed          ? "assumed; the file was cut"
                                                 : "its name ends with .su; the file was cut",
                           {}});
  if (!is_assumed && !has_name_of_su(file.path))
    file.diagnostics.push_back(
        {.grade = Grade::info,
         .problem = "this is bare Seismic Unix data, though its name does not end with .su",
         .where = "the whole file",
         .clause = "Seismic Unix, segy.h",
         .action = fmt::format("{} traces of {} samples at bytes 115-116 {}: read so", division.traces,
                               division.samples, division.is_cut ? "agree" : "divide it without a rest")});
}

}  // namespace sill::segy
