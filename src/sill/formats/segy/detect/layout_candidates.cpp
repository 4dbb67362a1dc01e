// Scores candidates for the positions of traces.
#include "sill/formats/segy/detect/layout_candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/formats/segy/text/text_header.hpp"

namespace sill::segy {
namespace {

// Trace headers contain many zeros, and text contains none.
bool reads_as_text(std::span<const std::byte> header) {
  std::vector<std::byte> block(text_header_bytes);
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = header[i % header.size()];
  return std::ranges::count(header, std::byte{0}) < 24 && is_text_block(std::span(block).first<text_header_bytes>());
}

}  // namespace

std::int64_t Candidate::traces(std::int64_t file_bytes) const {
  return std::max<std::int64_t>(0, file_bytes - bytes_after - first_trace_byte) / trace_bytes();
}

std::int64_t Candidate::remainder_bytes(std::int64_t file_bytes) const {
  const std::int64_t room = file_bytes - bytes_after - first_trace_byte;
  return room < 0 ? -1 : room % trace_bytes();
}

std::vector<std::int64_t> Candidate::sampled_places(std::int64_t file_bytes) const {
  const std::int64_t count = traces(file_bytes);
  std::vector<std::int64_t> places;
  for (const std::int64_t trace : {std::int64_t{0}, count / 2, count - 1}) {
    const std::int64_t place = first_trace_byte + trace * trace_bytes();
    if (trace >= 0 && trace < count && (places.empty() || places.back() != place)) places.push_back(place);
  }
  return places;
}

Weight weigh(const Candidate& candidate, std::int64_t file_bytes, double interval_us, const HeadersByPlace& headers) {
  Weight weight;
  weight.divides = candidate.remainder_bytes(file_bytes) == 0;
  if (candidate.traces(file_bytes) > 0 || !weight.divides) weight.points += weight.divides ? 4 : -4;
  for (const std::int64_t place : candidate.sampled_places(file_bytes)) {
    const auto found = headers.find(place);
    if (found == headers.end()) continue;
    const auto& header = found->second;
    ++weight.looked_at;
    const auto samples = load<std::uint16_t>(header.data() + samples_at, candidate.byte_order);
    const auto interval = load<std::uint16_t>(header.data() + 116, candidate.byte_order);
    const std::int64_t number = (place - candidate.first_trace_byte) / candidate.trace_bytes() + 1;
    // 16 bits store larger numbers of samples modulo 65,536.
    const bool is_modulo = samples != 0 && candidate.samples % (max_short_samples + 1) == samples;
    if (samples == candidate.samples || is_modulo) {
      ++weight.agree;
      weight.points += 3;
    } else if (samples != 0 && candidate.samples <= max_short_samples &&
               !leaves_samples_open(samples, candidate.samples, candidate.headers)) {
      ++weight.contradict;
      weight.points -= 2;
      if (reads_as_text(header)) {
        weight.points -= 4;
        weight.first_is_text = weight.first_is_text || place == candidate.first_trace_byte;
      }
    }
    if (interval != 0 && interval == interval_us) weight.points += 1;
    if (load<std::int32_t>(header.data(), candidate.byte_order) == number ||
        load<std::int32_t>(header.data() + 4, candidate.byte_order) == number)
      weight.points += 2;
  }
  return weight;
}

std::string text_of(const Candidate& candidate, std::int64_t file_bytes) {
  const std::int64_t traces = candidate.traces(file_bytes);
  return fmt::format("{} trace{} of {} samples of {} byte{}{} from byte {}", traces, traces == 1 ? "" : "s",
                     candidate.samples, candidate.sample_bytes, candidate.sample_bytes == 1 ? "" : "s",
                     candidate.headers > 1 ? fmt::format(" with {} headers each", candidate.headers) : "",
                     candidate.first_trace_byte);
}

std::string text_of(const Weight& weight) {
  std::string text = weight.divides ? "the file size agrees" : "the file size contradicts it";
  if (weight.looked_at == 0) return text + ", without a trace header to check";
  const auto count = [&](int headers, std::string_view what) {
    if (headers > 0) text += fmt::format(", {} of {} trace headers {}", headers, weight.looked_at, what);
  };
  count(weight.agree, "state this number of samples");
  count(weight.contradict, "state another number");
  count(weight.looked_at - weight.agree - weight.contradict, "state none");
  if (weight.follows_text) text += ", the text ends where the traces begin";
  return text + (weight.first_is_text ? ", there is text where the traces begin" : "");
}

}  // namespace sill::segy
