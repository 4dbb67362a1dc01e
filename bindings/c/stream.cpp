// Passing of surveys through a function of the program, for C.
#include "block_work.hpp"
#include "file_form.hpp"
#include "reader.hpp"
#include "sill/flow/run/sample_stream.hpp"
#include "true_values.hpp"

using namespace sill;
using namespace sill::bindings;

namespace {

flow::SampleStreamOptions stream_options(const sill_stream_options& given) {
  flow::SampleStreamOptions options{.output = text_of(given.target),
                                    .format = sample_format(given.sample_format),
                                    .rules = {.clip = given.clip != 0, .accept_loss = given.accept_loss != 0},
                                    .samples = given.samples,
                                    .interval_us = given.interval_us,
                                    .headers_only = given.headers_only != 0};
  if (given.trace_count < 0) refuse("a list of fewer than 0 traces was passed", "pass how many traces it has");
  if (given.traces != nullptr) {
    const auto traces = elements(given.traces, given.trace_count);
    options.traces.emplace(traces.begin(), traces.end());
  } else if (given.trace_count > 0) {
    (void)at(given.traces, "the list of traces");
  }
  if (given.history != nullptr) options.history.emplace_back(given.history);
  return options;
}

// Returns the words of the survey to which a block belongs.
const segy::HeaderMap& words_of_block(const sill_block* block) {
  return at(static_cast<const segy::HeaderMap*>(at(block, "the block").words), "the words of the block");
}

Headers headers_of(const sill_block& block) {
  return {.count = block.count, .header_bytes = block.header_bytes, .order = byte_order(block.byte_order)};
}

}  // namespace

extern "C" {

int sill_block_true_values(const sill_block* block, const char* word, double* values) {
  return status_of([&] {
    const segy::HeaderMap& words = words_of_block(block);
    read_true_values(words, word, headers_of(*block), block->headers, values);
  });
}

int sill_block_set_true_values(sill_block* block, const char* word, const double* values) {
  return status_of([&] {
    const segy::HeaderMap& words = words_of_block(block);
    write_true_values(words, word, headers_of(*block), block->headers, values);
  });
}

int sill_stream_run(const sill_reader* reader, const sill_stream_options* options, sill_block_work work, void* context,
                    sill_stream_result* result) {
  return status_of([&] {
    const sill_reader& of = object_of(reader, "the reader");
    Communicator& comm = *of.held->comm;
    const flow::SampleStreamOptions how = run_and_agree(comm, [&] {
      if (work == nullptr) refuse("the function for blocks is NULL", "pass a function that is called with blocks");
      return options == nullptr ? flow::SampleStreamOptions{} : stream_options(*options);
    });
    const BlockWork call(work, context, options == nullptr || options->not_thread_safe == 0);
    const segy::FileDescription& file = of.reader.files().front();
    const sill_file_form form = file_form(file, of.reader.traces());
    const flow::SampleStreamResult done =
        flow::stream_samples(of.held->io->resources("segy"), of.reader, how, [&](flow::SampleBlock& block) {
          const std::int64_t count = std::ssize(block.traces);
          sill_block passed{.count = count,
                            .first = block.first,
                            .traces = block.traces.data(),
                            .headers = block.headers.data(),
                            .header_bytes = file.header_bytes(),
                            .byte_order = form.byte_order,
                            .samples = block.samples,
                            .values = block.samples > 0 ? block.in.data() : nullptr,
                            .stride = block.samples,
                            .out_samples = count > 0 ? std::ssize(block.out) / count : 0,
                            .out = block.out.data() == block.in.data() ? nullptr : block.out.data(),
                            .interval_us = file.interval_us,
                            .thread = block.thread,
                            .words = &of.reader.words()};
          call.call(passed);
        });
    if (result != nullptr) *result = {done.traces, done.bytes_out, done.samples.rounded, done.samples.clipped};
  });
}

}  // extern "C"
