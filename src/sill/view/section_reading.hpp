// Reading a section of a survey.
#pragma once

#include <memory>

#include "sill/io/survey/survey_reader.hpp"
#include "sill/view/section.hpp"

namespace sill::view {

class SectionReading;

/// A section whose rows are held as far as memory allows, and read again where they are not.
class SectionReader {
 public:
  /// Local. Reads the headers and samples of the shown traces, and of `other`, unless it is nullptr, the same traces:
  /// then there are three panels, of both and of their difference, and the clip is that of the first. Reads whole
  /// traces one after another and takes `max_rows` values of each: of the samples of a row the one of the largest
  /// magnitude, with its sign; of a row with a sample that is not finite, that one. Holds the first rows. Precondition:
  /// `require_sample_format` of the readers, which outlive it. Errors: usage, also if no sample lies in the window, or
  /// if the files cannot be compared; io; input.
  SectionReader(const SurveyReader& reader, const SurveyReader* other, const SectionRequest& request);
  ~SectionReader();
  SectionReader(const SectionReader&) = delete;
  SectionReader& operator=(const SectionReader&) = delete;

  [[nodiscard]] const Section& section() const;

  /// Local. Holds these rows, and as many below as memory allows: reads all traces again if it does not hold them yet.
  /// Errors: as of the constructor.
  void hold(RowRange rows);

 private:
  std::unique_ptr<SectionReading> reading_;
};

}  // namespace sill::view
