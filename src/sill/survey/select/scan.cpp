#include "sill/survey/select/scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "sill/base/threads.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/edit/csv_text.hpp"
#include "sill/survey/select/distinct_codes.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill {
namespace {

// Number of traces that a rank converts to text at once.
constexpr std::int64_t text_traces_per_round = 1 << 16;

// Returns the order-preserving code of a key as one number.
std::uint64_t code_of(const segy::TraceKey& key, const HeaderBlock& block, std::int64_t i) {
  std::array<std::byte, 8> bytes{};
  key.pack(block.view(i), bytes.data());
  return load<std::uint64_t>(bytes.data(), ByteOrder::big);
}

// Among equal codes (0 and -0) the first trace's value is reported, for any distribution over threads.
struct Extreme {
  std::uint64_t code = 0;
  std::int64_t trace = 0;
  segy::WordValue value;

  [[nodiscard]] bool less_than(std::uint64_t other_code, std::int64_t other_trace) const {
    return code < other_code || (code == other_code && trace < other_trace);
  }
  [[nodiscard]] bool more_than(std::uint64_t other_code, std::int64_t other_trace) const {
    return code > other_code || (code == other_code && trace < other_trace);
  }
};

struct Extremes {
  Extreme smallest;
  Extreme largest;
  std::int64_t traces = 0;

  void merge(const Extremes& other) {
    if (other.traces == 0) return;
    if (traces == 0 || other.smallest.less_than(smallest.code, smallest.trace)) smallest = other.smallest;
    if (traces == 0 || other.largest.more_than(largest.code, largest.trace)) largest = other.largest;
    traces += other.traces;
  }
};

// A key and its ascending version, whose range is printed.
struct ScannedKey {
  segy::TraceKey key;
  segy::TraceKey ascending;
};

std::vector<ScannedKey> with_twins(std::span<const segy::TraceKey> keys) {
  std::vector<ScannedKey> scanned;
  for (const segy::TraceKey& key : keys) {
    scanned.push_back({key, key.ascending()});
  }
  return scanned;
}

// Returns the smallest difference between two different codes of a key. Codes are stored in the upper bytes of a
// number.
std::uint64_t unit_of(const segy::TraceKey& key) { return std::uint64_t{1} << (64 - 8 * key.packed_bytes()); }

// One scan, in rounds of consecutive traces, each divided into blocks by rank. There is one round, unless text is
// requested, which must reach rank 0 in trace order without accumulating, or statistics, for which the codes of a round
// are stored.
class Scan {
 public:
  Scan(const Resources& resources, const SurveyReader& reader, const ScanOptions& options)
      : resources_(resources),
        comm_(resources.comm),
        reader_(reader),
        options_(options),
        keys_(with_twins(options.keys)),
        part_(needed_bytes(options.keys)),
        extremes_(keys_.size()) {}

  ScanResult run() {
    ScanResult result;
    result.traces = options_.traces.count;
    resources_.begin_stage("reading headers", options_.traces.count / comm_.size() * part_.length);
    if (options_.statistics) {
      codes_.resize(keys_.size());
      for (const ScannedKey& key : keys_) {
        distinct_.emplace_back(unit_of(key.key), max_runs(keys_.size()));
        to_count_.push_back(distinct_.size() - 1);
      }
    }
    for_rounds([&](ItemRange traces) { round(traces); });
    if (options_.traces.empty()) {
      give_text({});
      return result;
    }
    const std::vector<Extremes> of_all = all_gather_all(comm_, std::span<const Extremes>(extremes_));
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      Extremes extremes;
      for (std::size_t r = 0; r < static_cast<std::size_t>(comm_.size()); ++r)
        extremes.merge(of_all[r * keys_.size() + k]);
      result.ranges.push_back({keys_[k].key.text(), extremes.smallest.value, extremes.largest.value, {}});
    }
    if (!options_.statistics) return result;
    count_what_is_left();
    for (std::size_t k = 0; k < keys_.size(); ++k) result.ranges[k].distinct = distinct_[k].count();
    if (options_.order) result.in_order = in_order_;
    return result;
  }

 private:
  template <class Work>
  void for_rounds(Work&& work) {
    std::int64_t traces_per_round = options_.traces.count;
    if (options_.csv) traces_per_round = text_traces_per_round * comm_.size();
    if (options_.statistics) traces_per_round = std::min(traces_per_round, coded_traces_per_round() * comm_.size());
    for (std::int64_t first = options_.traces.first; first < options_.traces.end(); first += traces_per_round)
      work(ItemRange{first, std::min(traces_per_round, options_.traces.end() - first)});
  }

  // A quarter of the memory is for the codes of a round, half of it for distinct codes. The minimum of all ranks is
  // used, so that rounds are the same on all ranks.
  [[nodiscard]] std::int64_t min_memory() {
    if (min_memory_ == 0) min_memory_ = all_reduce(comm_, resources_.memory(), Reduction::min);
    return min_memory_;
  }
  [[nodiscard]] std::int64_t coded_traces_per_round() {
    constexpr std::int64_t bytes_per_code = 8;
    return std::clamp(min_memory() / 4 / bytes_per_code / std::ssize(keys_), std::int64_t{1} << 10,
                      std::int64_t{1} << 20);
  }
  [[nodiscard]] std::size_t max_runs(std::size_t keys) {
    const std::int64_t bytes_per_run = comm_.size() == 1 ? 56 : 104;  // two copies during a merge, then as records
    return static_cast<std::size_t>(
        std::max(min_memory() / 2 / bytes_per_run / static_cast<std::int64_t>(keys), std::int64_t{1} << 10));
  }

  // Makes further passes over the traces if the memory does not hold all distinct codes of a key.
  void count_what_is_left() {
    while (true) {
      std::vector<std::size_t> left;
      for (const std::size_t k : to_count_)
        if (distinct_[k].end_pass(comm_)) left.push_back(k);
      to_count_ = std::move(left);
      if (to_count_.empty()) return;
      for (const std::size_t k : to_count_) distinct_[k].set_max_runs(max_runs(to_count_.size()));
      for_rounds([&](ItemRange traces) {
        const ItemRange block = block_of(traces, comm_.size(), comm_.rank());
        run_and_agree(comm_, [&] {
          for (const std::size_t k : to_count_) codes_[k].resize(static_cast<std::size_t>(block.count));
          reader_.scan_headers(block, part_, resources_.threads(), [&](const HeaderBlock& headers, int /*thread*/) {
            const auto at = static_cast<std::size_t>(headers.first_trace - block.first);
            for (std::int64_t i = 0; i < headers.count; ++i)
              for (const std::size_t k : to_count_)
                codes_[k][at + static_cast<std::size_t>(i)] = code_of(keys_[k].key, headers, i);
          });
          add_codes();
        });
      });
    }
  }

  // Adds the codes of a round, key by key, and discards them.
  void add_codes() {
    parallel_for(resources_.threads(), std::ssize(to_count_), [&](std::int64_t task, int /*thread*/) {
      const std::size_t k = to_count_[static_cast<std::size_t>(task)];
      const auto repeated = std::ranges::unique(codes_[k]);
      codes_[k].erase(repeated.begin(), repeated.end());
      distinct_[k].add(codes_[k]);
    });
  }

  [[nodiscard]] std::string head_line() const {
    std::string line = "trace";
    for (const ScannedKey& key : keys_) line += "," + key.key.text();
    return line + "\n";
  }

  // No text is passed before the first traces are read, so that no line precedes an error.
  void give_text(std::string_view lines) {
    if (!options_.csv) return;
    run_on_rank(comm_, 0, [&] {
      if (!std::exchange(text_begun_, true)) options_.csv(head_line());
      if (!lines.empty()) options_.csv(lines);
    });
  }

  void round(ItemRange traces) {
    const ItemRange block = block_of(traces, comm_.size(), comm_.rank());
    const std::string text = run_and_agree(comm_, [&] {
      for (auto& column : codes_) column.resize(static_cast<std::size_t>(block.count));
      return read_block(block);
    });
    if (options_.csv) {
      std::vector<std::span<const char>> parts(static_cast<std::size_t>(comm_.size()));
      parts[0] = text;
      const std::vector<char> all = all_to_all(comm_, std::span<const std::span<const char>>(parts));
      give_text({all.data(), all.size()});
    }
    if (!options_.statistics) return;
    if (options_.order) continue_order();
    run_and_agree(comm_, [&] { add_codes(); });
  }

  // Reads the headers of this rank's block once: extremes, codes, and the lines of text.
  std::string read_block(ItemRange block) {
    const int threads = resources_.threads();
    std::vector<std::vector<Extremes>> of_thread(static_cast<std::size_t>(threads),
                                                 std::vector<Extremes>(keys_.size()));
    std::vector<std::string> lines(options_.csv ? static_cast<std::size_t>(block.count) : 0);
    reader_.scan_headers(block, part_, threads, [&](const HeaderBlock& headers, int thread) {
      for_each_trace(reader_, headers.first_trace, headers.count, [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(headers.first_trace + i - block.first);
        take(headers, i, of_thread[static_cast<std::size_t>(thread)], at);
        if (options_.csv) lines[at] = line_of(headers, i);
      });
    });
    for (const auto& extremes : of_thread) {
      for (std::size_t k = 0; k < keys_.size(); ++k) extremes_[k].merge(extremes[k]);
    }
    std::string text;
    for (const std::string& line : lines) text += line;
    return text;
  }

  void take(const HeaderBlock& headers, std::int64_t i, std::vector<Extremes>& extremes, std::size_t code_at) {
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      const std::uint64_t code = code_of(keys_[k].ascending, headers, i);
      Extremes& seen = extremes[k];
      const auto value = [&] { return keys_[k].key.value(headers.view(i)); };
      const std::int64_t trace = headers.first_trace + i;
      if (seen.traces == 0 || !seen.smallest.less_than(code, trace)) seen.smallest = {code, trace, value()};
      if (seen.traces == 0 || !seen.largest.more_than(code, trace)) seen.largest = {code, trace, value()};
      ++seen.traces;
      if (!codes_.empty()) {
        codes_[k][code_at] = keys_[k].key.descending() ? code_of(keys_[k].key, headers, i) : code;
      }
    }
  }

  [[nodiscard]] std::string line_of(const HeaderBlock& headers, std::int64_t i) const {
    std::string line = fmt::format("{}", headers.first_trace + i + 1);
    for (const ScannedKey& key : keys_) {
      line += ',';
      line += csv_cell(key.key.value(headers.view(i)).text());
    }
    return line + '\n';
  }

  [[nodiscard]] std::vector<std::uint64_t> row(std::size_t at) const {
    std::vector<std::uint64_t> values;
    for (const auto& column : codes_) values.push_back(column[at]);
    return values;
  }

  // Determines whether the traces of the round continue in order: within each rank's block, and from block to block.
  void continue_order() {
    const std::size_t end = codes_.front().size();
    bool in_order = true;
    for (std::size_t i = 1; in_order && i < end; ++i) {
      for (const auto& column : codes_) {
        if (column[i - 1] == column[i]) continue;
        in_order = column[i - 1] < column[i];
        break;
      }
    }
    std::vector<std::uint64_t> ends;
    if (end > 0) {
      ends = row(0);
      const std::vector<std::uint64_t> last = row(end - 1);
      ends.insert(ends.end(), last.begin(), last.end());
    }
    const std::vector<std::uint64_t> all = all_gather_all(comm_, std::span<const std::uint64_t>(ends));
    for (std::size_t at = 0; at < all.size(); at += keys_.size()) {
      const std::vector<std::uint64_t> next(all.begin() + static_cast<std::ptrdiff_t>(at),
                                            all.begin() + static_cast<std::ptrdiff_t>(at + keys_.size()));
      if (!last_row_.empty() && next < last_row_) in_order = false;
      last_row_ = next;
    }
    if (all_reduce(comm_, in_order ? 1 : 0, Reduction::min) == 0) in_order_ = false;
  }

  const Resources& resources_;
  Communicator& comm_;
  const SurveyReader& reader_;
  const ScanOptions& options_;
  std::vector<ScannedKey> keys_;
  ByteRange part_;
  std::vector<Extremes> extremes_;
  std::vector<std::vector<std::uint64_t>> codes_;  // of this rank's traces of a round, [key][trace]
  std::vector<DistinctCodes> distinct_;            // of each key
  std::vector<std::size_t> to_count_;              // keys whose distinct codes this pass counts
  std::int64_t min_memory_ = 0;                    // of all ranks; 0: not yet determined
  std::vector<std::uint64_t> last_row_;            // codes of the last trace of the rounds so far
  bool in_order_ = true;
  bool text_begun_ = false;
};

}  // namespace

std::vector<segy::TraceKey> all_words(const segy::HeaderMap& map) {
  std::vector<segy::TraceKey> keys;
  const int header_bytes = segy::trace_header_bytes * (1 + map.additional_headers());
  for (const segy::MapWord& word : map.all()) {
    const bool is_former = word.standard != nullptr && word.standard->until != segy::Revision::none;
    if (!is_former && word.byte <= header_bytes) keys.push_back(segy::TraceKey::parse(word.names.front(), map));
  }
  return keys;
}

ScanResult scan(const Resources& resources, const SurveyReader& reader, const ScanOptions& options) {
  run_and_agree(resources.comm, [&] {
    if (options.keys.empty()) throw Error({.code = ErrorCode::usage, .problem = "no keys to scan are given"});
  });
  return Scan(resources, reader, options).run();
}

}  // namespace sill
