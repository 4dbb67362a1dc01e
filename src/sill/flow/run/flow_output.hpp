// The file that a pass of a flow writes: its form, what comes before and after its traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/flow/operation/operation.hpp"
#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/io/survey/survey_writer.hpp"

namespace sill::flow {

/// A file of the input's kind, byte order and revision, with the headers and trailers of the first input.
class FlowOutput {
 public:
  /// Collective. `traces` traces as `state` has them, with samples of `format`; `history` are lines for the text
  /// header, as far as it has free ones; `part`: as of SurveyWriter. Errors: usage, for an interval or a number of
  /// samples that the file cannot state; io.
  FlowOutput(const Resources& resources, const SurveyReader& reader, const SurveyState& state,
             const std::string& output, segy::SampleFormat format, std::int64_t traces,
             const std::vector<std::string>& history, PartFile* part = nullptr);

  [[nodiscard]] SurveyWriter& writer() { return *writer_; }
  [[nodiscard]] std::int64_t first_trace_byte() const { return first_trace_byte_; }

  /// Collective. Completes the file, and appends what was lost to `notes`. Errors: as `finish_output`.
  void finish(std::vector<std::string>& notes);

 private:
  const Resources& resources_;
  const SurveyReader& reader_;
  std::string path_;
  segy::FileForm form_;
  std::vector<std::string> notes_;
  std::int64_t first_trace_byte_ = 0;
  std::vector<std::byte> trailer_;  // on rank 0
  std::optional<SurveyWriter> writer_;
};

}  // namespace sill::flow
