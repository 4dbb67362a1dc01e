// Observes how the words of trace headers change from trace to trace: ranges, changes, directions. Uses neither ranks
// nor files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "sill/survey/geometry/survey_geometry.hpp"

namespace sill {

/// The words that geometry is inferred from.
enum class GeometryWord : std::uint8_t {
  iline,
  xline,
  cdp,
  fldr,
  ep,
  tracf,
  offset,
  sx,
  sy,
  gx,
  gy,
  cdpx,
  cdpy,
  scalco,
  counit,
  gelev,
  selev,
  sdepth
};
inline constexpr std::size_t geometry_words = 18;

/// Local. Returns the name of a word in the header map.
[[nodiscard]] const char* name_of(GeometryWord word);

/// The words of one trace, as stored, and its position.
struct GeometryRow {
  std::array<std::int32_t, geometry_words> words{};
  std::uint32_t unfit = 0;  ///< bit w: word w is not a 32-bit integer, and is stored as 0
  double x = 0.0;           ///< 0, 0: the trace has no position
  double y = 0.0;

  [[nodiscard]] std::int32_t operator[](GeometryWord word) const { return words[static_cast<std::size_t>(word)]; }
  [[nodiscard]] bool has_position() const { return x != 0.0 || y != 0.0; }
};

/// The words that identify the gather of a trace.
enum class GatherBy : std::uint8_t { bin, cdp, fldr_ep, fldr, ep, source, receiver };
inline constexpr std::size_t gather_kinds = 7;
[[nodiscard]] std::span<const GeometryWord> words_of(GatherBy by);

/// Maximum number of words by which traces may be ordered.
inline constexpr std::size_t max_order_words = 3;
struct OrderCandidate {
  std::array<GeometryWord, max_order_words> words{};
  std::size_t count = 0;
};
[[nodiscard]] std::span<const OrderCandidate> order_candidates();

/// The first trace with the smallest, or the largest, value of a word.
struct EndOfWord {
  std::int32_t value = 0;
  std::int64_t trace = -1;
  double x = 0.0;
  double y = 0.0;
};

/// A fit with which the positions of traces are compared.
struct ExpectedPositions {
  GeometryWord slow = GeometryWord::iline;
  GeometryWord fast = GeometryWord::xline;
  GridFit fit;
  double far = 0.0;  ///< larger distances are reported
};

/// The evidence of consecutive traces. The evidence of two consecutive ranges can be joined. All members are integers
/// or extremes, so the result does not depend on how the traces were divided.
class HeaderEvidence {
 public:
  /// Number of candidate orders that are followed.
  static constexpr std::size_t candidates = 25;

  struct Word {
    std::int32_t smallest = std::numeric_limits<std::int32_t>::max();
    std::int32_t largest = std::numeric_limits<std::int32_t>::min();
    std::int64_t zeros = 0;
    std::int64_t changes = 0;
    std::int64_t unfit = 0;
    bool nearly_constant = false;  ///< set by the caller: other values are treated as damage

    [[nodiscard]] bool varies() const { return smallest < largest; }
  };
  /// For a candidate order: how often word `k` was the first to change, upwards and downwards.
  struct Steps {
    std::array<std::int64_t, max_order_words> up{};
    std::array<std::int64_t, max_order_words> down{};
  };

  /// Local. Adds one trace. Precondition: the trace follows all traces added so far.
  void add(const GeometryRow& row, std::int64_t trace, const ExpectedPositions* expected);
  /// Local. Appends the evidence of `next`. Precondition: its traces follow all traces added so far.
  void append(const HeaderEvidence& next);

  /// Local. Marks a word as the same in nearly all traces.
  void set_nearly_constant(GeometryWord word) { words_[static_cast<std::size_t>(word)].nearly_constant = true; }
  /// Local. Counts a trace that is not seismic data. Precondition: the trace follows all traces added so far.
  void add_auxiliary() { ++auxiliary_; }

  /// Local. Returns the number of traces of seismic data.
  [[nodiscard]] std::int64_t traces() const { return traces_; }
  [[nodiscard]] std::int64_t auxiliary() const { return auxiliary_; }
  [[nodiscard]] const Word& of(GeometryWord word) const { return words_[static_cast<std::size_t>(word)]; }
  [[nodiscard]] std::int64_t gather_changes(GatherBy by) const { return gathers_[static_cast<std::size_t>(by)]; }
  [[nodiscard]] const Steps& steps(std::size_t candidate) const { return steps_[candidate]; }
  /// Local. Returns the trace with the smallest value of iline, xline or cdp.
  [[nodiscard]] const EndOfWord& smallest(GeometryWord word) const { return smallest_[static_cast<std::size_t>(word)]; }
  [[nodiscard]] const EndOfWord& largest(GeometryWord word) const { return largest_[static_cast<std::size_t>(word)]; }
  [[nodiscard]] std::int64_t without_position() const { return without_position_; }
  [[nodiscard]] const Bounds& bounds() const { return bounds_; }
  /// Local. Returns the sum of distances of neighbours, or nullopt if some neighbours are farther apart than
  /// neighbouring traces can be.
  [[nodiscard]] std::optional<double> path() const;
  [[nodiscard]] double largest_distance() const { return largest_distance_; }
  [[nodiscard]] std::int64_t largest_distance_trace() const { return largest_distance_trace_; }
  [[nodiscard]] std::int64_t far() const { return far_; }

 private:
  static constexpr std::size_t ends = 3;

  void append_traces(const HeaderEvidence& next);
  void step(const GeometryRow& from, const GeometryRow& to);
  void take_position(const GeometryRow& row, std::int64_t trace, const ExpectedPositions* expected);

  std::int64_t traces_ = 0;
  std::int64_t auxiliary_ = 0;
  GeometryRow first_;
  GeometryRow last_;
  std::array<Word, geometry_words> words_;
  std::array<std::int64_t, gather_kinds> gathers_{};
  std::array<Steps, candidates> steps_{};
  std::array<EndOfWord, ends> smallest_;
  std::array<EndOfWord, ends> largest_;
  std::int64_t without_position_ = 0;
  Bounds bounds_{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                 std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  std::int64_t path_millionths_ = 0;
  std::int64_t jumps_ = 0;
  double largest_distance_ = -1.0;
  std::int64_t largest_distance_trace_ = -1;
  std::int64_t far_ = 0;
};

}  // namespace sill
