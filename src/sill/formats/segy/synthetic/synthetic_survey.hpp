// A synthetic survey, made trace by trace: real geometry, plausible signals, no input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/samples/sample_format.hpp"
#include "sill/formats/segy/synthetic/acquisition.hpp"
#include "sill/formats/segy/synthetic/earth_model.hpp"
#include "sill/formats/segy/synthetic/wavelet_table.hpp"

namespace sill::segy {

/// What to make. Every trace depends on these and on its own number only.
struct SurveyOptions {
  std::int64_t traces = 0;   ///< 1 to 2^31 - 1; the last shot may have fewer traces than the others
  std::int64_t samples = 0;  ///< per trace, 1 to 2^31 - 1; to 65,535 before revision 2
  SurveyKind kind = SurveyKind::plain;
  SampleFormat sample_format = SampleFormat::ibm_float;  ///< any writable one; unsigned ones swing about their middle
  ByteOrder byte_order = ByteOrder::big;
  Revision revision = Revision::rev1;
  double interval_us = 2000.0;  ///< above 0, to 65,535; whole before revision 2
  int channels =
      0;  ///< of a cable, or crosslines of a cube, 1 to 32,767; 0 to have them chosen: a cable has at most 240
  std::uint64_t seed = 1;            ///< of the noise
  std::optional<double> noise = {};  ///< its peak as a share of full scale, 0 to 1; none: 0.01, plain 0.02
  Wavelet wavelet = {};              ///< sampled like the traces; none: a Ricker wavelet of 25 Hz
};

/// Local. Text of the rms velocities of the model from time 0 to the end of the record, a table with the columns time
/// and velocity as operations read it. Precondition: the kind is not plain, which has no model.
[[nodiscard]] std::string velocity_table(const SurveyOptions& options);

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
  /// Local. Groups of a cable; crosslines of a cube.
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
  std::optional<EarthModel> model_;  ///< of all kinds but the plain one
};

}  // namespace sill::segy
