// Reads a section of a survey.
#pragma once

#include <memory>
#include <string>

#include "sill/io/survey/survey_reader.hpp"
#include "sill/view/section.hpp"

namespace sill::view {

class SectionReading;

/// Local. Sets the gain of a request from the value of `--gain`: "none", "trace" or "agc=500ms". Errors: usage.
void parse_gain(const std::string& text, SectionRequest& request);

/// A section that stores as many rows as memory allows, and reads the other rows again on demand.
class SectionReader {
 public:
  /// Local. Reads the headers and samples of the shown traces. With `other` (nullptr: none) also reads the same traces
  /// of `other`: the section then has three panels, for both surveys and their difference, and the clip is computed
  /// from the first. Reads complete traces one after another and reduces each to at most `max_rows` values. The value
  /// of a row is its sample of largest magnitude, with its sign, or a sample that is not finite, if the row has such a
  /// sample. Stores the first rows. Precondition: `require_sample_format` was called for the readers, which must
  /// outlive this object. Errors: usage, also if no sample is in the window or if the files cannot be compared; io;
  /// input.
  SectionReader(const SurveyReader& reader, const SurveyReader* other, const SectionRequest& request);
  ~SectionReader();
  SectionReader(const SectionReader&) = delete;
  SectionReader& operator=(const SectionReader&) = delete;

  [[nodiscard]] const Section& section() const;

  /// Local. Makes the rows available in `section()`, and as many rows below as memory allows. Reads all traces again if
  /// the rows are not stored yet. Errors: as the constructor.
  void hold(RowRange rows);

 private:
  std::unique_ptr<SectionReading> reading_;
};

}  // namespace sill::view
