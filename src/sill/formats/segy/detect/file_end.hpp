// Classification of the bytes after the last complete trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/words/binary_header.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// Classifies the bytes after the last complete trace. The bytes are padding if all of them are zero, if they are at
/// least as long as a trace header, and if the last sampled header is not zero. Otherwise they are a truncated trace.
/// The step also recognizes a file that was copied as text: each sampled line feed in the traces follows a carriage
/// return. A step of the probe: `next` names the bytes that it needs, and `feed` accepts them. It requests at most 1
/// MiB at a time.
class FileEnd {
 public:
  /// Local. Begins the step. Precondition: `file` is described, including its traces; `traces` are its sampled headers.
  FileEnd(const FileDescription& file, std::span<const SampledTraceHeader> traces);

  /// Local. Returns the bytes needed next, or nullopt when the result is known.
  [[nodiscard]] std::optional<ByteRange> next() const { return wanted_; }
  /// Local. Accepts the bytes that `next` named.
  void feed(std::span<const std::byte> bytes);

  /// Local. Adds the result and its findings to `file`. Precondition: `next()` returns nullopt.
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
