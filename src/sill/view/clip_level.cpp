#include "sill/view/clip_level.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"

namespace sill::view {
namespace {

constexpr int dropped_bits = 12;  // of the 31 bits of a float without its sign
constexpr std::size_t bins = std::size_t{1} << (31 - dropped_bits);

std::size_t bin_of(float amplitude) { return std::bit_cast<std::uint32_t>(amplitude) >> dropped_bits; }

}  // namespace

ClipRequest parse_clip(std::string_view text) {
  const std::string_view all = trimmed(text);
  const bool is_percentile = all.ends_with('%');
  const std::string_view number = all.substr(0, all.size() - (is_percentile ? 1 : 0));
  double value = 0.0;
  const auto result = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool is_read = !number.empty() && result.ec == std::errc{} && result.ptr == number.data() + number.size();
  const double limit = is_percentile ? 100.0 : static_cast<double>(std::numeric_limits<float>::max());
  if (!is_read || !(value > 0.0) || value > limit || (!is_percentile && !(static_cast<float>(value) > 0.0F)))
    throw usage_error(fmt::format("`{}` is not a clip", echoed(text)),
                      "give a share of the non-zero amplitudes, such as 98%, or an amplitude above 0");
  return is_percentile ? ClipRequest{.percent = value} : ClipRequest{.is_percentile = false, .value = value};
}

ClipLevel::ClipLevel(const ClipRequest& request) : request_(request) {
  if (!request.is_percentile) return;
  counts_.resize(bins);
  largest_.resize(bins);
}

void ClipLevel::add(std::span<const float> samples) {
  has_negative_ = has_negative_ || std::ranges::any_of(samples, [](float sample) { return sample < 0.0F; });
  if (!request_.is_percentile) {
    const float value = level();
    above_value_ += std::ranges::count_if(samples, [&](float sample) { return std::abs(sample) > value; });
    return;
  }
  for (const float sample : samples) {
    const float amplitude = std::abs(sample);
    const std::size_t bin = bin_of(amplitude);
    ++counts_[bin];
    largest_[bin] = std::max(largest_[bin], amplitude);
  }
}

// Returns the bin that contains the clip; 0 if there are only zeros.
std::size_t ClipLevel::bin_of_level() const {
  const std::int64_t nonzero = std::accumulate(counts_.begin() + 1, counts_.end(), std::int64_t{0});
  // A percentage such as 99.9 is not exactly representable: a share that is a whole number must not be rounded up.
  constexpr double rounding = 1e-12;
  const auto wanted =
      static_cast<std::int64_t>(std::ceil((request_.percent / 100.0 - rounding) * static_cast<double>(nonzero)));
  std::int64_t seen = 0;
  for (std::size_t bin = 1; bin < bins; ++bin) {
    seen += counts_[bin];
    if (seen > 0 && seen >= wanted) return bin;
  }
  return 0;
}

float ClipLevel::level() const {
  if (!request_.is_percentile) return static_cast<float>(request_.value);
  const std::size_t bin = bin_of_level();
  return bin == 0 ? 0.0F : largest_[bin];
}

std::int64_t ClipLevel::clipped() const {
  if (!request_.is_percentile) return above_value_;
  const std::size_t bin = bin_of_level();
  if (bin == 0) return 0;
  return std::accumulate(counts_.begin() + static_cast<std::ptrdiff_t>(bin) + 1, counts_.end(), std::int64_t{0});
}

}  // namespace sill::view
