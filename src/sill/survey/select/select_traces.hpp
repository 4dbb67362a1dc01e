// Selects traces of a survey, complete or a window of their samples, by a condition.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sill/formats/segy/expression/expression.hpp"
#include "sill/formats/segy/samples/time_window.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/select/seek_traces.hpp"
#include "sill/survey/select/trace_list.hpp"

namespace sill {

/// The traces of a rank, and how they were found.
struct TraceChoice {
  TraceList traces;
  TraceSearch search;
};

/// Collective. Returns the traces for which `where` holds (all traces without a condition), with all their samples or,
/// if `window` is given, the samples in `window`. Each rank receives its share, in the order of the survey, with equal
/// shares for the ranks that write according to the policy. Reads the required header bytes of all traces, once; if
/// `headers` requests it, first the headers of a few traces (SeekTraces). Stores the traces as a TraceList, if all
/// headers are read. Errors: usage, as `require_room_for_list`; io; input at a trace for which the condition has no
/// value, which has no sample in the window, which states a different interval than its file (bytes 117-118, if not 0
/// and the user gave none), or, if all traces have one length, which has a different number of samples in the window
/// than the trace before.
[[nodiscard]] TraceChoice select_traces(const Resources& resources, const SurveyReader& reader,
                                        const segy::Expression* where, const segy::TimeWindow* window,
                                        const HeadersRead& headers);

/// Local. Calls `visit(trace, header, thread)`, on `threads` threads, for each of `traces` for which `where` holds (for
/// all traces if `where` is nullptr). Reads the header bytes that `where` needs and `also`, once. Errors: io; errors of
/// `where` and `visit`, with the position of the trace.
void visit_where(const SurveyReader& reader, ItemRange traces, const segy::Expression* where, ByteRange also,
                 int threads,
                 const std::function<void(std::int64_t trace, const segy::HeaderView& header, int thread)>& visit);

/// Local. Visits the traces batch by batch, in order. Calls `visit` as `visit_where` does, and `after` after each
/// batch, so that results of `visit` can be sorted per batch.
void visit_where_in_parts(
    const SurveyReader& reader, ItemRange traces, const segy::Expression* where, ByteRange also, int threads,
    const std::function<void(std::int64_t trace, const segy::HeaderView& header, int thread)>& visit,
    const std::function<void()>& after);

/// Local. Checks the memory for a list of traces. Errors: usage, if `bytes` exceeds both the memory that the rank has
/// in addition to its buffers, and 4 MiB.
void require_room_for_list(const Resources& resources, const SurveyReader& reader, std::int64_t bytes);

/// Collective. Distributes the traces of all ranks, in their order, in equal shares over all ranks.
[[nodiscard]] TraceList distributed(Communicator& comm, TraceList traces);

}  // namespace sill
