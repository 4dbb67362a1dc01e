// What trace headers state of samples and interval, against what counts for the file: finding and setting it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// Values of one word that contradict what counts.
struct Contradictions {
  std::int64_t traces = 0;
  std::int64_t first_trace = -1;  ///< from 0, -1 if there are none
  std::int64_t least = 0;
  std::int64_t largest = 0;

  void see(std::int64_t trace, std::int64_t value);
  void add(const Contradictions& other);
  /// Local. "31" or "31 to 462".
  [[nodiscard]] std::string text() const;
};

/// Bytes 115-118 of trace headers (and those of extension 1 that stand for 115-116) of files whose traces are of one
/// length: what they state must be what counts; what they leave open (0) they may. The interval is only set where it is
/// certain, and not looked at where that of the file is itself in doubt: beyond a signed word, or no whole number.
/// Const functions may be called by several threads. Source: SEG-Y rev 1, trace header bytes 115-118.
class StatedLengths {
 public:
  /// Local. Of traces as `reader` has them, to be written in the order of `form`. `is_interval_certain`: the interval
  /// that counts for the file is the right one, whatever traces state.
  StatedLengths(const SurveyReader& reader, const segy::FileForm& form, bool is_interval_certain);

  struct Found {
    Contradictions samples;
    Contradictions interval;
    Contradictions unlike;    ///< headers that are not like the first ones (HeaderProof), by what they state of samples
    Contradictions doubtful;  ///< of them, those that contradict in samples

    void add(const Found& other);
  };
  /// Collective. Goes through the headers of all traces. Nothing where lengths vary. Errors: io; input where traces
  /// contradict one another and nothing promises one length, as LengthCheck.
  [[nodiscard]] Found look(const Resources& resources) const;

  /// Local. The same of one trace, whose headers are at `headers` as the input has them.
  void see(const std::byte* headers, std::int64_t trace, Found& found) const;

  /// Local. Sets them in the headers of an output's trace.
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
