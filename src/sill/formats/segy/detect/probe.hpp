// Finding out what a SEG-Y or Seismic Unix file is, by evidence, from a few of its bytes.
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

/// Describes a file without reading it: the probe names the bytes it needs, its owner brings them.
///
///     Probe probe(path, file_bytes);
///     while (const auto range = probe.next()) probe.feed(bytes_of_the_file(*range));
///     const FileDescription description = probe.result();
///
/// It asks for the first 3600 bytes (and 128 more, for a tape label); two bytes of a few trace headers where the file
/// may be bare Seismic Unix data; the first extended text header if bytes 3505-3506 say that there is one, or as many
/// as it takes to find the last of an open count; the trailers likewise; the headers of the first, the middle and the
/// last whole trace; where these contradict the file header, those that `Weighing` names; where traces may differ in
/// length, those of the first 64; and what `FileEnd` names. So the work does not grow with the file.
///
/// A file that is neither SEG-Y nor Seismic Unix data is refused by Error(input) that says what it is. Whatever else is
/// not as the standard has it becomes a diagnostic of the description.
class Probe {
 public:
  /// Local. `path` is for messages only; what is assumed counts, whatever the file says. Errors: input, for an empty
  /// file; usage, for what cannot be of a file of that size.
  Probe(std::string path, std::int64_t file_bytes, Assumptions assume = {});

  /// Local. The bytes needed next, never empty and always inside the file; nothing when all are there.
  [[nodiscard]] std::optional<ByteRange> next() const;

  /// Local. Takes the bytes that `next` named. Errors: input, when they show that the file is refused; io, when there
  /// are fewer or more bytes than named. Do not go on after an error.
  void feed(std::span<const std::byte> bytes);

  /// Local. Precondition: `next` is empty.
  [[nodiscard]] FileDescription result() const;

 private:
  /// What the bytes asked for are needed for.
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
  std::optional<ByteRange> wanted_;  ///< of the stages that have no part of their own
  std::vector<std::byte> head_;      ///< tape label, text header and binary header
  BinaryHeader binary_;
  bool may_be_other_ = true;  ///< what may be a binary header of SEG-Y does not divide the file
  std::optional<SeismicUnix> seismic_unix_;
  std::optional<ExtendedText> extended_text_;
  std::optional<Trailers> trailers_;
  std::optional<Weighing> weighing_;
  std::optional<TraceLengths> trace_lengths_;
  std::optional<FileEnd> file_end_;
  HeadersByPlace known_headers_;  ///< no part needs to be brought what another has had
};

}  // namespace sill::segy
