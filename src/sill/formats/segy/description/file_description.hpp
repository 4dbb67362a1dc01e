// What a SEG-Y or Seismic Unix file is and where its parts lie: all that is needed to read its traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/base/diagnostic.hpp"
#include "sill/formats/segy/samples/sample_format.hpp"
#include "sill/formats/segy/text/text_header.hpp"
#include "sill/formats/segy/words/words.hpp"
#include "sill/layout/item_list.hpp"

namespace sill::segy {

/// Bytes before the extended text headers, a tape label not counted: the text header (3200) and the binary header
/// (400).
inline constexpr std::int64_t file_header_bytes = 3600;

/// Bytes of a tape label.
inline constexpr std::int64_t tape_label_bytes = 128;

/// SEG-Y, or the bare traces of Seismic Unix: no file header, IEEE floats, words of their own after byte 180.
enum class FileKind : std::uint8_t { segy, seismic_unix };

[[nodiscard]] constexpr std::string_view name_of(FileKind kind) {
  return kind == FileKind::segy ? "SEG-Y" : "Seismic Unix";
}

/// What samples lie along.
enum class Domain : std::uint8_t { time, depth };

[[nodiscard]] constexpr std::string_view name_of(Domain domain) { return domain == Domain::time ? "time" : "depth"; }

/// One thing that was found out about a file, and why it is believed.
struct Evidence {
  std::string subject;    ///< "byte order"
  std::string decided;    ///< "little"
  std::string by;         ///< what speaks for it
  std::string runner_up;  ///< what else was weighed and what spoke for that; empty if nothing came near
};

/// A word of 4 bytes in trace headers that holds floats where the standard has whole numbers.
struct FloatWord {
  int byte = 0;  ///< from 1
  std::string name;
  bool is_ibm = false;          ///< rather than IEEE
  bool may_be_either = false;   ///< both are plausible
  std::int32_t as_integer = 0;  ///< these three of the first trace that was looked at where it is not 0
  double as_ieee = 0.0;
  double as_ibm = 0.0;
  std::int64_t trace = 0;  ///< which that is, from 1
};

/// A word that the text header puts at other bytes than the standard does.
struct TextWord {
  std::string name;        ///< of the standard
  int byte = 1;            ///< where the text header has it, from 1
  int bytes = 4;           ///< a signed integer of so many
  int standard_byte = 1;   ///< where the standard has it
  std::size_t line = 1;    ///< of the text header, from 1
  std::string label;       ///< what this says the bytes hold
  std::int64_t value = 0;  ///< there, in the first trace that was looked at
  std::int64_t value_at_standard = 0;
  bool is_contradicted = false;  ///< in a trace that was looked at the two are not the same, and the former not 0
};

/// A described file.
struct FileDescription {
  std::string path;  ///< as the user gave it
  FileKind kind = FileKind::segy;
  ByteOrder byte_order = ByteOrder::big;
  int revision = 0;        ///< as the file is read: 0, 1 or 2
  int revision_major = 0;  ///< byte 3501 as stored, whatever it says
  int revision_minor = 0;  ///< byte 3502 as stored
  TextEncoding text_encoding = TextEncoding::unknown;
  SampleFormat sample_format = SampleFormat::ibm_float;
  std::int64_t samples = 0;          ///< of each trace; where lengths vary, of those that do not say
  double interval_us = 0.0;          ///< may have a fraction from revision 2
  std::int64_t label_bytes = 0;      ///< before the text header: 128 with a tape label, else 0
  int extended_text_headers = 0;     ///< those that are there, counted where the header leaves the count open
  int additional_trace_headers = 0;  ///< of a trace, the most; none before revision 2
  std::int64_t trailers = 0;         ///< 3200-byte blocks after the last trace; none before revision 2
  std::int64_t first_trace_byte = file_header_bytes;  ///< from 0
  std::int64_t trace_bytes = 0;  ///< headers and samples of one trace; where lengths vary, of one that says nothing
  std::int64_t traces = 0;       ///< whole ones; -1 where lengths vary: only an index of the file has it
  std::int64_t file_bytes = 0;
  std::uint64_t traces_stated = 0;   ///< bytes 3513-3520, of revision 2; 0 if they state nothing
  std::int64_t remainder_bytes = 0;  ///< after the last whole trace, trailers apart; 0 in a sound file
  bool lengths_vary = false;         ///< every trace's own header states its length
  bool may_vary_in_length = false;   ///< one length is not promised (revision 1 up, bytes 3503-3504), but read so
  std::int64_t samples_stated_by_traces =
      0;                       ///< what sampled trace headers state at bytes 115-116, 0 if they say nothing
  int sorting_code = 0;        ///< bytes 3229-3230 as stored
  int measurement_system = 0;  ///< bytes 3255-3256 as stored: 1 metres, 2 feet
  int coordinate_unit = 0;  ///< trace header bytes 89-90 of the headers looked at, 0 if they state nothing or several
  Domain domain = Domain::time;
  std::string depth_hint;  ///< what of the text header states that the samples may lie along depth; empty if nothing
                           ///< does, or if the domain is stated
  std::string wrapping;    ///< "Fortran records", ... if each record of the file lies between marks; read without them
  std::int64_t padding_bytes = 0;   ///< zeros at the end of the file that belong to nothing
  bool has_text_line_ends = false;  ///< a carriage return before every line feed that was looked at: copied as text
  std::optional<ByteOrder> order_of_traces =
      {};                        ///< where the trace headers make sense in this one, not in `byte_order`
  int fitting_sample_bytes = 0;  ///< of the samples that would fit the file where those of the format do not, else 0
  std::vector<FloatWord> float_words;  ///< in the trace headers looked at
  std::vector<TextWord> text_words;    ///< one for a name
  std::vector<Evidence> evidence;
  std::vector<Diagnostic> diagnostics;

  /// Local. Bytes of the headers of a trace: 240, and as many more for each additional one.
  [[nodiscard]] std::int64_t header_bytes() const {
    return std::int64_t{trace_header_bytes} * (1 + additional_trace_headers);
  }
  /// Local. Byte of the file, from 0, before which all traces end.
  [[nodiscard]] std::int64_t traces_end_byte() const {
    return file_bytes - padding_bytes - trailers * std::int64_t{text_header_bytes};
  }
  /// Local. Where the whole traces lie. Precondition: their lengths do not vary.
  [[nodiscard]] ItemList trace_list() const { return {first_trace_byte, trace_bytes, traces}; }
};

/// Local. The revision that the file is read as; of a Seismic Unix file, 0.
[[nodiscard]] constexpr Revision revision_of(const FileDescription& file) {
  if (file.revision < 2) return file.revision == 1 ? Revision::rev1 : Revision::rev0;
  return file.revision_major == 2 && file.revision_minor == 0 ? Revision::rev2_0 : Revision::rev2_1;
}

}  // namespace sill::segy
