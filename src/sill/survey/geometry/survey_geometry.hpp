// Where a survey was shot and how its traces are arranged, from their headers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sill {

/// What the traces are, by what their headers state.
enum class SurveyKind : std::uint8_t {
  empty,             ///< no traces
  line_post_stack,   ///< one trace per place along one line
  grid_post_stack,   ///< one trace per place of a grid of two line numbers
  grid_pre_stack,    ///< several traces, by offset, a place of a grid
  cmp_gathers,       ///< several traces a midpoint along one line
  shot_gathers,      ///< traces arranged by source
  receiver_gathers,  ///< traces arranged by receiver
  irregular,         ///< line numbers that make neither a line nor a grid
  unknown            ///< no word shows it; `evidence` says what the words hold
};

/// Local. "3-D post-stack grid" and so on.
[[nodiscard]] std::string_view name_of(SurveyKind kind);

/// What coordinates, and so distances, are counted in.
enum class CoordinateUnit : std::uint8_t {
  not_stated,  ///< a length, but neither word states which one
  metres,
  feet,
  arc_seconds,  ///< of this and the next two no length is ever computed
  degrees,      ///< decimal
  dms           ///< degrees, minutes, seconds as digits
};

/// Local. "metres", "feet", "arc seconds", ...; "length units" where it is not stated.
[[nodiscard]] std::string_view name_of(CoordinateUnit unit);
/// Local. Whether it is a unit of length.
[[nodiscard]] constexpr bool is_length(CoordinateUnit unit) {
  return unit == CoordinateUnit::not_stated || unit == CoordinateUnit::metres || unit == CoordinateUnit::feet;
}

/// One of the words that were looked at.
struct WordEvidence {
  std::string name;           ///< as shown, of the map
  int byte = 0;               ///< from 1; 0: the map has no such word
  std::int64_t smallest = 0;  ///< as stored, without scalar
  std::int64_t largest = 0;
  std::int64_t zeros = 0;    ///< traces where it is zero
  std::int64_t changes = 0;  ///< traces where it differs from the trace before
  std::int64_t unfit = 0;    ///< traces where it is no whole number of 32 bits: then the word is not used

  [[nodiscard]] bool varies() const { return smallest != largest; }
  /// Every trace has the word, as a number that can count lines.
  [[nodiscard]] bool usable() const { return byte != 0 && unfit == 0; }
};

/// The numbers of lines in one direction.
struct LineAxis {
  std::string word;             ///< name of the word that numbers them
  std::int64_t first = 0;       ///< the smallest number
  std::int64_t last = 0;        ///< the largest
  std::int64_t step = 1;        ///< the greatest that all numbers are on: first + k * step; 1 of a single line
  std::int64_t usual_step = 1;  ///< the most frequent distance of neighbours, the smallest of several
  std::int64_t lines = 0;       ///< how many numbers occur
  bool reversed = false;        ///< they descend in the order of the traces

  /// How many there are from first to last by the step, and how many of these do not occur.
  [[nodiscard]] std::int64_t places() const { return (last - first) / step + 1; }
  [[nodiscard]] std::int64_t missing() const { return places() - lines; }
  [[nodiscard]] bool sparse() const { return step > 1; }
  [[nodiscard]] bool negative() const { return first < 0; }
};

/// One word of the order in which traces lie.
struct OrderKey {
  std::string word;
  bool ascending = true;
};

/// A place of a grid; of a line, `xline` alone counts.
struct Place {
  std::int64_t iline = 0;
  std::int64_t xline = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

/// How many traces groups (places, gathers) have.
struct GroupSizes {
  std::int64_t groups = 0;
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::int64_t traces = 0;
  /// Groups of 1, 2, ..., 63 traces each, then of 64 to 127, 128 to 255, ..., at last 2^30 and more.
  static constexpr std::size_t exact_sizes = 63;
  std::array<std::int64_t, exact_sizes + 25> histogram{};

  [[nodiscard]] double mean() const {
    return groups == 0 ? 0.0 : static_cast<double>(traces) / static_cast<double>(groups);
  }
  /// The fewest traces of groups that entry `index` of the histogram counts.
  [[nodiscard]] static constexpr std::int64_t min_of(std::size_t index) {
    return index < exact_sizes ? static_cast<std::int64_t>(index) + 1 : std::int64_t{64} << (index - exact_sizes);
  }
};

/// A grid, or a line, of places, and what lies at them.
struct SurveyGrid {
  LineAxis ilines;                      ///< of a line: one, with `word` empty
  LineAxis xlines;                      ///< along a line: its numbers
  std::int64_t occupied = 0;            ///< places with a trace
  std::int64_t holes = 0;               ///< places of `ilines.places() * xlines.places()` without one
  std::vector<Place> first_holes;       ///< up to eight, by inline, then crossline
  std::int64_t duplicates = 0;          ///< places with more than one trace, where there should be one; 0 before stack
  std::vector<Place> first_duplicates;  ///< up to eight
  GroupSizes fold;                      ///< traces per bin
  /// Traces of each cell of a coarse map, row by row: `map_rows` of consecutive inlines, `map_columns` of crosslines,
  /// at most 64 each. Place i of n lies in cell i * cells / n.
  int map_rows = 0;
  int map_columns = 0;
  std::vector<std::int64_t> map_traces;
  std::vector<std::int64_t> map_places;  ///< of each cell, places with a trace

  [[nodiscard]] bool is_line() const { return ilines.word.empty(); }
};

/// The gathers in which the traces lie.
struct GatherFacts {
  std::vector<std::string> words;  ///< what the traces of a gather have in common: fldr, or sx and sy, ...
  GroupSizes sizes;
  std::int64_t runs = 0;  ///< as many as gathers, if the traces of each lie together

  [[nodiscard]] bool contiguous() const { return runs == sizes.groups; }
};

struct OffsetFacts {
  std::int64_t smallest = 0;  ///< as stored
  std::int64_t largest = 0;
  std::int64_t distinct = 0;
  std::optional<std::int64_t> step;  ///< if they are evenly spaced without a gap
};

/// A place with its true coordinates: scalars applied.
struct Corner {
  Place place;
  double x = 0.0;
  double y = 0.0;
};

/// Where traces are said to lie.
enum class PositionSource : std::uint8_t {
  none,      ///< all coordinates are zero
  ensemble,  ///< cdpx, cdpy
  midpoint,  ///< halfway between sx, sy and gx, gy
  source     ///< sx, sy alone: gx, gy are zero
};
[[nodiscard]] std::string_view name_of(PositionSource source);

/// Words that are not used as positions though they are not 0.
struct RejectedPositions {
  std::string words;   ///< "cdpx, cdpy"
  int first_byte = 0;  ///< from 1
  int last_byte = 0;
  std::string reason;  ///< a clause about "they"
};

/// Where numbers lie in a trace header: integers of two or four bytes.
struct LinePlace {
  int byte = 1;  ///< from 1
  int bytes = 4;

  friend bool operator==(const LinePlace&, const LinePlace&) = default;
};

/// Numbers at such a place in the traces that were looked at.
struct LineNumbers {
  LinePlace place;
  std::int64_t smallest = 0;
  std::int64_t largest = 0;
  std::int64_t distinct = 0;
  bool named_by_text = false;  ///< the text header states that they number lines
};

/// Numbers that lie as those of inlines and crosslines would, where neither the standard nor a map has these.
struct GridCandidate {
  LineNumbers ilines;
  LineNumbers xlines;

  /// Local. The header map that would use them, in JSON on one line.
  [[nodiscard]] std::string header_map() const;

  /// Local. How to use them: "give a file with this as --map: {...}", or `--map text` where that does the same.
  [[nodiscard]] std::string advice() const;
};

/// Positions as computed from line numbers: x = x0 + iline * x_iline + xline * x_xline, and likewise y.
struct GridFit {
  double x0 = 0.0, x_iline = 0.0, x_xline = 0.0;
  double y0 = 0.0, y_iline = 0.0, y_xline = 0.0;
  std::int64_t fitted = 0;         ///< traces that it was fitted to
  double rms = 0.0;                ///< root of the mean square distance of these from it
  double largest = 0.0;            ///< distance of all traces, ...
  std::int64_t largest_trace = 0;  ///< ... and the first that lies so far, from 0
  std::int64_t far = 0;            ///< traces that lie more than half of the smaller bin side away
  bool good = false;               ///< none does so, and the directions differ
  std::vector<Corner> corners;     ///< first/first, first/last, last/last, last/first inline/crossline
  // Of units of length only:
  std::optional<double> between_ilines;  ///< one number of an inline to the next, times its step
  std::optional<double> between_xlines;
  std::optional<double> iline_azimuth;  ///< direction in which crossline numbers ascend along an inline, degrees
                                        ///< clockwise from +y, in [0, 360)
  std::optional<double> angle;          ///< from that direction to the one in which inline numbers ascend, degrees
                                        ///< clockwise, in (-180, 180]
};

/// Positions along a line.
struct LineCourse {
  Corner first;  ///< of the first trace with the smallest number
  Corner last;
  std::optional<double> length;   ///< along all traces as they lie, if they are in order of the line
  std::optional<double> direct;   ///< from first to last, straight
  std::optional<double> azimuth;  ///< from first to last, degrees clockwise from +y
};

struct Bounds {
  double smallest_x = 0.0, largest_x = 0.0, smallest_y = 0.0, largest_y = 0.0;
};

/// All of it. What could not be inferred is not there, and `evidence` says why.
struct SurveyGeometry {
  SurveyKind kind = SurveyKind::unknown;
  int dimensions = 0;           ///< 2, 3, or 0 where it is unknown
  std::int64_t traces = 0;      ///< of seismic data: what all that follows is of
  std::int64_t auxiliary = 0;   ///< traces that are none
  std::vector<OrderKey> order;  ///< slowest first, without words that do not vary; empty: none was found
  bool order_found = false;     ///< one trace, and traces that do not differ, are in order
  std::optional<SurveyGrid> grid;
  std::optional<GatherFacts> gathers;
  std::optional<OffsetFacts> offsets;
  PositionSource positions = PositionSource::none;
  std::optional<RejectedPositions> rejected;  ///< ensemble coordinates that do not behave as coordinates
  std::string implausible_positions;  ///< positions are beyond the Earth, or a whole turn; empty if they are not
  std::string rejected_lines;         ///< why iline and xline, in bytes 189-196, do not number lines; empty if they may
  CoordinateUnit unit = CoordinateUnit::not_stated;
  std::optional<Bounds> bounds;       ///< of the positions that are not 0, 0
  std::int64_t without_position = 0;  ///< traces whose position is 0, 0 while others are not
  std::optional<GridFit> fit;
  std::optional<LineCourse> course;
  std::vector<GridCandidate> candidates;  ///< where no grid was found: what may number one, not used
  std::vector<WordEvidence> words;
  std::vector<std::string> evidence;  ///< sentences: why this kind, and what could not be found out, from which words
  int header_reads = 1;               ///< how often the headers were read: twice where a look at some misled
};

}  // namespace sill
