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
constexpr std::int64_t pairs_per_task = 64;

// One of the two surveys in the window: where its traces begin in time, and their samples.
class WindowReader {
 public:
  WindowReader(const SurveyReader& reader, const segy::TimeWindow& window, double interval_us)
      : reader_(reader), window_(window), interval_us_(interval_us), delay_(reader.words()) {}

  /// The samples of the window of some traces, one after another, and how many of each.
  struct Windows {
    std::vector<float> samples;
    std::vector<std::size_t> begins;  // and the end of the last
    std::vector<double> first_us;
  };

  [[nodiscard]] Windows read(std::span<const std::int64_t> traces) const {
    std::int64_t count = 0;
    for (const std::int64_t trace : traces) count += reader_.shape_of(trace).samples;
    std::vector<float> whole(static_cast<std::size_t>(count));
    reader_.read_own_samples(traces, whole);
    std::vector<std::byte> headers(traces.size() * segy::trace_header_bytes);
    reader_.read_own_headers(traces, headers);
    Windows windows;
    windows.begins.push_back(0);
    std::size_t at = 0;
    for (std::size_t i = 0; i < traces.size(); ++i) {
      const std::int64_t samples = reader_.shape_of(traces[i]).samples;
      const double start_us = start_of(traces[i], headers.data() + i * segy::trace_header_bytes);
      const segy::SampleRange range = segy::samples_in(window_, start_us, interval_us_, samples);
      const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(at) + range.first;
      windows.samples.insert(windows.samples.end(), begin, begin + range.count);
      windows.begins.push_back(windows.samples.size());
      windows.first_us.push_back(start_us + static_cast<double>(range.first) * interval_us_);
      at += static_cast<std::size_t>(samples);
    }
    return windows;
  }

 private:
  [[nodiscard]] double start_of(std::int64_t trace, const std::byte* header) const {
    try {
      return delay_.usable_start_us(header, reader_.view(trace, header).order);
    } catch (const Error& error) {
      throw_at(error, reader_.where(trace));
    }
  }

  const SurveyReader& reader_;
  const segy::TimeWindow& window_;
  double interval_us_;
  segy::DelayWord delay_;
};

class Match {
 public:
  Match(const Resources& resources, const SurveyReader& base, const SurveyReader& monitor,
        const Match4dOptions& options)
      : resources_(resources), comm_(resources.comm), base_(base), monitor_(monitor), options_(options) {}

  Match4dResult run() {
    run_and_agree(comm_, [&] { require_what_is_asked(); });
    const PositionPairs pairs = pair_by_position(resources_, base_, monitor_, options_.pairing);
    run_and_agree(comm_, [&] { require_pairs(pairs.count); });
    Match4dResult result;
    result.pairs = pairs.count;
    result.auxiliary = pairs.auxiliary;
    const std::vector<Match4dPair> own = run_and_agree(comm_, [&] { return compared(pairs.own); });
    write(pairs.own, result);
    std::vector<std::span<const Match4dPair>> parts(static_cast<std::size_t>(comm_.size()));
    parts[0] = own;
    result.all = all_to_all(comm_, std::span<const std::span<const Match4dPair>>(parts));
    return result;
  }

 private:
  void require_what_is_asked() const {
    if (!options_.distance_word.empty()) {
      (void)base_.words().word(options_.distance_word);
      (void)monitor_.words().word(options_.distance_word);
    }
    if (!options_.window) return;
    const double base_us = base_.files().front().interval_us;
    const double monitor_us = monitor_.files().front().interval_us;
    if (base_us == monitor_us && base_us > 0.0) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("the sample interval of this survey is {} us, that of {} is {} us: samples "
                                        "cannot be compared",
                                        monitor_us, base_.paths().front(), base_us),
                 .where = {.file = monitor_.paths().front()},
                 .action = "resample one with 'sill flow', or match without --nrms"});
  }

  void require_pairs(std::int64_t pairs) const {
    if (pairs > 0) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("no trace of {} has a trace of {} as near as that", base_.paths().front(),
                                        monitor_.paths().front()),
                 .action = "allow larger distances, or compare the positions with 'sill info --geometry'; no file was "
                           "written"});
  }

  // This rank's pairs, compared if there is a window.
  [[nodiscard]] std::vector<Match4dPair> compared(std::span<const PositionPair> pairs) const {
    std::vector<Match4dPair> all;
    for (const PositionPair& pair : pairs) all.push_back({pair, {not_compared, not_compared, not_compared}});
    if (!options_.window) return all;
    const double interval_us = base_.files().front().interval_us;
    const WindowReader base(base_, *options_.window, interval_us);
    const WindowReader monitor(monitor_, *options_.window, interval_us);
    const auto max_lag = static_cast<int>(options_.max_lag_us / interval_us + 1e-6);
    const std::int64_t count = std::ssize(all);
    parallel_for(resources_.threads(), (count + pairs_per_task - 1) / pairs_per_task, [&](std::int64_t task, int) {
      const std::span<Match4dPair> some =
          std::span(all).subspan(static_cast<std::size_t>(task * pairs_per_task),
                                 static_cast<std::size_t>(std::min(pairs_per_task, count - task * pairs_per_task)));
      std::vector<std::int64_t> traces;
      for (const Match4dPair& one : some) traces.push_back(one.pair.base);
      const WindowReader::Windows of_base = base.read(traces);
      traces.clear();
      for (const Match4dPair& one : some) traces.push_back(one.pair.monitor);
      const WindowReader::Windows of_monitor = monitor.read(traces);
      for (std::size_t i = 0; i < some.size(); ++i)
        some[i].likeness = likeness_of(of_base, of_monitor, i, max_lag, interval_us);
    });
    return all;
  }

  // The samples that both traces have in the window; their times may differ by less than half an interval.
  static Repeatability likeness_of(const WindowReader::Windows& base, const WindowReader::Windows& monitor,
                                   std::size_t i, int max_lag, double interval_us) {
    const auto samples_of = [&](const WindowReader::Windows& windows) {
      return std::span(windows.samples).subspan(windows.begins[i], windows.begins[i + 1] - windows.begins[i]);
    };
    std::span<const float> b = samples_of(base);
    std::span<const float> m = samples_of(monitor);
    const double later = std::nearbyint((monitor.first_us[i] - base.first_us[i]) / interval_us);
    if (later >= static_cast<double>(b.size()) || -later >= static_cast<double>(m.size()))
      return {not_compared, not_compared, not_compared};
    if (later > 0.0) b = b.subspan(static_cast<std::size_t>(later));
    if (later < 0.0) m = m.subspan(static_cast<std::size_t>(-later));
    const std::size_t both = std::min(b.size(), m.size());
    return repeatability_of(b.first(both), m.first(both), max_lag, interval_us / 1000.0);
  }

  // Collective. Both files appear when both are complete.
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
