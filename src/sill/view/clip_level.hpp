// From which amplitude on a picture shows no difference: a percentile of what is shown, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sill::view {

/// What `--clip` says: a share of the non-zero amplitudes, or an amplitude.
struct ClipRequest {
  bool is_percentile = true;
  double percent = 98.0;  ///< above 0, at most 100
  double value = 0.0;     ///< above 0
};

/// Local. Reads "98%" or "1250.5". Errors: usage.
[[nodiscard]] ClipRequest parse_clip(std::string_view text);

/// Finds the clip of all samples that are added. Counts amplitudes by the upper 20 bits of a float: those counted
/// together differ by less than 1/2048 of themselves.
class ClipLevel {
 public:
  explicit ClipLevel(const ClipRequest& request);

  /// Local. Adds finite samples. Amplitudes below 1e-41 count as zero.
  void add(std::span<const float> samples);

  /// Local. Returns the clip: of a percentile p, the largest of the amplitudes counted with the smallest one that p %
  /// of all non-zero amplitudes do not exceed; 0 if all samples are zero. So it is an amplitude that occurs, and less
  /// than 1/2048 above the exact percentile.
  [[nodiscard]] float level() const;

  /// Local. Samples whose amplitude exceeds the clip, exactly.
  [[nodiscard]] std::int64_t clipped() const;

 private:
  [[nodiscard]] std::size_t bin_of_level() const;

  ClipRequest request_;
  std::int64_t above_value_ = 0;
  std::vector<std::int64_t> counts_;
  std::vector<float> largest_;  // of each count
};

}  // namespace sill::view
