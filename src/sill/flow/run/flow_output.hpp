// The file that a pass of a flow writes: its form, and the bytes before and after its traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/flow/operation/operation.hpp"
#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/io/survey/survey_writer.hpp"

namespace sill::flow {

/// Where lines about the operations are stored.
enum class History : std::uint8_t {
  none,
  text,     ///< in free lines of the text header
  extended  ///< in additional extended text headers, after the existing ones
};

/// Lines about the operations. `extended` requires SEG-Y revision 1 or later.
struct FlowHistory {
  History place = History::none;
  std::vector<std::string> lines = {};
};

/// What becomes of a file.
enum class FileUse : std::uint8_t {
  output,
  next_pass  ///< read again by the flow: of a later revision, if the input's cannot state its form
};

/// A file of the input's kind, byte order and revision, with the headers and trailers of the first input.
class FlowOutput {
 public:
  /// Collective. Creates the file for `traces` traces in `state`, with samples of `format`; `part`: see SurveyWriter.
  /// `reader` is the input of the flow. Errors: usage, for an interval or number of samples that the file cannot state;
  /// io.
  FlowOutput(const Resources& resources, const SurveyReader& reader, const SurveyState& state,
             const std::string& output, segy::SampleFormat format, std::int64_t traces, const FlowHistory& history,
             PartFile* part = nullptr, FileUse use = FileUse::output);

  [[nodiscard]] SurveyWriter& writer() { return *writer_; }
  [[nodiscard]] std::int64_t first_trace_byte() const { return first_trace_byte_; }
  /// Local. Returns the assumptions about the input that also apply to this file: not those about properties that the
  /// flow has changed, which its headers state.
  [[nodiscard]] segy::Assumptions assumptions() const;

  /// Collective. Completes the file, and appends notes on lost information to `notes`. Errors: as `finish_output`.
  void finish(std::vector<std::string>& notes);

 private:
  /// Adds lines to the bytes before the first trace.
  void add_lines(const FlowHistory& history, std::vector<std::byte>& header);
  void add_extended_lines(const FlowHistory& history, std::vector<std::byte>& header);

  const Resources& resources_;
  const SurveyReader& reader_;
  std::string path_;
  segy::FileForm form_;
  int added_headers_ = 0;  // number of added extended text headers
  std::vector<std::string> notes_;
  std::int64_t first_trace_byte_ = 0;
  std::vector<std::byte> trailer_;  // on rank 0
  std::optional<SurveyWriter> writer_;
};

}  // namespace sill::flow
