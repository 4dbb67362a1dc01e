// A section of a survey as it is shown: traces side by side, samples reduced to rows, and what is known of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/samples/time_window.hpp"
#include "sill/view/clip_level.hpp"
#include "sill/view/shown_traces.hpp"

namespace sill::view {

/// What is done to the samples of a trace before they are shown.
enum class ViewGain : std::uint8_t {
  none,
  trace,  ///< `normalize rms` of each trace
  agc     ///< `agc`
};

struct SectionRequest {
  ShownTraces traces;
  std::string top;       ///< words of the axis on top, separated by commas; empty: the word that varies
  std::string location;  ///< a word that is needed besides, or empty
  std::optional<segy::TimeWindow> window;
  ViewGain gain = ViewGain::none;
  std::string agc_window;  ///< "500ms"
  ClipRequest clip;
  std::int64_t max_rows = 0;                        ///< of samples, one below the other
  std::int64_t max_values = std::int64_t{1} << 40;  ///< of rows that are held at once
  std::string name = {};                            ///< of the file in texts; empty: its path
  std::string format_doubt = {};                    ///< what speaks against its sample format
};

/// Rows of a section, from 0.
struct RowRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// A shown trace.
struct SectionTrace {
  std::int64_t number = 0;     ///< from 0
  double start_us = 0.0;       ///< time of the first sample
  std::int64_t first_row = 0;  ///< rows that hold samples of it
  std::int64_t row_count = 0;
  bool starts_gather = false;            ///< the first of a gather, but not of all traces
  std::vector<std::string> values = {};  ///< of `Section::words`
  std::vector<double> numbers = {};      ///< the same as numbers; NaN for text
};

/// The samples of one file, or the differences of two.
struct SectionPanel {
  std::string name;           ///< empty if it is the only one
  std::vector<float> cells;   ///< the held rows of each trace in turn; not finite: a sample that is not
  std::vector<char> is_dead;  ///< of each trace: trace identification 2, or only zeros
};

/// All that a picture shows.
struct Section {
  std::string file;
  std::string other_file;  ///< of a difference, or empty
  std::int64_t all_traces = 0;
  std::int64_t selected = 0;
  std::int64_t stride = 1;
  std::string condition;
  std::int64_t samples = 0;     ///< of a trace; the most
  double interval_us = 0.0;     ///< 0: not known
  double first_us = 0.0;        ///< of row 0
  double first_trace_us = 0.0;  ///< delay of the first shown trace
  bool delays_vary = false;
  segy::Domain domain = segy::Domain::time;
  int measurement_system = 0;
  std::int64_t samples_per_row = 1;
  std::int64_t window_samples = 0;  ///< from the first row's to the last that is shown
  std::int64_t rows = 0;
  std::vector<std::string> words;  ///< header words of the shown traces
  std::size_t top_words = 0;       ///< so many of them are the axis on top; the last of these is below
  std::string gather_word;         ///< the word whose changes make gaps, or empty
  std::vector<SectionTrace> traces;
  std::vector<SectionPanel> panels;
  RowRange held;  ///< rows that the panels hold
  float clip = 0.0F;
  ClipRequest clip_request;
  ViewGain gain = ViewGain::none;
  std::string agc_window;
  std::int64_t shown_samples = 0;  ///< of the first panel, as the next three
  std::int64_t clipped_samples = 0;
  std::int64_t nonfinite_samples = 0;
  std::int64_t dead_traces = 0;
  std::string sample_format;
  std::string format_doubt;          ///< what speaks against it, or empty
  std::optional<int> polarity_code;  ///< bytes 3257-3258; none of Seismic Unix
};

}  // namespace sill::view
