#include "sill/flow/scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "sill/base/user_text.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/key_sort.hpp"
#include "sill/flow/key_table.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

// Traces a rank turns into text at once.
constexpr std::int64_t text_traces_a_round = 1 << 16;

// The order-preserving code of a key as one number.
std::uint64_t code_of(const segy::TraceKey& key, const HeaderBlock& block, std::int64_t i) {
  std::array<std::byte, 8> bytes{};
  key.pack(block.view(i), bytes.data());
  return load<std::uint64_t>(bytes.data(), ByteOrder::big);
}

// Of equal codes (0 and -0) that of the first trace is told, whichever thread met it.
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

// A value between commas. Only text can hold what must be quoted.
std::string as_csv(const segy::WordValue& value) {
  std::string text = value.text();
  if (text.find_first_of(",\"") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// A key and its twin that ascends, by which it is the range that is told.
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

std::int64_t count_distinct(Communicator& comm, std::span<const std::uint64_t> codes) {
  std::vector<KeyRecord<1>> records = together(comm, [&] { return std::vector<KeyRecord<1>>(codes.size()); });
  // Any distinct numbers do, if only they ascend over ranks.
  const std::int64_t first = comm.rank() * all_reduce(comm, static_cast<std::int64_t>(codes.size()), Reduction::max);
  for (std::size_t i = 0; i < codes.size(); ++i) records[i] = {{codes[i]}, first + static_cast<std::int64_t>(i)};
  sort_distributed(comm, records);
  struct Ends {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::int64_t distinct = 0;
  } mine;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (i == 0 || records[i].key != records[i - 1].key) ++mine.distinct;
  }
  if (!records.empty()) mine = {records.front().key[0], records.back().key[0], mine.distinct};
  std::int64_t distinct = 0;
  const Ends* before = nullptr;
  const std::vector<Ends> all = all_gather(comm, mine);
  for (const Ends& ends : all) {
    if (ends.distinct == 0) continue;
    distinct += ends.distinct - (before != nullptr && before->last == ends.first ? 1 : 0);
    before = &ends;
  }
  return distinct;
}

// One scan. It goes in rounds of consecutive traces, each divided into blocks by rank: all in one round unless text is
// wanted, which must reach rank 0 in trace order without piling up.
class Scan {
 public:
  Scan(const Resources& resources, const Reader& reader, const ScanOptions& options)
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
    if (options_.statistics) codes_.resize(keys_.size());
    const std::int64_t traces_a_round = options_.csv ? text_traces_a_round * comm_.size() : options_.traces.count;
    for (std::int64_t first = options_.traces.first; first < options_.traces.end(); first += traces_a_round) {
      round({first, std::min(traces_a_round, options_.traces.end() - first)});
    }
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
    for (std::size_t k = 0; k < keys_.size(); ++k) result.ranges[k].distinct = count_distinct(comm_, codes_[k]);
    result.in_order = in_order_;
    return result;
  }

 private:
  [[nodiscard]] std::string head_line() const {
    std::string line = "trace";
    for (const ScannedKey& key : keys_) line += "," + key.key.text();
    return line + "\n";
  }

  // Nothing is given before the first traces were read: a refusal comes without a line of text.
  void give_text(std::string_view lines) {
    if (!options_.csv) return;
    on_rank(comm_, 0, [&] {
      if (!std::exchange(text_begun_, true)) options_.csv(head_line());
      if (!lines.empty()) options_.csv(lines);
    });
  }

  void round(ItemRange traces) {
    const ItemRange block = block_of(traces, comm_.size(), comm_.rank());
    const std::size_t codes_before = codes_.empty() ? 0 : codes_.front().size();
    const std::string text = together(comm_, [&] {
      for (auto& column : codes_) column.resize(codes_before + static_cast<std::size_t>(block.count));
      return read_block(block, codes_before);
    });
    if (options_.csv) {
      std::vector<std::span<const char>> parts(static_cast<std::size_t>(comm_.size()));
      parts[0] = text;
      const std::vector<char> all = all_to_all(comm_, std::span<const std::span<const char>>(parts));
      give_text({all.data(), all.size()});
    }
    if (options_.statistics) continue_order(codes_before);
  }

  // Reads the headers of this rank's block once: extremes, codes from `codes_before` on, and the lines of text.
  std::string read_block(ItemRange block, std::size_t codes_before) {
    const int threads = resources_.threads();
    std::vector<std::vector<Extremes>> of_thread(static_cast<std::size_t>(threads),
                                                 std::vector<Extremes>(keys_.size()));
    std::vector<std::string> lines(options_.csv ? static_cast<std::size_t>(block.count) : 0);
    reader_.scan_headers(block, part_, threads, [&](const HeaderBlock& headers, int thread) {
      for_each_trace(reader_, headers.first_trace, headers.count, [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(headers.first_trace + i - block.first);
        take(headers, i, of_thread[static_cast<std::size_t>(thread)], codes_before + at);
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
      line += as_csv(key.key.value(headers.view(i)));
    }
    return line + '\n';
  }

  [[nodiscard]] std::vector<std::uint64_t> row(std::size_t at) const {
    std::vector<std::uint64_t> values;
    for (const auto& column : codes_) values.push_back(column[at]);
    return values;
  }

  // Whether the traces of the round that begins at `begin` of the codes go on in order: within each rank's block, and
  // from block to block.
  void continue_order(std::size_t begin) {
    const std::size_t end = codes_.front().size();
    bool in_order = true;
    for (std::size_t i = begin + 1; in_order && i < end; ++i) {
      for (const auto& column : codes_) {
        if (column[i - 1] == column[i]) continue;
        in_order = column[i - 1] < column[i];
        break;
      }
    }
    std::vector<std::uint64_t> ends;
    if (end > begin) {
      ends = row(begin);
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
  const Reader& reader_;
  const ScanOptions& options_;
  std::vector<ScannedKey> keys_;
  ByteRange part_;
  std::vector<Extremes> extremes_;
  std::vector<std::vector<std::uint64_t>> codes_;  // of this rank's traces, [key][trace]
  std::vector<std::uint64_t> last_row_;            // the codes of the last trace of the rounds so far
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

ScanResult scan(const Resources& resources, const Reader& reader, const ScanOptions& options) {
  together(resources.comm, [&] {
    if (options.keys.empty()) throw Error({.code = ErrorCode::usage, .problem = "no key to scan is named"});
  });
  return Scan(resources, reader, options).run();
}

}  // namespace sill
