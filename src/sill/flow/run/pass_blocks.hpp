// Applies the operations of a pass to blocks of traces, and counts what the traces contain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/flow/run/bound_flow.hpp"
#include "sill/flow/run/failures.hpp"
#include "sill/flow/run/pass_options.hpp"
#include "sill/flow/run/pass_tally.hpp"
#include "sill/flow/run/shape_words.hpp"
#include "sill/flow/run/stated_intervals.hpp"
#include "sill/flow/run/trace_order.hpp"
#include "sill/survey/output/length_check.hpp"

namespace sill::flow {

/// The data that the threads of a pass share. The survey, the flow and the options outlive it.
struct PassShared {
  [[nodiscard]] bool is_check() const { return check_end > 0; }

  const SurveyReader& reader;
  const BoundFlow& flow;
  const Pass& pass;
  const PassOptions& options;
  const segy::FileDescription& file = reader.files().front();
  const SurveyState& before = flow.states[pass.first];
  const SurveyState& after = flow.states[pass.end];
  segy::SampleConversion decode{file.sample_format, file.byte_order, segy::SampleFormat::ieee_float, native_order, {}};
  segy::SampleConversion encode{segy::SampleFormat::ieee_float, native_order, options.format, file.byte_order,
                                options.rules};
  /// For samples that no operation reads.
  segy::SampleConversion recode{file.sample_format, file.byte_order, options.format, file.byte_order, options.rules};
  LengthCheck lengths{reader, false};
  ShapeWords shape_words{before.samples, before.interval_us, after};
  StatedIntervals intervals{before};
  bool reads_headers_alone = options.output.empty() && !pass.needs_samples;
  /// Bytes per trace that are read, and that are written.
  std::int64_t in_bytes = reads_headers_alone ? before.header_bytes : reader.trace_bytes();
  std::int64_t out_bytes = after.header_bytes + after.samples * segy::bytes_of(options.format);
  TraceOrder order = {};
  Failures failures{flow.operations.size() + 1};
  std::size_t check_end = 0;  ///< for a check: operations before it are applied, and nothing is written
};

/// The memory of a thread, and its counts.
struct BlockWorker {
  TraceBlock block;
  Workspace workspace;
  std::vector<std::int64_t> kept;
  std::vector<std::int64_t> set_aside;
  std::vector<std::byte> before;  ///< a header before an operation
  PassTally tally;
};

/// Local. Processes the consecutive traces `read` of this rank, or a gather: `in` contains `read`, `out` receives the
/// results of `wanted`, and is empty if nothing is written. Adds errors to `shared.failures`. Several threads may
/// call it, each with its own worker.
void process_block(PassShared& shared, ItemRange wanted, ItemRange read, std::span<const std::byte> in,
                   std::span<std::byte> out, BlockWorker& worker);

}  // namespace sill::flow
