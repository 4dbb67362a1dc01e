// What a file to be written is like, and the bytes before its first trace that say so.
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

/// Local. The revision that "0", "1", "1.0", "2", "2.0" or "2.1" names. Errors: usage.
[[nodiscard]] Revision parse_revision(std::string_view text);

/// Local. Bytes 3501 and 3502 of a file of a revision.
[[nodiscard]] constexpr int major_of(Revision revision) {
  return revision >= Revision::rev2_0 ? 2 : revision == Revision::rev1 ? 1 : 0;
}
[[nodiscard]] constexpr int minor_of(Revision revision) { return revision == Revision::rev2_1 ? 1 : 0; }

/// A file as it will be written.
struct FileForm {
  FileKind kind = FileKind::segy;
  ByteOrder byte_order = ByteOrder::big;  ///< the standard has `little` from revision 2.0 on, `pairwise` never
  Revision revision = Revision::rev1;     ///< not `none`
  SampleFormat sample_format = SampleFormat::ieee_float;
  std::int64_t samples = 0;  ///< of each trace; where lengths vary, of those that do not say
  double interval_us = 0.0;  ///< microseconds between samples; 0 only as carried from an input
  std::int64_t traces = 0;
  bool lengths_vary = false;
  int additional_trace_headers = 0;  ///< of a trace, the most
  bool carries_old_texts = false;    ///< extended text headers also in revision 0, whose input has them all the same
  std::int64_t extended_text_bytes =
      0;  ///< between binary header and first trace; before revision 2 a multiple of 3200
  std::int64_t trailers = 0;
  int sorting_code = 0;                               ///< bytes 3229-3230
  int measurement_system = 0;                         ///< 1 metres, 2 feet, 0 unknown
  TextEncoding text_encoding = TextEncoding::ebcdic;  ///< `unknown`, as a form read from a file may state: EBCDIC
  std::vector<std::string> text = {};                 ///< at most 40 lines of at most 80 printable ASCII characters

  /// Local. Bytes before the first trace: none of Seismic Unix, 3600 of SEG-Y and the extended text headers.
  [[nodiscard]] std::int64_t header_bytes() const {
    return kind == FileKind::seismic_unix ? 0 : file_header_bytes + extended_text_bytes;
  }
  /// Local. Bytes of one trace, headers and samples.
  [[nodiscard]] std::int64_t trace_bytes() const {
    return std::int64_t{trace_header_bytes} * (std::int64_t{1} + additional_trace_headers) +
           samples * bytes_of(sample_format);
  }
  [[nodiscard]] TraceShape trace_shape() const { return {samples, 1 + additional_trace_headers}; }
};

/// Local. Makes sure that the form can hold all it says. Errors: usage, naming what it cannot hold and the least
/// revision that can.
void require_possible(const FileForm& form);

/// Local. The text header and the binary header of a SEG-Y file of this form; extended text headers follow them.
/// Precondition: `require_possible`, and `form.kind` is SEG-Y. Errors: usage, for text that cannot be encoded.
/// Sources: SEG-Y rev 1, binary file header; rev 2.1, bytes 3261-3300 and 3507-3532.
[[nodiscard]] std::vector<std::byte> make_file_header(const FileForm& form);

/// Local. Sets the words of a binary header (its 400 bytes) that the form determines: samples, interval, format,
/// revision, and from revision 2 what overrides them. Others stay: before revision 2, who has words that override
/// clears them.
void set_form_words(const FileForm& form, std::span<std::byte, 400> block);

}  // namespace sill::segy
