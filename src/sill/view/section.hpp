// A section of a survey as it is shown: traces next to each other, samples reduced to rows, and their properties; and
// reading it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sill/base/units.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/samples/time_window.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/view/clip_level.hpp"
#include "sill/view/shown_traces.hpp"

namespace sill::view {

/// The gain applied to the samples of a trace before they are shown.
enum class ViewGain : std::uint8_t {
  none,
  trace,  ///< `normalize rms` of each trace
  agc     ///< `agc`
};

struct SectionRequest {
  ShownTraces traces;
  std::string top;       ///< words of the axis above the section, separated by commas; empty: the word that varies
  std::string location;  ///< an additional word that is read, or empty
  std::optional<segy::TimeWindow> window;
  ViewGain gain = ViewGain::none;
  std::string agc_window;  ///< "500ms"
  ClipRequest clip;
  std::int64_t max_rows = 0;                        ///< maximum number of sample rows
  std::int64_t max_values = std::int64_t{1} << 40;  ///< maximum number of values in memory at once
  std::string name = {};                            ///< name of the file in texts; empty: the path of the file
  std::string format_doubt = {};                    ///< evidence against the stated sample format
  Progress* progress = nullptr;                     ///< counts the bytes of traces that are read; may be null
};

/// A range of rows, counted from 0.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// The smallest and the largest of some counts.
struct CountRange {
  std::int64_t min = std::numeric_limits<std::int64_t>::max();
  std::int64_t max = 0;

  void add(std::int64_t count) {
    min = std::min(min, count);
    max = std::max(max, count);
  }
  /// Local. Returns "80", or "40 to 80".
  [[nodiscard]] std::string text() const {
    return (min < max ? format_count(min) + " to " : std::string()) + format_count(max);
  }
};

/// A shown trace.
struct SectionTrace {
  std::int64_t number = 0;     ///< from 0
  double start_us = 0.0;       ///< time of the first sample
  std::int64_t first_row = 0;  ///< rows that contain samples of the trace
  std::int64_t row_count = 0;
  bool starts_gather = false;            ///< the first trace of a gather, except of the first gather
  std::vector<std::string> values = {};  ///< values of `Section::words`
  std::vector<double> numbers = {};      ///< the same values as numbers; NaN for text
};

/// The samples of one file, or the differences of two.
struct SectionPanel {
  std::string name;           ///< empty if it is the only one
  std::vector<float> cells;   ///< the rows in memory, trace by trace; NaN or infinite if the row contains such a sample
  std::vector<char> is_dead;  ///< for each trace: 1 if its trace identification is 2, or if all samples are zero
};

/// All data of a picture.
struct Section {
  SectionRequest request = {};
  segy::FileDescription about = {};  ///< the first file
  std::string file = {};             ///< its name in texts
  std::string other_file = {};       ///< the second file of a difference, or empty
  std::int64_t all_traces = 0;
  CountRange lengths = {};           ///< numbers of samples of the traces
  CountRange shown_lengths = {};     ///< the same of their shown samples
  std::vector<std::string> notes{};  ///< about traces whose times are uncertain, or not exactly where they are shown
  double first_us = 0.0;             ///< time of row 0
  double first_trace_us = 0.0;       ///< delay of the first shown trace
  bool delays_vary = false;
  std::int64_t samples_per_row = 1;
  std::int64_t window_samples = 0;  ///< number of samples from the first shown sample to the last
  std::int64_t rows = 0;
  std::vector<std::string> words = {};  ///< header words of the shown traces
  std::vector<std::string> units = {};  ///< their units; empty for words without one
  std::size_t top_words = 0;            ///< the first words, which label the axis above; the last is the lowest row
  std::string gather_word = {};         ///< the word whose changes start a gather, or empty
  std::vector<SectionTrace> traces = {};
  std::vector<SectionPanel> panels = {};
  RowRange held = {};  ///< the rows that the panels contain
  float clip = 0.0F;
  bool has_negative = true;        ///< in the samples shown, or the section is a difference
  std::int64_t shown_samples = 0;  ///< this count and the next three describe the first panel
  std::int64_t clipped_samples = 0;
  std::int64_t nonfinite_samples = 0;
  std::int64_t dead_traces = 0;
  std::optional<int> polarity_code = {};  ///< bytes 3257-3258; not set for Seismic Unix
};

class SectionReading;

/// Local. Sets the gain of a request from the value of `--gain`: "none", "trace" or "agc=500ms". Errors: usage.
void parse_gain(const std::string& text, SectionRequest& request);

/// A section that stores as many rows as memory allows, and reads the other rows again on demand.
class SectionReader {
 public:
  /// Local. Reads the headers and samples of the shown traces. With `other` (nullptr: none) also reads the same traces
  /// of `other`: the section then has three panels, for both surveys and their difference, and the clip is computed
  /// from the first. Reads complete traces one after another and reduces each to at most `max_rows` values. The value
  /// of a row is its sample of largest magnitude, with its sign, or a sample that is not finite, if the row has such a
  /// sample. Stores the first rows. Precondition: `require_sample_format` was called for the readers, which must
  /// outlive this object. Errors: usage, also if no sample is in the window or if the files cannot be compared; io;
  /// input.
  SectionReader(const SurveyReader& reader, const SurveyReader* other, const SectionRequest& request);
  ~SectionReader();
  SectionReader(const SectionReader&) = delete;
  SectionReader& operator=(const SectionReader&) = delete;

  [[nodiscard]] const Section& section() const;

  /// Local. Makes the rows available in `section()`, and as many rows below as memory allows. Reads all traces again if
  /// the rows are not stored yet. Errors: as the constructor.
  void hold(RowRange rows);

 private:
  std::unique_ptr<SectionReading> reading_;
};

}  // namespace sill::view
