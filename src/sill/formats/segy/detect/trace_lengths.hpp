// Detection of whether all traces of a file have the same length, and sampling of a few of their headers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/formats/segy/words/binary_header.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// Reads the headers of the first, the middle and the last complete trace as if all traces had the same length. If
/// these contradict each other, or traces do not divide the file, and the file does not guarantee equal lengths, it
/// follows the traces by their own headers, up to 64 of them. If all followed traces have one length, it then reads the
/// middle and the last trace at the positions that follow from this length. A step of the probe: `next` names the bytes
/// that it needs, and `feed` accepts them. Sources: SEG-Y rev 1, bytes 3503-3504 and trace header bytes 115-116;
/// docs/adr/0010.
class TraceLengths {
 public:
  /// Local. Begins the step. Precondition: `file` is described except for its traces.
  TraceLengths(const FileDescription& file, const BinaryHeader& binary, const Assumptions& assume);

  /// Local. Returns the bytes needed next, or nullopt when the result is known.
  [[nodiscard]] std::optional<ByteRange> next() const;
  /// Local. Accepts the bytes that `next` named.
  void feed(std::span<const std::byte> bytes);

  /// Local. Sets the number of traces, the remainder, and all properties of lengths, with diagnostics. Precondition:
  /// `next()` returns nullopt.
  void describe(FileDescription& file) const;
  /// Local. Returns the first 240 bytes of the sampled traces. If lengths vary, only the first trace is included,
  /// because the other positions are not trace headers.
  [[nodiscard]] std::span<const SampledTraceHeader> headers() const {
    return std::span(headers_).first(verdict_ != Verdict::vary ? headers_.size()
                                                               : std::min<std::size_t>(1, headers_.size()));
  }

 private:
  /// The result of following the traces by their own headers.
  enum class Verdict { one, vary, one_of_traces };

  void evaluate_samples();
  void follow(std::span<const std::byte> trace);
  void conclude(bool sound);
  void want_to_confirm();
  void confirm(const ByteRange& range, std::span<const std::byte> bytes);

  FileDescription file_;
  bool promised_;        ///< equal lengths are guaranteed
  bool stated_to_vary_;  ///< the user assumes that lengths vary
  std::optional<TraceShapeRule> rule_;
  std::deque<ByteRange> wanted_;
  std::vector<SampledTraceHeader> headers_;
  std::int64_t samples_stated_ = 0;
  bool contradict_ = false;  ///< the sampled headers state several numbers of samples

  bool following_ = false;
  std::int64_t followed_ = 0;        ///< number of traces followed
  std::int64_t followed_to_ = 0;     ///< byte up to which traces were followed
  std::optional<TraceShape> shape_;  ///< shape of the first trace followed
  bool shapes_differ_ = false;
  bool leads_out_ = false;   ///< a followed trace extends beyond the traces in the file
  bool confirming_ = false;  ///< checking that the middle and last traces have the shape of the followed traces
  std::vector<SampledTraceHeader> confirmed_;
  Verdict verdict_ = Verdict::one;
};

}  // namespace sill::segy
