// A synthetic survey that is generated trace by trace: realistic geometry, plausible signals, no input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/samples/conversion.hpp"
#include "sill/formats/segy/samples/sample_format.hpp"
#include "sill/formats/segy/synthetic/acquisition.hpp"
#include "sill/formats/segy/synthetic/earth_model.hpp"
#include "sill/formats/segy/synthetic/wavelet_table.hpp"

namespace sill::segy {

/// Options of a survey. Every trace depends only on these options and on the number of the trace.
struct SurveyOptions {
  std::int64_t traces = 0;   ///< 1 to 2^31 - 1; the last shot may have fewer traces than the others
  std::int64_t samples = 0;  ///< per trace, 1 to 2^31 - 1; at most 65,535 before revision 2
  SurveyKind kind = SurveyKind::plain;
  SampleFormat sample_format = SampleFormat::ibm_float;  ///< any writable format; unsigned samples oscillate about the
                                                         ///< middle of their range
  ByteOrder byte_order = ByteOrder::big;
  Revision revision = Revision::rev1;
  double interval_us = 2000.0;  ///< greater than 0, at most 65,535; an integer before revision 2
  int channels =
      0;  ///< per cable, or crosslines of a cube, 1 to 32,767; 0: chosen by the number of traces, at most 240 per cable
  std::uint64_t seed = 1;            ///< seed of the noise
  std::optional<double> noise = {};  ///< peak of the noise as a fraction of full scale, 0 to 1; default: 0.01, or 0.02
                                     ///< for the plain kind
  Wavelet wavelet = {};              ///< has the sample interval of the traces; if empty, a Ricker wavelet of 25 Hz
};

/// Local. Returns the rms velocities of the model from time 0 to the end of the record as text: a table with the
/// columns time and velocity, in the form that operations read. Precondition: the kind is not plain, which has no
/// model.
[[nodiscard]] std::string velocity_table(const SurveyOptions& options);

/// Generates the bytes of a survey file: the file header, and any trace in any order. Const functions may be called by
/// several threads.
class SyntheticSurvey {
 public:
  /// Local. Prepares a survey. Errors: usage, for options out of range, a format that cannot be written, or a survey
  /// that is too large for its coordinates.
  explicit SyntheticSurvey(SurveyOptions options);

  /// Local. Returns the number of bytes before the first trace.
  [[nodiscard]] std::int64_t header_bytes() const { return file_header_bytes; }
  /// Local. Returns the number of bytes of one trace: header and samples.
  [[nodiscard]] std::int64_t trace_bytes() const;
  /// Local. Returns the number of bytes of the file.
  [[nodiscard]] std::int64_t file_bytes() const { return header_bytes() + options_.traces * trace_bytes(); }
  /// Local. Returns the number of groups per cable, or of crosslines of a cube.
  [[nodiscard]] int channels() const { return acquisition_.channels(); }

  /// Local. Writes the text header (EBCDIC) and the binary header. Precondition: `out` has `header_bytes()` bytes.
  void file_header(std::span<std::byte> out) const;

  /// Local. Writes trace `index` (from 0). Precondition: `out` has `trace_bytes()` bytes.
  void trace(std::int64_t index, std::span<std::byte> out) const;

 private:
  [[nodiscard]] bool is_plain() const { return options_.kind == SurveyKind::plain; }
  [[nodiscard]] std::vector<std::string> text_lines() const;
  void write_trace_header(std::int64_t index, const TraceGeometry& geometry, std::byte* out) const;
  void write_samples(std::int64_t index, const TraceGeometry& geometry, std::span<std::byte> out) const;

  SurveyOptions options_;
  Acquisition acquisition_;
  WaveletTable wavelet_;
  SampleConversion conversion_;      ///< of floats to the samples of the file
  std::optional<EarthModel> model_;  ///< for all kinds except plain
};

}  // namespace sill::segy
