// Counts properties of traces during a check.
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

/// A number of traces, and the numbers of the first of them.
struct TraceCount {
  static constexpr std::size_t max_listed = 10;

  std::int64_t traces = 0;
  std::array<std::int64_t, max_listed> first{};  ///< from 0, ascending; at most `traces` entries are valid

  /// Local. Adds a trace. Precondition: its number is higher than all numbers added before.
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

/// The position of a counted word; a type of 0 bytes: the file does not have the word.
struct CountedPlace {
  int byte = 0;  ///< from 1
  segy::WordType type{segy::WordKind::signed_integer, 0};

  [[nodiscard]] bool exists() const { return type.bytes > 0; }
  [[nodiscard]] int last_byte() const { return byte + type.bytes - 1; }
};

/// Counts of traces by kind. Sums do not depend on how traces were distributed.
struct TraceKinds {
  TraceCount zero;             ///< all samples zero, not marked dead (2) or dummy (3) at bytes 29-30
  TraceCount zero_marked;      ///< all samples zero, and marked dead or dummy
  TraceCount marked_alive;     ///< marked dead, but not all zero
  TraceCount constant;         ///< all samples equal and not zero
  TraceCount clipped;          ///< TraceStatistics::clipped
  TraceCount not_finite;       ///< with NaN or infinite samples
  TraceCount refuting_format;  ///< traces whose samples contradict the sample format individually
  TraceCount auxiliary;        ///< not seismic data (segy::is_seismic_code); the members below exclude these traces
  std::int64_t samples = 0;
  std::int64_t zeros = 0;
  std::int64_t nans = 0;
  std::int64_t infinities = 0;
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();
  segy::ExactSum squares;
  bool squares_beyond = false;  ///< the squares of a trace exceeded the range of doubles

  void merge(const TraceKinds& other);
};

/// The counts of one thread; threads are merged afterwards.
class TraceTally {
 public:
  /// Maximum number of values of a word that are counted individually: as many as two bytes can hold. Of a wider word,
  /// the smallest values are counted, which do not depend on the order of the traces.
  static constexpr std::size_t max_values = 65'536;

  /// Local. Creates an empty tally. `first_headers` are the headers of the first trace, as many as every trace has;
  /// empty without traces.
  TraceTally(const segy::FileDescription& file, std::span<const CountedPlace, counted_words> places,
             std::span<const std::byte> first_headers);

  /// Local. Counts the headers of the next trace. Trace numbers (from 0) ascend. `headers` has at least as many bytes
  /// as `first_headers`.
  void see_headers(std::int64_t trace, const std::byte* headers);
  /// Local. Counts the samples of the trace whose headers were counted last.
  void see_samples(const segy::TraceStatistics& statistics);
  /// Local. Returns true if the trace whose headers were counted last is not seismic data.
  [[nodiscard]] bool is_auxiliary() const {
    return !segy::is_seismic_code(static_cast<double>(trace_code_), is_seismic_unix_);
  }
  /// Local. Counts the trace whose headers were counted last as contradicting the sample format.
  void see_refuted_format() { kinds_.refuting_format.add(trace_); }

  /// Local. Adds the counts of another thread.
  void merge(const TraceTally& other);
  /// Collective. Adds the tallies of all ranks. Errors: io, on all ranks, if a rank does not have enough memory.
  void add_ranks(Communicator& comm);

  [[nodiscard]] const TraceKinds& kinds() const { return kinds_; }
  /// Local. Returns the counted values of a word, each with its traces.
  [[nodiscard]] const std::map<std::int64_t, TraceCount>& values(CountedWord word) const {
    return values_[static_cast<std::size_t>(word)];
  }
  /// Local. Returns the traces whose values are larger than all counted values.
  [[nodiscard]] const TraceCount& beyond(CountedWord word) const { return beyond_[static_cast<std::size_t>(word)]; }
  /// Local. Returns true if `bytes` bytes starting at `byte` (from 1) are the same in all headers counted.
  /// Precondition: the bytes are within `first_headers`.
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
  std::vector<std::byte> differing_;  // bits that differ from the first headers
  std::array<std::map<std::int64_t, TraceCount>, counted_words> values_;
  std::array<TraceCount, counted_words> beyond_{};
  std::array<Last, counted_words> last_{};  // most traces have the same value as the previous trace
  TraceKinds kinds_;
  std::int64_t trace_ = 0;
  std::int64_t trace_code_ = 0;
};

}  // namespace sill
