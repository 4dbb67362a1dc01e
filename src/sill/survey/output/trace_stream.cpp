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

// Maximum size of a chunk if traces differ in length: then traces are distributed by their mean length.
constexpr std::int64_t max_chunk_bytes = 8 << 20;
// Size of a rank's output (or input, if that is more) between two collective writes.
constexpr std::int64_t round_bytes = 16 << 20;

class Stream {
 public:
  Stream(const Resources& resources, const TraceSource& source, SurveyWriter* writer, const TraceTransform& transform)
      : resources_(resources),
        source_(source),
        writer_(writer),
        transform_(transform),
        sink_(writer != nullptr ? sink_of(writer->mover()) : OrderedSink{.take = [](auto, auto) {}}),
        longest_bytes_(std::max(
            {std::int64_t{1}, source.longest_trace_bytes, writer != nullptr ? writer->longest_trace_bytes() : 0})) {}

  void pass() { sink_.take ? each_its_own() : together_in_rounds(); }

 private:
  [[nodiscard]] ItemRange own_traces() const {
    return source_.own.value_or(block_of(source_.traces, resources_.comm.size(), resources_.comm.rank()));
  }

  [[nodiscard]] ByteRange place_of(ItemRange traces) const {
    if (source_.place_of) return source_.place_of(traces);
    return writer_ != nullptr ? writer_->bytes_of(traces) : ByteRange{};
  }

  void each_its_own() {
    const ItemRange own = own_traces();
    run_and_agree(resources_.comm, [&] {
      for_chunks(own, [&](ItemRange chunk, int thread) {
        std::vector<std::byte>& out = out_[static_cast<std::size_t>(thread)];
        const ByteRange place = place_of(chunk);
        out.resize(static_cast<std::size_t>(place.length));
        transform_chunk(chunk, out, thread);
        sink_.take(place.offset, out);
      });
    });
  }

  // Writes rounds of adjacent blocks of ranks, or, if ranks have their own traces, of the next traces of each rank.
  void together_in_rounds() {
    Communicator& comm = resources_.comm;
    const std::int64_t memory = std::min(round_bytes, all_reduce(comm, resources_.memory() / 2, Reduction::min));
    const ItemRange whole = source_.own ? *source_.own : ItemRange{0, source_.traces};
    const std::int64_t mean_bytes =
        1 + all_reduce(comm, larger_bytes_of(whole) / std::max<std::int64_t>(1, whole.count), Reduction::max);
    const std::int64_t traces_per_rank =
        std::max<std::int64_t>(1, std::min(memory / mean_bytes, 4 * memory / longest_bytes_));
    const std::int64_t traces_per_round = source_.own ? traces_per_rank : traces_per_rank * comm.size();
    const std::int64_t max = source_.own ? all_reduce(comm, whole.count, Reduction::max) : source_.traces;
    std::vector<std::byte> out;
    for (std::int64_t first = 0; first < max; first += traces_per_round) {
      const std::int64_t count = std::clamp<std::int64_t>(whole.count - first, 0, traces_per_round);
      const ItemRange round{whole.first + std::min(first, whole.count), count};
      const ItemRange own = source_.own ? round : block_of(round, comm.size(), comm.rank());
      const ByteRange place = run_and_agree(comm, [&] {
        const ByteRange of_round = place_of(own);
        out.resize(static_cast<std::size_t>(of_round.length));
        for_chunks(own, [&](ItemRange chunk, int thread) {
          const ByteRange part = place_of(chunk);
          transform_chunk(chunk,
                          std::span(out).subspan(static_cast<std::size_t>(part.offset - of_round.offset),
                                                 static_cast<std::size_t>(part.length)),
                          thread);
        });
        return of_round;
      });
      writer_->write_bytes(place, out);
    }
  }

  template <class Work>
  void for_chunks(ItemRange own, Work&& work) {
    if (own.empty()) return;
    const int threads = stream_threads(resources_);
    in_.resize(static_cast<std::size_t>(threads));
    out_.resize(static_cast<std::size_t>(threads));
    const std::int64_t bytes_per_trace = 1 + larger_bytes_of(own) / own.count;
    const std::int64_t traces_per_chunk = std::max<std::int64_t>(
        1, std::min({source_.chunk_bytes / bytes_per_trace, max_chunk_bytes / longest_bytes_, own.count / threads}));
    parallel_for(threads, (own.count + traces_per_chunk - 1) / traces_per_chunk, [&](std::int64_t task, int thread) {
      const std::int64_t first = own.first + task * traces_per_chunk;
      work(ItemRange{first, std::min(traces_per_chunk, own.end() - first)}, thread);
    });
  }

  // Returns the larger of the input size and the output size.
  [[nodiscard]] std::int64_t larger_bytes_of(ItemRange traces) const {
    return std::max(source_.bytes_of(traces), place_of(traces).length);
  }

  void transform_chunk(ItemRange chunk, std::span<std::byte> out, int thread) {
    std::vector<std::byte>& in = in_[static_cast<std::size_t>(thread)];
    in.resize(static_cast<std::size_t>(source_.bytes_of(chunk)));
    source_.read(chunk, in);
    transform_(chunk, in, out, thread);
    count_done(resources_.progress, std::ssize(in));
  }

  const Resources& resources_;
  const TraceSource& source_;
  SurveyWriter* writer_;
  const TraceTransform& transform_;
  const OrderedSink sink_;
  std::int64_t longest_bytes_;               // of a trace read or written, at least 1
  std::vector<std::vector<std::byte>> in_;   // of each thread
  std::vector<std::vector<std::byte>> out_;  // of each thread
};

}  // namespace

int stream_threads(const Resources& resources) { return resources.threads(); }

void stream_traces(const Resources& resources, const TraceSource& source, SurveyWriter* writer,
                   const TraceTransform& transform) {
  Stream(resources, source, writer, transform).pass();
}

namespace {

TraceSource source_of(const SurveyReader& reader) {
  return {reader.traces(), reader.longest_trace_bytes(),
          [&reader](ItemRange traces) { return reader.bytes_of(traces); },
          [&reader](ItemRange traces, std::span<std::byte> into) { reader.read_own(traces, into); }};
}

}  // namespace

void stream_traces(const Resources& resources, const SurveyReader& reader, SurveyWriter& writer,
                   const TraceTransform& transform) {
  stream_traces(resources, source_of(reader), &writer, transform);
}

void visit_traces(const Resources& resources, const SurveyReader& reader,
                  const std::function<void(ItemRange traces, std::span<const std::byte> in, int thread)>& visit) {
  stream_traces(resources, source_of(reader), nullptr,
                [&](ItemRange traces, std::span<const std::byte> in, std::span<std::byte>, int thread) {
                  visit(traces, in, thread);
                });
}

}  // namespace sill
