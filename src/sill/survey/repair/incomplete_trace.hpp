// The last trace of a truncated file: its remaining bytes, and their treatment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// The treatment of the last trace: `drop` removes the trace; `pad` retains the trace, with zeros for the missing
/// samples.
enum class LastTrace { drop, pad };

/// The bytes after the last complete trace of one file.
class CutTrace {
 public:
  /// Local. Reads the bytes from the only file of `reader`, which must accept damaged files. Errors: io; input if bytes
  /// are missing inside the file instead of at its end. Signs of this are: data trailers follow the bytes; the last
  /// complete trace, or the header of the cut trace, is not like the first; or headers are out of place
  /// (survey/repair/headers_in_place.hpp).
  explicit CutTrace(const SurveyReader& reader);

  [[nodiscard]] bool exists() const { return !bytes_.empty(); }
  /// Local. Returns a description: "330 of 360 bytes of trace 7, with 22 of its 30 samples". Precondition: `exists()`
  /// is true.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// Local. Returns the byte of the file where the trace begins, from 0.
  [[nodiscard]] std::int64_t first_byte() const { return first_byte_; }
  /// Local. Returns the number of missing samples, including a sample that was cut in two. Precondition: `shape()` is
  /// set.
  [[nodiscard]] std::int64_t missing_samples() const { return missing_samples_; }
  /// Local. Returns the shape that the headers of the trace state; nullopt if the headers are incomplete.
  [[nodiscard]] const std::optional<segy::TraceShape>& shape() const { return shape_; }

  /// Local. Returns the complete trace in the form of the input, with zeros for the missing samples. Errors: input if
  /// its headers are incomplete, or state a trace longer than any other of the file.
  [[nodiscard]] std::vector<std::byte> padded() const;

  /// Local. Throws an error that states the options for the trace. Errors: input, always.
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
  std::int64_t trace_bytes_ = 0;  // size of the complete trace
  std::int64_t missing_samples_ = 0;
  std::string text_;
};

}  // namespace sill
