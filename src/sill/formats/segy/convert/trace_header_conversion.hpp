// Conversion of trace headers to another byte order, or between SEG-Y and Seismic Unix.
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

/// Observations made while headers were converted; the observations of several threads can be merged.
struct TraceHeaderAccount {
  std::array<std::byte, 60> upper{};  ///< bytes 181-240 that were cleared: the bits that were set in any trace
  std::vector<std::byte> unnamed;     ///< bytes of all headers that no word covers: the bits that were set in any trace
  std::int64_t samples_set = 0;       ///< traces whose number of samples (115-116) differed from the file's
  std::int64_t interval_set = 0;      ///< traces whose interval (117-118) differed from the file's
  std::int64_t times_lost = 0;        ///< traces with times (95-114) that cannot be stored without their scalar
  std::int64_t scalars_cleared = 0;   ///< traces with values in bytes 215-216 that would scale times in the output
  std::int64_t energy_changed = 0;    ///< traces with values in bytes 219-224, which have another meaning in the output

  static constexpr std::array counts = {&TraceHeaderAccount::samples_set, &TraceHeaderAccount::interval_set,
                                        &TraceHeaderAccount::times_lost, &TraceHeaderAccount::scalars_cleared,
                                        &TraceHeaderAccount::energy_changed};

  void add(const TraceHeaderAccount& other);
};

/// How a conversion treats trace headers.
struct TraceHeaderRules {
  bool keep_181 = false;      ///< copy bytes 181-240 between SEG-Y and Seismic Unix, with the scalar of times
  bool is_of_output = false;  ///< the headers already have the words of the output's revision, unlike the file header
};

/// Converts all headers of a trace from the form of an input to the form of an output. Words are converted to the other
/// byte order; bytes that no word covers are copied. Between SEG-Y and Seismic Unix bytes 181-240, which have different
/// meanings, are cleared unless the options request otherwise. In a Seismic Unix output every trace states the number
/// of samples and the interval, because nothing else states them. Times (95-114) keep their true values: revision 0 and
/// Seismic Unix have no scalar of times (215-216). Const functions may be called by several threads.
/// Sources: SEG-Y rev 2.1, trace header; Seismic Unix, segy.h.
class TraceHeaderConversion {
 public:
  /// Local. Prepares the conversion. `words` are the words of the input in order of precedence: a word that overlaps an
  /// earlier one is skipped. They may include words of extension 1, which apply only to traces whose second header is
  /// extension 1. `needs_names`: bytes 181-240 may contain anything, as in revision 0. `times`: the words that bytes
  /// 215-216 of the input scale.
  TraceHeaderConversion(const FileDescription& from, const FileForm& to, std::span<const WordRef> words,
                        const TraceHeaderRules& rules, bool needs_names, std::vector<WordRef> times);

  /// Local. Converts the `headers` headers at `in` and writes them to `out`. Precondition: `headers` is at most the
  /// maximum of `from`.
  void convert(const std::byte* in, std::byte* out, int headers, TraceHeaderAccount& account) const;

  /// Local. Returns the information that was lost or is in doubt after all traces, one sentence each. Errors: input, if
  /// names are needed and bytes 181-240 that no word covers are not 0 and would be converted to another byte order, or
  /// if times cannot be stored without their scalar.
  [[nodiscard]] std::vector<std::string> notes(const TraceHeaderAccount& account) const;

 private:
  void keep_times(std::byte* header, TraceHeaderAccount& account) const;
  [[nodiscard]] std::string names_of(std::span<const std::byte> bits, std::int64_t first_byte) const;

  FileForm to_;
  std::vector<WordRef> words_;
  std::vector<WordRef> times_;
  WordSwap swap_;            // for traces without extension 1
  WordSwap extension_swap_;  // for traces with extension 1
  bool clears_;
  bool turns_;  // the byte order changes
  bool needs_names_;
  bool sets_shape_;      // samples and interval are set in every trace
  bool applies_scalar_;  // of times, because the output has none
  bool clears_scalar_;   // bytes 215-216, because they are no scalar in the input
  bool changes_energy_;  // bytes 219-224 have other words before revision 2.0 and from it on
};

}  // namespace sill::segy
