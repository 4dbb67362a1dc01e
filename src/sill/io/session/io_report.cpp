#include "sill/io/session/io_report.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "sill/comm/exchange.hpp"

namespace sill {
namespace {

// The counts of a meter, as numbers that can be added.
enum Figure : std::size_t {
  opens,
  read_requests,
  read_bytes,
  write_requests,
  written_bytes,
  syncs,
  calls_ns,
  burst_bytes,
  burst_ns,
  past_burst_bytes,
  prepare_ns,
  open_ns,
  read_ns,
  write_ns,
  sync_ns,
  close_ns,
  figures_end,
  read_sizes_begin = figures_end,
  write_sizes_begin = read_sizes_begin + SizeHistogram::classes,
  numbers_end = write_sizes_begin + SizeHistogram::classes,
};
using Numbers = std::array<std::int64_t, numbers_end>;

// The figures that are compared over ranks.
constexpr std::array spread_figures{read_requests, read_bytes, write_requests, written_bytes, calls_ns};
constexpr std::size_t of_file_ns = spread_figures.size();  // follows them
using Compared = std::array<std::int64_t, of_file_ns + 1>;

Numbers numbers_of(const Meter& meter) {
  Numbers numbers{};
  numbers[opens] = meter.opens;
  numbers[read_requests] = meter.read_requests;
  numbers[read_bytes] = meter.read_bytes;
  numbers[write_requests] = meter.write_requests;
  numbers[written_bytes] = meter.written_bytes;
  numbers[syncs] = meter.syncs;
  numbers[calls_ns] = meter.calls_ns;
  numbers[burst_bytes] = meter.burst_bytes;
  numbers[burst_ns] = meter.burst_ns;
  numbers[past_burst_bytes] = meter.past_burst_bytes;
  numbers[prepare_ns] = meter.prepare_ns;
  numbers[open_ns] = meter.open_ns;
  numbers[read_ns] = meter.read_ns;
  numbers[write_ns] = meter.write_ns;
  numbers[sync_ns] = meter.sync_ns;
  numbers[close_ns] = meter.close_ns;
  for (int k = 0; k < SizeHistogram::classes; ++k) {
    numbers[read_sizes_begin + static_cast<std::size_t>(k)] = meter.read_sizes.requests(k);
    numbers[write_sizes_begin + static_cast<std::size_t>(k)] = meter.write_sizes.requests(k);
  }
  return numbers;
}

Compared compared_of(const Numbers& numbers) {
  Compared compared{};
  for (std::size_t i = 0; i < spread_figures.size(); ++i) compared[i] = numbers[spread_figures[i]];
  compared[of_file_ns] = std::accumulate(numbers.begin() + open_ns, numbers.begin() + figures_end, std::int64_t{0});
  return compared;
}

std::vector<SizeClass> classes_of(std::span<const std::int64_t> requests) {
  std::vector<SizeClass> classes;
  for (int k = 0; k < SizeHistogram::classes; ++k) {
    const std::int64_t count = requests[static_cast<std::size_t>(k)];
    if (count == 0) continue;
    const std::int64_t from = SizeHistogram::min_bytes(k);
    classes.push_back({from, k == 0 ? 0 : from - 1 + from, count});
  }
  return classes;
}

double seconds_of(std::int64_t ns) { return 1e-9 * static_cast<double>(ns); }

// `compared` has the figures of every rank.
IoFigures figures_of(const Numbers& sum, std::int64_t phases, std::span<const Compared> compared) {
  IoFigures figures;
  figures.phases = phases;
  figures.opens = sum[opens];
  figures.read_requests = sum[read_requests];
  figures.read_bytes = sum[read_bytes];
  figures.write_requests = sum[write_requests];
  figures.written_bytes = sum[written_bytes];
  figures.syncs = sum[syncs];
  figures.calls_s = seconds_of(sum[calls_ns]);
  figures.burst_bytes = sum[burst_bytes];
  figures.burst_s = seconds_of(sum[burst_ns]);
  figures.past_burst_bytes = sum[past_burst_bytes];
  figures.prepare_s = seconds_of(sum[prepare_ns]);
  figures.open_s = seconds_of(sum[open_ns]);
  figures.read_s = seconds_of(sum[read_ns]);
  figures.write_s = seconds_of(sum[write_ns]);
  figures.sync_s = seconds_of(sum[sync_ns]);
  figures.close_s = seconds_of(sum[close_ns]);
  const std::span<const std::int64_t> all(sum);
  figures.read_sizes = classes_of(all.subspan(read_sizes_begin, SizeHistogram::classes));
  figures.write_sizes = classes_of(all.subspan(write_sizes_begin, SizeHistogram::classes));
  const auto spread = [&](std::size_t which, double unit) {
    std::vector<double> of_ranks;
    for (const Compared& each : compared) of_ranks.push_back(unit * static_cast<double>(each[which]));
    return spread_of(of_ranks);
  };
  figures.of_read_requests = spread(0, 1);
  figures.of_read_bytes = spread(1, 1);
  figures.of_write_requests = spread(2, 1);
  figures.of_written_bytes = spread(3, 1);
  figures.of_calls_s = spread(4, 1e-9);
  figures.of_file_s = spread(of_file_ns, 1e-9);
  return figures;
}

// Texts, each preceded by its length, for exchange between ranks.
class Packed {
 public:
  explicit Packed(std::string bytes = {}) : bytes_(std::move(bytes)) {}
  void add(std::string_view text) {
    bytes_ += std::to_string(text.size()) + ' ';
    bytes_ += text;
  }
  void add(std::int64_t number) { add(std::to_string(number)); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

  [[nodiscard]] bool has_more() const { return at_ < bytes_.size(); }
  std::string text() {
    const std::size_t blank = bytes_.find(' ', at_);
    const std::size_t size = std::stoul(bytes_.substr(at_, blank - at_));
    at_ = blank + 1 + size;
    return bytes_.substr(blank + 1, size);
  }
  std::int64_t number() { return std::stoll(text()); }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

}  // namespace

RankSpread spread_of(std::span<const double> of_ranks) {
  const auto [min, max] =
      std::pair(std::min_element(of_ranks.begin(), of_ranks.end()), std::max_element(of_ranks.begin(), of_ranks.end()));
  std::vector<double> sorted(of_ranks.begin(), of_ranks.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return {.min = *min,
          .min_rank = static_cast<int>(min - of_ranks.begin()),
          .median = sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2,
          .max = *max,
          .max_rank = static_cast<int>(max - of_ranks.begin())};
}

std::vector<IoFigures> gathered_figures(Communicator& comm, std::span<const Meter* const> meters) {
  const std::size_t count = meters.size() + 1;  // the last is the sum
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::int64_t> sums;
  std::vector<std::int64_t> phases;
  std::vector<Compared> mine;
  std::vector<Compared> all;
  run_and_agree(comm, [&] {
    Numbers total{};
    std::int64_t total_phases = 0;
    const auto add = [&](const Numbers& numbers, std::int64_t of_phases) {
      sums.insert(sums.end(), numbers.begin(), numbers.end());
      phases.push_back(of_phases);
      mine.push_back(compared_of(numbers));
    };
    for (const Meter* meter : meters) {
      const Numbers numbers = numbers_of(*meter);
      for (std::size_t i = 0; i < numbers.size(); ++i) total[i] += numbers[i];
      total_phases += meter->phases;
      add(numbers, meter->phases);
    }
    add(total, total_phases);
    all.resize(count * ranks);
  });
  comm.all_reduce(sums, Reduction::sum);
  comm.all_reduce(phases, Reduction::max);
  comm.all_gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
  return run_and_agree(comm, [&] {
    std::vector<IoFigures> figures;
    std::vector<Compared> of_ranks(ranks);
    for (std::size_t i = 0; i < count; ++i) {
      Numbers sum{};
      std::copy_n(sums.begin() + static_cast<std::ptrdiff_t>(i * numbers_end), sum.size(), sum.begin());
      for (std::size_t r = 0; r < ranks; ++r) of_ranks[r] = all[r * count + i];
      figures.push_back(figures_of(sum, phases[i], of_ranks));
    }
    return figures;
  });
}

std::vector<RankTimes> gathered_times(Communicator& comm, std::span<const Meter* const> meters) {
  constexpr int max_groups = 64;
  const int ranks_each = (comm.size() + max_groups - 1) / max_groups;
  const int groups = (comm.size() + ranks_each - 1) / ranks_each;
  constexpr std::size_t numbers_each = IntervalTimes::activities * IntervalTimes::intervals;
  std::vector<std::int64_t> sums;
  IntervalTimes mine;
  run_and_agree(comm, [&] {
    for (const Meter* meter : meters) mine.add(meter->time_line.times());
    sums.resize(static_cast<std::size_t>(groups) * numbers_each);
  });
  mine.lengthen(all_reduce(comm, mine.interval_ns, Reduction::max));
  auto place = sums.begin() +
               static_cast<std::ptrdiff_t>(comm.rank() / ranks_each) * std::ssize(mine.ns) * std::ssize(mine.ns[0]);
  for (const auto& of_activity : mine.ns) place = std::ranges::copy(of_activity, place).out;
  comm.all_reduce(sums, Reduction::sum);
  return run_and_agree(comm, [&] {
    std::vector<RankTimes> all;
    auto number = sums.begin();
    for (int group = 0; group < groups; ++group) {
      RankTimes times{group * ranks_each, std::min(comm.size(), (group + 1) * ranks_each), {}};
      times.times.interval_ns = mine.interval_ns;
      for (auto& of_activity : times.times.ns) {
        for (std::int64_t& ns : of_activity) ns = *number++ / (times.end_rank - times.first_rank);
      }
      all.push_back(times);
    }
    return all;
  });
}

std::vector<StripingReport::Line> gathered_striping(Communicator& comm, const StripingReport& report) {
  const std::string mine = run_and_agree(comm, [&] {
    Packed packed;
    const std::vector<StripingReport::Line> lines = report.lines();
    for (const StripingReport::Line& line : lines) {
      packed.add(line.text);
      packed.add(line.files);
      packed.add(line.first);
    }
    return packed.bytes();
  });
  const std::vector<char> all = all_gather_all(comm, std::span<const char>(mine));
  return run_and_agree(comm, [&] {
    std::map<std::string, StripingReport::Line> joined;
    Packed packed(std::string(all.begin(), all.end()));
    while (packed.has_more()) {
      StripingReport::Line line;
      line.text = packed.text();
      line.files = packed.number();
      line.first = packed.text();
      const auto [place, is_new] = joined.try_emplace(line.text, line);
      if (!is_new) place->second.files += line.files;
    }
    std::vector<StripingReport::Line> lines;
    for (auto& [text, line] : joined) lines.push_back(std::move(line));
    return lines;
  });
}

std::vector<MpiioHintReport::Line> gathered_hints(Communicator& comm, const MpiioHintReport& report) {
  const std::string mine = run_and_agree(comm, [&] {
    Packed packed;
    const std::vector<MpiioHintReport::Line> lines = report.lines();
    for (const MpiioHintReport::Line& line : lines) {
      packed.add(line.first);
      packed.add(line.files);
      packed.add(line.hints.is_echo ? 1 : 0);
      packed.add(static_cast<std::int64_t>(line.hints.hints.size()));
      for (const MpiioHint& hint : line.hints.hints) {
        for (const std::string* text : {&hint.name, &hint.asked, &hint.in_effect}) packed.add(*text);
      }
    }
    return packed.bytes();
  });
  const std::vector<char> all = all_gather_all(comm, std::span<const char>(mine));
  return run_and_agree(comm, [&] {
    std::map<std::string, MpiioHintReport::Line> joined;
    Packed packed(std::string(all.begin(), all.end()));
    while (packed.has_more()) {
      MpiioHintReport::Line line;
      line.first = packed.text();
      line.files = packed.number();
      line.hints.is_echo = packed.number() != 0;
      for (std::int64_t left = packed.number(); left > 0; --left) {
        MpiioHint hint;
        for (std::string* text : {&hint.name, &hint.asked, &hint.in_effect}) *text = packed.text();
        line.hints.hints.push_back(hint);
      }
      const auto [place, is_new] = joined.try_emplace(text_of(line.hints), line);
      if (!is_new) place->second.files += line.files;
    }
    std::vector<MpiioHintReport::Line> lines;
    for (auto& [text, line] : joined) lines.push_back(std::move(line));
    return lines;
  });
}

}  // namespace sill
