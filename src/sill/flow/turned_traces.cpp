#include "sill/flow/turned_traces.hpp"

#include <utility>

#include "sill/comm/exchange.hpp"
#include "sill/flow/key_table.hpp"
#include "sill/flow/trace_stream.hpp"
#include "sill/flow/turned_words.hpp"

namespace sill {

TurnedTraces::TurnedTraces(const Resources& resources, const Reader& reader, const segy::FileForm& to,
                           const segy::ConversionRules& samples, bool keep_181, std::vector<std::string>& notes,
                           HeaderChange change)
    : resources_(resources),
      reader_(reader),
      from_(reader.files().front()),
      sample_bytes_(segy::bytes_of(to.sample_format)),
      samples_(from_.sample_format, from_.byte_order, to.sample_format, to.byte_order, samples),
      headers_(from_, to, turned_words(reader.words(), from_, keep_181 ? segy::FileKind::segy : from_.kind, notes),
               keep_181),
      lengths_(reader),
      change_(std::move(change)),
      of_threads_(static_cast<std::size_t>(stream_threads(resources))) {}

void TurnedTraces::turn(ItemRange traces, std::span<const std::byte> in, std::span<std::byte> out, int thread) {
  for_each_trace(reader_, traces.first, traces.count, [&](std::int64_t i) {
    const std::int64_t trace = traces.first + i;
    const std::byte* const header = in.data();
    lengths_.see({&trace, 1}, {&header, 1});
    const segy::TraceShape shape = reader_.shape_of(trace);
    turn_one(shape, in, out, thread);
    const std::int64_t header_bytes = std::int64_t{segy::trace_header_bytes} * shape.headers;
    in = in.subspan(static_cast<std::size_t>(header_bytes + shape.samples * segy::bytes_of(from_.sample_format)));
    out = out.subspan(static_cast<std::size_t>(header_bytes + shape.samples * sample_bytes_));
  });
}

void TurnedTraces::turn_one(segy::TraceShape shape, std::span<const std::byte> in, std::span<std::byte> out,
                            int thread) {
  Noticed& noticed = of_threads_[static_cast<std::size_t>(thread)];
  const auto header_bytes = static_cast<std::size_t>(segy::trace_header_bytes * shape.headers);
  const auto in_bytes = static_cast<std::size_t>(shape.samples * segy::bytes_of(from_.sample_format));
  const auto out_bytes = static_cast<std::size_t>(shape.samples * sample_bytes_);
  headers_.convert(in.data(), out.data(), shape.headers, noticed.headers);
  samples_.convert(in.subspan(header_bytes, in_bytes), out.subspan(header_bytes, out_bytes), noticed.samples);
  if (change_) change_(out.data(), shape);
}

TurnedAccount TurnedTraces::conclude() {
  Communicator& comm = resources_.comm;
  Noticed all;
  for (const Noticed& of_thread : of_threads_) {
    all.samples.add(of_thread.samples);
    all.headers.add(of_thread.headers);
  }
  TurnedAccount account;
  for (const segy::ConversionAccount& of_rank : all_gather(comm, all.samples)) account.samples.add(of_rank);
  // Bits and counts as bytes of one length on all ranks.
  all.headers.unnamed.resize(static_cast<std::size_t>(from_.header_bytes()));
  std::vector<std::byte> flat(all.headers.upper.begin(), all.headers.upper.end());
  flat.insert(flat.end(), all.headers.unnamed.begin(), all.headers.unnamed.end());
  const std::vector<std::byte> of_all = all_gather_all(comm, std::span<const std::byte>(flat));
  segy::TraceHeaderAccount joined;
  joined.unnamed.resize(all.headers.unnamed.size());
  for (std::size_t at = 0; at < of_all.size(); ++at) {
    const std::size_t i = at % flat.size();
    (i < joined.upper.size() ? joined.upper[i] : joined.unnamed[i - joined.upper.size()]) |= of_all[at];
  }
  joined.samples_set = all_reduce(comm, all.headers.samples_set, Reduction::sum);
  account.deviating_traces = all_reduce(comm, lengths_.deviating(), Reduction::sum);
  joined.interval_set = all_reduce(comm, all.headers.interval_set, Reduction::sum);
  account.notes = headers_.notes(joined);
  return account;
}

}  // namespace sill
