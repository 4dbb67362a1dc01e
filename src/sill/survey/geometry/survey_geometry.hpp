// The geometry of a survey, inferred from its headers: its position and the arrangement of its traces.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sill {

/// The kind of a survey, according to its headers.
enum class SurveyKind : std::uint8_t {
  empty,             ///< no traces
  line_post_stack,   ///< one trace per bin along one line
  grid_post_stack,   ///< one trace per bin of a grid of two line numbers
  grid_pre_stack,    ///< several traces, by offset, per bin of a grid
  cmp_gathers,       ///< several traces per midpoint along one line
  shot_gathers,      ///< traces arranged by source
  receiver_gathers,  ///< traces arranged by receiver
  irregular,         ///< line numbers that make neither a line nor a grid
  unknown            ///< no word shows the kind; `evidence` describes the words
};

/// Local. Returns the name of a kind: "3-D grid, post-stack" and so on.
[[nodiscard]] std::string_view name_of(SurveyKind kind);

/// The unit of coordinates and distances.
enum class CoordinateUnit : std::uint8_t {
  not_stated,  ///< a length, but neither of the two words for units states which unit
  metres,
  feet,
  arc_seconds,  ///< no length is computed for this unit and the next two
  degrees,      ///< decimal
  dms           ///< degrees, minutes, seconds as digits
};

/// Local. Returns the name of a unit: "metres", "feet", "arc seconds", ...; "length units" if it is not stated.
[[nodiscard]] std::string_view name_of(CoordinateUnit unit);
/// Local. Returns true for a unit of length.
[[nodiscard]] constexpr bool is_length(CoordinateUnit unit) {
  return unit == CoordinateUnit::not_stated || unit == CoordinateUnit::metres || unit == CoordinateUnit::feet;
}

/// The evidence of one word.
struct WordEvidence {
  std::string name;           ///< as in the header map
  int byte = 0;               ///< from 1; 0: the map has no such word
  std::int64_t smallest = 0;  ///< as stored, without the scalar
  std::int64_t largest = 0;
  std::int64_t zeros = 0;    ///< traces in which the word is zero
  std::int64_t changes = 0;  ///< traces in which the word differs from the trace before
  std::int64_t unfit = 0;    ///< traces in which the word is not a 32-bit integer; if there are any, the word is not
                             ///< used

  [[nodiscard]] bool varies() const { return smallest != largest; }
  /// Local. Returns true if every trace has the word, as a number that can count lines.
  [[nodiscard]] bool usable() const { return byte != 0 && unfit == 0; }
};

/// The numbers of lines in one direction.
struct LineAxis {
  std::string word;             ///< name of the word that numbers the lines
  std::int64_t first = 0;       ///< the smallest number
  std::int64_t last = 0;        ///< the largest
  std::int64_t step = 1;        ///< the greatest step such that all numbers are first + k * step; 1 for a single line
  std::int64_t usual_step = 1;  ///< the most frequent distance of neighbouring numbers; the smallest such distance if
                                ///< several are equally frequent
  std::int64_t lines = 0;       ///< number of distinct values
  bool reversed = false;        ///< the numbers descend in the order of the traces

  /// Local. Return the number of lines from first to last by the step; the number of these lines that do not occur.
  [[nodiscard]] std::int64_t places() const { return (last - first) / step + 1; }
  [[nodiscard]] std::int64_t missing() const { return places() - lines; }
  [[nodiscard]] bool sparse() const { return step > 1; }
  [[nodiscard]] bool negative() const { return first < 0; }
};

/// One word of the order of the traces.
struct OrderKey {
  std::string word;
  bool ascending = true;
};

/// A bin of a grid; on a line, only `xline` is used.
struct Place {
  std::int64_t iline = 0;
  std::int64_t xline = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

/// The number of traces in groups (bins, gathers).
struct GroupSizes {
  std::int64_t groups = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::int64_t traces = 0;
  /// Number of groups of 1, 2, ..., 63 traces each, then of 64 to 127, 128 to 255, ..., and finally of 2^30 and more.
  static constexpr std::size_t exact_sizes = 63;
  std::array<std::int64_t, exact_sizes + 25> histogram{};

  [[nodiscard]] double mean() const {
    return groups == 0 ? 0.0 : static_cast<double>(traces) / static_cast<double>(groups);
  }
  /// Local. Returns the minimum number of traces of the groups that entry `index` of the histogram counts.
  [[nodiscard]] static constexpr std::int64_t min_of(std::size_t index) {
    return index < exact_sizes ? static_cast<std::int64_t>(index) + 1 : std::int64_t{64} << (index - exact_sizes);
  }
};

/// A grid, or a line, of bins, and the traces at these bins.
struct SurveyGrid {
  LineAxis ilines;                      ///< for a line: a single inline, with an empty `word`
  LineAxis xlines;                      ///< for a line: the numbers of bins along the line
  std::int64_t occupied = 0;            ///< bins with a trace
  std::int64_t holes = 0;               ///< bins of `ilines.places() * xlines.places()` without a trace
  std::vector<Place> first_holes;       ///< up to eight, by inline, then crossline
  std::int64_t duplicates = 0;          ///< bins with several traces, if one trace per bin is intended; 0 for
                                        ///< pre-stack surveys
  std::vector<Place> first_duplicates;  ///< up to eight
  GroupSizes fold;                      ///< traces per bin
  /// Traces of each cell of a coarse map, row by row: `map_rows` groups of consecutive inlines and `map_columns` of
  /// crosslines, at most 64 each. Bin i of n belongs to cell i * cells / n.
  int map_rows = 0;
  int map_columns = 0;
  std::vector<std::int64_t> map_traces;
  std::vector<std::int64_t> map_places;  ///< for each cell, the number of bins with a trace

  [[nodiscard]] bool is_line() const { return ilines.word.empty(); }
};

/// The gathers of the traces.
struct GatherFacts {
  std::vector<std::string> words;  ///< the words that the traces of a gather share: fldr, or sx and sy, ...
  GroupSizes sizes;
  std::int64_t runs = 0;  ///< equal to the number of gathers if the traces of each gather are consecutive

  [[nodiscard]] bool contiguous() const { return runs == sizes.groups; }
};

struct OffsetFacts {
  std::int64_t smallest = 0;  ///< as stored
  std::int64_t largest = 0;
  std::int64_t distinct = 0;
  std::optional<std::int64_t> step;  ///< distance of neighbouring offsets, if the offsets are evenly spaced without a
                                     ///< gap
};

/// A bin with its true coordinates, scalars applied.
struct Corner {
  Place place;
  double x = 0.0;
  double y = 0.0;
};

/// The source of positions of traces.
enum class PositionSource : std::uint8_t {
  none,      ///< all coordinates are zero
  ensemble,  ///< cdpx, cdpy
  midpoint,  ///< halfway between sx, sy and gx, gy
  source     ///< sx, sy only: gx, gy are zero
};
[[nodiscard]] std::string_view name_of(PositionSource source);

/// Words that are not used as positions although they are not 0.
struct RejectedPositions {
  std::string words;   ///< "cdpx, cdpy"
  int first_byte = 0;  ///< from 1
  int last_byte = 0;
  std::string reason;  ///< the reason, as a clause whose subject "they" is the words
};

/// The position of numbers in a trace header: integers of two or four bytes.
struct LinePlace {
  int byte = 1;  ///< from 1
  int bytes = 4;

  friend bool operator==(const LinePlace&, const LinePlace&) = default;
};

/// Integers at one position in the headers of the sampled traces.
struct LineNumbers {
  LinePlace place;
  std::int64_t smallest = 0;
  std::int64_t largest = 0;
  std::int64_t distinct = 0;
  bool named_by_text = false;  ///< the text header states that the numbers number lines
};

/// Numbers that behave as inline and crossline numbers, at positions where neither the standard nor a map defines
/// inline and crossline numbers.
struct GridCandidate {
  LineNumbers ilines;
  LineNumbers xlines;

  /// Local. Returns the header map that uses these numbers, in JSON on one line.
  [[nodiscard]] std::string header_map() const;

  /// Local. Returns advice on how to use these numbers: "give a file with this as --map: {...}", or `--map text` if
  /// that has the same effect.
  [[nodiscard]] std::string advice() const;
};

/// Positions computed from line numbers: x = x0 + iline * x_iline + xline * x_xline, and y likewise.
struct GridFit {
  double x0 = 0.0, x_iline = 0.0, x_xline = 0.0;
  double y0 = 0.0, y_iline = 0.0, y_xline = 0.0;
  std::int64_t fitted = 0;         ///< number of traces used for the fit
  double rms = 0.0;                ///< root mean square of the distances of these traces from the fit
  double largest = 0.0;            ///< largest distance of a trace from the fit
  std::int64_t largest_trace = 0;  ///< the first trace at the largest distance, from 0
  std::int64_t far = 0;            ///< traces farther away than half of the smaller bin side
  bool good = false;               ///< no trace is farther away than half of the smaller bin side, and the directions
                                   ///< differ
  std::vector<Corner> corners;     ///< first/first, first/last, last/last, last/first inline/crossline
  // Only for units of length:
  std::optional<double> between_ilines;  ///< distance between adjacent inlines: number spacing times step
  std::optional<double> between_xlines;
  std::optional<double> iline_azimuth;  ///< direction in which crossline numbers ascend along an inline, degrees
                                        ///< clockwise from +y, in [0, 360)
  std::optional<double> angle;          ///< angle from `iline_azimuth` to the direction in which inline numbers ascend,
                                        ///< degrees clockwise, in (-180, 180]
};

/// Positions along a line.
struct LineCourse {
  Corner first;  ///< position of the first trace with the smallest number
  Corner last;
  std::optional<double> length;   ///< length of the path through all traces in file order, if the traces are in the
                                  ///< order of the line
  std::optional<double> direct;   ///< straight distance from `first` to `last`
  std::optional<double> azimuth;  ///< direction from `first` to `last`, degrees clockwise from +y
};

struct Bounds {
  double smallest_x = 0.0, largest_x = 0.0, smallest_y = 0.0, largest_y = 0.0;
};

/// The complete geometry. Members that could not be inferred are not set, and `evidence` states why.
struct SurveyGeometry {
  SurveyKind kind = SurveyKind::unknown;
  int dimensions = 0;           ///< 2, 3, or 0 if unknown
  std::int64_t traces = 0;      ///< traces of seismic data, which all members below describe
  std::int64_t auxiliary = 0;   ///< traces that are not seismic data
  std::vector<OrderKey> order;  ///< slowest word first, without words that do not vary; empty: no order was found
  bool order_found = false;     ///< also true for a single trace, and for traces that do not differ
  std::optional<SurveyGrid> grid;
  std::optional<GatherFacts> gathers;
  std::optional<OffsetFacts> offsets;
  PositionSource positions = PositionSource::none;
  std::optional<RejectedPositions> rejected;  ///< ensemble coordinates that do not behave as coordinates
  std::string implausible_positions;          ///< statement that positions exceed the Earth, or a whole turn; empty if
                                              ///< no position does
  std::string rejected_lines;  ///< reason why iline and xline (bytes 189-196) do not number lines, or empty
  CoordinateUnit unit = CoordinateUnit::not_stated;
  std::optional<Bounds> bounds;       ///< bounds of the positions other than 0, 0
  std::int64_t without_position = 0;  ///< traces whose position is 0, 0 while others are not
  std::optional<GridFit> fit;
  std::optional<LineCourse> course;
  std::vector<GridCandidate> candidates;  ///< if no grid was found: bytes that may contain line numbers; not used
  std::vector<WordEvidence> words;
  std::vector<std::string> evidence;  ///< sentences that explain the kind, and state which members could not be
                                      ///< inferred and which words were rejected
  int header_reads = 1;               ///< 2 if the sample of traces was misleading
};

}  // namespace sill
