// Converting a survey into another form: SEG-Y or Seismic Unix, sample format, byte order, revision.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/samples/conversion.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/store/part/part_file.hpp"

namespace sill {

/// What samples are multiplied by on their way into an output.
struct SampleScale {
  double factor = 1.0;
  bool fit = false;  ///< instead, the largest power of 2 with which all samples fit into the format

  [[nodiscard]] bool is_given() const { return fit || factor != 1.0; }
};

/// Local. Reads a factor, or `fit`; of an empty text a factor of 1. Errors: usage, for other texts and for 0.
[[nodiscard]] SampleScale sample_scale_from(const std::string& text);

/// Local. Errors: usage, if samples are to fit into a format that holds all ranges.
void require_scale(const SampleScale& scale, segy::SampleFormat to);

/// What the output is to be like; what is not given stays as the input has it.
struct ConvertOptions {
  bool carries_old_texts = true;  ///< extended text headers that an input of revision 0 has all the same
  std::string output;
  PartFile* part = nullptr;  ///< as of SurveyWriter
  std::optional<segy::FileKind> kind;
  /// Seismic Unix has IEEE floats.
  std::optional<segy::SampleFormat> sample_format;
  /// Default: as the input; of Seismic Unix made from SEG-Y, this machine's; of SEG-Y made from Seismic Unix, of words
  /// swapped in pairs, and where a `revision` before 2.0 is asked for, which has no other order, big.
  std::optional<ByteOrder> byte_order;
  /// Default: as the input is read; of SEG-Y made from Seismic Unix, 1.0.
  std::optional<segy::Revision> revision;
  segy::ConversionRules samples;  ///< but for the scale
  SampleScale scale;
  bool renumber = false;  ///< survey/edit/renumbering.hpp
  std::string history;    ///< a line to be added to the text header, or empty
  bool keep_181 = false;  ///< carry bytes 181-240 of the trace headers between SEG-Y and Seismic Unix
};

struct ConvertResult {
  segy::FileForm form;  ///< of the output
  std::int64_t output_bytes = 0;
  segy::ConversionAccount samples;
  double scale = 1.0;                 ///< what samples were multiplied by
  std::int64_t deviating_traces = 0;  ///< whose header states another number of samples than the one that counts
  std::vector<std::string> notes;     ///< what was lost or set, a sentence each
};

/// Local. The form that the survey of `reader` will have. Errors: usage, naming what it cannot hold.
[[nodiscard]] segy::FileForm form_of_conversion(const SurveyReader& reader, const ConvertOptions& options);

/// Collective. Writes the survey in another form to `options.output`, which appears when it is complete. Samples are
/// rounded to the nearest, halves to even. Texts, words and bytes without a name are carried; of several inputs those
/// before the first trace and after the last are the first one's.
/// Errors: usage (output is an input; the target cannot hold what the input has); input (samples that contradict the
/// sample format of the input, unless it was assumed; a sample that the target format cannot hold, with file and
/// trace; samples that lose what they say, as segy::require_signal); io. A scale is added to the line of history. One
/// of 2^N is stated in the traces, too: the weighting factor, bytes 169-170 of whole numbers, SEG-Y rev 1, grows by N.
[[nodiscard]] ConvertResult convert(const Resources& resources, const SurveyReader& reader,
                                    const ConvertOptions& options);

}  // namespace sill
