// Passes traces through a function of a program: headers and floats in, headers and floats out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/samples/conversion.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill::flow {

/// Consecutive traces of a stream, in the memory of one thread.
struct SampleBlock {
  std::int64_t first = 0;                ///< index of the first trace in the stream
  std::span<const std::int64_t> traces;  ///< number of each trace in the survey
  std::span<std::byte> headers;          ///< all headers of each trace, in the byte order of the survey; may be changed
  std::int64_t samples = 0;              ///< per trace; 0 if only headers are passed
  std::span<float> in;                   ///< `samples` per trace; may be changed
  std::span<float> out;                  ///< output samples of each trace: the same memory as `in`, or other memory
                                         ///< with zeros if the number of samples changes
  int thread = 0;
};

/// The traces that a stream passes, and its output.
struct SampleStreamOptions {
  std::string output;  ///< empty: nothing is written
  /// Numbers of the traces to pass, in this order, the same on all ranks; a trace may occur several times. nullopt: all
  /// traces.
  std::optional<std::vector<std::int64_t>> traces = {};
  std::optional<segy::SampleFormat> format = {};  ///< default: input format
  segy::ConversionRules rules = {};
  std::int64_t samples = 0;               ///< samples per trace of the output; 0: as in the input
  double interval_us = 0.0;               ///< sample interval of the output; 0: as in the input
  bool headers_only = false;              ///< samples are not decoded, and are copied unchanged
  std::vector<std::string> history = {};  ///< lines for the text header, as many as fit
};

/// The results of a stream.
struct SampleStreamResult {
  std::int64_t traces = 0;
  std::int64_t bytes_out = 0;
  segy::ConversionAccount samples;  ///< conversion of the output's samples
  std::vector<std::string> notes;
};

/// Called by several threads concurrently, exactly once for each trace of the stream. May throw.
using SampleWork = std::function<void(SampleBlock& block)>;

/// Collective. Passes traces through `work`, and writes the resulting headers and samples to `options.output`: a file
/// of the input's kind, byte order and revision with the file headers of the first input, which gets its name when it
/// is complete. If `options` changes the number of samples or the interval, the words of traces that state them are
/// set. Blocks have about 512 KB. The bytes of the output do not depend on ranks, threads or policy if the results of
/// `work` do not depend on them. Errors: usage, for lists that differ between ranks, traces that do not exist,
/// `headers_only` with a changed form of samples, an output that is an input; input, for traces that differ in length,
/// samples beyond the range of float, values that the format cannot store; io; any error that `work` throws.
[[nodiscard]] SampleStreamResult stream_samples(const Resources& resources, const SurveyReader& reader,
                                                const SampleStreamOptions& options, const SampleWork& work);

}  // namespace sill::flow
