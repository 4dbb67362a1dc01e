// Recognition of bare Seismic Unix data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// Recognizes Seismic Unix data by its content: it has no file header, so the bytes at its beginning are a trace
/// header; bytes 115-116 of all sampled trace headers state the same number of samples, and traces of this length
/// divide the file without remainder. A step of the probe: `next` names the bytes that it needs, and `feed` accepts
/// them. Source: Seismic Unix, segy.h (240 bytes of header, then float32).
class SeismicUnix {
 public:
  /// The division of the file into traces.
  struct Division {
    ByteOrder order = ByteOrder::big;
    std::int64_t samples = 0;
    std::int64_t traces = 0;  ///< number of complete traces
    bool is_cut = false;      ///< bytes remain after the complete traces
    bool is_agreed = true;    ///< all sampled trace headers state this number of samples
  };

  /// Local. Begins the step. `head` contains the first bytes of the file, at least 240 unless the file is shorter.
  SeismicUnix(std::span<const std::byte> head, std::int64_t file_bytes);

  /// Local. Returns the bytes needed next, or nullopt when the result is known.
  [[nodiscard]] std::optional<ByteRange> next() const;
  /// Local. Accepts the bytes that `next` named.
  void feed(std::span<const std::byte> bytes);

  /// Local. Returns how the file is divided into traces, or nullopt if the evidence shows no Seismic Unix data. A file
  /// with one trace is weak evidence: `single` states whether it is accepted. Precondition: `next()` returns nullopt.
  [[nodiscard]] std::optional<Division> verdict(bool single) const;

  /// Local. Returns how the file is divided into traces if it is truncated Seismic Unix data, or nullopt. Either the
  /// first two traces are complete and agree, or the name of the file ends with .su and the sampled headers agree; the
  /// byte order is the one in which the words of the first header are smaller numbers. Later headers may disagree, for
  /// example if bytes before them are missing. Use this function only for files that are not of any other kind.
  /// Precondition: `next()` returns nullopt.
  [[nodiscard]] std::optional<Division> verdict_if_cut(bool has_name_of_su) const;

  /// Local. Returns the reason why there is no verdict, for each byte order: "in big order its first header states 512
  /// samples, ...". Precondition: `next()` returns nullopt.
  [[nodiscard]] std::string reason() const;

 private:
  struct Guess {
    Division division;
    int looked_at = 0;           ///< sampled trace headers after the first
    std::string disagrees = {};  ///< text about the first of them with a different number of samples
    int agree = 0;               ///< number of them with this number of samples
    bool second_agrees = false;

    [[nodiscard]] bool agrees() const { return agree == looked_at; }
  };
  struct Look {
    ByteRange bytes;
    std::size_t guess = 0;  ///< index of the guess that the bytes test
  };

  std::vector<std::byte> first_;  // first trace header, empty if the file is shorter
  std::int64_t file_bytes_;
  std::optional<ByteOrder> order_;  // byte order in which the words of the first header are smaller numbers
  std::vector<Guess> guesses_;
  std::deque<Look> wanted_;
};

/// Local. Returns the division of a file that is assumed to be Seismic Unix data. Values that are not assumed are taken
/// from its first trace header, in the byte order in which traces divide the file without remainder; if neither or both
/// do, in the byte order in which the words are smaller numbers. Errors: input, if the file is shorter than a trace
/// header, or if the first trace header states no samples.
[[nodiscard]] SeismicUnix::Division assumed_division(std::span<const std::byte> head, const Assumptions& assume,
                                                     const FileDescription& file);

/// Local. Sets the description of a file that has this division, and the evidence for it.
void describe(const SeismicUnix::Division& division, std::span<const std::byte> head, const Assumptions& assume,
              FileDescription& file);

}  // namespace sill::segy
