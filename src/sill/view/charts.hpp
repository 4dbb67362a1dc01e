// Spectra, histograms and slices of the samples of a survey, as charts.
#pragma once

#include <span>
#include <string>

#include "sill/draw/chart.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/geometry/grid_traces.hpp"
#include "sill/view/clip_level.hpp"

namespace sill::view {

/// Local. Returns the mean amplitude spectrum of `traces`, in dB below its largest amplitude, by frequency in Hz. Skips
/// traces that are marked as dead or contain only zeros, traces with samples that are not finite, and auxiliary traces,
/// unless all are auxiliary. `progress` counts the bytes read. Precondition: `require_sample_format` was called.
/// Errors: usage, if traces differ in length, the samples are or may be in depth, the interval is not known or no trace
/// remains; io; input.
[[nodiscard]] draw::Chart amplitude_spectrum(const SurveyReader& reader, std::span<const std::int64_t> traces,
                                             Progress* progress = nullptr);

/// Local. Returns the f-k amplitude spectrum of `traces`, which begin at the same time and are `spacing` apart
/// (negative: in descending order), in dB below its largest amplitude. Wavenumbers are in cycles per `unit` ("m", or
/// empty if it is not known); they are positive if events arrive later at larger distances. Otherwise as
/// `amplitude_spectrum`, but skipped traces are replaced by zeros.
[[nodiscard]] draw::Chart fk_spectrum(const SurveyReader& reader, std::span<const std::int64_t> traces, double spacing,
                                      const std::string& unit, Progress* progress = nullptr);

/// Local. Returns a histogram of the samples of `traces`: 201 classes, from -A to A, where 0.1 % of the non-zero
/// amplitudes exceed A. Skips traces as `amplitude_spectrum`. Precondition: `require_sample_format` was called. Errors:
/// usage, if no trace remains; io; input.
[[nodiscard]] draw::Chart amplitude_histogram(const SurveyReader& reader, std::span<const std::int64_t> traces,
                                              Progress* progress = nullptr);

/// Local. Reads "1.2s" or "1200ms" for a survey in time, and "1500", "1500m" or "1500ft" for a survey in depth. Returns
/// the value in the unit of sample intervals: microseconds, or thousandths of the depth unit, to which metres and feet
/// are converted. Errors: usage, also for metres and feet if the survey does not state its unit.
[[nodiscard]] double parse_slice(const std::string& text, const SurveyReader& reader);

/// Local. Draws the samples of the traces of `grid` nearest to `at_us`: crosslines to the right, inlines upwards.
/// Positions without a trace and traces without such a sample have `draw::absent_colour`. `progress` counts the bytes
/// read. Errors: usage, if no trace has such a sample; io; input.
[[nodiscard]] draw::Chart slice_chart(const SurveyReader& reader, const GridTraces& grid, double at_us,
                                      const ClipRequest& clip, const draw::ColourMap& colours, bool is_interpolated,
                                      Progress* progress = nullptr);

}  // namespace sill::view
