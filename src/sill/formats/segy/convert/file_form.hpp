// The form of a file to be written, and the file header that states it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/formats/segy/samples/sample_format.hpp"
#include "sill/formats/segy/text/text_header.hpp"
#include "sill/formats/segy/words/word.hpp"

namespace sill::segy {

/// Local. Returns the revision that "0", "0.0", "1", "1.0", "2", "2.0" or "2.1" names; "2" is 2.1. Errors: usage, for
/// any other text.
[[nodiscard]] Revision parse_revision(std::string_view text);

/// Local. Return bytes 3501 and 3502 of a file of a revision.
[[nodiscard]] constexpr int major_of(Revision revision) {
  return revision >= Revision::rev2_0 ? 2 : revision == Revision::rev1 ? 1 : 0;
}
[[nodiscard]] constexpr int minor_of(Revision revision) { return revision == Revision::rev2_1 ? 1 : 0; }

/// The form of a file that will be written.
struct FileForm {
  FileKind kind = FileKind::segy;
  ByteOrder byte_order = ByteOrder::big;  ///< the standard allows `little` from revision 2.0, and never `pairwise`
  Revision revision = Revision::rev1;     ///< never `none`
  SampleFormat sample_format = SampleFormat::ieee_float;
  std::int64_t samples = 0;  ///< per trace; if lengths vary, of traces that do not state their number
  double interval_us = 0.0;  ///< microseconds between samples; 0 only if copied from an input
  std::int64_t traces = 0;
  bool lengths_vary = false;
  int additional_trace_headers = 0;  ///< maximum per trace
  bool carries_old_texts = false;    ///< allows extended text headers in revision 0, because the input has them
                                     ///< although revision 0 does not define them
  std::int64_t extended_text_bytes =
      0;  ///< bytes between binary header and first trace; before revision 2 a multiple of 3200
  std::int64_t trailers = 0;
  int sorting_code = 0;                               ///< bytes 3229-3230
  int measurement_system = 0;                         ///< 1 metres, 2 feet, 0 unknown
  TextEncoding text_encoding = TextEncoding::ebcdic;  ///< `unknown` (possible for a form that was read from a file) is
                                                      ///< written as EBCDIC
  std::vector<std::string> text = {};                 ///< at most 40 lines of at most 80 printable characters
                                                      ///< (ASCII; with EBCDIC also Latin-1)

  /// Local. Returns the number of bytes before the first trace: 0 for Seismic Unix; for SEG-Y 3600 and the extended
  /// text headers.
  [[nodiscard]] std::int64_t header_bytes() const {
    return kind == FileKind::seismic_unix ? 0 : file_header_bytes + extended_text_bytes;
  }
  /// Local. Returns the number of bytes of one trace: headers and samples.
  [[nodiscard]] std::int64_t trace_bytes() const {
    return std::int64_t{trace_header_bytes} * (std::int64_t{1} + additional_trace_headers) +
           samples * bytes_of(sample_format);
  }
  [[nodiscard]] TraceShape trace_shape() const { return {samples, 1 + additional_trace_headers}; }
};

/// Local. Returns at most 38 lines as a complete text header: 40 lines with their numbers, the last two as the revision
/// requires. Source: SEG-Y rev 1, clause 3.1: lines C39 and C40.
[[nodiscard]] std::vector<std::string> numbered_text(std::vector<std::string> lines, Revision revision);

/// Local. Throws Error(usage) if a file of this form cannot store all its properties. The error names the property and,
/// if there is one, the lowest revision that can store it.
void require_possible(const FileForm& form);

/// Local. Returns the text header and the binary header of a SEG-Y file of this form; extended text headers follow them
/// in the file. Preconditions: `require_possible(form)` does not throw; `form.kind` is SEG-Y. Errors: usage, for text
/// that cannot be encoded. Sources: SEG-Y rev 1, binary file header; rev 2.1, bytes 3261-3300 and 3507-3532.
[[nodiscard]] std::vector<std::byte> make_file_header(const FileForm& form);

/// Local. Sets the words of a binary header (its 400 bytes) that the form determines: samples, interval, format,
/// revision, and in revision 2 the words that override them. Other words are unchanged: before revision 2, the caller
/// must clear words of revision 2 that would override the words that this function sets.
void set_form_words(const FileForm& form, std::span<std::byte, 400> block);

}  // namespace sill::segy
