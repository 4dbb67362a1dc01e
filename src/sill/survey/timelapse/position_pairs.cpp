#include "sill/survey/timelapse/position_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <queue>
#include <span>
#include <tuple>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/segy/samples/time_window.hpp"
#include "sill/formats/segy/words/key.hpp"
#include "sill/formats/segy/words/trace_code.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/select/select_traces.hpp"
#include "sill/survey/sort/key_table.hpp"
#include "sill/survey/timelapse/nearest_tree.hpp"
#include "sill/survey/timelapse/position_measures.hpp"

namespace sill {
namespace {

// For each trace of one survey, on rank 0: number, time of its first sample, sx, sy, gx, gy, azimuth, and its keys.
struct PositionTable {
  static constexpr std::size_t start_at = 1;
  static constexpr std::size_t position_at = 2;
  static constexpr std::size_t azimuth_at = 6;
  static constexpr std::size_t keys_at = 7;

  std::size_t columns = 0;
  std::vector<double> rows;
  std::int64_t auxiliary = 0;
  segy::OtherIntervals other_intervals;

  [[nodiscard]] std::size_t count() const { return rows.size() / columns; }
  [[nodiscard]] std::span<const double> row(std::size_t i) const {
    return std::span(rows).subspan(i * columns, columns);
  }
  [[nodiscard]] std::span<const double> position(std::size_t i) const { return row(i).subspan(position_at, 4); }
  [[nodiscard]] std::span<const double> keys(std::size_t i) const { return row(i).subspan(keys_at); }
};

// Returns the point of a trace that a measure compares.
SourceReceiverDistance::Point point_of(const SourceReceiverDistance& /*measure*/, double group,
                                       std::span<const double> row) {
  const std::span<const double> at = row.subspan(PositionTable::position_at);
  return {group, at[0], at[1], at[2], at[3]};
}
AzimuthDifference::Point point_of(const AzimuthDifference& /*measure*/, double group, std::span<const double> row) {
  return {group, row[PositionTable::azimuth_at]};
}

constexpr double bytes_per_trace = 250.0;  // in addition to its row: points, tree, nearest items, pairs

// Finds the pairs of two sets of points; items are indices in these sets.
template <class Measure>
class Search {
 public:
  using Points = std::span<const typename Measure::Point>;

  Search(Points bases, Points monitors, const Measure& measure, const PairingOptions& options, int threads)
      : bases_(bases),
        tree_(monitors, measure, threads),
        max_distance_(options.max_distance),
        held_(options.reuse ? 1 : held_of_each),
        threads_(threads),
        nearest_(bases.size() * held_) {
    constexpr std::int64_t bases_per_task = 4096;
    const std::int64_t count = std::ssize(bases);
    parallel_for(threads, (count + bases_per_task - 1) / bases_per_task, [&](std::int64_t task, int /*thread*/) {
      for (std::int64_t i = task * bases_per_task; i < std::min(count, (task + 1) * bases_per_task); ++i) look(i);
    });
  }

  // Returns each base with its nearest monitor.
  [[nodiscard]] std::vector<PositionPair> nearest_of_all() {
    std::vector<PositionPair> pairs;
    for (std::int64_t i = 0; i < std::ssize(bases_); ++i)
      if (const Nearest& first = held(i).front(); first.item != Nearest::none)
        pairs.push_back({.base = i, .monitor = first.item, .distance = first.distance});
    return pairs;
  }

  // Always selects the first possible pair by (distance, base, monitor). If the monitor of a base is taken, the base
  // gets its nearest remaining monitor, whose pair is not earlier: so the first pair over all bases is the next pair.
  [[nodiscard]] std::vector<PositionPair> each_once() {
    const auto comes_later = [](const PositionPair& a, const PositionPair& b) {
      return std::tie(a.distance, a.base, a.monitor) > std::tie(b.distance, b.base, b.monitor);
    };
    std::vector<PositionPair> firsts = nearest_of_all();
    std::sort(firsts.begin(), firsts.end(), [&](const auto& a, const auto& b) { return comes_later(b, a); });
    std::priority_queue<PositionPair, std::vector<PositionPair>, decltype(comes_later)> again(comes_later);
    std::vector<PositionPair> pairs;
    for (std::size_t at = 0; at < firsts.size() || !again.empty();) {
      PositionPair next;
      if (again.empty() || (at < firsts.size() && comes_later(again.top(), firsts[at]))) {
        next = firsts[at++];
      } else {
        next = again.top();
        again.pop();
      }
      if (tree_.is_left(next.monitor)) {
        tree_.remove(next.monitor, threads_);
        pairs.push_back(next);
      } else if (const Nearest left = nearest_left(next.base); left.item != Nearest::none) {
        again.push({.base = next.base, .monitor = left.item, .distance = left.distance});
      }
    }
    std::ranges::sort(pairs, {}, &PositionPair::base);
    return pairs;
  }

 private:
  // Number of nearest monitors that one search finds for a base. If the nearest is already in a pair, the next ones are
  // usually sufficient, and the base is not searched for again.
  static constexpr std::size_t held_of_each = 4;

  [[nodiscard]] std::span<Nearest> held(std::int64_t base) {
    return std::span(nearest_).subspan(static_cast<std::size_t>(base) * held_, held_);
  }

  void look(std::int64_t base) { tree_.nearest(bases_[static_cast<std::size_t>(base)], max_distance_, held(base)); }

  // The remaining items stay in order when others are taken.
  [[nodiscard]] Nearest nearest_left(std::int64_t base) {
    for (const Nearest& one : held(base))
      if (one.item == Nearest::none || tree_.is_left(one.item)) return one;
    look(base);
    return held(base).front();
  }

  Points bases_;
  NearestTree<Measure> tree_;
  double max_distance_;
  std::size_t held_;
  int threads_;
  std::vector<Nearest> nearest_;
};

class Pairing {
 public:
  Pairing(const Resources& resources, const SurveyReader& base, const SurveyReader& monitor,
          const PairingOptions& options)
      : resources_(resources), comm_(resources.comm), readers_{&base, &monitor}, options_(options) {}

  PositionPairs run() {
    const bool is_azimuth = options_.measure == PositionMeasure::azimuth;
    run_and_agree(comm_, [&] { require_one_unit(); });
    std::array<PositionTable, 2> tables;
    for (std::size_t side = 0; side < tables.size(); ++side) tables[side] = read(side);
    PositionPairs pairs;
    pairs.auxiliary = tables[0].auxiliary + tables[1].auxiliary;
    pairs.other_intervals = {tables[0].other_intervals, tables[1].other_intervals};
    std::vector<PositionPair> all;
    run_on_rank(comm_, 0, [&] {
      require_positions(tables);
      all = is_azimuth ? pairs_by(AzimuthDifference{options_.reciprocal}, tables)
                       : pairs_by(SourceReceiverDistance{options_.reciprocal}, tables);
    });
    pairs.count = all_reduce(comm_, std::ssize(all), Reduction::sum);
    pairs.own = shared_out(all);
    return pairs;
  }

 private:
  void require_one_unit() const {
    const int base = readers_[0]->files().front().measurement_system;
    const int monitor = readers_[1]->files().front().measurement_system;
    if (base == monitor || base == 0 || monitor == 0) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("the measurement system of this survey is {}, but that of {} is {}: lengths in "
                                        "metres and in feet cannot be compared",
                                        monitor, readers_[0]->paths().front(), base),
                 .where = {.file = readers_[1]->paths().front()},
                 .action = "scale the coordinates of one with 'sill flow' and 'header', and set its measurement "
                           "system (bytes 3255-3256)"});
  }

  // Collective. Reads the positions of one survey; the rows are on rank 0.
  PositionTable read(std::size_t side) {
    const SurveyReader& reader = *readers_[side];
    PositionTable table;
    std::vector<double> own = run_and_agree(comm_, [&] { return own_rows(reader, table); });
    table.auxiliary = all_reduce(comm_, table.auxiliary, Reduction::sum);
    for (const segy::OtherIntervals& each : all_gather(comm_, std::exchange(table.other_intervals, {})))
      table.other_intervals.add(each);
    std::vector<std::span<const double>> parts(static_cast<std::size_t>(comm_.size()));
    parts[0] = own;
    table.rows = all_to_all(comm_, std::span<const std::span<const double>>(parts));
    return table;
  }

  std::vector<double> own_rows(const SurveyReader& reader, PositionTable& table) const {
    // Evaluating an azimuth refuses coordinates that are not lengths.
    const std::string position = "true(sx),true(sy),true(gx),true(gy),azimuth";
    const std::vector<segy::TraceKey> keys =
        segy::TraceKey::parse_list(options_.same.empty() ? position : position + "," + options_.same, reader.words());
    table.columns = PositionTable::position_at + keys.size();
    require_memory(table.columns);
    const segy::MapWord* const trid = reader.words().find("trid");
    ByteRange needed = needed_bytes(keys);
    if (trid != nullptr) needed = joined(needed, {trid->byte - 1, 2});
    std::optional<segy::DelayWord> delay;
    const segy::IntervalWord interval(reader.words(), reader.files().front().interval_us);
    const bool is_assumed = reader.assumptions().interval_us.has_value();
    std::vector<segy::OtherIntervals> others(static_cast<std::size_t>(resources_.threads()));
    if (options_.reads_times) {
      delay.emplace(reader.words());
      const segy::TrueBytes bytes = delay->needed_bytes();
      needed = joined(joined(needed, {bytes.first, bytes.end - bytes.first}), interval.needed_bytes());
    }
    const bool is_seismic_unix = reader.files().front().kind == segy::FileKind::seismic_unix;

    const ItemRange own = block_of(reader.traces(), comm_.size(), comm_.rank());
    std::vector<double> rows(static_cast<std::size_t>(own.count) * table.columns);
    const auto visit = [&](std::int64_t trace, const segy::HeaderView& header, int thread) {
      const std::span<double> row =
          std::span(rows).subspan(static_cast<std::size_t>(trace - own.first) * table.columns, table.columns);
      const double code =
          trid == nullptr ? 1.0 : segy::read_word(header.header, trid->byte, trid->type, header.order).as_double();
      row[0] = segy::is_seismic_code(code, is_seismic_unix) ? static_cast<double>(trace) : -1.0;
      if (row[0] < 0.0) return;
      if (delay) {
        const bool differs =
            interval.add_to(others[static_cast<std::size_t>(thread)], trace + 1, header.header, header.order);
        row[PositionTable::start_at] = code == segy::dead_trace_code || (differs && !is_assumed)
                                           ? std::numeric_limits<double>::quiet_NaN()
                                           : delay->usable_start_us(header.header, header.order);
      }
      for (std::size_t k = 0; k < keys.size(); ++k) {
        const double value = keys[k].value(header).as_double();
        if (!std::isfinite(value))
          throw Error({.code = ErrorCode::input,
                       .problem = fmt::format("{} is not a finite number", keys[k].text()),
                       .action = "repair the header word, or omit the trace with 'sill cut --where'"});
        row[PositionTable::position_at + k] = value;
      }
    };
    visit_where(reader, own, nullptr, needed, resources_.threads(), visit);
    for (const segy::OtherIntervals& each : others) table.other_intervals.add(each);
    // Rows of traces that are not seismic data are removed.
    auto end = rows.begin();
    const auto columns = static_cast<std::ptrdiff_t>(table.columns);
    for (auto row = rows.begin(); row != rows.end(); row += columns) {
      if (*row < 0.0) continue;
      end = row == end ? end + columns : std::copy_n(row, columns, end);
    }
    rows.erase(end, rows.end());
    table.auxiliary = own.count - std::ssize(rows) / columns;
    return rows;
  }

  void require_memory(std::size_t columns) const {
    const std::int64_t traces = readers_[0]->traces() + readers_[1]->traces();
    const double needed = static_cast<double>(traces) *
                          (bytes_per_trace + 2.0 * static_cast<double>(columns) * static_cast<double>(sizeof(double)));
    const auto there = static_cast<double>(resources_.memory() + resources_.memory_beside_buffers());
    if (needed <= there) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("the positions of {} traces need {} of memory, but only {} are available",
                                        format_count(traces), format_bytes(static_cast<std::int64_t>(needed)),
                                        format_bytes(static_cast<std::int64_t>(there))),
                 .action = "use fewer ranks on the first node, or match parts of the surveys"});
  }

  void require_positions(std::span<const PositionTable> tables) const {
    if (!options_.same.empty()) return;
    for (std::size_t side = 0; side < tables.size(); ++side) {
      const PositionTable& table = tables[side];
      const auto is_somewhere = [&](std::size_t i) {
        return std::ranges::any_of(table.position(i), [](double x) { return x != 0.0; });
      };
      bool any = table.count() == 0;
      for (std::size_t i = 0; i < table.count() && !any; ++i) any = is_somewhere(i);
      if (any) continue;
      throw Error({.code = ErrorCode::input,
                   .problem = "no trace states where its source and receiver are: sx, sy, gx and gy are 0",
                   .where = {.file = readers_[side]->paths().front()},
                   .action = "give the positions of the coordinates with --map, or give --same KEYS that are equal in "
                             "both traces of a pair"});
    }
  }

  // Returns group numbers: equal keys have equal numbers; without keys all numbers are 0.
  static std::array<std::vector<double>, 2> groups_of(std::span<const PositionTable> tables) {
    std::array<std::vector<double>, 2> groups;
    for (std::size_t side = 0; side < 2; ++side) groups[side].assign(tables[side].count(), 0.0);
    if (tables[0].columns == PositionTable::keys_at) return groups;
    std::vector<std::pair<std::size_t, std::size_t>> order;  // side and row
    for (std::size_t side = 0; side < 2; ++side)
      for (std::size_t i = 0; i < tables[side].count(); ++i) order.emplace_back(side, i);
    const auto keys = [&](const auto& at) { return tables[at.first].keys(at.second); };
    std::ranges::sort(
        order, [&](const auto& a, const auto& b) { return std::ranges::lexicographical_compare(keys(a), keys(b)); });
    double group = 0.0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i > 0 && !std::ranges::equal(keys(order[i - 1]), keys(order[i]))) group += 1.0;
      groups[order[i].first][order[i].second] = group;
    }
    return groups;
  }

  template <class Measure>
  std::vector<PositionPair> pairs_by(const Measure& measure, std::span<const PositionTable> tables) const {
    using Points = std::vector<typename Measure::Point>;
    const std::array<std::vector<double>, 2> groups = groups_of(tables);
    std::array<Points, 2> points;
    for (std::size_t side = 0; side < 2; ++side)
      for (std::size_t i = 0; i < tables[side].count(); ++i)
        points[side].push_back(point_of(measure, groups[side][i], tables[side].row(i)));
    Search<Measure> search(points[0], points[1], measure, options_, resources_.threads());
    std::vector<PositionPair> pairs = options_.reuse ? search.nearest_of_all() : search.each_once();
    for (PositionPair& pair : pairs) {
      const std::span<const double> base = tables[0].row(static_cast<std::size_t>(pair.base));
      const std::span<const double> at = base.subspan(PositionTable::position_at);
      pair.x = at[0] / 2.0 + at[2] / 2.0;
      pair.y = at[1] / 2.0 + at[3] / 2.0;
      const std::span<const double> monitor = tables[1].row(static_cast<std::size_t>(pair.monitor));
      pair.base_start_us = base[PositionTable::start_at];
      pair.monitor_start_us = monitor[PositionTable::start_at];
      pair.base = static_cast<std::int64_t>(base[0]);
      pair.monitor = static_cast<std::int64_t>(monitor[0]);
    }
    return pairs;
  }

  // Collective. Distributes the pairs from rank 0 to all ranks.
  std::vector<PositionPair> shared_out(std::span<const PositionPair> all) {
    std::vector<std::span<const PositionPair>> parts(static_cast<std::size_t>(comm_.size()));
    if (comm_.rank() == 0)
      for (std::size_t rank = 0; rank < parts.size(); ++rank) {
        const ItemRange part = block_of(std::ssize(all), comm_.size(), static_cast<std::int64_t>(rank));
        parts[rank] = all.subspan(static_cast<std::size_t>(part.first), static_cast<std::size_t>(part.count));
      }
    return all_to_all(comm_, std::span<const std::span<const PositionPair>>(parts));
  }

  const Resources& resources_;
  Communicator& comm_;
  std::array<const SurveyReader*, 2> readers_;
  const PairingOptions& options_;
};

}  // namespace

PositionPairs pair_by_position(const Resources& resources, const SurveyReader& base, const SurveyReader& monitor,
                               const PairingOptions& options) {
  return Pairing(resources, base, monitor, options).run();
}

}  // namespace sill
