#include "sill/survey/select/scan_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/select/seek_traces.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill {
namespace {

constexpr std::int64_t traces_per_part = std::int64_t{1} << 16;
constexpr std::size_t values_per_part = std::size_t{1} << 13;

template <std::size_t Words>
struct Counted {
  KeyRecord<Words> record;  // of the first trace
  std::int64_t traces = 0;
};

template <std::size_t Words>
class ValueCount {
 public:
  ValueCount(const Resources& resources, const SurveyReader& reader, std::span<const segy::TraceKey> keys)
      : resources_(resources), reader_(reader), keys_(keys) {}

  void run(ItemRange traces, const ValuesVisitor& visit) {
    Communicator& comm = resources_.comm;
    const ItemRange block = block_of(traces, comm.size(), comm.rank());
    resources_.begin_stage("reading headers", block.count * needed_bytes(keys_).length);
    run_and_agree(comm, [&] {
      for (std::int64_t first = block.first; first < block.end(); first += traces_per_part) {
        const auto part = read_keys<Words>(reader_, {first, std::min(traces_per_part, block.end() - first)}, keys_,
                                           resources_.threads());
        std::vector<Counted<Words>> counted;
        counted.reserve(part.size());
        for (const KeyRecord<Words>& record : part) {
          if (!counted.empty() && counted.back().record.key == record.key)
            ++counted.back().traces;
          else
            counted.push_back({record, 1});
        }
        add(counted);
      }
    });
    collect(comm);
    run_on_rank(comm, 0, [&] { show(visit); });
  }

 private:
  // Adds `more`; sorts and joins all values when enough were added.
  void add(std::span<const Counted<Words>> more) {
    all_.insert(all_.end(), more.begin(), more.end());
    // Sorting is deferred until the number of added values is about as large as the sorted part.
    if (std::ssize(all_) > 2 * sorted_ + traces_per_part) join();
  }

  void join() {
    std::ranges::sort(all_, {}, &Counted<Words>::record);
    std::size_t to = 0;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (to > 0 && all_[to - 1].record.key == all_[i].record.key)
        all_[to - 1].traces += all_[i].traces;
      else
        all_[to++] = all_[i];
    }
    all_.resize(to);
    sorted_ = std::ssize(all_);
    require_room(sorted_);
  }

  void require_room(std::int64_t values) const {
    // A growing array exists twice.
    constexpr std::int64_t bytes_per_value = 4 * sizeof(Counted<Words>);
    const std::int64_t max = std::max(resources_.memory() / 2 / bytes_per_value, traces_per_part);
    if (values <= max) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format(
                     "the keys have more than {} distinct values, which is too many for the memory of a rank", max),
                 .action = fmt::format("give at least --memory {}, and {} bytes more for every further value: --stats "
                                       "counts them in any memory",
                                       2 * bytes_per_value * values, 2 * bytes_per_value)});
  }

  // Sends all values to rank 0.
  void collect(Communicator& comm) {
    run_and_agree(comm, [&] { join(); });
    if (comm.size() == 1) return;
    const std::int64_t total = all_reduce(comm, std::ssize(all_), Reduction::sum);
    run_and_agree(comm, [&] { require_room(total); });
    std::vector<std::span<const Counted<Words>>> parts(static_cast<std::size_t>(comm.size()));
    parts[0] = all_;
    all_ = all_to_all(comm, std::span<const std::span<const Counted<Words>>>(parts));
    run_and_agree(comm, [&] { join(); });
  }

  void show(const ValuesVisitor& visit) const {
    std::vector<segy::WordValue> values;  // of one batch; the values of a trace are adjacent
    for (std::span<const Counted<Words>> left = all_; !left.empty();) {
      const auto part = left.first(std::min(left.size(), values_per_part));
      left = left.subspan(part.size());
      values.resize(part.size() * keys_.size());
      read_values(part, values);
      for (std::size_t i = 0; i < part.size(); ++i)
        visit(std::span(values).subspan(i * keys_.size(), keys_.size()), part[i].traces);
    }
  }

  // Reads the values of the first trace of each tuple; headers are read in file order.
  void read_values(std::span<const Counted<Words>> part, std::span<segy::WordValue> values) const {
    std::vector<std::pair<std::int64_t, std::size_t>> places;  // traces, each once, and their indices in the batch
    for (std::size_t i = 0; i < part.size(); ++i) places.emplace_back(part[i].record.item, i);
    std::ranges::sort(places);
    std::vector<std::int64_t> traces;
    for (const auto& [trace, i] : places) traces.push_back(trace);
    const auto take = [&](std::int64_t trace, const segy::HeaderView& header) {
      const std::size_t i =
          places[static_cast<std::size_t>(std::ranges::lower_bound(traces, trace) - traces.begin())].second;
      for (std::size_t k = 0; k < keys_.size(); ++k) values[i * keys_.size() + k] = keys_[k].value(header);
    };
    if (needed_bytes(keys_).end() <= segy::trace_header_bytes) {
      look_at_headers(reader_, traces, false, resources_.threads(),
                      [&](std::int64_t trace, const segy::HeaderView& header, int /*thread*/) { take(trace, header); });
      return;
    }
    for (const std::int64_t trace : traces)
      reader_.scan_headers({trace, 1}, needed_bytes(keys_), 1,
                           [&](const HeaderBlock& block, int /*thread*/) { take(trace, block.view(0)); });
  }

  const Resources& resources_;
  const SurveyReader& reader_;
  std::span<const segy::TraceKey> keys_;
  std::vector<Counted<Words>> all_;
  std::int64_t sorted_ = 0;  // number of values after the last join
};

}  // namespace

void scan_values(const Resources& resources, const SurveyReader& reader, ItemRange traces,
                 std::span<const segy::TraceKey> keys, const ValuesVisitor& visit) {
  run_and_agree(resources.comm, [&] {
    if (keys.empty())
      throw Error({.code = ErrorCode::usage, .problem = "no keys are given whose values could be listed"});
    with_key_words(packed_bytes(keys), []<std::size_t Words>() {});
  });
  with_key_words(packed_bytes(keys),
                 [&]<std::size_t Words>() { ValueCount<Words>(resources, reader, keys).run(traces, visit); });
}

}  // namespace sill
