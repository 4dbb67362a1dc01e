// Spectra of traces as charts.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sill/draw/chart.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill::view {

/// Local. The mean amplitude spectrum of `traces`, in dB below its largest amplitude, by frequency in Hz; dead traces
/// and those with samples that are not finite are left out. Precondition: `require_sample_format`. Errors: usage, if
/// traces differ in length, the interval is not known or no trace is left; io; input.
[[nodiscard]] draw::Chart amplitude_spectrum(const SurveyReader& reader, std::span<const std::int64_t> traces);

/// Local. The f-k amplitude spectrum of `traces`, which lie `spacing` apart, in dB below its largest amplitude;
/// wavenumbers are in cycles per `unit` ("m"). Otherwise as `amplitude_spectrum`, but all traces count.
[[nodiscard]] draw::Chart fk_spectrum(const SurveyReader& reader, std::span<const std::int64_t> traces, double spacing,
                                      const std::string& unit);

/// Local. How many samples of `traces` have which amplitude: 201 classes, from the amplitude that 0.1 % of the non-zero
/// ones exceed, negative, to the same, positive. Otherwise as `amplitude_spectrum`.
[[nodiscard]] draw::Chart amplitude_histogram(const SurveyReader& reader, std::span<const std::int64_t> traces);

}  // namespace sill::view
