// Reads the headers of all traces before their samples, to determine which traces a pass reads and in which order.
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

/// The traces of a pass, as determined by their headers.
struct ScanResult {
  TraceOrder order;
  /// Traces of this rank, ascending, that an operation removes but an earlier one must still check.
  std::vector<std::int64_t> leaving;
};

/// Local. Returns the number of bytes of a trace's headers that `scan_headers` reads.
[[nodiscard]] std::int64_t scanned_bytes(const BoundFlow& flow, const Pass& pass);
/// Local. Returns the number of bytes that `scan_headers` stores per trace. Errors: usage, for keys of more than 64
/// bytes.
[[nodiscard]] std::int64_t key_bytes(const Pass& pass);

/// Collective. Applies the operations of `pass` up to `pass.scan_end` to headers, and sorts the remaining traces. Reads
/// only the header bytes that these operations need, once. Stores a record of keys for each trace of this rank. Adds
/// errors of operations to `failures`; then the order is empty. Errors: usage, for keys of more than 64 bytes; io.
[[nodiscard]] ScanResult scan_headers(const Resources& resources, const SurveyReader& reader, const BoundFlow& flow,
                                      const Pass& pass, NonFinite nonfinite, Failures& failures);

}  // namespace sill::flow
