// A permutation of items of different sizes, and what must hold of it.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "sill/layout/decomposition.hpp"
#include "sill/permute/permutation.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "store/temporary_folder.hpp"

namespace sill::test {

/// What it is tried with; the same for the same seed.
struct UnequalCase {
  std::vector<std::int64_t> input_items{10};  ///< of each input file
  std::int64_t longest_bytes = 100;
  std::int64_t memory_bytes = 1 << 20;
  std::int64_t chunk_bytes = 0;
  int threads = 1;
  std::uint64_t seed = 1;
};

class UnequalTrial {
 public:
  static constexpr std::int64_t header_bytes = 7;

  UnequalTrial(const UnequalCase& trial, int rank, int ranks, const std::string& folder) : folder_(folder) {
    std::mt19937_64 random(trial.seed);
    std::int64_t items = 0;
    for (const std::int64_t count : trial.input_items) {
      std::vector<std::int64_t> begin{header_bytes};
      for (std::int64_t i = 0; i < count; ++i)
        begin.push_back(begin.back() + 1 +
                        static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(trial.longest_bytes)));
      files_.push_back(pattern(begin.back(), random()));
      begins_.push_back(begin);
      for (std::int64_t i = 0; i < count; ++i)
        items_.emplace_back(files_.back().begin() + begin[static_cast<std::size_t>(i)],
                            files_.back().begin() + begin[static_cast<std::size_t>(i) + 1]);
      items += count;
    }
    order_.resize(static_cast<std::size_t>(items));
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
    std::shuffle(order_.begin(), order_.end(), random);
    starts_.push_back(header_bytes);
    for (const std::int64_t item : order_) starts_.push_back(starts_.back() + std::ssize(items_[index(item)]));
    const ItemRange own = block_of(items, ranks, rank);
    job.sources = std::span<const std::int64_t>(order_).subspan(index(own.first), index(own.count));
    job.starts = std::span<const std::int64_t>(starts_).subspan(index(own.first), index(own.count) + 1);
    job.first_position = own.first;
    job.memory_bytes = trial.memory_bytes;
    job.chunk_bytes = trial.chunk_bytes;
    job.threads = trial.threads;
    seen_.assign(order_.size(), 0);
    job.inspect = [this](std::int64_t first, std::span<const std::int64_t> sources,
                         std::span<const std::byte* const> bytes) { inspect(first, sources, bytes); };
  }

  /// Local, rank 0 only. The inputs, and an output of zeros.
  void make_files() const {
    for (std::size_t i = 0; i < files_.size(); ++i) make_file(folder_ + "/in" + std::to_string(i), files_[i]);
    make_file(output_path(), Bytes(index(starts_.back())));
  }
  /// Local. Opens the inputs and, for a gather alone, the output.
  void open() {
    std::int64_t first = 0;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      stores_.push_back(open_posix(folder_ + "/in" + std::to_string(i), OpenMode::read));
      const std::vector<std::int64_t>* const begin = &begins_[i];
      const std::int64_t count = std::ssize(*begin) - 1;
      inputs_.push_back({.store = stores_.back().get(),
                         .items = {0, 0, count},
                         .first_item = first,
                         .place_of = [begin](ItemRange items) {
                           const std::int64_t at = (*begin)[index(items.first)];
                           return ByteRange{at, (*begin)[index(items.end())] - at};
                         }});
      first += count;
    }
    stores_.push_back(open_posix(output_path(), OpenMode::write));
    job.inputs = inputs_;
    job.sink = sink_of(*stores_.back());
  }

  [[nodiscard]] std::string output_path() const { return folder_ + "/output"; }
  [[nodiscard]] Bytes expected_output() const {
    Bytes bytes(header_bytes);
    for (const std::int64_t item : order_)
      bytes.insert(bytes.end(), items_[index(item)].begin(), items_[index(item)].end());
    return bytes;
  }
  /// Local. Whether each position of this rank, and no other, was inspected once with its bytes.
  [[nodiscard]] bool inspected_right() const {
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i) - job.first_position;
      if (seen_[i] != (at >= 0 && at < std::ssize(job.sources) ? 1 : 0)) return false;
    }
    return right_;
  }

  Permutation job;

 private:
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

  void inspect(std::int64_t first, std::span<const std::int64_t> sources, std::span<const std::byte* const> bytes) {
    const std::lock_guard lock(mutex_);
    right_ = right_ && sources.size() == bytes.size();
    for (std::size_t i = 0; i < sources.size(); ++i) {
      ++seen_.at(index(first) + i);
      const Bytes& item = items_[index(sources[i])];
      right_ = right_ && sources[i] == order_[index(first) + i] && std::memcmp(bytes[i], item.data(), item.size()) == 0;
    }
  }

  std::string folder_;
  std::vector<Bytes> files_;
  std::vector<std::vector<std::int64_t>> begins_;  // of the items of each file, then its end
  std::vector<Bytes> items_;
  std::vector<std::int64_t> order_;
  std::vector<std::int64_t> starts_;
  std::vector<std::unique_ptr<Store>> stores_;
  std::vector<InputItems> inputs_;
  std::mutex mutex_;
  std::vector<int> seen_;
  bool right_ = true;
};

}  // namespace sill::test
