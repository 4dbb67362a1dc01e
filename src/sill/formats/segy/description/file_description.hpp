// The description of a SEG-Y or Seismic Unix file: everything that is needed to read its traces.
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

/// Bytes of the file headers before the extended text headers, without a tape label: the text header (3200) and the
/// binary header (400).
inline constexpr std::int64_t file_header_bytes = 3600;

/// Bytes of a tape label.
inline constexpr std::int64_t tape_label_bytes = 128;

/// The kind of a file: SEG-Y, or the bare traces of Seismic Unix, which have no file header, IEEE float samples, and
/// different header words after byte 180.
enum class FileKind : std::uint8_t { segy, seismic_unix };

[[nodiscard]] constexpr std::string_view name_of(FileKind kind) {
  return kind == FileKind::segy ? "SEG-Y" : "Seismic Unix";
}

/// The axis of the samples.
enum class Domain : std::uint8_t { time, depth };

[[nodiscard]] constexpr std::string_view name_of(Domain domain) { return domain == Domain::time ? "time" : "depth"; }

/// A property of a file that was detected, and the evidence for it.
struct Evidence {
  std::string subject;    ///< "byte order"
  std::string decided;    ///< "little"
  std::string by;         ///< the evidence
  std::string runner_up;  ///< the second-best alternative and its evidence; empty if there was no close alternative
};

/// A 4-byte word in trace headers that contains floats where the standard defines integers.
struct FloatWord {
  int byte = 0;  ///< from 1
  std::string name;
  bool is_ibm = false;          ///< the float is IBM; otherwise IEEE
  bool may_be_either = false;   ///< both float kinds are plausible
  std::int32_t as_integer = 0;  ///< value as an integer; `as_integer`, `as_ieee` and `as_ibm` are from trace `trace`
  double as_ieee = 0.0;
  double as_ibm = 0.0;
  std::int64_t trace = 0;  ///< number of the first sampled trace in which the word is not 0, from 1
};

/// A word for which the text header states bytes that differ from the standard.
struct TextWord {
  std::string name;        ///< name in the standard
  int byte = 1;            ///< first byte according to the text header, from 1
  int bytes = 4;           ///< length in bytes; the word is a signed integer
  int standard_byte = 1;   ///< first byte according to the standard
  std::size_t line = 1;    ///< line of the text header, from 1
  std::string label;       ///< text in that line that describes the bytes
  std::int64_t value = 0;  ///< value at `byte` in the first sampled trace
  std::int64_t value_at_standard = 0;
  bool is_contradicted = false;  ///< in a sampled trace the values at `byte` and `standard_byte` differ, and the
                                 ///< value at `byte` is not 0
};

/// The description of a file.
struct FileDescription {
  std::string path;  ///< as the user gave it
  FileKind kind = FileKind::segy;
  ByteOrder byte_order = ByteOrder::big;
  int revision = 0;        ///< as the file is read: 0, 1 or 2
  int revision_major = 0;  ///< byte 3501 as stored, whatever its value
  int revision_minor = 0;  ///< byte 3502 as stored
  TextEncoding text_encoding = TextEncoding::unknown;
  SampleFormat sample_format = SampleFormat::ibm_float;
  std::int64_t samples = 0;          ///< per trace; if lengths vary, of traces that do not state their number
  double interval_us = 0.0;          ///< may have a fraction in revision 2
  std::int64_t label_bytes = 0;      ///< bytes before the text header: 128 with a tape label, else 0
  int extended_text_headers = 0;     ///< number of extended text headers in the file, counted if the header leaves the
                                     ///< number open
  int additional_trace_headers = 0;  ///< maximum per trace; 0 before revision 2
  std::int64_t trailers = 0;         ///< 3200-byte blocks after the last trace; 0 before revision 2
  std::int64_t first_trace_byte = file_header_bytes;  ///< from 0
  std::int64_t trace_bytes = 0;  ///< headers and samples of one trace; if lengths vary, of a trace whose header does
                                 ///< not state its length
  std::int64_t traces = 0;       ///< number of complete traces; -1 if lengths vary: then only an index of the file
                                 ///< contains the number of traces
  std::int64_t file_bytes = 0;
  std::uint64_t traces_stated = 0;   ///< bytes 3513-3520 of revision 2; 0 if not stated
  std::int64_t remainder_bytes = 0;  ///< bytes after the last complete trace, without trailers; 0 in a valid file
  bool lengths_vary = false;         ///< the header of each trace states its length
  bool may_vary_in_length = false;   ///< the file (revision 1 or later, bytes 3503-3504) does not guarantee equal
                                     ///< lengths, but is read with one length
  std::int64_t samples_stated_by_traces =
      0;                         ///< number that sampled trace headers state at bytes 115-116, 0 if they state none
  int sorting_code = 0;          ///< bytes 3229-3230 as stored
  int measurement_system = 0;    ///< bytes 3255-3256 as stored: 1 metres, 2 feet
  int coordinate_unit = 0;       ///< trace header bytes 89-90 of the sampled headers; 0 if these state no unit or
                                 ///< different units
  bool may_scale_times = false;  ///< a sampled trace header has values other than 0 and 1 in bytes 215-216, which scale
                                 ///< times (95-114) from revision 1 on
  Domain domain = Domain::time;
  std::string depth_hint;  ///< text in the text header which indicates that the samples are in depth; empty if there
                           ///< is none, or if the domain is stated
  std::string wrapping;    ///< "Fortran records", ... if each record of the file is enclosed in marks; the marks are
                           ///< skipped on reading
  bool is_joined = false;  ///< the file consists of several SEG-Y files, whose headers are skipped on reading
  std::int64_t padding_bytes = 0;   ///< zeros at the end of the file that belong to no trace or trailer
  bool has_text_line_ends = false;  ///< each sampled line feed follows a carriage return: the file was copied as text
  std::optional<ByteOrder> order_of_traces =
      {};                        ///< set if the trace headers are plausible in this byte order, but not in `byte_order`
  int fitting_sample_bytes = 0;  ///< sample size that fits the size of the file, if the size of the sample format does
                                 ///< not; else 0
  std::vector<FloatWord> float_words;  ///< words in the sampled trace headers
  std::vector<TextWord> text_words;    ///< one per name
  std::vector<Evidence> evidence;
  std::vector<Diagnostic> diagnostics;

  /// Local. Returns the number of header bytes of a trace: 240 for the first and for each additional header.
  [[nodiscard]] std::int64_t header_bytes() const {
    return std::int64_t{trace_header_bytes} * (1 + additional_trace_headers);
  }
  /// Local. Returns the byte of the file, from 0, at which the traces end.
  [[nodiscard]] std::int64_t traces_end_byte() const {
    return file_bytes - padding_bytes - trailers * std::int64_t{text_header_bytes};
  }
  /// Local. Returns the byte ranges of the complete traces. Precondition: the lengths of traces do not vary.
  [[nodiscard]] ItemList trace_list() const { return {first_trace_byte, trace_bytes, traces}; }
};

/// Local. Returns the revision as which the file is read; revision 0 for a Seismic Unix file.
[[nodiscard]] constexpr Revision revision_of(const FileDescription& file) {
  if (file.revision < 2) return file.revision == 1 ? Revision::rev1 : Revision::rev0;
  return file.revision_major == 2 && file.revision_minor == 0 ? Revision::rev2_0 : Revision::rev2_1;
}

/// Local. Returns false for two SEG-Y files if the revision of only one has a scalar of times (trace header bytes
/// 215-216), and a sampled trace header of either has a value there that would scale.
[[nodiscard]] constexpr bool scale_times_alike(const FileDescription& a, const FileDescription& b) {
  const bool is_of_one_revision = (revision_of(a) == Revision::rev0) == (revision_of(b) == Revision::rev0);
  return is_of_one_revision || a.kind != b.kind || (!a.may_scale_times && !b.may_scale_times);
}

}  // namespace sill::segy
