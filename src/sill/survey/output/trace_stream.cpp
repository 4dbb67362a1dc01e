#include "sill/survey/output/trace_stream.hpp"

#include <algorithm>
#include <vector>

#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/permute/ordered_sink.hpp"

namespace sill {
namespace {

// Of a thread's input, at once. Input and output then stay in the cache of a core.
constexpr std::int64_t chunk_bytes = 512 << 10;
// The most of it where traces differ in length: then traces are distributed by their mean length.
constexpr std::int64_t max_chunk_bytes = 8 << 20;
// Of a rank's output, or input if that is more, between two collective writes.
constexpr std::int64_t round_bytes = 16 << 20;

class Stream {
 public:
  Stream(const Resources& resources, const TraceSource& source, SurveyWriter& writer, const TraceTransform& transform)
      : resources_(resources),
        source_(source),
        writer_(writer),
        transform_(transform),
        sink_(sink_of(writer.mover())),
        longest_bytes_(std::max({std::int64_t{1}, source.longest_trace_bytes, writer.longest_trace_bytes()})) {}

  void pass() { sink_.take ? each_its_own() : together_in_rounds(); }

 private:
  void each_its_own() {
    const ItemRange own = block_of(source_.traces, resources_.comm.size(), resources_.comm.rank());
    run_and_agree(resources_.comm, [&] {
      for_chunks(own, [&](ItemRange chunk, int thread) {
        std::vector<std::byte>& out = out_[static_cast<std::size_t>(thread)];
        const ByteRange place = writer_.bytes_of(chunk);
        out.resize(static_cast<std::size_t>(place.length));
        transform_chunk(chunk, out, thread);
        sink_.take(place.offset, out);
      });
    });
  }

  void together_in_rounds() {
    Communicator& comm = resources_.comm;
    const std::int64_t all = std::max<std::int64_t>(1, source_.traces);
    const std::int64_t memory = std::min(round_bytes, all_reduce(comm, resources_.memory() / 2, Reduction::min));
    const ItemRange survey{0, source_.traces};
    const std::int64_t mean_bytes = 1 + larger_bytes_of(survey) / all;
    const std::int64_t traces_per_rank =
        std::max<std::int64_t>(1, std::min(memory / mean_bytes, 4 * memory / longest_bytes_));
    const std::int64_t traces_per_round = traces_per_rank * comm.size();
    std::vector<std::byte> out;
    for (std::int64_t first = 0; first < source_.traces; first += traces_per_round) {
      const ItemRange round{first, std::min(traces_per_round, source_.traces - first)};
      const ItemRange own = block_of(round, comm.size(), comm.rank());
      run_and_agree(comm, [&] {
        const ByteRange place = writer_.bytes_of(own);
        out.resize(static_cast<std::size_t>(place.length));
        for_chunks(own, [&](ItemRange chunk, int thread) {
          const ByteRange part = writer_.bytes_of(chunk);
          transform_chunk(chunk,
                          std::span(out).subspan(static_cast<std::size_t>(part.offset - place.offset),
                                                 static_cast<std::size_t>(part.length)),
                          thread);
        });
      });
      writer_.write(own, out);
    }
  }

  template <class Work>
  void for_chunks(ItemRange own, Work&& work) {
    if (own.empty()) return;
    const int threads = stream_threads(resources_);
    in_.resize(static_cast<std::size_t>(threads));
    out_.resize(static_cast<std::size_t>(threads));
    const std::int64_t bytes_per_trace = 1 + larger_bytes_of(own) / own.count;
    const std::int64_t traces_per_chunk =
        std::max<std::int64_t>(1, std::min(chunk_bytes / bytes_per_trace, max_chunk_bytes / longest_bytes_));
    parallel_for(threads, (own.count + traces_per_chunk - 1) / traces_per_chunk, [&](std::int64_t task, int thread) {
      const std::int64_t first = own.first + task * traces_per_chunk;
      work(ItemRange{first, std::min(traces_per_chunk, own.end() - first)}, thread);
    });
  }

  // As they are read or as they are written.
  [[nodiscard]] std::int64_t larger_bytes_of(ItemRange traces) const {
    return std::max(source_.bytes_of(traces), writer_.bytes_of(traces).length);
  }

  void transform_chunk(ItemRange chunk, std::span<std::byte> out, int thread) {
    std::vector<std::byte>& in = in_[static_cast<std::size_t>(thread)];
    in.resize(static_cast<std::size_t>(source_.bytes_of(chunk)));
    source_.read(chunk, in);
    transform_(chunk, in, out, thread);
    if (resources_.progress != nullptr) resources_.progress->done_bytes += std::ssize(in);
  }

  const Resources& resources_;
  const TraceSource& source_;
  SurveyWriter& writer_;
  const TraceTransform& transform_;
  const OrderedSink sink_;
  std::int64_t longest_bytes_;               // of a trace read or written, 1 at least
  std::vector<std::vector<std::byte>> in_;   // of each thread
  std::vector<std::vector<std::byte>> out_;  // of each thread
};

}  // namespace

int stream_threads(const Resources& resources) { return resources.threads(); }

void stream_traces(const Resources& resources, const TraceSource& source, SurveyWriter& writer,
                   const TraceTransform& transform) {
  Stream(resources, source, writer, transform).pass();
}

void stream_traces(const Resources& resources, const SurveyReader& reader, SurveyWriter& writer,
                   const TraceTransform& transform) {
  const TraceSource source{reader.traces(), reader.longest_trace_bytes(),
                           [&reader](ItemRange traces) { return reader.bytes_of(traces); },
                           [&reader](ItemRange traces, std::span<std::byte> into) { reader.read_own(traces, into); }};
  stream_traces(resources, source, writer, transform);
}

}  // namespace sill
