// An operation of a flow: what it declares, and what it does to traces.
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
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/formats/segy/words/key.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/layout/range.hpp"

namespace sill::flow {

/// The traces that an operation is given at once.
enum class Scope : std::uint8_t {
  trace,       ///< each trace by itself
  neighbours,  ///< each trace with some before and after it
  gather       ///< all traces that have equal keys
};

/// What to do with samples of the input, and numbers in its headers, that are NaN or infinite. Such numbers are not
/// kept: they say where samples lie.
enum class NonFinite : std::uint8_t { stop, zero, keep };

/// Local. Sets samples that are not finite to 0, with `zero`, and returns how many there were; with `keep` there are
/// none. Errors: input, without a place, naming the sample, otherwise.
std::int64_t make_finite(std::span<float> samples, NonFinite nonfinite);

/// Local. The bytes that its true value is read from.
[[nodiscard]] ByteRange true_value_bytes(const segy::WordRef& word);

/// A number in headers that an operation computes with.
struct HeaderNumber {
  segy::WordRef word;
  double most = std::numeric_limits<double>::max();  ///< its magnitude, in the unit of the true value
};

/// What an operation reads and writes. The planner knows nothing else of it.
struct Access {
  Scope scope = Scope::trace;
  std::vector<ByteRange> reads_words = {};   ///< bytes of a trace's headers, from 0
  std::vector<ByteRange> writes_words = {};  ///< likewise
  std::vector<HeaderNumber> numbers = {};    ///< of the words it reads, those that `run` meets finite and not too large
  bool reads_samples = false;
  bool writes_samples = false;
  bool writes_shape = false;       ///< number of samples or interval
  bool reads_position = false;     ///< the number of the trace in the survey
  bool reads_file = false;         ///< the number of its file
  bool writes_membership = false;  ///< traces leave the survey
  bool writes_order = false;
  bool takes_auxiliary = false;        ///< traces that are no seismic data, or it looks at that itself
  bool keeps_auxiliary = false;        ///< they keep their places among the others, and it leaves them unchanged
  bool can_stop = false;               ///< the data may be such that it ends the flow with an error
  std::int64_t traces_per_gather = 0;  ///< that it makes of each, so many of all gathers; 0: as many as there are
  bool reports = false;                ///< what `report` says depends on every trace that reaches it
  bool changes_amplitudes = false;     ///< samples of an integer format would lose their meaning
  std::int64_t halo = 0;               ///< neighbours on each side

  /// Local. Returns the access of an operation that makes `count` traces of each gather from all headers of its traces,
  /// of `header_bytes` each.
  [[nodiscard]] static Access of_made_traces(std::int64_t count, std::int64_t header_bytes);
  /// Local. Adds what a key reads.
  void read_key(const segy::TraceKey& key);
  /// Local. Adds what `segy::write_true_value` of a word reads and writes.
  void write_true_value(const segy::WordRef& word);
  /// Local. Adds a number, to the words that are read, too.
  void read_number(const HeaderNumber& number);
};

/// What all traces have in common between two operations.
struct SurveyState {
  const segy::HeaderMap* words = nullptr;
  ByteOrder order = ByteOrder::big;
  segy::FileKind kind = segy::FileKind::segy;
  segy::Domain domain = segy::Domain::time;
  std::string depth_hint = {};  ///< what suggests that it is depth all the same, or empty
  std::int64_t samples = 0;
  double interval_us = 0.0;
  double start_us = 0.0;                       ///< time of the first trace's first sample; other traces may differ
  std::int64_t header_bytes = 240;             ///< of a trace
  std::vector<segy::TraceKey> sort_keys = {};  ///< of the last sort, if no operation after it has ended that order
  int sorting_code = 0;                        ///< bytes 3229-3230
  bool has_parabolic_panels = false;           ///< of 'radon parabolic'
  bool takes_auxiliary = false;                ///< traces that are no seismic data count as such (DeadTraces)
  int measurement_system = 0;                  ///< bytes 3255-3256: 1 metres, 2 feet
  std::int64_t memory_bytes = std::numeric_limits<std::int64_t>::max();  ///< that a rank may use

  /// Local. Gives traces another number of samples. Errors: usage, without a place, for more than there were and than
  /// the memory is enough for.
  void set_samples(std::int64_t count);
};

/// An operation with its parameters. After `bind`, const functions are called by several threads.
class Operation {
 public:
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  virtual ~Operation() = default;

  /// Local. Called once, before anything is read: looks up words and adjusts parameters to the survey. `state` becomes
  /// what the survey is like after the operation. Errors: usage, for parameters that this survey rules out.
  virtual void bind(SurveyState& state) = 0;

  /// Local. What it reads and writes. Precondition: `bind`.
  [[nodiscard]] virtual Access access() const = 0;

  /// Local. Keys by which it puts traces in order: a sort's, or those that its gathers have in common.
  [[nodiscard]] virtual std::vector<segy::TraceKey> keys() const { return {}; }

  /// Local. Changes the samples of all traces of a block: of consecutive traces, of a gather, or of traces with `halo`
  /// more on each side as far as there are any; what counts traces skips those that are here as
  /// neighbours only (`Origin::is_neighbour`). Headers are those before the operation. A gather operation that makes
  /// other traces leaves their headers complete. Errors: input, whose item is the index, from 1, of a trace in the
  /// block.
  virtual void run(TraceBlock& /*block*/, Workspace& /*workspace*/) const {}

  /// Local. Changes the headers of a trace, whose samples `run` has changed; samples do not matter. Returns false if
  /// the trace leaves the survey. Errors: input, without a place.
  [[nodiscard]] virtual bool edit_header(const segy::HeaderView& /*trace*/, std::byte* /*header*/) const {
    return true;
  }

  /// Local. What it has counted on this rank since `bind`, as "traces left out": reported when the flow is done, unless
  /// the name is empty. The same names on all ranks.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::int64_t>> counts() const { return {}; }

  /// Collective. Lines for the user about the traces that have passed, called once, when they all have and before the
  /// output gets its name. `counts`: those of `counts`, of all ranks, and of an interrupted run that this one goes on
  /// with. What else it says of all traces is declared (`Access::reports`). Errors: io, where it writes a file
  /// (`Parameter::is_output`).
  [[nodiscard]] virtual std::vector<std::string> report(const Resources& /*resources*/,
                                                        std::span<const std::int64_t> /*counts*/) const {
    return {};
  }

  /// Local. Memory of one thread beside the block, for `traces` traces at once.
  [[nodiscard]] virtual std::int64_t memory_bytes(std::int64_t /*traces*/) const { return 0; }
};

}  // namespace sill::flow
