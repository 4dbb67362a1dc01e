#include "sill/choose/permutation_method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sill/base/units.hpp"
#include "sill/permute/push.hpp"
#include "sill/permute/runs.hpp"

namespace sill {
namespace {

// Costs that are not measured before each run. The costs of memory and cache were measured on a virtual machine with
// two cores in 2026 (docs/performance.md); only their ratios matter.
constexpr double cache_write_s_per_byte = 0.75e-9;  // each page is allocated first
constexpr double memory_s_per_byte = 0.25e-9;       // touching memory again after it has left the caches
// Memory that holds the output: it is touched for the first time, and is no longer available to the system's cache. On
// a virtual machine with ten million traces of 280 bytes, two threads saved 1.7 ns per byte when they used less memory.
constexpr double held_memory_s_per_byte = 3.4e-9;
// Smaller buffers of a scatter are not useful.
constexpr std::int64_t small_scatter_bytes = 64 << 20;
constexpr double passing_s_per_item = 5e-9;     // testing in a pass whether an item belongs to it
constexpr double message_s_per_byte = 0.5e-9;   // packing, sending, unpacking
constexpr double placing_s_per_item = 0.05e-6;  // one more piece of memory in a request
constexpr double sorting_s_per_item = 1.2e-6;   // into a run, and again when runs are merged
// A request that takes longer was not cached.
constexpr double cold_request_s = 10e-6;
// Headers at most this far apart are read with everything between them, by the system if not by the store.
constexpr std::int64_t read_over_bytes = 64 << 10;
constexpr double page_bytes = 4096;
// Number of requests that a disk serves in the time of one.
constexpr double disk_requests_at_once = 8;

ScatterMemory scatter_memory(const PermutationFacts& facts, std::int64_t memory_bytes) {
  return divide_scatter_memory(memory_bytes, facts.item_bytes, facts.ranks, facts.threads, 0);
}

// The cost of reading or writing, per request at a different position and per byte.
struct Cost {
  double request_s = 0;  // in addition to its bytes
  double s_per_byte = 0;
  bool of_disk = false;
};

constexpr Cost cached{1e-6, 0.1e-9, false};
// A fast disk. Slower disks only make scattered reads more expensive.
constexpr Cost disk{100e-6, 1e-9, true};

class Estimates {
 public:
  explicit Estimates(const PermutationFacts& facts)
      : facts_(facts),
        items_(static_cast<double>(facts.items)),
        bytes_(items_ * static_cast<double>(facts.item_bytes)),
        stays_cached_(sill::stays_cached(facts)) {
    if (facts.looked) {
      const double of_bytes_s = static_cast<double>(facts.item_bytes) * facts.read_s_per_byte;
      first_reading_ = {std::max(0.0, facts.request_s - of_bytes_s), facts.read_s_per_byte,
                        facts.request_s - of_bytes_s > cold_request_s};
    } else {
      first_reading_ = cached;
    }
    if (stays_cached_) {
      // The headers are read first. If they are close together, this reads everything into the cache.
      const bool all_come = first_reading_.of_disk && facts.item_bytes <= read_over_bytes;
      after_headers_ = all_come ? cached : first_reading_;
      second_reading_ = cached;
      write_ = {0, cache_write_s_per_byte, false};
    } else {
      first_reading_ = {std::max(first_reading_.request_s, disk.request_s),
                        std::max(first_reading_.s_per_byte, disk.s_per_byte), true};
      after_headers_ = second_reading_ = first_reading_;
      write_ = {0, disk.s_per_byte, true};
    }
  }

  [[nodiscard]] PermutationEstimate of(PermutationMethod method) const {
    PermutationEstimate estimate;
    switch (method) {
      case PermutationMethod::gather: estimate = gather(); break;
      case PermutationMethod::scatter: estimate = scatter(); break;
      case PermutationMethod::buckets: estimate = buckets(); break;
    }
    estimate.method = method;
    if (estimate.memory_bytes == 0) estimate.memory_bytes = facts_.memory_bytes;
    return estimate;
  }

  [[nodiscard]] bool stays_cached() const { return stays_cached_; }

  // Returns the longest gap that a scatter reads over, because that costs less than another request.
  [[nodiscard]] std::int64_t bridge_bytes() const {
    return static_cast<std::int64_t>(
        std::clamp(after_headers_.request_s / after_headers_.s_per_byte, 4096.0, 1048576.0));
  }

 private:
  [[nodiscard]] double writing_streams() const { return static_cast<double>(facts_.ranks) * facts_.threads; }
  [[nodiscard]] double reading_streams() const { return static_cast<double>(facts_.ranks) * facts_.threads; }

  // Caches and memory serve every thread. The path of a node to the disk serves one at a time, except for requests that
  // wait.
  [[nodiscard]] double moving(const Cost& cost, double bytes, double streams) const {
    return bytes * cost.s_per_byte / (cost.of_disk ? std::min<double>(streams, facts_.nodes) : streams);
  }
  [[nodiscard]] double requests(const Cost& cost, double count, double streams) const {
    return count * cost.request_s / (cost.of_disk ? std::min(streams, disk_requests_at_once * facts_.nodes) : streams);
  }

  // Returns the time to read the headers only: one request each, or everything including the bytes between them.
  [[nodiscard]] double headers_s() const {
    if (facts_.has_keys) return 0;
    return std::min(requests(first_reading_, items_, reading_streams()),
                    moving(first_reading_, bytes_, reading_streams()));
  }

  [[nodiscard]] PermutationEstimate gather() const {
    PermutationEstimate estimate;
    if (facts_.memory_bytes < facts_.item_bytes + overhead_bytes_per_item) return holds_no_item();
    const double count = items_ * (1 - facts_.joined_in_chunk);
    // If neighbours are needed while their page is still cached, the page is read once for all of them.
    const double a_page = std::min(1.0, static_cast<double>(facts_.item_bytes) / page_bytes);
    Cost near = after_headers_;
    near.request_s = std::min(after_headers_.request_s, cached.request_s + a_page * after_headers_.request_s);
    estimate.seconds_s = headers_s() + requests(near, count * facts_.joined_in_cache, writing_streams()) +
                         requests(after_headers_, count * (1 - facts_.joined_in_cache), writing_streams()) +
                         moving(after_headers_, bytes_, writing_streams()) + moving(write_, bytes_, writing_streams());
    estimate.read_bytes = estimate.write_bytes = total_bytes();
    estimate.how = fmt::format("reads each item at its position, in about {} requests",
                               format_count(static_cast<std::int64_t>(std::ceil(count))));
    return estimate;
  }

  [[nodiscard]] PermutationEstimate scatter() const {
    PermutationEstimate best = scatter_halved(0);
    for (std::size_t halvings = 1; best.possible && halvings < scatter_halvings; ++halvings) {
      PermutationEstimate smaller = scatter_halved(halvings);
      if (smaller.possible && smaller.seconds_s < best.seconds_s) best = std::move(smaller);
    }
    return best;
  }

  [[nodiscard]] PermutationEstimate scatter_halved(std::size_t halvings) const {
    PermutationEstimate estimate;
    estimate.memory_bytes = scatter_memory_bytes(facts_, halvings);
    const std::int64_t window = scatter_window_items(facts_, estimate.memory_bytes);
    if (window == 0) {
      estimate.possible = false;
      estimate.how = fmt::format("impossible: needs {} of memory on each of {} ranks",
                                 format_bytes(scatter_memory(facts_, estimate.memory_bytes).min_bytes), facts_.ranks);
      return estimate;
    }
    const auto passes = static_cast<double>(std::max<std::int64_t>(1, (facts_.items + window - 1) / window));
    // Each pass reads everything, or only the items that it needs, whichever costs less.
    const double all_s = passes * moving(after_headers_, bytes_, reading_streams());
    const double some_s =
        requests(after_headers_, items_ * (1 - facts_.joined_in_window[halvings]), reading_streams()) +
        moving(after_headers_, bytes_, reading_streams());
    const bool reads_all = passes == 1 || all_s < some_s;
    const double sent = bytes_ * (1 - 1 / static_cast<double>(facts_.ranks));
    const double held = std::min(bytes_, static_cast<double>(window) * static_cast<double>(facts_.item_bytes));
    estimate.seconds_s = headers_s() + (reads_all ? all_s : some_s) +
                         items_ * (placing_s_per_item + passes * passing_s_per_item) / reading_streams() +
                         (held * held_memory_s_per_byte + bytes_ * memory_s_per_byte) / writing_streams() +
                         sent * message_s_per_byte / facts_.ranks + moving(write_, bytes_, writing_streams());
    estimate.read_bytes = reads_all ? times(total_bytes(), passes) : total_bytes();
    estimate.write_bytes = total_bytes();
    estimate.how = passes == 1 ? "reads everything once, in order"
                               : fmt::format("reads {} in {} passes, in order, and holds {} items at once",
                                             reads_all ? "everything" : "the data that each rank needs",
                                             format_count(static_cast<std::int64_t>(passes)), format_count(window));
    return estimate;
  }

  [[nodiscard]] PermutationEstimate buckets() const {
    PermutationEstimate estimate;
    const std::int64_t run =
        items_per_run(facts_.items, facts_.item_bytes, facts_.ranks, facts_.memory_bytes, facts_.threads);
    if (run == 0) return holds_no_item();
    // A run has as many items as are written at once, and these come from one piece of every run.
    const double runs = std::ceil(items_ / static_cast<double>(run));
    const double pieces = std::min(items_, runs * runs);
    estimate.seconds_s =
        moving(first_reading_, bytes_, writing_streams()) + 2 * moving(write_, bytes_, writing_streams()) +
        moving(second_reading_, bytes_, writing_streams()) + requests(second_reading_, pieces, writing_streams()) +
        (2 * bytes_ * memory_s_per_byte + items_ * sorting_s_per_item) / writing_streams();
    estimate.read_bytes = estimate.write_bytes = times(total_bytes(), 2);
    estimate.how =
        fmt::format("reads and writes everything twice, in {} runs", format_count(static_cast<std::int64_t>(runs)));
    return estimate;
  }

  [[nodiscard]] PermutationEstimate holds_no_item() const {
    PermutationEstimate estimate;
    estimate.possible = false;
    estimate.how = fmt::format("impossible: the memory of a rank is too small for one item of {}",
                               format_bytes(facts_.item_bytes));
    return estimate;
  }

  [[nodiscard]] std::int64_t total_bytes() const { return facts_.items * facts_.item_bytes; }
  [[nodiscard]] static std::int64_t times(std::int64_t bytes, double count) {
    const double product = static_cast<double>(bytes) * count;
    return product < 9e18 ? bytes * static_cast<std::int64_t>(count) : std::numeric_limits<std::int64_t>::max();
  }

  const PermutationFacts& facts_;
  double items_;
  double bytes_;
  bool stays_cached_;
  Cost first_reading_;   // of data not read before
  Cost after_headers_;   // after the headers were read
  Cost second_reading_;  // of data written shortly before
  Cost write_;
};

std::string percent(double part) { return fmt::format("{:.0f} %", 100 * part); }

std::vector<std::string> findings_of(const PermutationFacts& facts, const Estimates& estimates) {
  const std::string bytes = format_bytes(facts.items * facts.item_bytes);
  const std::string room = format_bytes(facts.cacheable_bytes / 3 * 2);
  std::vector<std::string> findings;
  if (facts.looked) {
    findings.push_back(
        fmt::format("of {} sampled items (of {}), {} are adjacent in the input to an item of the same output chunk, {} "
                    "to one that is still cached",
                    format_count(facts.items_looked_at), format_count(facts.items), percent(facts.joined_in_chunk),
                    percent(facts.joined_in_cache)));
    findings.push_back(fmt::format("measured: {} to read an item at a random position, {} to read it in sequence",
                                   format_short_time(facts.request_s),
                                   format_rate(1'000'000'000, facts.read_s_per_byte * 1e9)));
  } else {
    findings.push_back("the input is small: nothing was measured");
  }
  findings.push_back(
      estimates.stays_cached()
          ? fmt::format("the input's {} fit into two thirds ({}) of the memory that the system can use as cache", bytes,
                        room)
          : fmt::format("the input's {} exceed two thirds ({}) of the memory that the system can use as cache", bytes,
                        room));
  return findings;
}

PermutationChoice choice_of(const PermutationEstimate& estimate, const Estimates& estimates) {
  PermutationChoice choice;
  choice.method = estimate.method;
  choice.read_bytes = estimate.read_bytes;
  choice.write_bytes = estimate.write_bytes;
  choice.memory_bytes = estimate.memory_bytes;
  choice.bridge_bytes = estimates.bridge_bytes();
  return choice;
}

}  // namespace

std::int64_t cached_items(const PermutationFacts& facts) {
  // The output being written uses its share of the cache.
  return facts.cacheable_bytes / 3 * 2 / std::max<std::int64_t>(1, facts.item_bytes);
}

std::int64_t scatter_memory_bytes(const PermutationFacts& facts, std::size_t halvings) {
  if (halvings == 0) return facts.memory_bytes;
  const std::int64_t of_output = facts.items / facts.ranks * facts.item_bytes;
  const std::int64_t bytes = std::min(facts.memory_bytes, of_output) >> halvings;
  return bytes < small_scatter_bytes ? 0 : bytes;
}

std::int64_t scatter_window_items(const PermutationFacts& facts, std::int64_t memory_bytes) {
  return facts.ranks * scatter_memory(facts, memory_bytes).window_items;
}

PermutationChoice choose_permutation(const PermutationFacts& facts) {
  const Estimates estimates(facts);
  std::vector<PermutationEstimate> all;
  for (const PermutationMethod method : all_permutation_methods) all.push_back(estimates.of(method));
  const auto costs_less = [](const PermutationEstimate& a, const PermutationEstimate& b) {
    return a.possible != b.possible ? a.possible : a.seconds_s < b.seconds_s;
  };
  const bool small = !facts.looked && estimates.stays_cached();
  const auto best = small ? all.begin() : std::min_element(all.begin(), all.end(), costs_less);
  PermutationChoice choice = choice_of(*best, estimates);
  if (small) {
    choice.why = fmt::format("{} can stay cached", format_bytes(facts.items * facts.item_bytes));
  } else {
    std::string others;
    for (const PermutationEstimate& other : all) {
      if (other.method == best->method) continue;
      others += fmt::format("{}{} {}", others.empty() ? "" : ", ", name_of(other.method),
                            other.possible ? format_duration(other.seconds_s) : "impossible");
    }
    choice.why = fmt::format("estimated at {} ({})", format_duration(best->seconds_s), others);
  }
  choice.findings = findings_of(facts, estimates);
  choice.estimates = std::move(all);
  return choice;
}

PermutationChoice chosen_by_user(const PermutationFacts& facts, PermutationMethod method) {
  const Estimates estimates(facts);
  PermutationChoice choice = choice_of(estimates.of(method), estimates);
  choice.why = "requested";
  return choice;
}

}  // namespace sill
