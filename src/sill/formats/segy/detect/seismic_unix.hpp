// Recognizing bare Seismic Unix data.
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

/// Seismic Unix data as its own evidence shows it: no file header, so what reads as one is a trace; one number of
/// samples at bytes 115-116 of every trace header looked at, by which the file divides without a rest. A part of the
/// probe: it names the bytes it needs and is fed. Source: Seismic Unix, segy.h (240 bytes of header, then float32).
class SeismicUnix {
 public:
  /// How the file is divided.
  struct Division {
    ByteOrder order = ByteOrder::big;
    std::int64_t samples = 0;
    std::int64_t traces = 0;  ///< whole ones
    bool is_cut = false;      ///< bytes are left after them
    bool is_agreed = true;    ///< by every trace header that was looked at
  };

  /// Local. `head` are the first bytes of the file, 240 at least unless it is shorter.
  SeismicUnix(std::span<const std::byte> head, std::int64_t file_bytes);

  /// Local. The bytes needed next; nothing when the verdict is there.
  [[nodiscard]] std::optional<ByteRange> next() const;
  /// Local. Takes the bytes that `next` named.
  void feed(std::span<const std::byte> bytes);

  /// Local. The division, if the file is Seismic Unix data by that evidence. One trace is weak evidence: `single` says
  /// whether it counts. Precondition: `next` is empty.
  [[nodiscard]] std::optional<Division> verdict(bool single) const;

  /// Local. The division if the file is such data that was cut: two whole traces agree, or its name says what it is, in
  /// the byte order in which the words of the first header are the smaller numbers. Later headers may disagree, as
  /// where bytes are missing before them. For files that are nothing else. Precondition: `next` is empty.
  [[nodiscard]] std::optional<Division> verdict_if_cut(bool has_name_of_su) const;

  /// Local. Why there is no verdict, for each byte order: "in big order its first header states 512 samples, ...".
  /// Precondition: `next` is empty.
  [[nodiscard]] std::string reason() const;

 private:
  struct Guess {
    Division division;
    int looked_at = 0;           ///< trace headers after the first
    std::string disagrees = {};  ///< the first of them that has another number of samples
    int agree = 0;               ///< of them: they have this number of samples
    bool second_agrees = false;

    [[nodiscard]] bool agrees() const { return agree == looked_at; }
  };
  struct Look {
    ByteRange bytes;
    std::size_t guess = 0;  ///< that the bytes are to test
  };

  std::vector<std::byte> first_;  // trace header, nothing where the file is shorter
  std::int64_t file_bytes_;
  std::optional<ByteOrder> order_;  // of the words of the first header
  std::vector<Guess> guesses_;
  std::deque<Look> wanted_;
};

/// Local. The division of a file that is assumed to be Seismic Unix data; what is not assumed is taken from its first
/// trace header, in the byte order that divides the file, else in which numbers are small. Errors: input, if it begins
/// with no trace header, or that states no samples.
[[nodiscard]] SeismicUnix::Division assumed_division(std::span<const std::byte> head, const Assumptions& assume,
                                                     const FileDescription& file);

/// Local. Describes a file that is so divided, with the evidence.
void describe(const SeismicUnix::Division& division, std::span<const std::byte> head, const Assumptions& assume,
              FileDescription& file);

}  // namespace sill::segy
