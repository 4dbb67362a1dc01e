// What a SEG-Y file is and where its parts lie: all that is needed to read its traces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/base/diagnostic.hpp"
#include "sill/formats/segy/sample_format.hpp"
#include "sill/formats/segy/text_header.hpp"
#include "sill/layout/item_list.hpp"

namespace sill::segy {

/// Bytes before the extended text headers: the text header (3200) and the binary header (400).
inline constexpr std::int64_t file_header_bytes = 3600;

/// A described SEG-Y file of revision 0 or 1, all traces of one length.
struct FileDescription {
  std::string path;  ///< as the user gave it
  ByteOrder byte_order = ByteOrder::big;
  int revision_major = 0;  ///< byte 3501 as stored, whatever it says
  int revision_minor = 0;  ///< byte 3502 as stored
  TextEncoding text_encoding = TextEncoding::unknown;
  SampleFormat sample_format = SampleFormat::ibm_float;
  std::int64_t samples = 0;          ///< of each trace, from the binary header
  double interval_us = 0.0;          ///< from the binary header, read as unsigned
  int extended_text_headers = 0;     ///< those that are there, counted where the header leaves the count open
  int additional_trace_headers = 0;  ///< a trace; none before revision 2
  int trailers = 0;                  ///< none before revision 2
  std::int64_t first_trace_byte = file_header_bytes;  ///< from 0
  std::int64_t trace_bytes = 0;                       ///< header and samples of one trace
  std::int64_t traces = 0;                            ///< whole ones
  std::int64_t file_bytes = 0;
  std::int64_t remainder_bytes = 0;  ///< after the last whole trace; 0 in a sound file
  bool may_vary_in_length = false;   ///< revision 1 without the promise of one length (bytes 3503-3504)
  int samples_told_by_traces = 0;    ///< what sampled trace headers say at bytes 115-116, 0 if they say nothing
  int sorting_code = 0;              ///< bytes 3229-3230 as stored
  int measurement_system = 0;        ///< bytes 3255-3256 as stored: 1 metres, 2 feet
  std::vector<Diagnostic> diagnostics;

  /// Local. Where the whole traces lie.
  [[nodiscard]] ItemList trace_list() const { return {first_trace_byte, trace_bytes, traces}; }
};

}  // namespace sill::segy
