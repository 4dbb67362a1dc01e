// A second survey, whose traces an operation takes beside those that pass.
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

/// How other surveys are read.
struct OtherSurveyRules {
  const segy::HeaderMap* map = nullptr;  ///< as of SurveyReader; it outlives the call alone
  InputRules rules = {};
  NonFinite nonfinite = NonFinite::stop;
};

/// A survey that an argument names as `@FILE`, open, with the keys of all its traces.
class OtherSurvey {
 public:
  /// Collective. Opens the survey at `path` and reads the keys of its traces: all of them, on each rank, 16 bytes and
  /// up a trace; of the key `trace` none. Errors: as SurveyReader; input, for traces of different lengths; usage, for
  /// keys that it does not have, that two of its traces share, or that the memory does not hold.
  OtherSurvey(const Resources& resources, const std::string& path, const std::string& keys,
              const OtherSurveyRules& rules);

  [[nodiscard]] const SurveyReader& reader() const { return reader_; }
  /// Local. The keys `text`, of which it was opened, in the words of another survey. Errors: usage, for keys that are
  /// of another type there.
  [[nodiscard]] std::vector<segy::TraceKey> keys_in(const segy::HeaderMap& words, const std::string& text) const;

  /// Local. The number, from 0, of its trace whose keys are equal to `keys` of `trace`, of another survey. Errors:
  /// input, without a place, as TraceKey::pack.
  [[nodiscard]] std::optional<std::int64_t> find(std::span<const segy::TraceKey> keys,
                                                 const segy::HeaderView& trace) const;

  /// Local. Reads its traces `numbers`: their samples, one trace after another, and the time at which each begins (0
  /// without such a word). Errors: io; input, naming the trace, whose item is the place in `numbers`, from 1, for
  /// samples or times that are not finite unless zeros stand for them or samples are kept.
  void read(std::span<const std::int64_t> numbers, std::vector<float>& samples, std::vector<double>& starts_us) const;

  /// Local. Memory that `read` needs for so many traces, with what it fills.
  [[nodiscard]] std::int64_t memory_bytes(std::int64_t traces) const;

 private:
  using Lookup = std::function<std::optional<std::int64_t>(std::span<const segy::TraceKey>, const segy::HeaderView&)>;

  [[nodiscard]] Lookup lookup_of(const Resources& resources) const;

  SurveyReader reader_;
  NonFinite nonfinite_;
  std::vector<segy::TraceKey> keys_;
  std::optional<segy::DelayWord> delay_;
  segy::SampleConversion decode_;
  Lookup find_;
};

/// The partners of traces in another survey: those with the same keys.
class Partners {
 public:
  /// Local. Reads `parameter`, the survey, `missing` and `by`. Errors: usage.
  Partners(const Arguments& arguments, std::string_view parameter);
  /// Local. `own`, and the parameters that it reads.
  [[nodiscard]] static std::vector<Parameter> with_parameters(std::string_view parameter, std::vector<Parameter> own);

  /// Local. Errors: usage: other keys than the other survey has, other numbers of samples or intervals.
  void bind(const SurveyState& state);
  /// Local. Adds what the functions below read, and that traces may leave.
  void add_to(Access& access) const;

  /// Local. Calls `work` with the index in the block, and the samples of its partner, of each of `traces` that has
  /// one. Errors: input, naming the index in the block: a trace without a partner, unless `missing` says otherwise, or
  /// whose partner begins at another time.
  void visit(TraceBlock& block, std::span<const std::int64_t> traces,
             const std::function<void(std::int64_t i, std::span<const float> partner)>& work) const;

  [[nodiscard]] bool drops() const { return missing_ == Missing::drop; }
  /// Local. Whether a trace stays: one of seismic data without a partner leaves if `missing=drop`.
  [[nodiscard]] bool keeps(const segy::HeaderView& trace) const;

  /// Local. How many traces without a partner were kept.
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const;
  [[nodiscard]] std::int64_t memory_bytes(std::int64_t traces) const;

 private:
  enum class Missing : std::uint8_t { stop, drop, keep };

  std::shared_ptr<const OtherSurvey> other_;  // nullptr: the operation is only described
  Missing missing_;
  std::string keys_text_;
  std::vector<segy::TraceKey> keys_;
  std::optional<segy::DelayWord> delay_;
  DeadTraces kinds_;
  mutable std::atomic<std::int64_t> alone_{0};
};

}  // namespace sill::flow
