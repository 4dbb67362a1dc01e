#include "sill/flow/run/sample_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/same_text.hpp"
#include "sill/flow/operation/operation.hpp"
#include "sill/flow/run/bound_flow.hpp"
#include "sill/flow/run/flow_output.hpp"
#include "sill/flow/run/pass_tally.hpp"
#include "sill/flow/run/shape_words.hpp"
#include "sill/io/survey/same_file.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/convert/trace_conversion.hpp"
#include "sill/survey/output/length_check.hpp"
#include "sill/survey/output/trace_stream.hpp"

namespace sill::flow {
namespace {

SurveyState state_after(const SurveyReader& reader, const SampleStreamOptions& options) {
  SurveyState state = state_of(reader);
  if (options.samples > 0) state.samples = options.samples;
  if (options.interval_us > 0.0) state.interval_us = options.interval_us;
  const bool keeps_order = !options.traces || std::ranges::is_sorted(*options.traces);
  if (!keeps_order) state.sorting_code = -1;
  return state;
}

// The data of one thread.
struct StreamWorker {
  std::vector<std::int64_t> traces;
  std::vector<std::byte> headers;
  std::vector<float> in;
  std::vector<float> out;
  segy::ConversionAccount decoded;
  segy::ConversionAccount encoded;
};

class SampleStream {
 public:
  SampleStream(const Resources& resources, const SurveyReader& reader, const SampleStreamOptions& options,
               const SampleWork& work)
      : resources_(resources),
        comm_(resources.comm),
        reader_(reader),
        file_(reader.files().front()),
        options_(options),
        work_(work),
        after_(state_after(reader, options)),
        shape_words_(file_.samples, file_.interval_us, after_),
        lengths_(reader, false),
        format_(options.format.value_or(file_.sample_format)),
        decode_(file_.sample_format, file_.byte_order, segy::SampleFormat::ieee_float, native_order, {}),
        workers_(static_cast<std::size_t>(std::max(resources.threads(), stream_threads(resources)))) {}

  SampleStreamResult run() {
    require_possible();
    if (!options_.headers_only) reader_.require_sample_format();
    TraceSource source{
        .traces = traces(),
        .longest_trace_bytes = reader_.trace_bytes(),
        .bytes_of = [this](ItemRange chunk) { return chunk.count * reader_.trace_bytes(); },
        .read = [this](ItemRange chunk, std::span<std::byte> into) { read(chunk, into); },
    };
    result_.traces = traces();
    const auto pass = [&](SurveyWriter* writer) {
      resources_.begin_stage("passing traces",
                             block_of(traces(), comm_.size(), comm_.rank()).count * source.bytes_of({0, 1}));
      stream_traces(resources_, source, writer,
                    [&](ItemRange chunk, std::span<const std::byte> in, std::span<std::byte> out, int thread) {
                      transform(chunk, in, out, thread);
                    });
      segy::ConversionAccount decoded;
      for (const StreamWorker& worker : workers_) decoded.add(worker.decoded);
      decoded = of_all_ranks(comm_, decoded);
      if (decoded.lost > 0) result_.notes.push_back(note_of_lost(decoded.lost));
    };
    if (options_.output.empty()) {
      pass(nullptr);
      return std::move(result_);
    }
    encode_.emplace(segy::SampleFormat::ieee_float, native_order, format_, file_.byte_order, options_.rules);
    FlowOutput output(resources_, reader_, after_, options_.output, format_, traces(),
                      {History::text, options_.history});
    pass(&output.writer());
    for (const StreamWorker& worker : workers_) result_.samples.add(worker.encoded);
    result_.samples = of_all_ranks(comm_, result_.samples);
    run_and_agree(comm_, [&] {
      require_signal(result_.samples, options_.rules, format_, options_.output, "pass larger samples");
    });
    output.finish(result_.notes);
    result_.bytes_out = output.writer().file_bytes();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::int64_t traces() const {
    return options_.traces ? std::ssize(*options_.traces) : reader_.traces();
  }
  [[nodiscard]] bool keeps_samples() const { return after_.samples == file_.samples; }

  void require_possible() {
    run_and_agree(comm_, [&] {
      if (!reader_.is_uniform())
        throw Error({.code = ErrorCode::input,
                     .problem = "the traces of the survey differ in length, but a stream needs traces of one length",
                     .where = {.file = reader_.paths().front()},
                     .action = "'sill cut --where \"ns == N\"' writes the traces of length N"});
      if (options_.samples < 0 || options_.interval_us < 0.0)
        throw Error({.code = ErrorCode::usage,
                     .problem = "the number of samples or the interval of the output is negative",
                     .action = "give a value above 0, or 0 for the value of the input"});
      if (options_.headers_only && (!keeps_samples() || format_ != file_.sample_format))
        throw Error({.code = ErrorCode::usage,
                     .problem = "only headers are passed, but other samples are requested",
                     .action = "set samples and sample_format to 0, or also pass samples"});
      if (options_.traces)
        for (const std::int64_t trace : *options_.traces) reader_.require_traces({trace, 1});
    });
    require_same_on_all(
        comm_,
        [&] {
          std::string text =
              fmt::format("{} {} {} {} {} {} {}", options_.output, segy::code_of(format_), after_.samples,
                          after_.interval_us, options_.headers_only, options_.rules.clip, options_.rules.accept_loss);
          if (options_.traces)
            text.append(reinterpret_cast<const char*>(options_.traces->data()), options_.traces->size() * 8);
          return text;
        },
        "ranks were given different streams");
    if (!options_.output.empty()) require_other_file(resources_, options_.output, with_kept_beside(reader_.paths()));
  }

  void read(ItemRange chunk, std::span<std::byte> into) const {
    if (!options_.traces) return reader_.read_own(chunk, into);
    reader_.read_own(std::span(*options_.traces)
                         .subspan(static_cast<std::size_t>(chunk.first), static_cast<std::size_t>(chunk.count)),
                     into);
  }

  void transform(ItemRange chunk, std::span<const std::byte> in, std::span<std::byte> out, int thread) {
    StreamWorker& worker = workers_[static_cast<std::size_t>(thread)];
    const auto count = static_cast<std::size_t>(chunk.count);
    const auto of_header = static_cast<std::size_t>(after_.header_bytes);
    const auto in_bytes = static_cast<std::size_t>(reader_.trace_bytes());
    const auto samples = options_.headers_only ? std::size_t{0} : static_cast<std::size_t>(file_.samples);
    worker.traces.resize(count);
    if (options_.traces)
      std::copy_n(options_.traces->begin() + chunk.first, count, worker.traces.begin());
    else
      std::iota(worker.traces.begin(), worker.traces.end(), chunk.first);
    worker.headers.resize(count * of_header);
    worker.in.resize(count * samples);
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<const std::byte> trace = in.subspan(i * in_bytes, in_bytes);
      lengths_.see(worker.traces[i], trace.data());
      std::memcpy(worker.headers.data() + i * of_header, trace.data(), of_header);
      if (samples == 0) continue;
      at_trace(worker, i, [&] {
        decode_samples(decode_, trace.subspan(of_header), std::span(worker.in).subspan(i * samples, samples),
                       worker.decoded);
      });
    }
    SampleBlock block{.first = chunk.first,
                      .traces = worker.traces,
                      .headers = worker.headers,
                      .samples = static_cast<std::int64_t>(samples),
                      .in = worker.in,
                      .out = worker.in,
                      .thread = thread};
    if (!keeps_samples()) {
      worker.out.assign(count * static_cast<std::size_t>(after_.samples), 0.0F);
      block.out = worker.out;
    }
    work_(block);
    if (!encode_) return;
    const auto out_bytes = out.size() / count;
    const std::span<const float> written = block.out;
    const auto out_samples = static_cast<std::size_t>(after_.samples);
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<std::byte> trace = out.subspan(i * out_bytes, out_bytes);
      std::memcpy(trace.data(), worker.headers.data() + i * of_header, of_header);
      shape_words_.set(trace.data());
      if (options_.headers_only) {
        std::memcpy(trace.data() + of_header, in.data() + i * in_bytes + of_header, in_bytes - of_header);
        continue;
      }
      at_trace(worker, i, [&] {
        encode_->convert(std::as_bytes(written.subspan(i * out_samples, out_samples)), trace.subspan(of_header),
                         worker.encoded);
      });
    }
  }

  // Adds the trace to an error of a sample.
  template <class Work>
  void at_trace(const StreamWorker& worker, std::size_t i, Work&& work) const {
    try {
      work();
    } catch (const Error& error) {
      throw_at(error, reader_.where(worker.traces[i]));
    }
  }

  const Resources& resources_;
  Communicator& comm_;
  const SurveyReader& reader_;
  const segy::FileDescription& file_;
  const SampleStreamOptions& options_;
  const SampleWork& work_;
  SurveyState after_;
  ShapeWords shape_words_;
  LengthCheck lengths_;
  segy::SampleFormat format_;
  segy::SampleConversion decode_;
  std::optional<segy::SampleConversion> encode_;  // for a stream with an output
  std::vector<StreamWorker> workers_;
  SampleStreamResult result_;
};

}  // namespace

SampleStreamResult stream_samples(const Resources& resources, const SurveyReader& reader,
                                  const SampleStreamOptions& options, const SampleWork& work) {
  return SampleStream(resources, reader, options, work).run();
}

}  // namespace sill::flow
