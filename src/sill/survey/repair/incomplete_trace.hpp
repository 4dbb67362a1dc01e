// The last trace of a file that was cut: what there is of it, and what to do with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// Left away, or kept with zeros for the samples that are not there.
enum class LastTrace { drop, pad };

/// The bytes after the last whole trace of one file.
class CutTrace {
 public:
  /// Local. Of the file of `reader`, which takes damaged files and has one. Errors: io; input if bytes are missing
  /// inside the file instead of at its end: there are data trailers after them, the last whole trace, or the header
  /// of the one that was cut, is not like the first, or headers are out of place (survey/repair/headers_in_place.hpp).
  explicit CutTrace(const SurveyReader& reader);

  [[nodiscard]] bool exists() const { return !bytes_.empty(); }
  /// Local. "330 of 360 bytes of trace 7, with 22 of its 30 samples". Precondition: `exists()`.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Local. The byte of the file where it begins, from 0.
  [[nodiscard]] std::int64_t first_byte() const { return first_byte_; }
  /// Local. Samples that are not there, the one that was cut in two among them. Precondition: `shape()`.
  [[nodiscard]] std::int64_t missing_samples() const { return missing_samples_; }
  /// Local. What its headers state; nothing if they are not whole.
  [[nodiscard]] const std::optional<segy::TraceShape>& shape() const { return shape_; }

  /// Local. The whole trace, as the input has it, with zeros where samples are missing. Errors: input if its headers
  /// are not whole, or state a trace longer than any other of the file.
  [[nodiscard]] std::vector<std::byte> padded() const;

  /// Local. Errors: input, always: what can become of it.
  [[noreturn]] void refuse() const;

 private:
  void require_no_hole_before_padding();
  void require_like_others() const;
  [[noreturn]] void refuse(std::string problem, std::string action) const;

  const SurveyReader& reader_;
  const segy::FileDescription& file_;
  std::vector<std::byte> bytes_;
  std::int64_t first_byte_ = 0;
  std::optional<segy::TraceShape> shape_;
  std::int64_t trace_bytes_ = 0;  // if it were whole
  std::int64_t missing_samples_ = 0;
  std::string text_;
};

}  // namespace sill
