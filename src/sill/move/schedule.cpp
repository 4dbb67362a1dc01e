#include "sill/move/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "sill/base/error.hpp"

namespace sill {
namespace {

struct OwnedExtent {
  Extent extent;
  int owner = 0;
};

std::vector<OwnedExtent> all_in_file_order(std::span<const AccessPlan> plans) {
  std::vector<OwnedExtent> all;
  for (std::size_t owner = 0; owner < plans.size(); ++owner) {
    for (const Extent& extent : plans[owner].extents()) all.push_back({extent, static_cast<int>(owner)});
  }
  std::sort(all.begin(), all.end(), [](const OwnedExtent& a, const OwnedExtent& b) {
    return std::tie(a.extent.file, a.extent.bytes.offset, a.owner) <
           std::tie(b.extent.file, b.extent.bytes.offset, b.owner);
  });
  return all;
}

void require_disjoint(std::span<const OwnedExtent> all) {
  for (std::size_t i = 1; i < all.size(); ++i) {
    const Extent& before = all[i - 1].extent;
    const Extent& after = all[i].extent;
    if (before.file == after.file && before.bytes.end() > after.bytes.offset) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("ranks {} and {} both write byte {} of file {}", all[i - 1].owner,
                                          all[i].owner, after.bytes.offset, after.file)});
    }
  }
}

// The rank that performs the requests of each file: the lowest that holds data of it.
std::map<int, int> first_holders(std::span<const OwnedExtent> all) {
  std::map<int, int> holders;
  for (const OwnedExtent& owned : all) {
    const auto [found, inserted] = holders.emplace(owned.extent.file, owned.owner);
    if (!inserted) found->second = std::min(found->second, owned.owner);
  }
  return holders;
}

Schedule unstaged(const AccessPlan& plan) {
  Schedule result;
  if (plan.extents().empty()) return result;
  Round& round = result.rounds.emplace_back();
  for (const Extent& extent : plan.extents()) {
    round.requests.push_back(
        {extent.file, extent.bytes.offset, false, {extent.memory_offset_bytes, extent.bytes.length}});
  }
  return result;
}

// Fills stages in file order: one round for each filling, for the writer of the file and those whose bytes are in it.
class StagedSchedule {
 public:
  StagedSchedule(std::int64_t stage_bytes, int rank) : stage_bytes_(stage_bytes), rank_(rank) {}

  void add(const OwnedExtent& owned, int writer) {
    if (owned.extent.file != file_ || writer != writer_) finish_round();
    file_ = owned.extent.file;
    writer_ = writer;
    Extent left = owned.extent;
    while (left.bytes.length > 0) {
      if (filled_ == stage_bytes_) finish_round();
      const std::int64_t length = std::min(left.bytes.length, stage_bytes_ - filled_);
      place({left.file, {left.bytes.offset, length}, left.memory_offset_bytes}, owned.owner);
      left.bytes.offset += length;
      left.bytes.length -= length;
      left.memory_offset_bytes += length;
    }
  }

  [[nodiscard]] Schedule finish() {
    finish_round();
    return std::move(result_);
  }

 private:
  void place(const Extent& piece, int owner) {
    const ByteRange stage{filled_, piece.bytes.length};
    filled_ += piece.bytes.length;
    if (rank_ == writer_) {
      result_.stage_bytes = std::max(result_.stage_bytes, filled_);
      if (owner == rank_) {
        round_.copies.push_back({piece.memory_offset_bytes, stage});
      } else {
        round_.receives.push_back({owner, stage});
      }
      if (!round_.requests.empty()) {
        FileRequest& last = round_.requests.back();
        if (last.offset_bytes + last.memory.length == piece.bytes.offset) {
          last.memory.length += piece.bytes.length;
          return;
        }
      }
      round_.requests.push_back({piece.file, piece.bytes.offset, true, stage});
    } else if (owner == rank_) {
      round_.sends.push_back({writer_, {piece.memory_offset_bytes, piece.bytes.length}});
    }
  }

  void finish_round() {
    if (!round_.sends.empty() || !round_.requests.empty()) result_.rounds.push_back(std::move(round_));
    round_ = {};
    filled_ = 0;
  }

  std::int64_t stage_bytes_;
  int rank_;
  int file_ = -1;
  int writer_ = -1;
  std::int64_t filled_ = 0;
  Round round_;
  Schedule result_;
};

}  // namespace

Schedule schedule(std::span<const AccessPlan> plans, const Policy& policy, Operation operation, int rank) {
  const std::vector<OwnedExtent> all = all_in_file_order(plans);
  if (operation == Operation::write) require_disjoint(all);
  if (policy.writers == Policy::Writers::all && policy.stage_bytes == 0) {
    return unstaged(plans[static_cast<std::size_t>(rank)]);
  }
  constexpr std::int64_t stage_when_none_is_given = 4 << 20;
  StagedSchedule staged(policy.stage_bytes > 0 ? policy.stage_bytes : stage_when_none_is_given, rank);
  const std::map<int, int> holders = first_holders(all);
  for (const OwnedExtent& owned : all) {
    if (policy.writers == Policy::Writers::all) {
      if (owned.owner == rank) staged.add(owned, rank);
    } else {
      staged.add(owned, holders.at(owned.extent.file));
    }
  }
  return staged.finish();
}

}  // namespace sill
