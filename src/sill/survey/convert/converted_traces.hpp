// Converts the traces of a survey to another form: headers and samples. Counts losses and collects warnings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/convert/trace_conversion.hpp"
#include "sill/survey/output/length_check.hpp"

namespace sill {

/// The effects of a conversion, over all ranks.
struct TurnedAccount {
  segy::ConversionAccount samples;
  std::int64_t deviating_traces = 0;  ///< traces that state a different number of samples than they are read with
  std::vector<std::string> notes;     ///< losses and warnings, one sentence each
};

/// Sets words of the headers of one trace, in the form of the output. Called by several threads.
using HeaderChange = std::function<void(std::byte* headers, segy::TraceShape shape)>;

/// Converts the headers and samples of each trace to the form of an output. The counts of the threads are added at
/// the end.
class ConvertedTraces {
 public:
  /// Local. Creates the conversion of the traces of `reader` to the form `to`. `resources` and `reader` must outlive
  /// this object. Warnings about the words of the input are added to `notes`. `change` may be empty; otherwise it is
  /// called last for each trace. Errors: usage, for samples that cannot be converted.
  ConvertedTraces(const Resources& resources, const SurveyReader& reader, const segy::FileForm& to,
                  const segy::ConversionRules& samples, const segy::TraceHeaderRules& headers,
                  std::vector<std::string>& notes, HeaderChange change = {});

  /// Local. Converts traces; can be used as a TraceTransform (survey/output/trace_stream.hpp). Errors: input, with the
  /// position of the trace.
  void transform(ItemRange traces, std::span<const std::byte> in, std::span<std::byte> out, int thread);

  /// Local. Converts one trace in the form of the input, which need not be a trace of the reader. Errors: input,
  /// without a position.
  void transform_one(segy::TraceShape shape, const std::byte* in, std::byte* out, int thread);

  /// Collective. Returns the counts and warnings of all ranks. Precondition: all traces were converted. Errors: io.
  [[nodiscard]] TurnedAccount conclude();

 private:
  const Resources& resources_;
  const SurveyReader& reader_;
  TraceConversion conversion_;
  LengthCheck lengths_;
  HeaderChange change_;
  std::vector<TraceAccount> of_threads_;
};

}  // namespace sill
