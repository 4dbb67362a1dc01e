#include "sill/flow/scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "sill/comm/agree.hpp"
#include "sill/comm/key_sort.hpp"
#include "sill/flow/key_table.hpp"
#include "sill/formats/segy/words.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

// Traces a rank turns into text at once.
constexpr std::int64_t csv_traces_a_round = 1 << 16;

// The order-preserving code of a key as one number.
std::uint64_t code_of(const segy::TraceKey& key, const HeaderBlock& block, std::int64_t i) {
  std::array<std::byte, 8> bytes{};
  key.pack(block.header(i), block.byte_order, block.file + 1, bytes.data());
  return load<std::uint64_t>(bytes.data(), ByteOrder::big);
}

struct Extreme {
  std::uint64_t code = 0;
  segy::WordValue value;
};

struct Extremes {
  Extreme smallest{std::numeric_limits<std::uint64_t>::max(), {}};
  Extreme largest;
  std::int64_t traces = 0;

  void merge(const Extremes& other) {
    if (other.traces == 0) return;
    if (traces == 0 || other.smallest.code < smallest.code) smallest = other.smallest;
    if (traces == 0 || other.largest.code > largest.code) largest = other.largest;
    traces += other.traces;
  }
};

// A key and its twin that ascends, by which it is the range that is told.
struct ScannedKey {
  segy::TraceKey key;
  segy::TraceKey ascending;
};

std::vector<ScannedKey> with_twins(std::span<const segy::TraceKey> keys) {
  std::vector<ScannedKey> scanned;
  for (const segy::TraceKey& key : keys) {
    const std::string_view text = key.text();
    scanned.push_back({key, key.descending() ? segy::TraceKey::parse(text.substr(text.find('-') + 1)) : key});
  }
  return scanned;
}

// Runs `work(i)` for the traces of a block; an input error gets the place of its trace.
template <class Work>
void for_each_trace(const Reader& reader, const HeaderBlock& block, Work&& work) {
  std::int64_t i = 0;
  try {
    for (; i < block.count; ++i) work(i);
  } catch (const Error& error) {
    rethrow_at(error, reader, block.first_trace + i);
  }
}

// The codes of all keys of this rank's traces, [key][trace].
using CodeTable = std::vector<std::vector<std::uint64_t>>;

std::vector<Extremes> scan_block(const Reader& reader, ItemRange block, std::span<const ScannedKey> keys,
                                 ByteRange part, int threads, CodeTable* codes) {
  std::vector<std::vector<Extremes>> of_thread(static_cast<std::size_t>(threads), std::vector<Extremes>(keys.size()));
  reader.scan_headers(block, part, threads, [&](const HeaderBlock& headers, int thread) {
    std::vector<Extremes>& extremes = of_thread[static_cast<std::size_t>(thread)];
    for_each_trace(reader, headers, [&](std::int64_t i) {
      for (std::size_t k = 0; k < keys.size(); ++k) {
        const std::uint64_t code = code_of(keys[k].ascending, headers, i);
        Extremes& seen = extremes[k];
        const auto value = [&] { return keys[k].key.value(headers.header(i), headers.byte_order, headers.file + 1); };
        if (seen.traces == 0 || code < seen.smallest.code) seen.smallest = {code, value()};
        if (seen.traces == 0 || code > seen.largest.code) seen.largest = {code, value()};
        ++seen.traces;
        if (codes != nullptr) {
          (*codes)[k][static_cast<std::size_t>(headers.first_trace + i - block.first)] =
              keys[k].key.descending() ? code_of(keys[k].key, headers, i) : code;
        }
      }
    });
  });
  std::vector<Extremes> all(keys.size());
  for (const auto& extremes : of_thread) {
    for (std::size_t k = 0; k < keys.size(); ++k) all[k].merge(extremes[k]);
  }
  return all;
}

std::int64_t count_distinct(Communicator& comm, std::span<const std::uint64_t> codes, std::int64_t first_trace) {
  std::vector<KeyRecord<1>> records(codes.size());
  for (std::size_t i = 0; i < codes.size(); ++i) records[i] = {{codes[i]}, first_trace + static_cast<std::int64_t>(i)};
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

std::vector<std::uint64_t> row(const CodeTable& codes, std::size_t trace) {
  std::vector<std::uint64_t> values;
  for (const auto& column : codes) values.push_back(column[trace]);
  return values;
}

bool is_in_order(Communicator& comm, const CodeTable& codes) {
  const std::size_t traces = codes.front().size();
  bool in_order = true;
  for (std::size_t i = 1; in_order && i < traces; ++i) {
    for (const auto& column : codes) {
      if (column[i - 1] == column[i]) continue;
      in_order = column[i - 1] < column[i];
      break;
    }
  }
  // The first and last trace of every rank that has any, in order of the ranks.
  std::vector<std::uint64_t> ends;
  if (traces > 0) {
    ends = row(codes, 0);
    const std::vector<std::uint64_t> last = row(codes, traces - 1);
    ends.insert(ends.end(), last.begin(), last.end());
  }
  const std::vector<std::uint64_t> all = all_gather_all(comm, std::span<const std::uint64_t>(ends));
  const auto keys = static_cast<std::ptrdiff_t>(codes.size());
  for (auto at = all.begin(); in_order && at != all.end(); at += keys) {
    const auto next = at + keys;
    if (next == all.end()) break;
    in_order = !std::lexicographical_compare(next, next + keys, at, at + keys);
  }
  return all_reduce(comm, in_order ? 1 : 0, Reduction::min) == 1;
}

}  // namespace

ItemRange parse_trace_range(std::string_view text, std::int64_t traces) {
  const auto refuse = [&] {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("`{}` is no range of the {} traces there are", text, traces),
                 .action = "write FIRST:LAST, counted from 1, both included, such as 1:100"});
  };
  const auto number = [&](std::string_view part, std::int64_t otherwise) {
    std::int64_t value = otherwise;
    if (part.empty()) return value;
    const auto result = std::from_chars(part.data(), part.data() + part.size(), value);
    if (result.ec != std::errc{} || result.ptr != part.data() + part.size()) refuse();
    return value;
  };
  const std::size_t colon = text.find(':');
  if (colon == text.npos) refuse();
  const std::int64_t first = number(text.substr(0, colon), 1);
  const std::int64_t last = number(text.substr(colon + 1), traces);
  if (first < 1 || last < first || last > traces) refuse();
  return {first - 1, last - first + 1};
}

std::vector<segy::TraceKey> all_words() {
  std::vector<segy::TraceKey> keys;
  for (const segy::Word& word : segy::trace_words()) {
    const std::string_view name = !word.su.empty() ? word.su : !word.segyio.empty() ? word.segyio : word.standard;
    keys.push_back(segy::TraceKey::parse(name));
  }
  return keys;
}

ScanResult scan(const Resources& resources, const Reader& reader, ItemRange traces,
                std::span<const segy::TraceKey> keys, bool statistics) {
  Communicator& comm = resources.comm;
  ScanResult result;
  result.traces = traces.count;
  if (traces.empty() || keys.empty()) return result;
  const std::vector<ScannedKey> scanned = with_twins(keys);
  const ItemRange block = block_of(traces, comm.size(), comm.rank());
  resources.begin_stage("reading headers", 0);
  CodeTable codes;
  const std::vector<Extremes> mine = together(comm, [&] {
    if (statistics) codes.assign(keys.size(), std::vector<std::uint64_t>(static_cast<std::size_t>(block.count)));
    return scan_block(reader, block, scanned, needed_bytes(keys), resources.threads(), statistics ? &codes : nullptr);
  });
  const std::vector<Extremes> of_all = all_gather_all(comm, std::span<const Extremes>(mine));
  for (std::size_t k = 0; k < keys.size(); ++k) {
    Extremes extremes;
    for (std::size_t r = 0; r < static_cast<std::size_t>(comm.size()); ++r) extremes.merge(of_all[r * keys.size() + k]);
    result.ranges.push_back({keys[k].text(), extremes.smallest.value, extremes.largest.value, {}});
  }
  if (statistics) {
    for (std::size_t k = 0; k < keys.size(); ++k) {
      result.ranges[k].distinct = count_distinct(comm, codes[k], block.first);
    }
    result.in_order = is_in_order(comm, codes);
  }
  return result;
}

void scan_to_csv(const Resources& resources, const Reader& reader, ItemRange traces,
                 std::span<const segy::TraceKey> keys, const std::function<void(std::string_view)>& sink) {
  Communicator& comm = resources.comm;
  const ByteRange part = needed_bytes(keys);
  on_rank(comm, 0, [&] {
    std::string names = "trace";
    for (const segy::TraceKey& key : keys) names += "," + key.text();
    sink(names + "\n");
  });
  const std::int64_t traces_a_round = csv_traces_a_round * comm.size();
  for (std::int64_t first = traces.first; first < traces.end(); first += traces_a_round) {
    const ItemRange round{first, std::min(traces_a_round, traces.end() - first)};
    const ItemRange block = block_of(round, comm.size(), comm.rank());
    const std::string lines = together(comm, [&] {
      std::vector<std::string> values(static_cast<std::size_t>(block.count));
      reader.scan_headers(block, part, resources.threads(), [&](const HeaderBlock& headers, int /*thread*/) {
        for_each_trace(reader, headers, [&](std::int64_t i) {
          const std::int64_t trace = headers.first_trace + i;
          std::string& line = values[static_cast<std::size_t>(trace - block.first)];
          line = fmt::format("{}", trace + 1);
          for (const segy::TraceKey& key : keys) {
            line += ',';
            line += key.value(headers.header(i), headers.byte_order, headers.file + 1).text();
          }
          line += '\n';
        });
      });
      std::string all;
      for (const std::string& line : values) all += line;
      return all;
    });
    std::vector<std::span<const char>> parts(static_cast<std::size_t>(comm.size()));
    parts[0] = lines;
    const std::vector<char> text = all_to_all(comm, std::span<const std::span<const char>>(parts));
    on_rank(comm, 0, [&] { sink({text.data(), text.size()}); });
  }
}

}  // namespace sill
