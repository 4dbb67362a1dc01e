#include "sill/survey/timelapse/match4d.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <span>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/segy/words/true_value_writing.hpp"
#include "sill/io/files/folder_syncs.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

constexpr double not_compared = std::numeric_limits<double>::quiet_NaN();
constexpr Repeatability nothing_compared{not_compared, not_compared, not_compared};
constexpr std::int64_t max_pairs_at_once = 64;  // per thread, if their size permits
constexpr std::int64_t max_bytes_at_once = std::int64_t{16} << 20;

// The samples of some traces in a window, trace by trace.
class Windows {
 public:
  Windows(const SurveyReader& reader, std::span<const Match4dPair> pairs, std::int64_t PositionPair::*side,
          double PositionPair::*start_us, const segy::TimeWindow& window, double interval_us) {
    std::vector<std::int64_t> traces;
    std::int64_t count = 0;
    for (const Match4dPair& one : pairs) {
      traces.push_back(one.pair.*side);
      count += reader.shape_of(traces.back()).samples;
    }
    samples_.resize(static_cast<std::size_t>(count));
    reader.read_own_samples(traces, samples_);
    std::int64_t at = 0;
    for (const Match4dPair& one : pairs) {
      const std::int64_t samples = reader.shape_of(one.pair.*side).samples;
      const segy::SampleRange range = std::isnan(one.pair.*start_us)
                                          ? segy::SampleRange{}
                                          : segy::samples_in(window, one.pair.*start_us, interval_us, samples);
      ranges_.push_back({at + range.first, range.count});
      first_us_.push_back(one.pair.*start_us + static_cast<double>(range.first) * interval_us);
      at += samples;
    }
  }

  /// Local. Returns the samples of trace `i`; and the time of the first sample.
  [[nodiscard]] std::span<const float> of(std::size_t i) const {
    return std::span(samples_).subspan(static_cast<std::size_t>(ranges_[i].first),
                                       static_cast<std::size_t>(ranges_[i].count));
  }
  [[nodiscard]] double first_us(std::size_t i) const { return first_us_[i]; }

 private:
  std::vector<float> samples_;
  std::vector<segy::SampleRange> ranges_;
  std::vector<double> first_us_;
};

class Match {
 public:
  Match(const Resources& resources, const SurveyReader& base, const SurveyReader& monitor,
        const Match4dOptions& options)
      : resources_(resources), comm_(resources.comm), base_(base), monitor_(monitor), options_(options) {}

  Match4dResult run() {
    run_and_agree(comm_, [&] { require_what_is_asked(); });
    PairingOptions pairing = options_.pairing;
    pairing.reads_times = options_.window.has_value();
    const PositionPairs pairs = pair_by_position(resources_, base_, monitor_, pairing);
    run_and_agree(comm_, [&] { require_pairs(pairs.count); });
    Match4dResult result;
    result.pairs = pairs.count;
    result.auxiliary = pairs.auxiliary;
    const std::vector<Match4dPair> own = run_and_agree(comm_, [&] { return compared(pairs.own); });
    write(pairs.own, result);
    std::vector<std::span<const Match4dPair>> parts(static_cast<std::size_t>(comm_.size()));
    parts[0] = own;
    result.all = all_to_all(comm_, std::span<const std::span<const Match4dPair>>(parts));
    result.between_samples = std::ranges::count_if(result.all, &Match4dPair::is_between_samples);
    if (options_.window) result.left_out = std::ranges::count_if(result.all, is_left_out);
    for (std::size_t side = 0; side < 2; ++side) {
      const SurveyReader& reader = side == 0 ? base_ : monitor_;
      const segy::OtherIntervals& others = pairs.other_intervals[side];
      if (others.traces == 0) continue;
      const segy::IntervalWord word(reader.words(), reader.files().front().interval_us);
      result.notes.push_back(fmt::format("{}: {}", reader.paths().front(), word.note(others)));
    }
    return result;
  }

 private:
  void require_what_is_asked() const {
    if (!options_.distance_word.empty()) {
      (void)base_.words().word(options_.distance_word);
      (void)monitor_.words().word(options_.distance_word);
    }
    if (!options_.window) return;
    for (const SurveyReader* const reader : {&base_, &monitor_}) {
      const segy::FileDescription& file = reader->files().front();
      const bool is_depth = file.domain == segy::Domain::depth;
      if (!is_depth && file.depth_hint.empty()) continue;
      throw Error({.code = ErrorCode::usage,
                   .problem = is_depth ? "the samples are in depth: traces cannot be compared in a time window"
                                       : "the samples may be in depth: " + file.depth_hint,
                   .where = {.file = file.path},
                   .action = is_depth ? "match without --nrms; 'sill info' shows why they are treated as depths"
                                      : "state the domain: --assume domain=time, or domain=depth"});
    }
    const double base_us = base_.files().front().interval_us;
    const double monitor_us = monitor_.files().front().interval_us;
    if (base_us == monitor_us && base_us > 0.0) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format(
                     "the sample interval of this survey is {} us, but that of {} is {} us: samples cannot be compared",
                     monitor_us, base_.paths().front(), base_us),
                 .where = {.file = monitor_.paths().front()},
                 .action = "resample one with 'sill flow', or match without --nrms"});
  }

  void require_pairs(std::int64_t pairs) const {
    if (pairs > 0) return;
    throw Error(
        {.code = ErrorCode::usage,
         .problem = fmt::format("no trace of {} has a partner in {}", base_.paths().front(), monitor_.paths().front()),
         .action = "allow larger distances or other keys, if these are limited, or compare the positions with 'sill "
                   "info --geometry'; no file was written"});
  }

  // Returns this rank's pairs, compared if there is a window.
  [[nodiscard]] std::vector<Match4dPair> compared(std::span<const PositionPair> pairs) const {
    std::vector<Match4dPair> all;
    for (const PositionPair& pair : pairs) all.push_back({pair, nothing_compared});
    if (!options_.window) return all;
    const double interval_us = base_.files().front().interval_us;
    const double max_lag = options_.max_lag_us / interval_us;
    const std::int64_t count = std::ssize(all);
    const std::int64_t longest =
        std::max({base_.longest_trace_bytes(), monitor_.longest_trace_bytes(), std::int64_t{1}});
    const std::int64_t pairs_per_task = std::clamp<std::int64_t>(max_bytes_at_once / longest, 1, max_pairs_at_once);
    parallel_for(resources_.threads(), (count + pairs_per_task - 1) / pairs_per_task, [&](std::int64_t task, int) {
      const std::span<Match4dPair> some =
          std::span(all).subspan(static_cast<std::size_t>(task * pairs_per_task),
                                 static_cast<std::size_t>(std::min(pairs_per_task, count - task * pairs_per_task)));
      const Windows base(base_, some, &PositionPair::base, &PositionPair::base_start_us, *options_.window, interval_us);
      const Windows monitor(monitor_, some, &PositionPair::monitor, &PositionPair::monitor_start_us, *options_.window,
                            interval_us);
      for (std::size_t i = 0; i < some.size(); ++i)
        if (!is_left_out(some[i])) compare(base, monitor, i, max_lag, interval_us, some[i]);
    });
    return all;
  }

  static bool is_left_out(const Match4dPair& one) {
    return std::isnan(one.pair.base_start_us) || std::isnan(one.pair.monitor_start_us);
  }

  // Compares the samples that both traces have in the window; their times may differ by up to half an interval.
  static void compare(const Windows& base, const Windows& monitor, std::size_t i, double max_lag, double interval_us,
                      Match4dPair& one) {
    std::span<const float> b = base.of(i);
    std::span<const float> m = monitor.of(i);
    const double samples = (monitor.first_us(i) - base.first_us(i)) / interval_us;
    const double later = std::nearbyint(samples);
    if (later >= static_cast<double>(b.size()) || -later >= static_cast<double>(m.size())) return;
    constexpr double tolerance = 1e-6;
    one.is_between_samples = std::abs(samples - later) > tolerance;
    if (later > 0.0) b = b.subspan(static_cast<std::size_t>(later));
    if (later < 0.0) m = m.subspan(static_cast<std::size_t>(-later));
    const std::size_t both = std::min(b.size(), m.size());
    one.likeness = repeatability_of(b.first(both), m.first(both), max_lag, interval_us / 1000.0,
                                    one.is_between_samples ? samples - later : 0.0);
  }

  // Collective. Writes both files; both appear when both are complete.
  void write(std::span<const PositionPair> pairs, Match4dResult& result) {
    std::deque<PartFile> parts;
    run_on_rank(comm_, 0, [&] {
      const std::array<std::string, 2> targets{options_.base_output, options_.monitor_output};
      parts = part_files_of(targets, {resources_.policy.stripe_count, resources_.policy.stripe_bytes});
    });
    result.base = write_side(base_, options_.base_output, pairs, &PositionPair::base, part(parts, 0));
    result.monitor = write_side(monitor_, options_.monitor_output, pairs, &PositionPair::monitor, part(parts, 1));
    run_on_rank(comm_, 0, [&] {
      for (PartFile& one : parts) commit(one, resources_.policy.is_durable(), resources_.meter);
    });
  }

  static PartFile* part(std::deque<PartFile>& parts, std::size_t i) { return parts.empty() ? nullptr : &parts[i]; }

  WrittenTraces write_side(const SurveyReader& reader, const std::string& output, std::span<const PositionPair> pairs,
                           std::int64_t PositionPair::*side, PartFile* part) {
    TraceList traces;
    run_and_agree(comm_, [&] {
      for (const PositionPair& pair : pairs) {
        const std::int64_t trace = pair.*side;
        traces.add({trace, {0, reader.shape_of(trace).samples}});
      }
    });
    OutputMarks marks{.renumber = options_.renumber, .history = options_.history};
    if (!options_.distance_word.empty()) {
      const segy::WordRef word = reader.words().word(options_.distance_word);
      const ByteOrder order = reader.files().front().byte_order;
      marks.change = [&, word, order](std::int64_t place, std::byte* header) {
        const PositionPair& pair = pairs[static_cast<std::size_t>(place)];
        try {
          segy::write_true_value(word, header, order, pair.distance);
        } catch (const Error& error) {
          throw_at(error, reader.where(pair.*side));
        }
      };
    }
    return write_selected(resources_, reader, output, traces, nullptr, marks, part);
  }

  const Resources& resources_;
  Communicator& comm_;
  const SurveyReader& base_;
  const SurveyReader& monitor_;
  const Match4dOptions& options_;
};

}  // namespace

Match4dResult match4d(const Resources& resources, const SurveyReader& base, const SurveyReader& monitor,
                      const Match4dOptions& options) {
  return Match(resources, base, monitor, options).run();
}

}  // namespace sill
