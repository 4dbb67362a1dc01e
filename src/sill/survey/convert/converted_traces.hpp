// Turning the traces of a survey into those of another form: headers, samples, and what is noticed on the way.
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

/// What was noticed over all ranks.
struct TurnedAccount {
  segy::ConversionAccount samples;
  std::int64_t deviating_traces = 0;  ///< whose header states another number of samples than the one that counts
  std::vector<std::string> notes;     ///< what was lost or is in doubt, a sentence each
};

/// Sets words of the headers of one trace, in the form of the output. Called by several threads.
using HeaderChange = std::function<void(std::byte* headers, segy::TraceShape shape)>;

/// Each trace's headers and samples in the form of an output. What each thread notices is joined at the end.
class ConvertedTraces {
 public:
  /// Local. `resources` and `reader` outlive it. What the words of the input leave in doubt goes to `notes`. `change`
  /// comes after all else, or is empty. Errors: usage, for samples that cannot be converted so.
  ConvertedTraces(const Resources& resources, const SurveyReader& reader, const segy::FileForm& to,
                  const segy::ConversionRules& samples, bool keep_181, std::vector<std::string>& notes,
                  HeaderChange change = {});

  /// Local. As a TraceTransform (survey/output/trace_stream.hpp). Errors: input, with the place of the trace.
  void transform(ItemRange traces, std::span<const std::byte> in, std::span<std::byte> out, int thread);

  /// Local. One trace of the input's form that need not be of the reader. Errors: input, without a place.
  void transform_one(segy::TraceShape shape, const std::byte* in, std::byte* out, int thread);

  /// Collective. After all traces. Errors: io.
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
