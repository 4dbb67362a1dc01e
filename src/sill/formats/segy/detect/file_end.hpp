// Finding out what the bytes after the last whole trace are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/words/binary_header.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// Bytes after the last whole trace are a trace that was cut; or padding, if they are all zero, at least a trace header
/// long, and the header before them is not zero; or the file was copied as text, which puts a carriage return before
/// each line feed. A part of the probe: it names the bytes it needs, at most 1 MiB each time, and is fed.
class FileEnd {
 public:
  /// Local. `file` is described, its traces included; `traces` are the headers of it that were looked at.
  FileEnd(const FileDescription& file, std::span<const SampledTraceHeader> traces);

  /// Local. The bytes needed next; nothing when the verdict is there.
  [[nodiscard]] std::optional<ByteRange> next() const { return wanted_; }
  /// Local. Takes the bytes that `next` named.
  void feed(std::span<const std::byte> bytes);

  /// Local. Adds what was found. Precondition: `next` is empty.
  void describe(FileDescription& file) const;

 private:
  void look_at_line_ends();

  std::int64_t first_trace_byte_;
  std::int64_t file_bytes_;
  std::int64_t remainder_bytes_;
  bool lengths_vary_;
  std::optional<ByteRange> wanted_;
  bool is_reading_end_ = false;
  bool is_padding_ = false;
  bool has_text_line_ends_ = false;
};

}  // namespace sill::segy
