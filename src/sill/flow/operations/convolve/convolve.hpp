// convolve, correlate: traces with a wavelet of the user; autocorrelate: traces with themselves.
#pragma once

#include "sill/flow/operation/operation_type.hpp"
#include "sill/flow/operation/table.hpp"
#include "sill/formats/segy/synthetic/wavelet_table.hpp"

namespace sill::flow {

/// Local. Returns a wavelet for traces with a sample interval of `interval_s`. Its columns are time (optional) and
/// amplitude. Errors: usage if the times are not sample times of such traces; as `read_table`.
[[nodiscard]] segy::Wavelet read_wavelet(const TableFile& file, const SurveyState& survey, double interval_s);

[[nodiscard]] const OperationType& convolve();
[[nodiscard]] const OperationType& correlate();
[[nodiscard]] const OperationType& autocorrelate();

}  // namespace sill::flow
