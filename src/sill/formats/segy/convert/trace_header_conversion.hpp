// Turning trace headers from one form of file into another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/words/word_swap.hpp"

namespace sill::segy {

/// What was noticed while headers were turned; what several threads noticed can be joined.
struct TraceHeaderAccount {
  std::array<std::byte, 60> upper{};  ///< bytes 181-240, cleared: the bits that were set in any trace
  std::vector<std::byte> unnamed;     ///< bytes of all headers that no word covers: the bits set in any trace
  std::int64_t samples_set = 0;       ///< traces whose number of samples (115-116) was not the file's
  std::int64_t interval_set = 0;      ///< traces whose interval (117-118) was not the file's

  void add(const TraceHeaderAccount& other);
};

/// The headers of a trace (all of them) from the form of an input to that of an output. Words are turned into the other
/// byte order; bytes that no word covers are carried. Between SEG-Y and Seismic Unix bytes 181-240, which mean other
/// things there, are cleared unless the options say otherwise. A Seismic Unix output has the number of samples and the
/// interval in every trace, as nothing else states them. Const functions may be called by several threads. Sources:
/// SEG-Y rev 2.1, trace header; Seismic Unix, segy.h.
class TraceHeaderConversion {
 public:
  /// Local. `words` are the input's, those that count most first. Those of extension 1 may be among them: they count in
  /// traces whose second header is one. `needs_names`: bytes 181-240 may hold anything, as in revision 0.
  TraceHeaderConversion(const FileDescription& from, const FileForm& to, std::span<const WordRef> words, bool keep_181,
                        bool needs_names);

  /// Local. The `headers` headers at `in` to `out`. Precondition: no more headers than `from` has at most.
  void convert(const std::byte* in, std::byte* out, int headers, TraceHeaderAccount& account) const;

  /// Local. What was lost or is in doubt, a sentence each, after all traces. Errors: input, where names are needed,
  /// for bytes 181-240 that no word names, if they hold something and would be brought into another byte order.
  [[nodiscard]] std::vector<std::string> notes(const TraceHeaderAccount& account) const;

 private:
  [[nodiscard]] std::string names_of(std::span<const std::byte> bits, std::int64_t first_byte) const;

  FileForm to_;
  std::vector<WordRef> words_;
  WordSwap swap_;            // of traces without extension 1
  WordSwap extension_swap_;  // of traces with it
  bool clears_;
  bool turns_;  // into another byte order
  bool needs_names_;
  bool sets_shape_;  // in every trace
};

}  // namespace sill::segy
