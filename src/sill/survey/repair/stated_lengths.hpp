// Finds and sets the words of trace headers that state samples and interval in contradiction to the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// Values of one word that contradict the file.
struct Contradictions {
  std::int64_t traces = 0;
  std::int64_t first_trace = -1;  ///< from 0, -1 if there are none
  std::int64_t min = 0;
  std::int64_t max = 0;

  void see(std::int64_t trace, std::int64_t value);
  void add(const Contradictions& other);
  /// Local. Returns "31" or "31 to 462".
  [[nodiscard]] std::string text() const;
};

/// Bytes 115-118 of trace headers (and the words of extension 1 that replace 115-116) in files whose traces have one
/// length. The words must state the values of the file; words that are 0 may remain 0. The interval is set only if it
/// is certain, and is ignored if the interval of the file is itself in doubt: larger than a signed word, or not an
/// integer. Const functions may be called by several threads. Source: SEG-Y rev 1, trace header bytes 115-118.
class StatedLengths {
 public:
  /// Local. Checks traces of `reader`, which will be written in the byte order of `form`. `is_interval_certain`: the
  /// interval of the file is right, even if traces state another.
  StatedLengths(const SurveyReader& reader, const segy::FileForm& form, bool is_interval_certain);

  struct Found {
    Contradictions samples;
    Contradictions interval;
    Contradictions unlike;    ///< headers unlike the first headers (HeaderProof), with the numbers of samples that they
                              ///< state
    Contradictions doubtful;  ///< headers that are unlike the first headers and state a number of samples that
                              ///< contradicts the file

    void add(const Found& other);
  };
  /// Collective. Examines the headers of all traces. Returns no contradictions if lengths vary. Errors: io; input if
  /// traces contradict one another and nothing promises one length, as LengthCheck.
  [[nodiscard]] Found look(const Resources& resources) const;

  /// Local. Examines one trace, whose headers are at `headers` in the form of the input.
  void see(const std::byte* headers, std::int64_t trace, Found& found) const;

  /// Local. Sets the words in the headers of an output trace.
  void set(std::byte* headers, segy::TraceShape shape) const;

  [[nodiscard]] bool sets_interval() const { return is_interval_certain_ && interval_us_ > 0; }

 private:
  [[nodiscard]] bool is_overridden(std::uint16_t summarized) const;

  const SurveyReader& reader_;
  bool is_uniform_;
  std::int64_t samples_;
  bool is_interval_certain_;
  int interval_us_ = 0;  // 0: in doubt
  ByteOrder in_order_;
  ByteOrder out_order_;
  segy::TraceShapeRule in_rule_;
  segy::TraceShapeRule out_rule_;
};

}  // namespace sill
