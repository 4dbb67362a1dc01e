// convolve, correlate: traces with a wavelet that the user brings; autocorrelate: with themselves.
#pragma once

#include "sill/flow/operation/operation_type.hpp"
#include "sill/flow/operation/table.hpp"
#include "sill/formats/segy/synthetic/wavelet_table.hpp"

namespace sill::flow {

/// Local. A wavelet for traces whose samples are `interval_s` apart: columns time, which may be missing, and amplitude.
/// Errors: usage, if the times are not those of samples of such traces; as `read_table`.
[[nodiscard]] segy::Wavelet read_wavelet(const TableFile& file, const SurveyState& survey, double interval_s);

[[nodiscard]] const OperationType& convolve();
[[nodiscard]] const OperationType& correlate();
[[nodiscard]] const OperationType& autocorrelate();

}  // namespace sill::flow
