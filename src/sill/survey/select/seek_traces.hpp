// Finds the traces of a condition by regular numbers of its words, instead of reading every header.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/segy/expression/expression.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/select/regular_numbers.hpp"

namespace sill {

/// Selects the headers that are read for a condition.
struct HeadersRead {
  bool seek = false;  ///< read only a few headers if SeekTraces can, else all
  /// With fewer traces, reading all headers is fast and certain.
  std::int64_t min_traces_to_seek = 4096;
  /// An isolated header costs a separate request, so reading more than one in this number of headers saves nothing.
  std::int64_t min_traces_per_look = 4;
};

/// The method by which traces were found; the same on all ranks.
struct TraceSearch {
  bool indexed = false;           ///< the traces were found by the words that the indexes next to the files store
  bool sought = false;            ///< the traces were found by regular numbers; the result is complete if the headers
                                  ///< that were not read are regular, too
  std::int64_t headers_read = 0;  ///< number of trace headers that all ranks read
  std::string words = {};         ///< names of the words that are regular, "iline, xline"; as far as was determined
  std::string why_not = {};       ///< why neither method was used, if one was tried
};

/// Seeks the traces of a condition. Every trace found is right, because it is read. The result is complete if the words
/// also number the survey regularly where no header was read (docs/selection.md).
class SeekTraces {
 public:
  /// Local. Prepares the search. `reader` and `where` must outlive this object. `also` are header bytes that the caller
  /// reads from the found traces.
  SeekTraces(const Resources& resources, const SurveyReader& reader, const segy::Expression& where, ByteRange also,
             const HeadersRead& headers);

  /// Collective. Returns the numbers of traces for which the condition is expected to hold: this rank's share,
  /// ascending over the ranks. Returns nullopt if the traces cannot be found in this way; `search()` states the reason.
  /// Errors: io.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> find();

  /// Local. Returns true if a trace has the words by which it was found; counts the trace as read. May be called by
  /// several threads.
  [[nodiscard]] bool confirms(std::int64_t trace, const segy::HeaderView& header);

  /// Collective. Returns true if all traces were confirmed on all ranks.
  [[nodiscard]] bool all_confirmed();

  [[nodiscard]] const TraceSearch& search() const { return search_; }

 private:
  [[nodiscard]] bool can_seek();
  [[nodiscard]] bool find_numbers();
  void look_at_lines();
  void look_at(std::span<const std::int64_t> traces);
  [[nodiscard]] std::vector<std::int64_t> neighbours_of(std::span<const std::int64_t> found) const;
  [[nodiscard]] std::optional<std::vector<std::int64_t>> evaluate();

  const Resources& resources_;
  const SurveyReader& reader_;
  const segy::Expression& where_;
  ByteRange needed_;  // header bytes that the condition and the caller need
  HeadersRead headers_;
  segy::WholeNumbers inputs_;
  std::optional<RegularNumbers> numbers_;
  std::atomic<std::int64_t> looked_at_{0};
  std::atomic<std::int64_t> first_misfit_{std::numeric_limits<std::int64_t>::max()};
  TraceSearch search_;
};

/// Local. Visits the first 240 bytes of the headers of `traces`, on `threads` threads. Announces to the system
/// beforehand which bytes will be read; complete traces, if they are `read_whole` soon after. Errors: io; exceptions of
/// `visit`, with the position of the trace.
void look_at_headers(const SurveyReader& reader, std::span<const std::int64_t> traces, bool read_whole, int threads,
                     const std::function<void(std::int64_t trace, const segy::HeaderView& header, int thread)>& visit);

}  // namespace sill
