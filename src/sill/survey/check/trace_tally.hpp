// What a check counts as traces pass by.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/samples/sample_statistics.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/formats/segy/words/trace_code.hpp"
#include "sill/formats/segy/words/words.hpp"

namespace sill {

/// How many traces, and the numbers of the first of them.
struct TraceCount {
  static constexpr std::size_t max_listed = 10;

  std::int64_t traces = 0;
  std::array<std::int64_t, max_listed> first{};  ///< from 0, ascending; as many as there are traces

  /// Local. Adds a trace with a higher number than all before.
  void add(std::int64_t trace);
  void merge(const TraceCount& other);
  [[nodiscard]] std::span<const std::int64_t> listed() const;
};

/// Header words whose values are counted.
enum class CountedWord : std::uint8_t {
  trace_code,
  elevation_scalar,
  coordinate_scalar,
  coordinate_units,
  samples,
  interval,
  time_scalar
};
inline constexpr std::size_t counted_words = 7;

/// Where a counted word lies; no bytes: the file has none.
struct CountedPlace {
  int byte = 0;  ///< from 1
  segy::WordType type{segy::WordKind::signed_integer, 0};

  [[nodiscard]] bool exists() const { return type.bytes > 0; }
  [[nodiscard]] int last_byte() const { return byte + type.bytes - 1; }
};

/// Which traces are what. Sums do not depend on how traces were distributed.
struct TraceKinds {
  TraceCount zero;             ///< all samples zero, not marked dead (2) or dummy (3) at bytes 29-30
  TraceCount zero_marked;      ///< all samples zero, and so marked
  TraceCount marked_alive;     ///< marked dead, but not all zero
  TraceCount constant;         ///< all samples one number other than zero
  TraceCount clipped;          ///< TraceStatistics::clipped
  TraceCount not_finite;       ///< with NaN or infinite samples
  TraceCount refuting_format;  ///< whose samples contradict the sample format by themselves
  TraceCount auxiliary;        ///< no seismic data (segy::is_seismic_code); what follows is of the others
  std::int64_t samples = 0;
  std::int64_t zeros = 0;
  std::int64_t nans = 0;
  std::int64_t infinities = 0;
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();
  segy::ExactSum squares;
  bool squares_beyond = false;  ///< a trace's squares were beyond the range of doubles

  void merge(const TraceKinds& other);
};

/// One for each thread; then joined.
class TraceTally {
 public:
  /// Values of a word that are counted one by one: as many as two bytes hold. Of a wider word these are the smallest,
  /// which do not depend on the order in which traces are seen.
  static constexpr std::size_t max_values = 65'536;

  /// Local. `first_headers` are all headers of the first trace, as far as every trace has them; empty without traces.
  TraceTally(const segy::FileDescription& file, std::span<const CountedPlace, counted_words> places,
             std::span<const std::byte> first_headers);

  /// Local. The next trace of ascending numbers (from 0); `headers` has as many bytes as those of the first, at least.
  void see_headers(std::int64_t trace, const std::byte* headers);
  /// Local. What the samples of the trace held whose headers were seen last.
  void see_samples(const segy::TraceStatistics& statistics);
  /// Local. Whether the trace whose headers were seen last is no seismic data.
  [[nodiscard]] bool is_auxiliary() const {
    return !segy::is_seismic_code(static_cast<double>(trace_code_), is_seismic_unix_);
  }
  /// Local. The samples of the trace whose headers were seen last contradict the sample format.
  void see_refuted_format() { kinds_.refuting_format.add(trace_); }

  void merge(const TraceTally& other);
  /// Collective. Adds up the tallies of all ranks. Errors: io, on all ranks, when one has no memory for that.
  void add_ranks(Communicator& comm);

  [[nodiscard]] const TraceKinds& kinds() const { return kinds_; }
  /// Local. The values of a word, each with its traces.
  [[nodiscard]] const std::map<std::int64_t, TraceCount>& values(CountedWord word) const {
    return values_[static_cast<std::size_t>(word)];
  }
  /// Local. The traces whose values are larger than those.
  [[nodiscard]] const TraceCount& beyond(CountedWord word) const { return beyond_[static_cast<std::size_t>(word)]; }
  /// Local. Whether the bytes from `byte` on (from 1) are the same in all headers seen. Precondition: they are within
  /// `first_headers`.
  [[nodiscard]] bool is_same(int byte, int bytes) const;

 private:
  struct Last {
    std::int64_t value = 0;
    TraceCount* count = nullptr;
  };

  TraceCount& count_of(std::size_t word, std::int64_t value);

  ByteOrder order_;
  bool whole_numbers_;
  bool is_seismic_unix_;
  std::array<CountedPlace, counted_words> places_;
  std::span<const std::byte> first_headers_;
  std::vector<std::byte> differing_;  // bits that are not as in the first headers
  std::array<std::map<std::int64_t, TraceCount>, counted_words> values_;
  std::array<TraceCount, counted_words> beyond_{};
  std::array<Last, counted_words> last_{};  // most traces have the value of the one before
  TraceKinds kinds_;
  std::int64_t trace_ = 0;
  std::int64_t trace_code_ = 0;
};

}  // namespace sill
