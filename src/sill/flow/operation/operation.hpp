// An operation of a flow: its declarations, and the functions that change traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sill/flow/operation/trace_block.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/samples/conversion.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/formats/segy/words/key.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/layout/range.hpp"

namespace sill::flow {

/// The traces that are passed to an operation at once.
enum class Scope : std::uint8_t {
  trace,       ///< each trace separately
  neighbours,  ///< each trace with some traces before and after it
  gather       ///< all traces that have equal keys
};

/// The treatment of samples of the input, and of numbers in its headers, that are NaN or infinite. `keep` applies only
/// to samples: numbers in headers state positions and times of samples.
enum class NonFinite : std::uint8_t { stop, zero, keep };

/// Local. With `zero`, sets non-finite samples to 0 and returns their number; with `keep`, does nothing and returns 0.
/// Errors: input, without a position but with the sample, if a sample is not finite and `nonfinite` is `stop`.
std::int64_t make_finite(std::span<float> samples, NonFinite nonfinite);

/// Local. Converts samples of a file to the floats of operations. Errors: input, without a position but with the
/// sample, if a sample exceeds their range.
void decode_samples(const segy::SampleConversion& decode, std::span<const std::byte> in, std::span<float> out,
                    segy::ConversionAccount& account);

/// Local. Returns the bytes from which the true value of a word is read.
[[nodiscard]] ByteRange true_value_bytes(const segy::WordRef& word);

/// A number in headers that an operation computes with.
struct HeaderNumber {
  segy::WordRef word;
  double max_magnitude = std::numeric_limits<double>::max();  ///< largest valid magnitude of the true value
};

/// The data that an operation reads and writes. The planner uses no other information about the operation.
struct Access {
  Scope scope = Scope::trace;
  std::vector<ByteRange> reads_words = {};   ///< bytes of a trace's headers, counted from 0
  std::vector<ByteRange> writes_words = {};  ///< bytes of a trace's headers, counted from 0
  std::vector<HeaderNumber> numbers = {};    ///< words that the operation reads; they are finite and not too large when
                                             ///< `run` is called
  bool reads_samples = false;
  bool writes_samples = false;
  bool writes_shape = false;       ///< number of samples or interval
  bool reads_position = false;     ///< trace number in the survey
  bool reads_file = false;         ///< number of the trace's file
  bool writes_membership = false;  ///< traces may be removed from the survey
  bool writes_order = false;
  bool takes_auxiliary = false;        ///< the operation processes traces that are not seismic data, or skips them
                                       ///< itself
  bool keeps_auxiliary = false;        ///< auxiliary traces keep their positions in the gather and remain unchanged
  bool can_stop = false;               ///< some data may cause an error that ends the flow
  std::int64_t traces_per_gather = 0;  ///< number of traces that the operation makes of each gather; 0: as many as the
                                       ///< gather has
  bool reports = false;                ///< the result of `report` depends on every trace that reaches it
  bool changes_amplitudes = false;     ///< amplitudes change so that samples of an integer format would lose their
                                       ///< meaning
  std::int64_t halo = 0;               ///< number of neighbours on each side
  bool moves_samples = false;          ///< samples change their times, so the mute times in headers become false
  std::vector<ByteRange> false_words = {};  ///< words that are set to 0 after the operation: mute times

  /// Local. Returns true if samples are read or written.
  [[nodiscard]] bool uses_samples() const { return reads_samples || writes_samples; }
  /// Local. Returns the access of an operation that makes `count` traces from each gather. The operation reads all
  /// headers of the gather, `header_bytes` each.
  [[nodiscard]] static Access of_made_traces(std::int64_t count, std::int64_t header_bytes);
  /// Local. Adds the words that a key reads.
  void read_key(const segy::TraceKey& key);
  /// Local. Adds the words that `segy::write_true_value` reads and writes for a word.
  void write_true_value(const segy::WordRef& word);
  /// Local. Adds the mute times to the words that the operation writes if it moves samples.
  void clear_mute_times(const segy::HeaderMap& words);
  /// Local. Sets `false_words` of a trace to 0. Returns true if any of them was not 0.
  bool clear_false_words(std::byte* header) const;
  /// Local. Adds a number, also to the words that are read.
  void read_number(const HeaderNumber& number);
};

/// The properties that all traces of the survey have between two operations.
struct SurveyState {
  const segy::HeaderMap* words = nullptr;
  ByteOrder order = ByteOrder::big;
  segy::FileKind kind = segy::FileKind::segy;
  segy::Domain domain = segy::Domain::time;
  std::string depth_hint = {};  ///< evidence that the domain is depth, or empty
  std::int64_t samples = 0;
  double interval_us = 0.0;
  bool is_interval_assumed = false;            ///< the user stated the interval, for all traces
  double start_us = 0.0;                       ///< time of the first trace's first sample; other traces may differ
  bool knows_first = true;                     ///< `start_us` is that of the first trace at this operation; false: of
                                               ///< another trace, because earlier operations sort or make traces
  std::int64_t header_bytes = 240;             ///< per trace
  std::vector<segy::TraceKey> sort_keys = {};  ///< keys of the last sort, if no later operation has changed the order
                                               ///< of the traces
  int sorting_code = 0;                        ///< bytes 3229-3230
  std::optional<std::int64_t> ensemble = {};   ///< traces per ensemble, if an operation has made the traces; 0: unknown
  bool has_parabolic_panels = false;           ///< the traces are panels made by 'radon parabolic'
  bool takes_auxiliary = false;                ///< non-seismic traces are treated as seismic data (DeadTraces)
  int measurement_system = 0;                  ///< bytes 3255-3256: 1 metres, 2 feet
  std::int64_t memory_bytes = std::numeric_limits<std::int64_t>::max();  ///< limit per rank

  /// Local. Changes the number of samples per trace. Errors: usage, without a position, if it is larger than before and
  /// does not fit in memory.
  void set_samples(std::int64_t count);
};

/// An operation with its parameters. After `bind`, several threads may call const functions.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  /// Local. Finds words and adapts parameters to the survey. Called once, before anything is read. Changes `state` to
  /// the state of the survey after the operation. Errors: usage, for parameters that are invalid for this survey.
  virtual void bind(SurveyState& state) = 0;

  /// Local. Returns the data that the operation reads and writes. Precondition: `bind` was called.
  [[nodiscard]] virtual Access access() const = 0;

  /// Local. Returns the keys of a sort, or the keys that the traces of its gathers have in common.
  [[nodiscard]] virtual std::vector<segy::TraceKey> keys() const { return {}; }

  /// Local. Changes the samples of all traces of a block. The block contains consecutive traces, a gather, or traces
  /// with up to `halo` more traces on each side. The headers are those before the operation. The additional traces are
  /// marked (`Origin::is_neighbour`); an operation that counts traces must skip them. A gather operation that creates
  /// traces must write complete headers. Errors: input; `where.item` is the number of the trace in the block, from 1.
  virtual void run(TraceBlock& /*block*/, Workspace& /*workspace*/) const {}

  /// Local. Changes the headers of a trace, whose samples `run` has changed; must not depend on samples. Returns false
  /// if the trace is removed from the survey. Errors: input, without a position.
  [[nodiscard]] virtual bool edit_header(const segy::HeaderView& /*trace*/, std::byte* /*header*/) const {
    return true;
  }

  /// Local. Returns the counts on this rank since `bind`, such as "traces left out". They are reported at the end of
  /// the flow, except counts with an empty name. The names are the same on all ranks.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::int64_t>> counts() const { return {}; }

  /// Collective. Returns lines for the user about the traces that have passed. Called once, after all traces have
  /// passed and before the output gets its name. `counts`: the sums of `counts` over all ranks, including an
  /// interrupted run that this run resumes. An operation that reports anything else about all traces must set
  /// `Access::reports`. Errors: io, if it writes a file (`Parameter::is_output`).
  [[nodiscard]] virtual std::vector<std::string> report(const Resources& /*resources*/,
                                                        std::span<const std::int64_t> /*counts*/) const {
    return {};
  }

  /// Local. Returns the memory per thread in addition to the block, for `traces` traces at once.
  [[nodiscard]] virtual std::int64_t memory_bytes(std::int64_t /*traces*/) const { return 0; }
};

}  // namespace sill::flow
