// Finding out whether the traces of a file are of one length, and looking at a few of their headers.
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

/// Reads the headers of the first, the middle and the last whole trace as if all were of one length. Where they
/// contradict one another, or the file does not divide, and one length is not promised, it follows the traces by their
/// own headers for a while; if these are of one length, it looks at the middle and the last trace of that. A part of
/// the probe: it names the bytes it needs and is fed. Sources: SEG-Y rev 1, bytes 3503-3504 and trace header bytes
/// 115-116; docs/adr/0010.
class TraceLengths {
 public:
  /// Local. `file` is described but for its traces.
  TraceLengths(const FileDescription& file, const BinaryHeader& binary, const Assumptions& assume);

  /// Local. The bytes needed next; nothing when the verdict is there.
  [[nodiscard]] std::optional<ByteRange> next() const;
  /// Local. Takes the bytes that `next` named.
  void feed(std::span<const std::byte> bytes);

  /// Local. Sets traces, remainder, and all that is known about lengths, with its diagnostics. Precondition: `next` is
  /// empty.
  void describe(FileDescription& file) const;
  /// Local. The first 240 bytes of the traces that were looked at: those that begin there as the file is read.
  [[nodiscard]] std::span<const SampledTraceHeader> headers() const {
    return std::span(headers_).first(verdict_ != Verdict::vary ? headers_.size()
                                                               : std::min<std::size_t>(1, headers_.size()));
  }

 private:
  /// What following the traces by their own headers has shown.
  enum class Verdict { one, vary, one_of_traces };

  void evaluate_samples();
  void follow(std::span<const std::byte> trace);
  void conclude(bool sound);
  void want_to_confirm();
  void confirm(const ByteRange& range, std::span<const std::byte> bytes);

  FileDescription file_;
  bool promised_;        ///< that all traces are of one length
  bool stated_to_vary_;  ///< by the user
  std::optional<TraceShapeRule> rule_;
  std::deque<ByteRange> wanted_;
  std::vector<SampledTraceHeader> headers_;
  std::int64_t samples_stated_ = 0;
  bool contradict_ = false;  ///< the sampled headers state several numbers of samples

  bool following_ = false;
  std::int64_t followed_ = 0;        ///< traces
  std::int64_t followed_to_ = 0;     ///< byte
  std::optional<TraceShape> shape_;  ///< of the first trace followed
  bool shapes_differ_ = false;
  bool leads_out_ = false;   ///< a trace that was followed
  bool confirming_ = false;  ///< that all are of the shape of those followed
  std::vector<SampledTraceHeader> confirmed_;
  Verdict verdict_ = Verdict::one;
};

}  // namespace sill::segy
