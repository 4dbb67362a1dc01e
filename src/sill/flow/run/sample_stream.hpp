// Passing traces through a function of a program: headers and floats in, headers and floats out.
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

/// Consecutive traces of a stream, in the memory of a thread.
struct SampleBlock {
  std::int64_t first = 0;                ///< place of the first trace in the stream
  std::span<const std::int64_t> traces;  ///< the number of each in the survey
  std::span<std::byte> headers;          ///< all headers of each trace, in the byte order of the survey; may be changed
  std::int64_t samples = 0;              ///< of each trace; 0 if headers alone are passed
  std::span<float> in;                   ///< `samples` of each trace; may be changed
  std::span<float> out;                  ///< of each trace as written: `in`, or zeros if the number of samples differs
  int thread = 0;
};

/// What a stream passes, and where to.
struct SampleStreamOptions {
  std::string output;  ///< empty: nothing is written
  /// These traces in this order, any of them several times; the same on all ranks. Without it, all.
  std::optional<std::vector<std::int64_t>> traces = {};
  std::optional<segy::SampleFormat> format = {};  ///< default: that of the input
  segy::ConversionRules rules = {};
  std::int64_t samples = 0;               ///< of each trace of the output; 0: as the input
  double interval_us = 0.0;               ///< of the output; 0: as the input
  bool headers_only = false;              ///< samples are not decoded, and are copied as they are
  std::vector<std::string> history = {};  ///< lines for the text header, as far as there is room
};

/// What a stream did.
struct SampleStreamResult {
  std::int64_t traces = 0;
  std::int64_t bytes_out = 0;
  segy::ConversionAccount samples;  ///< of the output
  std::vector<std::string> notes;
};

/// Called by several threads at once, each trace of the stream exactly once. May throw.
using SampleWork = std::function<void(SampleBlock& block)>;

/// Collective. Passes traces through `work`, and writes what it makes of their headers and samples to `options.output`:
/// a file of the input's kind, byte order and revision with the file headers of the first input, which appears when it
/// is complete. Numbers of samples and intervals that traces state are set where `options` changes them. Blocks have
/// about 512 KB; the bytes of the output depend neither on ranks nor threads nor policy if `work` does not. Errors:
/// usage, for lists that differ between ranks, traces that do not exist, headers alone with another form of samples, an
/// output that is an input; input, for traces that differ in length, samples beyond the range of float, values that the
/// format cannot hold; io; what `work` throws.
[[nodiscard]] SampleStreamResult stream_samples(const Resources& resources, const SurveyReader& reader,
                                                const SampleStreamOptions& options, const SampleWork& work);

}  // namespace sill::flow
