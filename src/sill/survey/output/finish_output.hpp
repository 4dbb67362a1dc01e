// Completes a file that was made from a survey's traces.
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

/// The intended reading of an output file that is about to be completed.
struct MeantReading {
  segy::FileDescription file;     ///< compared as in `reading_difference`; its size need not be set
  bool has_one_length = false;    ///< the traces have one length, `file.samples`, even if `file` does not state so
  segy::Assumptions assume = {};  ///< assumptions with which the file is opened again
  std::string problem = "the output would be read differently from its input";  ///< error if the reading differs
  std::string action = "correct the input's headers with 'sill repair', or state its properties with --assume";
};

/// Local. Returns the reading of the first input of `reader`, without padding. Facts that were assumed of the inputs,
/// because their headers do not state them, must also be assumed of the output.
[[nodiscard]] MeantReading read_as_input(const SurveyReader& reader);

/// Local. Returns the intended reading of a file of `form` made of `from`, as `reading_difference` compares it.
[[nodiscard]] segy::FileDescription described_as(segy::FileDescription from, const segy::FileForm& form,
                                                 std::int64_t first_trace_byte);

/// Collective. Gives the file of `writer` the name `output`, after two checks: no input was changed while it was read,
/// and the output is read as intended. The second check is needed because the traces of the output are different
/// evidence from the traces of the input. Errors: io, for a changed input; input, for `output`, if it would be read
/// differently; as `SurveyWriter::finish`.
void finish_output(const Resources& resources, const SurveyReader& reader, SurveyWriter& writer,
                   const std::string& output, MeantReading meant);

}  // namespace sill
