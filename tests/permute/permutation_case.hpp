// One permutation of items over files, and what must hold of it however it is performed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "sill/base/progress.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/communicator.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/permute/permutation.hpp"
#include "sill/permute/push.hpp"
#include "sill/permute/runs.hpp"
#include "sill/store/forwarding_store.hpp"
#include "sill/store/meter_store.hpp"
#include "store/temporary_folder.hpp"

namespace sill::test {

/// What a permutation is tried with.
struct PermutationCase {
  std::int64_t item_bytes = 8;
  std::vector<std::int64_t> input_items{10};  ///< of each input file
  std::int64_t memory_bytes = 1 << 20;        ///< of each rank
  std::int64_t chunk_bytes = 1 << 16;
  std::int64_t bridge_bytes = 0;
  int threads = 1;
  bool scattered = true;         ///< else the order stays as it is
  bool positions_evenly = true;  ///< else ranks get unequal runs of positions, some none
  std::uint64_t seed = 1;

  [[nodiscard]] std::int64_t items() const {
    return std::accumulate(input_items.begin(), input_items.end(), std::int64_t{0});
  }
};

/// Remembers the largest request it passes on.
class LargestRequest final : public ForwardingStore {
 public:
  LargestRequest(std::unique_ptr<Store> inner, std::atomic<std::int64_t>& largest)
      : ForwardingStore(std::move(inner)), largest_(largest) {}
  void submit(std::span<const Request> requests) override {
    std::int64_t bytes = 0;
    for (const Request& request : requests) bytes += length_of(request);
    std::int64_t seen = largest_;
    while (bytes > seen && !largest_.compare_exchange_weak(seen, bytes)) {
    }
    inner().submit(requests);
  }

 private:
  std::atomic<std::int64_t>& largest_;
};

/// What was seen while it was performed, on this rank.
struct Performed {
  Meter inputs;
  Meter output;
  Meter runs;
  std::atomic<std::int64_t> largest_request{0};
  Progress progress;
  std::mutex mutex;
  std::vector<int> inspected;  ///< how often each position was
  bool inspected_right = true;
};

/// A permutation with its files: made by rank 0, opened by all.
class PermutationTrial {
 public:
  static constexpr std::int64_t input_header = 5;
  static constexpr std::int64_t output_header = 11;

  /// Local, rank 0 only. Makes the input files and an output of zeros.
  static void make_files(const PermutationCase& trial, const std::string& folder) {
    for (std::size_t i = 0; i < trial.input_items.size(); ++i) {
      make_file(input_path(folder, i), input_bytes(trial, i));
    }
    make_file(folder + "/output", Bytes(static_cast<std::size_t>(output_header + trial.items() * trial.item_bytes)));
    make_file(folder + "/runs", {});
  }

  PermutationTrial(const PermutationCase& trial, int rank, int ranks, const std::string& folder, const Opener& open)
      : trial_(trial) {
    const auto opened = [&](const std::string& path, OpenMode mode, Meter& meter) {
      return metered(std::make_unique<LargestRequest>(open(path, mode), seen.largest_request), meter);
    };
    runs_ = opened(folder + "/runs", OpenMode::write, seen.runs);
    std::int64_t first = 0;
    for (std::size_t i = 0; i < trial.input_items.size(); ++i) {
      stores_.push_back(opened(input_path(folder, i), OpenMode::read, seen.inputs));
      inputs_.push_back({stores_.back().get(), {input_header, trial.item_bytes, trial.input_items[i]}, first});
      first += trial.input_items[i];
    }
    stores_.push_back(opened(folder + "/output", OpenMode::write, seen.output));

    order_.resize(static_cast<std::size_t>(trial.items()));
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
    std::mt19937_64 random(trial.seed);
    if (trial.scattered) std::shuffle(order_.begin(), order_.end(), random);
    std::vector<std::int64_t> begin{0};
    for (int r = 1; r < ranks; ++r) {
      begin.push_back(trial.positions_evenly
                          ? block_of(trial.items(), ranks, r).first
                          : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(trial.items() + 1)));
    }
    std::sort(begin.begin(), begin.end());
    begin.push_back(trial.items());
    const auto mine = static_cast<std::size_t>(rank);
    job.inputs = inputs_;
    job.sink = sink_of(*stores_.back());
    job.output_items = {output_header, trial.item_bytes, trial.items()};
    job.first_position = begin[mine];
    job.sources = std::span<const std::int64_t>(order_).subspan(
        static_cast<std::size_t>(begin[mine]), static_cast<std::size_t>(begin[mine + 1] - begin[mine]));
    job.memory_bytes = trial.memory_bytes;
    job.chunk_bytes = trial.chunk_bytes;
    job.bridge_bytes = trial.bridge_bytes;
    job.threads = trial.threads;
    job.progress = &seen.progress;
    seen.inspected.assign(order_.size(), 0);
    items_ = all_items(trial);
    job.inspect = [this](std::int64_t position, std::span<const std::int64_t> sources,
                         std::span<const std::byte* const> items) { inspect(position, sources, items); };
  }

  /// Local, or Collective within `run_and_agree`. Performs it by one gather.
  void by_gather() { permute_by_pull(job); }

  /// Collective. Performs it by sending items to their owners.
  void by_scatter(Communicator& comm) { permute_by_push(comm, job); }

  /// Collective. Performs it by runs that `parts` ranks write, and a gather from them.
  void by_runs(Communicator& comm, int parts) {
    int threads = job.threads;
    const std::int64_t room =
        run_and_agree(comm, [&] { return items_per_thread(job.memory_bytes, trial_.item_bytes, threads); });
    const RunLayout layout(trial_.items(), parts, all_reduce(comm, room, Reduction::min));
    std::vector<std::int64_t> position_of(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) {
      position_of[static_cast<std::size_t>(order_[i])] = static_cast<std::int64_t>(i);
    }
    const RunOrder order = [&](ItemRange items, std::span<const std::byte> bytes, std::span<std::uint32_t> wanted) {
      const auto expected = items_.begin() + items.first * trial_.item_bytes;
      const bool right = static_cast<std::int64_t>(bytes.size()) == items.count * trial_.item_bytes &&
                         static_cast<std::int64_t>(wanted.size()) == items.count &&
                         std::equal(bytes.begin(), bytes.end(), expected);
      if (!right) throw Error({.problem = "a run does not have the bytes of its items"});
      std::iota(wanted.begin(), wanted.end(), std::uint32_t{0});
      std::sort(wanted.begin(), wanted.end(), [&](std::uint32_t a, std::uint32_t b) {
        return position_of[static_cast<std::size_t>(items.first + a)] <
               position_of[static_cast<std::size_t>(items.first + b)];
      });
    };
    run_and_agree(comm, [&] {
      write_runs(layout, comm.rank(), {inputs_, AfterReading::drop_cache, runs_.get(), order, threads, job.progress});
    });
    const std::vector<std::int64_t> places = locate_in_runs(comm, layout, job.sources);
    const InputItems runs{runs_.get(), {0, trial_.item_bytes, trial_.items()}, 0};
    Permutation second = job;
    second.inputs = {&runs, 1};
    second.sources = places;
    second.inputs_after = AfterReading::punch_hole;
    if (job.inspect) {
      second.inspect = [&](std::int64_t position, std::span<const std::int64_t> from,
                           std::span<std::byte* const> items) {
        job.inspect(position, job.sources.subspan(static_cast<std::size_t>(position - job.first_position), from.size()),
                    items);
      };
    }
    run_and_agree(comm, [&] { permute_by_pull(second); });
  }

  /// Local. What the output file must hold.
  [[nodiscard]] Bytes expected_output() const {
    Bytes bytes(static_cast<std::size_t>(output_header));
    for (const std::int64_t source : order_) {
      const auto item = items_.begin() + source * trial_.item_bytes;
      bytes.insert(bytes.end(), item, item + trial_.item_bytes);
    }
    return bytes;
  }

  /// Local. Whether exactly this rank's positions were inspected, each once, with the bytes they will have.
  [[nodiscard]] bool inspected_right() const {
    std::vector<int> expected(seen.inspected.size(), 0);
    const auto first = expected.begin() + job.first_position;
    std::fill(first, first + static_cast<std::ptrdiff_t>(job.sources.size()), 1);
    return seen.inspected_right && seen.inspected == expected;
  }

  [[nodiscard]] std::int64_t own_bytes() const {
    return static_cast<std::int64_t>(job.sources.size()) * trial_.item_bytes;
  }

  Permutation job;
  Performed seen;

 private:
  static std::string input_path(const std::string& folder, std::size_t i) {
    return folder + "/input" + std::to_string(i);
  }
  static Bytes input_bytes(const PermutationCase& trial, std::size_t i) {
    return pattern(input_header + trial.input_items[i] * trial.item_bytes, trial.seed * 10 + i);
  }
  static Bytes all_items(const PermutationCase& trial) {
    Bytes items;
    for (std::size_t i = 0; i < trial.input_items.size(); ++i) {
      const Bytes bytes = input_bytes(trial, i);
      items.insert(items.end(), bytes.begin() + input_header, bytes.end());
    }
    return items;
  }

  void inspect(std::int64_t position, std::span<const std::int64_t> sources, std::span<const std::byte* const> items) {
    const std::lock_guard lock(seen.mutex);
    seen.inspected_right = seen.inspected_right && sources.size() == items.size();
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto at = static_cast<std::size_t>(position) + i;
      ++seen.inspected.at(at);
      seen.inspected_right = seen.inspected_right && sources[i] == order_[at] &&
                             std::memcmp(items[i], items_.data() + sources[i] * trial_.item_bytes,
                                         static_cast<std::size_t>(trial_.item_bytes)) == 0;
    }
  }

  PermutationCase trial_;
  std::vector<std::unique_ptr<Store>> stores_;  // inputs, then the output
  std::unique_ptr<Store> runs_;
  std::vector<InputItems> inputs_;
  std::vector<std::int64_t> order_;
  Bytes items_;
};

}  // namespace sill::test
