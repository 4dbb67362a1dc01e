// Finding out what a SEG-Y file is, by evidence, from a few of its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/file_description.hpp"
#include "sill/formats/segy/header_checks.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// Describes a file without reading it: the probe names the bytes it needs, its owner brings them.
///
///     Probe probe(path, file_bytes);
///     while (const auto range = probe.next()) probe.feed(bytes_of_the_file(*range));
///     const FileDescription description = probe.result();
///
/// It asks for the first 3600 bytes; two bytes of a few trace headers where the file may be bare Seismic Unix data; the
/// first extended text header if bytes 3505-3506 say that there is one, or as many as it takes to find the last of an
/// open count; and the headers of the first, the middle and the last whole trace. So the work does not grow with the
/// file.
///
/// A file that is not SEG-Y, or is but not supported yet, is refused by Error(input) that says what it is. Whatever
/// else is not as the standard has it becomes a diagnostic of the description.
class Probe {
 public:
  /// Local. `path` is for messages only. Errors: input, for an empty file.
  Probe(std::string path, std::int64_t file_bytes);

  /// Local. The bytes needed next, never empty and always inside the file; nothing when all are there.
  [[nodiscard]] std::optional<ByteRange> next() const;

  /// Local. Takes the bytes that `next` named. Errors: input, when they show that the file is refused; io, when there
  /// are fewer or more bytes than named. Do not go on after an error.
  void feed(std::span<const std::byte> bytes);

  /// Local. Precondition: `next` is empty.
  [[nodiscard]] FileDescription result() const;

 private:
  /// What the bytes asked for are needed for.
  enum class Stage { file_header, seismic_unix, extended_text, trace_headers, complete };

  /// How the file would be divided if it were bare Seismic Unix data.
  struct SeismicUnixGuess {
    ByteOrder order = ByteOrder::big;
    std::int64_t samples = 0;
    std::int64_t traces = 0;
    bool agrees = true;  ///< every trace header looked at has this number of samples
  };

  void interpret_file_header();
  void guess_seismic_unix(bool segy_fits);
  void judge_seismic_unix();
  void interpret_binary_header();
  void interpret_revision();
  void plan_extended_text();
  void read_extended_text(std::span<const std::byte> bytes);
  void judge_counted_text(bool first_block_is_text);
  void scan_for_end_text(std::span<const std::byte> bytes);
  void ignore_extended_text(Grade grade, std::string problem);
  void plan_traces();
  void finish();

  [[nodiscard]] bool fits_after(std::int64_t first_trace_byte) const;
  [[noreturn]] void refuse(std::string problem, std::string clause, std::string action) const;

  FileDescription description_;
  Stage stage_ = Stage::file_header;
  std::deque<ByteRange> wanted_;

  std::vector<std::byte> head_;  ///< the text header and the binary header
  std::vector<SeismicUnixGuess> guesses_;
  std::deque<std::size_t> guess_of_wanted_;  ///< which guess each wanted range is to test
  BinaryHeader binary_;
  int revision_ = 0;                 ///< what the file is read as: 0 or 1
  std::int64_t blocks_scanned_ = 0;  ///< extended text headers searched for the end so far
  std::vector<SampledTraceHeader> trace_headers_;
};

}  // namespace sill::segy
