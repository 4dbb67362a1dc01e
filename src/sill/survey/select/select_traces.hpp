// Choosing traces of a survey, whole or a window of their samples, by a condition.
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

/// The share of a rank, and how it was found.
struct TraceChoice {
  TraceList traces;
  TraceSearch search;
};

/// Collective. The traces for which `where` holds (all, if there is no condition), with all their samples or those in
/// `window`; this rank's share, in the order of the survey: equal shares for the ranks that write by the policy. Reads
/// the header bytes that are needed of all traces, once; if `headers` ask for it, first those of few (SeekTraces);
/// holds them as TraceList does, where headers are all read. Errors: usage, as
/// `require_room_for_list`; io; input at the trace for which the condition has no value, or which has
/// no sample in the window, or states another interval than its file (bytes 117-118, if not 0 and the user gave none),
/// or, where all traces have one length, another number of them than the trace before.
[[nodiscard]] TraceChoice select_traces(const Resources& resources, const SurveyReader& reader,
                                        const segy::Expression* where, const segy::TimeWindow* window,
                                        const HeadersRead& headers);

/// Local. Calls `visit(trace, header, thread)`, on `threads` threads, for those of `traces` for which `where` holds
/// (all, if it is nullptr). Reads the header bytes that it needs and `also`, once. Errors: io; those of `where` and
/// `visit`, with the place of their trace.
void visit_where(const SurveyReader& reader, ItemRange traces, const segy::Expression* where, ByteRange also,
                 int threads,
                 const std::function<void(std::int64_t trace, const segy::HeaderView& header, int thread)>& visit);

/// Local. Calls `visit` as `visit_where` does, and `after` when a part of the traces, the ones after the other, was
/// visited: so that what `visit` brings can be put into order in parts.
void visit_where_in_parts(
    const SurveyReader& reader, ItemRange traces, const segy::Expression* where, ByteRange also, int threads,
    const std::function<void(std::int64_t trace, const segy::HeaderView& header, int thread)>& visit,
    const std::function<void()>& after);

/// Local. Errors: usage, if a list of traces of `bytes` bytes is more than the rank may hold beside its buffers, and
/// more than 4 MiB.
void require_room_for_list(const Resources& resources, const SurveyReader& reader, std::int64_t bytes);

/// Collective. The traces of all ranks, in their order, in equal parts for all ranks.
[[nodiscard]] TraceList distributed(Communicator& comm, TraceList traces);

}  // namespace sill
