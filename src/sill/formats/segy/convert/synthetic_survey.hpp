// A synthetic marine survey, made trace by trace: real geometry, plausible signals, no input.
//
// One streamer behind one source on straight sail lines, shot by shot: a shot every 25 m, a receiver group every
// 12.5 m from 150 m behind the source, the streamer slightly feathered, so a midpoint every 6.25 m. Trace t (from 0)
// is channel t mod C of shot t div C. A line has at most 4,000 shots; the next lies 50 m beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/samples/sample_format.hpp"

namespace sill::segy {

/// What to make. Every trace depends on these and on its own number only.
struct SurveyOptions {
  std::int64_t traces = 0;   ///< 1 to 2^31 - 1; the last shot may have fewer traces than the others
  std::int64_t samples = 0;  ///< of a trace, 1 to 2^31 - 1; to 65,535 before revision 2
  SampleFormat sample_format = SampleFormat::ibm_float;  ///< any writable one; unsigned ones swing about their middle
  ByteOrder byte_order = ByteOrder::big;
  Revision revision = Revision::rev1;
  double interval_us = 2000.0;  ///< above 0, to 65,535; whole before revision 2
  int channels = 0;             ///< a shot, 1 to 32,767; 0 for 240, or fewer so that few traces still make gathers
  std::uint64_t seed = 1;       ///< of the noise
};

/// The survey as a file: its header, then any trace in any order. Const functions may be called by several threads.
class SyntheticSurvey {
 public:
  /// Local. Errors: usage, for options out of range, a format that cannot be written or a survey too large for its
  /// coordinates.
  explicit SyntheticSurvey(SurveyOptions options);

  /// Local. Bytes before the first trace.
  [[nodiscard]] std::int64_t header_bytes() const { return file_header_bytes; }
  /// Local. Bytes of one trace: its header and its samples.
  [[nodiscard]] std::int64_t trace_bytes() const;
  /// Local. Bytes of the whole file.
  [[nodiscard]] std::int64_t file_bytes() const { return header_bytes() + options_.traces * trace_bytes(); }
  /// Local. Traces of a full shot.
  [[nodiscard]] int channels() const { return options_.channels; }

  /// Local. Writes the text header (EBCDIC) and the binary header. Precondition: `out` has `header_bytes()` bytes.
  void file_header(std::span<std::byte> out) const;

  /// Local. Writes trace `index` (from 0). Precondition: `out` has `trace_bytes()` bytes.
  void trace(std::int64_t index, std::span<std::byte> out) const;

 private:
  struct Geometry;
  struct Arrival;

  [[nodiscard]] Geometry geometry_of(std::int64_t index) const;
  [[nodiscard]] double sea_floor_m(double along_m) const;
  [[nodiscard]] FileForm form() const;
  [[nodiscard]] std::vector<std::string> text_lines() const;
  void tabulate_wavelet();
  void write_trace_header(std::int64_t index, const Geometry& geometry, std::byte* out) const;
  void write_samples(std::int64_t index, const Geometry& geometry, std::span<std::byte> out) const;

  SurveyOptions options_;
  std::int64_t shots_ = 0;
  double feather_rad_ = 0.0;       ///< the largest angle between streamer and sail line
  std::int64_t half_wavelet_ = 0;  ///< samples on either side of the wavelet's peak
  std::vector<float> wavelet_;     ///< shifted by each fraction of a sample, one after another
};

}  // namespace sill::segy
