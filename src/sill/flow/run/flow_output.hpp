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

/// Where lines about the operations go.
enum class History : std::uint8_t {
  none,
  text,     ///< into the text header, as far as it has free lines
  extended  ///< into extended text headers of their own, behind those that are there
};

/// Lines about what was done. `extended` is for SEG-Y files from revision 1 on.
struct FlowHistory {
  History place = History::none;
  std::vector<std::string> lines = {};
};

/// A file of the input's kind, byte order and revision, with the headers and trailers of the first input.
class FlowOutput {
 public:
  /// Collective. `traces` traces as `state` has them, with samples of `format`; `part`: as of SurveyWriter. Errors:
  /// usage, for an interval or a number of samples that the file cannot state; io.
  FlowOutput(const Resources& resources, const SurveyReader& reader, const SurveyState& state,
             const std::string& output, segy::SampleFormat format, std::int64_t traces, const FlowHistory& history,
             PartFile* part = nullptr);

  [[nodiscard]] SurveyWriter& writer() { return *writer_; }
  [[nodiscard]] std::int64_t first_trace_byte() const { return first_trace_byte_; }

  /// Collective. Completes the file, and appends what was lost to `notes`. Errors: as `finish_output`.
  void finish(std::vector<std::string>& notes);

 private:
  /// Adds lines to the bytes before the first trace.
  void add_lines(const FlowHistory& history, std::vector<std::byte>& header);
  void add_extended_lines(const FlowHistory& history, std::vector<std::byte>& header);

  const Resources& resources_;
  const SurveyReader& reader_;
  std::string path_;
  segy::FileForm form_;
  int added_headers_ = 0;  // extended text headers
  std::vector<std::string> notes_;
  std::int64_t first_trace_byte_ = 0;
  std::vector<std::byte> trailer_;  // on rank 0
  std::optional<SurveyWriter> writer_;
};

}  // namespace sill::flow
