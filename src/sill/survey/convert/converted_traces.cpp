#include "sill/survey/convert/converted_traces.hpp"

#include <utility>

#include "sill/comm/exchange.hpp"
#include "sill/survey/output/trace_stream.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill {

ConvertedTraces::ConvertedTraces(const Resources& resources, const SurveyReader& reader, const segy::FileForm& to,
                                 const segy::ConversionRules& samples, const segy::TraceHeaderRules& headers,
                                 std::vector<std::string>& notes, HeaderChange change)
    : resources_(resources),
      reader_(reader),
      conversion_(reader.files().front(), to, reader.words(), samples, headers, notes),
      lengths_(reader),
      change_(std::move(change)),
      of_threads_(static_cast<std::size_t>(stream_threads(resources))) {}

void ConvertedTraces::transform(ItemRange traces, std::span<const std::byte> in, std::span<std::byte> out, int thread) {
  for_each_trace(reader_, traces.first, traces.count, [&](std::int64_t i) {
    const std::int64_t trace = traces.first + i;
    const std::byte* const header = in.data();
    lengths_.see(trace, header);
    const segy::TraceShape shape = reader_.shape_of(trace);
    transform_one(shape, in.data(), out.data(), thread);
    in = in.subspan(conversion_.bytes_before(shape));
    out = out.subspan(conversion_.bytes_after(shape));
  });
}

void ConvertedTraces::transform_one(segy::TraceShape shape, const std::byte* in, std::byte* out, int thread) {
  conversion_.transform(shape, in, out, of_threads_[static_cast<std::size_t>(thread)]);
  if (change_) change_(out, shape);
}

TurnedAccount ConvertedTraces::conclude() {
  const TraceAccount all = joined(resources_.comm, of_threads_, reader_.files().front().header_bytes());
  return {.samples = all.samples,
          .deviating_traces = all_reduce(resources_.comm, lengths_.deviating(), Reduction::sum),
          .notes = conversion_.notes(all)};
}

}  // namespace sill
