// Reading the headers of all traces before their samples: which of them a pass takes, and in which order.
#pragma once

#include <cstdint>
#include <vector>

#include "sill/flow/plan/pass.hpp"
#include "sill/flow/run/bound_flow.hpp"
#include "sill/flow/run/failures.hpp"
#include "sill/flow/run/header_numbers.hpp"
#include "sill/flow/run/trace_order.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill::flow {

/// The traces of a pass, as their headers decide.
struct ScanResult {
  TraceOrder order;
  /// Traces of this rank, ascending, that leave the survey behind an operation that may stop at them.
  std::vector<std::int64_t> leaving;
};

/// Local. The bytes of a trace's headers that `scan_headers` reads.
[[nodiscard]] std::int64_t scanned_bytes(const BoundFlow& flow, const Pass& pass);
/// Local. What it holds for each trace. Errors: usage, for keys of more than 64 bytes.
[[nodiscard]] std::int64_t key_bytes(const Pass& pass);

/// Collective. Applies the operations of `pass` to headers as far as `pass.scan_end`, and orders the traces that stay.
/// Reads no other bytes than the headers' that these operations need, once; holds a record of keys for each trace of
/// this rank. Errors of operations go into `failures`; then the order is empty. Errors: usage, for keys of more than 64
/// bytes; io.
[[nodiscard]] ScanResult scan_headers(const Resources& resources, const SurveyReader& reader, const BoundFlow& flow,
                                      const Pass& pass, NonFinite nonfinite, Failures& failures);

}  // namespace sill::flow
