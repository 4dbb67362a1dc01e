// Converts a survey into another form: SEG-Y or Seismic Unix, sample format, byte order, revision.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/convert/trace_header_conversion.hpp"
#include "sill/formats/segy/samples/conversion.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/store/part/part_file.hpp"

namespace sill {

/// The factor by which samples are multiplied when they are written.
struct SampleScale {
  double factor = 1.0;
  bool fit = false;  ///< use the largest power of 2 with which all samples fit into the format

  [[nodiscard]] bool is_given() const { return fit || factor != 1.0; }
};

/// Local. Reads a factor, or `fit`; an empty text is a factor of 1. Errors: usage, for other texts and for 0.
[[nodiscard]] SampleScale sample_scale_from(const std::string& text);

/// Local. Checks the scale. Errors: usage, if samples must fit into a format that is not an integer format.
void require_scale(const SampleScale& scale, segy::SampleFormat to);

/// The form of the output. Properties that are not given are the same as in the input.
struct ConvertOptions {
  bool carries_old_texts = true;  ///< keep extended text headers of an input of revision 0
  std::string output;
  PartFile* part = nullptr;  ///< as in SurveyWriter
  std::optional<segy::FileKind> kind;
  /// Default: as the input; IEEE float for Seismic Unix made from SEG-Y.
  std::optional<segy::SampleFormat> sample_format;
  /// Default: as the input, with these exceptions. Seismic Unix made from SEG-Y: the order of this machine. Big-endian:
  /// SEG-Y made from Seismic Unix; input whose words are swapped in pairs; if a `revision` before 2.0 is requested,
  /// which allows no other order.
  std::optional<ByteOrder> byte_order;
  /// Default: as the input is read; 1.0 for SEG-Y made from Seismic Unix.
  std::optional<segy::Revision> revision;
  segy::ConversionRules samples;  ///< except for the scale
  SampleScale scale;
  bool renumber = false;  ///< survey/edit/renumbering.hpp
  std::string history;    ///< a line that is added to the text header, or empty
  segy::TraceHeaderRules headers;
};

struct ConvertResult {
  segy::FileForm form;  ///< form of the output
  std::int64_t output_bytes = 0;
  segy::ConversionAccount samples;
  double scale = 1.0;                 ///< factor by which samples were multiplied
  std::int64_t deviating_traces = 0;  ///< traces that state a different number of samples than they are read with
  std::vector<std::string> notes;     ///< losses and changes, one sentence each
};

/// Local. Returns the form that the survey of `reader` will have. Errors: usage, naming the properties that the form
/// cannot hold.
[[nodiscard]] segy::FileForm form_of_conversion(const SurveyReader& reader, const ConvertOptions& options);

/// Collective. Writes the survey in another form to `options.output`, which appears when it is complete. Samples are
/// rounded to the nearest value, halves to even. Texts, words and bytes without a name are copied. With several inputs,
/// the bytes before the first trace and after the last trace are copied from the first input. A scale is added to the
/// history line. A scale of 2^N is also recorded in the traces: their weighting factor (bytes 169-170, for integer
/// samples) is increased by N. Source: SEG-Y rev 1, bytes 169-170. Errors: usage (output is an input; the target cannot
/// hold the input's properties); input (samples that contradict the sample format of the input, unless it was assumed;
/// a sample that the target format cannot hold, with file and trace; samples that lose their signal, as
/// segy::require_signal); io.
[[nodiscard]] ConvertResult convert(const Resources& resources, const SurveyReader& reader,
                                    const ConvertOptions& options);

}  // namespace sill
