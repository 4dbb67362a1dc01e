#include "sill/move/collective_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/move/schedule.hpp"
#include "sill/move/segments.hpp"

namespace sill {
namespace {

// Returns true if extents need no stage: a store passes them on as datatypes. Extents with encoders or decoders need a
// stage, and so do extents that interleave, such as the components of a vector field: as datatypes each of them would
// be one call with gaps.
bool are_datatypes(std::span<const Extent> extents) {
  std::int64_t reach = 0;
  return std::all_of(extents.begin(), extents.end(), [&](const Extent& extent) {
    const bool apart = extent.offset_bytes >= reach;
    reach = std::max(reach, extent.bounding_range().end());
    return apart && !extent.has_code();
  });
}

// The calls of this rank for one file: a single call with its extents, or one call per stage with an image of its range
// of the file.
class Calls {
 public:
  Calls(Operation operation, int rank, const AccessPlan& mine, int file, std::int64_t stage_bytes)
      : operation_(operation), extents_(mine.of_file(file)), is_whole_(are_datatypes(extents_)) {
    const FileDomain own{file, mine.bounding_range_of(file), rank};
    if (!is_whole_) windows_ = windows_of({&own, 1}, stage_bytes, 1);
    schedule_.emplace(operation, rank, windows_, mine, std::span<const OwnedPlan>{}, stage_bytes);
    stage_bytes_ = std::min(stage_bytes, own.bytes.length);
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  // Local. Returns the number of calls that this rank needs.
  [[nodiscard]] std::int64_t count() const {
    if (is_whole_) return extents_.empty() ? 0 : 1;
    std::int64_t rounds = 0;
    for (auto round = schedule_->next_round(0); round; round = schedule_->next_round(*round + 1)) ++rounds;
    return rounds;
  }

  // Local. Returns the extents of the next call. Errors: any error that an encoder throws.
  std::vector<Extent> next() {
    if (is_whole_) return first_call_once();
    round_.reset();
    const auto number = schedule_->next_round(next_round_);
    if (!number) return {};
    next_round_ = *number + 1;
    round_ = schedule_->round(*number);
    stage_.resize(static_cast<std::size_t>(stage_bytes_));
    if (operation_ == Operation::write) {
      for (const StagedPart& part : round_->own) memory_to_image(part, image_of(*round_, part, stage_.data()));
    }
    std::vector<Extent> call;
    for (const Segment& request : schedule_->requests_of(*round_)) {
      call.push_back(contiguous(request.file, request.bytes, stage_.data() + request.stage_offset_bytes));
    }
    return call;
  }

  // Local. Decodes the extents of the last call. Must be called after they have been read. Errors: any error that a
  // decoder throws.
  void take() {
    if (!round_) return;
    for (const StagedPart& part : round_->own) image_to_memory(part, image_of(*round_, part, stage_.data()));
  }

 private:
  std::vector<Extent> first_call_once() {
    if (std::exchange(is_done_, true)) return {};
    return {extents_.begin(), extents_.end()};
  }

  Operation operation_;
  std::span<const Extent> extents_;
  bool is_whole_;
  bool is_done_ = false;
  std::vector<WriterWindows> windows_;
  std::optional<Schedule> schedule_;
  std::int64_t stage_bytes_ = 0;
  std::int64_t next_round_ = 0;
  std::optional<Round> round_;
  std::vector<std::byte> stage_;
};

}  // namespace

CollectiveFiles::CollectiveFiles(Communicator& comm, CollectiveOpener open, std::span<const std::string> paths,
                                 OpenMode mode, std::int64_t max_open, std::int64_t stage_bytes, bool durable)
    : comm_(comm),
      open_(std::move(open)),
      paths_(paths),
      mode_(mode),
      max_open_(max_open),
      stage_bytes_(stage_bytes),
      durable_(durable) {}

void CollectiveFiles::perform(Operation operation, const AccessPlan& mine, std::span<const AccessSummary> summaries) {
  using Owners = std::map<int, std::vector<int>>;
  const std::vector<Owners> batches = run_and_agree(comm_, [&] {
    std::vector<Owners> made;
    for_each_file(summaries, [&](std::span<const AccessSummary> of_file) {
      if (made.empty() || static_cast<std::int64_t>(made.back().size()) == max_open_) made.emplace_back();
      for (const AccessSummary& each : of_file) made.back()[each.file].push_back(each.rank);
    });
    return made;
  });
  for (const Owners& batch : batches) perform_batch(operation, mine, batch);
}

void CollectiveFiles::perform_batch(Operation operation, const AccessPlan& mine,
                                    const std::map<int, std::vector<int>>& owners) {
  // Closes handles with other owners, and as many more as this batch needs.
  const std::vector<int> unfit = run_and_agree(comm_, [&] {
    std::vector<int> found;
    std::int64_t open = static_cast<std::int64_t>(handles_.size());
    for (const auto& [file, ranks] : owners) {
      const auto handle = handles_.find(file);
      if (handle == handles_.end()) {
        ++open;
      } else if (handle->second.owners != ranks) {
        found.push_back(file);
      }
    }
    for (const auto& [file, handle] : handles_) {
      if (open <= max_open_) break;
      if (owners.contains(file)) continue;
      found.push_back(file);
      --open;
    }
    return found;
  });
  close_files(unfit);

  const auto is_mine = [&](const std::vector<int>& ranks) {
    return std::binary_search(ranks.begin(), ranks.end(), comm_.rank());
  };
  std::vector<int> opened;
  std::set<int> known_then;
  std::optional<Error> failure;
  try {
    // Memory is allocated first; then the owners of a file make collective calls.
    run_and_agree(comm_, [&] {
      opened.reserve(owners.size());
      for (const auto& [file, ranks] : owners) {
        const auto [handle, is_new] = handles_.try_emplace(file);
        if (!is_new) continue;
        opened.push_back(file);
        handle->second.owners = ranks;
      }
      known_then.insert(opened.begin(), opened.end());
    });
    for (const int file : opened) {
      Handle& handle = handles_.at(file);
      // Also after a failure, because the other owners of the next file wait for this rank.
      if (is_mine(handle.owners)) keep_first(failure, attempt([&] { open_file(file, handle); }));
    }
    agree(comm_, failure);
  } catch (const Error& error) {
    require_known_to_all(comm_, error);
    for (const int file : opened) {
      const auto handle = handles_.find(file);  // opened by all of its owners or by none
      if (handle->second.store) (void)attempt([&] { handle->second.store->close(); });
      handles_.erase(handle);
    }
    throw;
  }

  set_exist(std::move(known_then));

  // The number of calls for a file is the maximum over its owners.
  std::vector<std::int64_t> calls_of_files = run_and_agree(comm_, [&] {
    std::vector<std::int64_t> calls;
    for (const auto& [file, ranks] : owners) {
      calls.push_back(Calls(operation, comm_.rank(), mine, file, stage_bytes_).count());
    }
    return calls;
  });
  comm_.all_reduce(calls_of_files, Reduction::max);
  auto count = calls_of_files.begin();
  for (const auto& [file, ranks] : owners) {
    const std::int64_t calls = *count++;
    Handle& handle = handles_.at(file);
    handle.is_written = handle.is_written || operation == Operation::write;
    if (handle.store) keep_first(failure, perform_file(operation, *handle.store, mine, file, calls));
  }
  agree(comm_, failure);
}

void CollectiveFiles::open_file(int file, Handle& handle) {
  if (file < 0 || static_cast<std::size_t>(file) >= paths_.size()) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("file {} does not exist; there are {} files", file, paths_.size())});
  }
  const bool again = known_.contains(file) && mode_ != OpenMode::read;
  const OpenMode mode = again ? OpenMode::write : mode_;
  handle.store = open_(comm_, handle.owners, paths_[static_cast<std::size_t>(file)], mode);
}

// A rank that fails still makes all calls, without data.
std::optional<Error> CollectiveFiles::perform_file(Operation operation, Store& store, const AccessPlan& mine, int file,
                                                   std::int64_t calls) {
  std::optional<Error> failure;
  std::optional<Calls> own;
  keep_first(failure, attempt([&] { own.emplace(operation, comm_.rank(), mine, file, stage_bytes_); }));
  for (std::int64_t i = 0; i < calls; ++i) {
    std::vector<Extent> call;
    if (!failure) keep_first(failure, attempt([&] { call = own->next(); }));
    if (failure) call.clear();
    keep_first(failure, attempt([&] { store.submit_collective(operation, call); }));
    if (!failure && operation == Operation::read) keep_first(failure, attempt([&] { own->take(); }));
  }
  return failure;
}

void CollectiveFiles::sync() {
  if (handles_.empty()) return;  // on all ranks
  std::optional<Error> failure;
  for (auto& [file, handle] : handles_) {
    if (!handle.is_written) continue;
    const auto failed = handle.store ? attempt([&] { handle.store->sync(); }) : std::nullopt;
    keep_first(failure, failed);
    handle.is_written = failed.has_value();
  }
  agree(comm_, failure);
}

void CollectiveFiles::close() {
  if (handles_.empty()) return;  // on all ranks
  close_files(run_and_agree(comm_, [&] {
    std::vector<int> all;
    for (const auto& [file, handle] : handles_) all.push_back(file);
    return all;
  }));
}

void CollectiveFiles::release() noexcept {
  for (auto& [file, handle] : handles_) {
    if (handle.store) (void)attempt([&] { handle.store->close(); });
  }
  handles_.clear();
}

void CollectiveFiles::close_files(std::span<const int> files) {
  if (files.empty()) return;
  std::optional<Error> failure;
  for (const int file : files) {
    Handle& handle = handles_.at(file);
    if (handle.store) {
      // Closed even if syncing failed, because the other owners wait for this rank.
      std::optional<Error> syncing;
      if (durable_ && handle.is_written) syncing = attempt([&] { handle.store->sync(); });
      const std::optional<Error> closing = attempt([&] { handle.store->close(); });
      keep_first(failure, syncing ? syncing : closing);
    }
    handles_.erase(file);
  }
  agree(comm_, failure);
}

}  // namespace sill
