// Finding out where the traces of a file lie when what its header states does not fit what is there.
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

/// Looks at the first, the middle and the last trace header where the header of the file puts them, and at the last
/// extended text header. If these and the size of the file agree, nothing else is asked. Else other places of the first
/// trace (by the text that is really there, by bytes 3505-3506 and 3521-3528), other numbers of samples, headers and
/// trailers are weighed, and one is followed if no header that was looked at contradicts it and it leads by 4 points. A
/// part of the probe: it names the bytes it needs and is fed. Source: docs/adr/0026.
class Weighing {
 public:
  /// Local. `file` is SEG-Y and described but for the number of its traces.
  Weighing(const FileDescription& file, const BinaryHeader& binary, const Assumptions& assume);

  /// Local. The bytes needed next; nothing when the verdict is there.
  [[nodiscard]] std::optional<ByteRange> next() const;
  /// Local. Takes the bytes that `next` named.
  void feed(std::span<const std::byte> bytes);

  /// Local. Sets what was decided otherwise than the header states, with evidence and findings. Precondition: `next` is
  /// empty.
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
  std::vector<ByteRange> wanted_;  // the last first
  HeadersByPlace headers_;
  bool is_text_before_ = true;  // or nothing is to be there
  bool text_is_counted_ = false;
  std::int64_t text_blocks_ = 0;  // of text after the binary header, where that was looked for
  std::vector<std::int64_t> starts_;
  std::vector<Candidate> candidates_;
  std::vector<Candidate> of_other_sizes_;  // of samples: reported, never followed
  Weighed stated_;
  Weighed winner_;
  std::optional<Weighed> runner_up_;
};

}  // namespace sill::segy
