// A second survey, whose traces an operation reads in addition to the traces of the flow.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/flow/operation/arguments.hpp"
#include "sill/flow/operation/dead_traces.hpp"
#include "sill/flow/operation/operation_type.hpp"
#include "sill/formats/segy/samples/conversion.hpp"
#include "sill/formats/segy/samples/time_window.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill::flow {

/// Rules for reading other surveys.
struct OtherSurveyRules {
  const segy::HeaderMap* map = nullptr;  ///< see SurveyReader; must outlive the call only
  InputRules rules = {};
  NonFinite nonfinite = NonFinite::stop;
};

/// An open survey that an argument names as `@FILE`, with the keys of all its traces.
class OtherSurvey {
 public:
  /// Collective. Opens the survey at `path` and reads the keys of all its traces on each rank (16 bytes or more per
  /// trace); reads nothing for the key `trace`. Errors: as SurveyReader; input if trace lengths differ; usage if the
  /// survey does not have the keys, if two traces have equal keys, or if the keys do not fit in memory.
  OtherSurvey(const Resources& resources, const std::string& path, const std::string& keys,
              const OtherSurveyRules& rules);

  [[nodiscard]] const SurveyReader& reader() const { return reader_; }
  /// Local. Returns the keys `text`, with which the survey was opened, in the words of another survey. Errors: usage
  /// for keys that have another type in the other survey.
  [[nodiscard]] std::vector<segy::TraceKey> keys_in(const segy::HeaderMap& words, const std::string& text) const;

  /// Local. Returns the number, from 0, of the trace whose keys equal `keys` of `trace`, a trace of another survey;
  /// nullopt if there is no such trace. Errors: input, without a position, as TraceKey::pack.
  [[nodiscard]] std::optional<std::int64_t> find(std::span<const segy::TraceKey> keys,
                                                 const segy::HeaderView& trace) const;

  struct Traces {
    std::vector<float> samples;      ///< one trace after another; zeros of those marked as dead
    std::vector<double> starts_us;   ///< 0 without such a word
    std::vector<bool> are_dead;      ///< according to their trace identification
    std::vector<std::int64_t> lost;  ///< numbers of samples that are too small for floats
  };
  /// Local. Reads the traces `numbers`. Errors: io; input, with the trace, whose item is the index in `numbers`, from
  /// 1, for samples or times that are not finite, unless they are replaced by zeros or samples are kept.
  void read(std::span<const std::int64_t> numbers, Traces& traces) const;

  /// Local. Returns the memory that `read` needs for `traces` traces, including its results.
  [[nodiscard]] std::int64_t memory_bytes(std::int64_t traces) const;

 private:
  using Lookup = std::function<std::optional<std::int64_t>(std::span<const segy::TraceKey>, const segy::HeaderView&)>;

  [[nodiscard]] Lookup lookup_of(const Resources& resources) const;

  SurveyReader reader_;
  NonFinite nonfinite_;
  std::vector<segy::TraceKey> keys_;
  std::optional<segy::DelayWord> delay_;
  DeadTraces dead_;
  segy::SampleConversion decode_;
  Lookup find_;
};

/// The partners of traces in another survey: traces with equal keys.
class Partners {
 public:
  /// Local. Reads `parameter`, the survey, `missing` and `by`. Errors: usage.
  Partners(const Arguments& arguments, std::string_view parameter);
  /// Local. Returns `own` together with the parameters that the constructor reads.
  [[nodiscard]] static std::vector<Parameter> with_parameters(std::string_view parameter, std::vector<Parameter> own);

  /// Local. Compares the surveys. Errors: usage if the other survey does not have the keys, or if its number of samples
  /// or interval differs.
  void bind(const SurveyState& state);
  /// Local. Adds the words that the functions below read, and that traces may be removed.
  void add_to(Access& access) const;

  /// Local. Calls `work` for each of `traces` that has a partner, with the index in the block and the samples of the
  /// partner, unless either is marked as dead. Errors: input, with the index in the block, if a trace has no partner
  /// (unless `missing` permits this), or if its partner has another start time.
  void visit(TraceBlock& block, std::span<const std::int64_t> traces,
             const std::function<void(std::int64_t i, std::span<const float> partner)>& work) const;

  [[nodiscard]] bool drops() const { return missing_ == Missing::drop; }
  /// Local. Returns true if a trace stays in the flow. With `missing=drop`, a trace of seismic data without a partner
  /// is removed.
  [[nodiscard]] bool keeps(const segy::HeaderView& trace) const;

  /// Local. Returns the numbers of unchanged traces, by reason.
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const;
  [[nodiscard]] std::int64_t memory_bytes(std::int64_t traces) const;

 private:
  enum class Missing : std::uint8_t { stop, drop, keep };

  std::shared_ptr<const OtherSurvey> other_;  // nullptr if the operation is only described
  Missing missing_;
  std::string keys_text_;
  std::vector<segy::TraceKey> keys_;
  std::optional<segy::DelayWord> delay_;
  DeadTraces kinds_;
  mutable std::atomic<std::int64_t> alone_{0};
  mutable std::atomic<std::int64_t> with_dead_{0};
  mutable std::atomic<std::int64_t> lost_{0};
};

}  // namespace sill::flow
