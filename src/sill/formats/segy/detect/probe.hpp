// Detection of the properties of a SEG-Y or Seismic Unix file from a few of its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/formats/segy/detect/candidate_scores.hpp"
#include "sill/formats/segy/detect/extended_text.hpp"
#include "sill/formats/segy/detect/file_end.hpp"
#include "sill/formats/segy/detect/layout_candidates.hpp"
#include "sill/formats/segy/detect/seismic_unix.hpp"
#include "sill/formats/segy/detect/trace_lengths.hpp"
#include "sill/formats/segy/detect/trailers.hpp"
#include "sill/formats/segy/words/binary_header.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// Describes a file without reading it: the probe names the bytes that it needs, and the caller supplies them.
///
///     Probe probe(path, file_bytes);
///     while (const auto range = probe.next()) probe.feed(bytes_of_the_file(*range));
///     const FileDescription description = probe.result();
///
/// It requests:
/// - the first 3600 bytes, and 128 more for a tape label;
/// - two bytes of a few trace headers, if the file may be Seismic Unix data;
/// - the first extended text header, if bytes 3505-3506 state one; all of them, if their number is left open; trailers
///   in the same way;
/// - the headers of the first, the middle and the last complete trace;
/// - further headers, if these contradict the file header (`Weighing`), or if lengths may vary (64 traces);
/// - bytes at the end of the file (`FileEnd`).
///
/// So the work does not grow with the size of the file.
///
/// A file that is neither SEG-Y nor Seismic Unix data is refused with Error(input), which names the kind of the file if
/// it is recognized. Any other deviation from the standard becomes a diagnostic of the description.
class Probe {
 public:
  /// Local. Begins the detection. `path` is only used in messages; assumptions override the content of the file.
  /// Errors: input, for an empty file; usage, for assumptions that cannot be true for a file of that size.
  Probe(std::string path, std::int64_t file_bytes, Assumptions assume = {});

  /// Local. Returns the bytes needed next, which are never empty and always inside the file; nullopt if no more bytes
  /// are needed.
  [[nodiscard]] std::optional<ByteRange> next() const;

  /// Local. Accepts the bytes that `next` named. Errors: input, if the bytes show that the file must be refused; io, if
  /// the number of bytes differs from the number requested. After an error, do not use the probe again.
  void feed(std::span<const std::byte> bytes);

  /// Local. Returns the description. Precondition: `next()` returns nullopt.
  [[nodiscard]] FileDescription result() const;

 private:
  /// The step that needs the requested bytes.
  enum class Stage {
    file_header,
    seismic_unix,
    extended_text,
    first_trace,
    trailers,
    weighing,
    trace_lengths,
    file_end,
    complete
  };

  void begin_seismic_unix();
  void evaluate_seismic_unix();
  void describe_seismic_unix(const SeismicUnix::Division& division);
  void find_tape_label();
  void read_header();
  void begin_extended_text();
  void begin_first_trace();
  void read_first_trace(std::span<const std::byte> header);
  void begin_trailers();
  void begin_weighing();
  void begin_trace_lengths();
  void begin_file_end();
  void hear_words_of_32_bits();
  void finish();
  void report_lengths();
  void report_late_words();
  void take(std::span<const std::byte> bytes);
  void take_what_is_known();

  [[nodiscard]] std::span<const std::byte, 400> binary_block() const;
  [[noreturn]] void refuse(std::string problem, std::string clause, std::string action) const;

  Assumptions assume_;
  FileDescription description_;
  Stage stage_ = Stage::file_header;
  std::optional<ByteRange> wanted_;  ///< requested bytes of the stages that have no class of their own
  std::vector<std::byte> head_;      ///< tape label, text header and binary header
  BinaryHeader binary_;
  bool may_be_other_ = true;  ///< the presumed binary header of SEG-Y does not divide the file into complete traces
  std::optional<SeismicUnix> seismic_unix_;
  std::optional<ExtendedText> extended_text_;
  std::optional<Trailers> trailers_;
  std::optional<Weighing> weighing_;
  std::optional<TraceLengths> trace_lengths_;
  std::optional<FileEnd> file_end_;
  HeadersByPlace known_headers_;  ///< headers that were already supplied, so that no step requests them again
};

}  // namespace sill::segy
