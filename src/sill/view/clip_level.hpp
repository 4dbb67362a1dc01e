// The clip of a picture: the amplitude above which colours do not change. A percentile of the shown amplitudes is found
// in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace sill::view {

/// The value of `--clip`: a percentage of the non-zero amplitudes, or an amplitude.
struct ClipRequest {
  bool is_percentile = true;
  double percent = 98.0;  ///< above 0, at most 100
  double value = 0.0;     ///< above 0
};

/// Local. Reads "98%" or "1250.5". Errors: usage.
[[nodiscard]] ClipRequest parse_clip(std::string_view text);

/// Finds the clip of all samples that are added. Counts amplitudes in bins by the upper 20 bits of a float: the
/// amplitudes of a bin differ by less than 1/2048 of their value.
class ClipLevel {
 public:
  explicit ClipLevel(const ClipRequest& request);

  /// Local. Adds finite samples. For a percentile, amplitudes below 5.7e-42 are treated as zero.
  void add(std::span<const float> samples);

  /// Local. Returns the clip. For a percentile p: the largest added amplitude of the bin that contains the smallest
  /// amplitude not exceeded by p % of the non-zero amplitudes. It is thus an amplitude that occurs, less than 1/2048
  /// above the exact percentile. Returns 0 if all samples are zero.
  [[nodiscard]] float level() const;

  /// Local. Returns true if a sample that was added is negative.
  [[nodiscard]] bool has_negative() const { return has_negative_; }
  /// Local. Returns the exact number of samples whose amplitude exceeds the clip.
  [[nodiscard]] std::int64_t clipped() const;

 private:
  [[nodiscard]] std::size_t bin_of_level() const;

  ClipRequest request_;
  std::int64_t above_value_ = 0;
  bool has_negative_ = false;
  std::vector<std::int64_t> counts_;
  std::vector<float> largest_;  // largest amplitude of each bin
};

}  // namespace sill::view
