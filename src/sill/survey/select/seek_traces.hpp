// Finding the traces of a condition by how its words number the survey, instead of reading every header.
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

/// Which headers are looked at for a condition.
struct HeadersRead {
  bool seek = false;  ///< only few where SeekTraces can, else all
  /// Fewer are read in no time, and reading them all leaves nothing open.
  std::int64_t min_traces_to_seek = 4096;
  /// A header that lies alone costs a request of its own, so looking at more of them than this part saves nothing.
  std::int64_t min_traces_per_look = 4;
};

/// How traces were found, the same on all ranks.
struct TraceSearch {
  bool indexed = false;           ///< by the words that the indexes beside the files store
  bool sought = false;            ///< by regular numbers: all that match if the other headers are regular, too
  std::int64_t headers_read = 0;  ///< trace headers that were looked at, by all ranks
  std::string words = {};         ///< names of the words that number regularly, "iline, xline"; as far as was found out
  std::string why_not = {};       ///< why it was done neither way, if one was tried
};

/// Seeks the traces of a condition. What it finds is right, because each trace is read; that it is all there is holds
/// if the words number the survey regularly also where nobody looked (docs/selection.md).
class SeekTraces {
 public:
  /// Local. `reader` and `where` outlive it. `also` are the bytes of a header that whoever gets the traces looks at.
  SeekTraces(const Resources& resources, const SurveyReader& reader, const segy::Expression& where, ByteRange also,
             const HeadersRead& headers);

  /// Collective. Numbers of traces of which the condition should hold, this rank's share of all, ascending through the
  /// ranks; nothing if they are not to be found so, which `search()` explains. Errors: io.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> find();

  /// Local. Whether a trace has the words by which it was found; counts it as looked at. For several threads at once.
  [[nodiscard]] bool confirms(std::int64_t trace, const segy::HeaderView& header);

  /// Collective. Whether all traces were confirmed on all ranks.
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
  ByteRange needed_;  // of a header
  HeadersRead headers_;
  segy::WholeNumbers inputs_;
  std::optional<RegularNumbers> numbers_;
  std::atomic<std::int64_t> looked_at_{0};
  std::atomic<std::int64_t> first_misfit_{std::numeric_limits<std::int64_t>::max()};
  TraceSearch search_;
};

/// Local. Visits the first 240 bytes of the headers of `traces`, on `threads` threads. What will be read is announced
/// to the system before; the whole traces if they are `read_whole` soon after. Errors: io; what `visit` throws, with
/// the place of its trace.
void look_at_headers(const SurveyReader& reader, std::span<const std::int64_t> traces, bool read_whole, int threads,
                     const std::function<void(std::int64_t trace, const segy::HeaderView& header, int thread)>& visit);

}  // namespace sill
