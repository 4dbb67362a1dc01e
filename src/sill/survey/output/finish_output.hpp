// Completing a file that was made of a survey's traces.
#pragma once

#include <cstdint>
#include <string>

#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/io/survey/survey_writer.hpp"

namespace sill {

/// How a file that is about to be complete is to be read by whoever opens it.
struct MeantReading {
  segy::FileDescription file;     ///< as `reading_difference` compares; its size need not be set
  bool has_one_length = false;    ///< the traces have one, of `file.samples`, although `file` says that they vary
  segy::Assumptions assume = {};  ///< given again when it is opened
  std::string problem = "the output would not be read as its input is";  ///< the error if it is not
  std::string action = "'sill repair' makes the input's headers state what it is, --assume states what it is";
};

/// Local. As the first input of `reader`, but without padding. What was assumed of the inputs, which their headers do
/// not say, must be assumed of the output too.
[[nodiscard]] MeantReading read_as_input(const SurveyReader& reader);

/// Local. What a file of `form` made of `from` is meant to be read as, as `reading_difference` compares.
[[nodiscard]] segy::FileDescription described_as(segy::FileDescription from, const segy::FileForm& form,
                                                 std::int64_t first_trace_byte);

/// Collective. Gives `writer`'s file the name `output`, after two checks: that no input was changed while it was read,
/// and that the output is read as intended, because its traces are other evidence than those of the input.
/// Errors: io, for a changed input; input, of `output`, if it would be read otherwise; as `SurveyWriter::finish`.
void finish_output(const Resources& resources, const SurveyReader& reader, SurveyWriter& writer,
                   const std::string& output, MeantReading meant);

}  // namespace sill
