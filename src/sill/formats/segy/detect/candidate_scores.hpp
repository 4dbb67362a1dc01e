// Detection of the positions of traces if the header of a file contradicts its content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/detect/assumptions.hpp"
#include "sill/formats/segy/detect/layout_candidates.hpp"
#include "sill/formats/segy/words/binary_header.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// Reads the first, the middle and the last trace header at the positions that follow from the file header, and the
/// last extended text header. If these headers and the size of the file agree, nothing else is read. Otherwise it
/// scores other positions of the first trace (by the text that is actually present, by bytes 3505-3506 and 3521-3528),
/// and other numbers of samples, headers and trailers. It accepts the alternative with the best score if no sampled
/// header contradicts this alternative and its lead is at least 4 points. A step of the probe: `next` names the bytes
/// that it needs, and `feed` accepts them. Source: docs/adr/0026.
class Weighing {
 public:
  /// Local. Begins the step. Precondition: `file` is SEG-Y and completely described, except for the number of its
  /// traces.
  Weighing(const FileDescription& file, const BinaryHeader& binary, const Assumptions& assume);

  /// Local. Returns the bytes needed next, or nullopt when the result is known.
  [[nodiscard]] std::optional<ByteRange> next() const;
  /// Local. Accepts the bytes that `next` named.
  void feed(std::span<const std::byte> bytes);

  /// Local. Sets the values that differ from the header, with evidence and findings. Precondition: `next()` returns
  /// nullopt.
  void describe(FileDescription& file) const;

 private:
  enum class Step { as_stated, text, starts, others, done };
  struct Weighed {
    Candidate candidate;
    Weight weight;
  };

  void advance();
  void want_headers(std::span<const std::int64_t> places);
  void look_for_text();
  void count_text(std::span<const std::byte> blocks);
  void gather_starts();
  [[nodiscard]] std::vector<std::int64_t> samples_from(std::int64_t start) const;
  void gather_others();
  void add_counts_modulo();
  void decide();
  [[nodiscard]] bool is_followed(const Weighed& other) const;
  [[nodiscard]] Weight weighed(const Candidate& candidate) const;
  [[nodiscard]] std::int64_t text_begin() const { return file_.label_bytes + file_header_bytes; }
  void hint_at_sample_bytes(FileDescription& file) const;
  void hint_at_byte_order(FileDescription& file) const;

  FileDescription file_;
  BinaryHeader binary_;
  Assumptions assume_;
  Step step_ = Step::as_stated;
  std::vector<ByteRange> wanted_;  // in reverse order
  HeadersByPlace headers_;
  bool is_text_before_ = true;  // true even if the header states no extended text headers
  bool text_is_counted_ = false;
  std::int64_t text_blocks_ = 0;  // blocks of text after the binary header, if they were counted
  std::vector<std::int64_t> starts_;
  std::vector<Candidate> candidates_;
  std::vector<Candidate> of_other_sizes_;  // with other sample sizes: reported, never followed
  Weighed stated_;
  Weighed winner_;
  std::optional<Weighed> runner_up_;
};

}  // namespace sill::segy
