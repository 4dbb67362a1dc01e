#include "sill/survey/repair/headers_in_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/formats/segy/detect/header_checks.hpp"
#include "sill/survey/repair/header_proof.hpp"

namespace sill {
namespace {

using HeaderBytes = std::array<std::byte, segy::trace_header_bytes>;

/// A score that is no coincidence: samples that are read as a header score almost nothing.
constexpr int points_per_header = 3;
constexpr std::int64_t sampled_places = 16;

// The evidence for and against bytes being a trace header.
struct Standing {
  int points = 0;
  int faults = 0;             // number of words with undefined values
  std::uint16_t samples = 0;  // number of samples as stated
  bool agrees = false;        // with the file in the number of samples
  bool is_zero = false;       // all bytes are zero
};

class HeaderPlaces {
 public:
  HeaderPlaces(const SurveyReader& reader, std::span<const std::byte> rest)
      : reader_(reader),
        file_(reader.files().front()),
        rest_(rest),
        rest_bytes_(std::ssize(rest)),
        first_(standing_of(header_of(0))) {}

  [[nodiscard]] std::string verdict(bool is_cut) const {
    const std::set<std::int64_t> places = sampled();
    std::int64_t good = -1;
    for (const std::int64_t trace : places) {
      if (!is_displaced(trace)) {
        good = trace;
        continue;
      }
      std::int64_t bad = trace;
      while (bad - good > 1) {
        const std::int64_t middle = good + (bad - good) / 2;
        (is_displaced(middle) ? bad : good) = middle;
      }
      return fmt::format(
          "bytes are missing inside the file, or there are too many, before trace {}: after that, trace headers are "
          "not at the expected positions",
          bad + 2);
    }
    if (!is_cut) return last_unlike(places);
    if (file_.lengths_vary) return {};
    if (std::ssize(rest_) >= segy::trace_header_bytes && is_unsound(standing_of(begin_of_rest())))
      return fmt::format(
          "the {} bytes after the last complete trace do not begin with a header like the first one: bytes are missing "
          "inside the file, or there are too many",
          rest_.size());
    if (const std::int64_t displaced_bytes = displacement_of_all(places); displaced_bytes > 0)
      return fmt::format(
          "trace headers are {} bytes after the expected positions: bytes are missing inside the file, or there are "
          "too many, before trace 2",
          displaced_bytes);
    int from_begin = 0;
    int from_end = 0;
    for (const std::int64_t trace : places) {
      from_begin += points_at(trace, 0);
      from_end += points_at(trace, rest_bytes_);
    }
    if (from_begin > from_end || (from_begin == from_end && rest_begins_as_all_do())) return {};
    return "the trace headers state too little to determine whether the file is truncated or bytes are missing inside "
           "the file";
  }

 private:
  [[nodiscard]] std::set<std::int64_t> sampled() const {
    const std::int64_t last = file_.traces - 1;
    std::set<std::int64_t> places = {0, std::min<std::int64_t>(1, last), std::max<std::int64_t>(0, last - 1), last};
    for (std::int64_t i = 0; i < sampled_places; ++i)
      places.insert(static_cast<std::int64_t>(static_cast<double>(last) * static_cast<double>(i) / sampled_places));
    return places;
  }

  // Returns the header at the position counted from the first trace.
  [[nodiscard]] HeaderBytes header_of(std::int64_t trace) const {
    HeaderBytes header{};
    reader_.read_headers({trace, 1}, header);
    return header;
  }

  [[nodiscard]] HeaderBytes begin_of_rest() const {
    HeaderBytes header{};
    std::copy_n(rest_.begin(), header.size(), header.begin());
    return header;
  }

  // Zeros at the end may replace bytes that are missing elsewhere; then the last headers are not headers.
  [[nodiscard]] std::string last_unlike(const std::set<std::int64_t>& places) const {
    const HeaderProof proof(reader_);
    for (auto place = places.rbegin(); place != places.rend() && *place > 0; ++place) {
      const HeaderBytes header = header_of(*place);
      if (std::ranges::all_of(header, [](std::byte b) { return b == std::byte{0}; })) continue;
      if (proof.is_in_place(*place, header.data())) return {};
      return fmt::format(
          "{} zeros follow the last complete trace, and at the position of the header of trace {} there is no header "
          "like the first one: bytes are missing inside the file, or the headers state too little to exclude that",
          rest_.size(), *place + 1);
    }
    return {};
  }

  // For headers that state nothing: returns true if the rest begins with the same bytes as the first and the last
  // header.
  [[nodiscard]] bool rest_begins_as_all_do() const {
    const HeaderBytes first = header_of(0);
    const HeaderBytes last = header_of(file_.traces - 1);
    const std::ptrdiff_t length = std::min<std::ptrdiff_t>(std::ssize(rest_), std::ssize(first));
    return std::any_of(first.begin(), first.begin() + length, [](std::byte b) { return b != std::byte{0}; }) &&
           std::equal(first.begin(), first.begin() + length, rest_.begin()) &&
           std::equal(first.begin(), first.begin() + length, last.begin());
  }

  // Returns the bytes `later_bytes` after that position. Precondition: one length.
  [[nodiscard]] HeaderBytes header_at(std::int64_t trace, std::int64_t later_bytes) const {
    if (later_bytes == 0) return header_of(trace);
    const ItemRange traces{trace, std::min<std::int64_t>(2, file_.traces - trace)};
    std::vector<std::byte> bytes(static_cast<std::size_t>(reader_.bytes_of(traces)));
    reader_.read_own(traces, bytes);
    bytes.insert(bytes.end(), rest_.begin(), rest_.end());
    HeaderBytes header{};
    std::copy_n(bytes.begin() + later_bytes, header.size(), header.begin());
    return header;
  }

  template <class T>
  [[nodiscard]] T word(const HeaderBytes& header, int byte) const {
    return load<T>(header.data() + byte - 1, file_.byte_order);
  }

  [[nodiscard]] Standing standing_of(const HeaderBytes& header) const {
    Standing is;
    is.is_zero = std::ranges::all_of(header, [](std::byte b) { return b == std::byte{0}; });
    const auto count = [&](bool is_fault, bool is_sign) {
      is.points += is_fault ? -2 : is_sign ? 1 : 0;
      is.faults += is_fault ? 1 : 0;
    };
    const int kind = word<std::int16_t>(header, 29);
    count(kind < -1 || kind > 255, kind == 1);
    for (const int byte : {69, 71}) {
      const int scalar = word<std::int16_t>(header, byte);
      count(!segy::is_legal_scalar(scalar), scalar != 0);
    }
    const int unit = word<std::int16_t>(header, 89);
    count(unit < 0 || unit > 4, unit != 0);
    is.samples = word<std::uint16_t>(header, 115);
    if (file_.lengths_vary) return is;
    is.agrees = is.samples != 0 && is.samples == file_.samples;
    // If there are additional headers, they may state the number.
    if (is.agrees)
      is.points += 4;
    else if (is.samples != 0 && is.samples != first_.samples && file_.additional_trace_headers == 0)
      is.points -= 4;
    const auto interval_us = word<std::uint16_t>(header, 117);
    if (interval_us != 0 && interval_us == file_.interval_us) is.points += 2;
    return is;
  }

  [[nodiscard]] bool is_unsound(const Standing& is) const {
    if (is.is_zero) return false;
    if (is.faults > first_.faults) return true;
    if (file_.lengths_vary || file_.additional_trace_headers > 0) return false;
    return first_.agrees ? !is.agrees : is.samples != 0 && !is.agrees && is.samples != first_.samples;
  }

  // If bytes are missing in the first header, and the end is cut too, there is no header at either position. Returns
  // the displacement at which headers agree in the number of samples while headers at their expected positions do not;
  // or 0.
  [[nodiscard]] std::int64_t displacement_of_all(const std::set<std::int64_t>& places) const {
    if (first_.agrees || file_.traces < 2) return 0;
    std::set<std::int64_t> found;
    bool is_begun = false;
    for (const std::int64_t trace : places) {
      if (trace + 1 >= file_.traces) continue;
      std::vector<std::byte> bytes(static_cast<std::size_t>(reader_.bytes_of(ItemRange{trace, 2})));
      reader_.read_own(ItemRange{trace, 2}, bytes);
      std::set<std::int64_t> here;
      for (std::int64_t later = 1; later < std::ssize(bytes) / 2; ++later) {
        if (is_begun && !found.contains(later)) continue;
        HeaderBytes header{};
        std::copy_n(bytes.begin() + later, header.size(), header.begin());
        if (const Standing is = standing_of(header); is.agrees && is.points >= points_per_header) here.insert(later);
      }
      found = std::move(here);
      is_begun = true;
    }
    return found.empty() ? 0 : *found.begin();
  }

  // Returns the score, including trace numbers that increase by one from this header to the next.
  [[nodiscard]] int points_at(std::int64_t trace, std::int64_t later_bytes) const {
    const HeaderBytes header = header_at(trace, later_bytes);
    int points = standing_of(header).points;
    if (trace + 1 >= file_.traces) return points;
    const HeaderBytes next = header_at(trace + 1, later_bytes);
    for (const int byte : {1, 5})
      if (std::int64_t{word<std::int32_t>(next, byte)} - word<std::int32_t>(header, byte) == 1) ++points;
    return points;
  }

  [[nodiscard]] bool is_displaced(std::int64_t trace) const {
    if (is_unsound(standing_of(header_of(trace)))) return true;
    if (file_.lengths_vary) return false;
    const int from_end = points_at(trace, rest_bytes_);
    return from_end >= points_per_header && from_end >= points_at(trace, 0);
  }

  const SurveyReader& reader_;
  const segy::FileDescription& file_;
  std::span<const std::byte> rest_;
  std::int64_t rest_bytes_;
  Standing first_;
};

}  // namespace

std::string headers_out_of_place(const SurveyReader& reader, std::span<const std::byte> rest, bool is_cut) {
  return HeaderPlaces(reader, rest).verdict(is_cut);
}

}  // namespace sill
