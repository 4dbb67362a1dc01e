#include "sill/move/mover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <limits>
#include <system_error>
#include <utility>

#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/store/mpiio_store.hpp"

namespace sill {
namespace {

// For policies that must stage although they name no size: what exchanges, or makes bytes with an encoder.
constexpr std::int64_t default_stage_bytes = 4 << 20;

// A write of more extents, or parts of them, than this is found out anew each time.
constexpr std::size_t most_kept = 1 << 16;

// What a thread performs at once where requests go straight from memory.
constexpr std::int64_t direct_task_bytes = 8 << 20;

bool calls_mpi(const Policy& policy) { return policy.call != Policy::Call::posix; }

// Background threads never call MPI.
int background_threads(const Policy& policy, const MoverLimits& limits) {
  return calls_mpi(policy) ? 0 : std::max(1, limits.threads);
}

std::int64_t stage_for(const Policy& policy, const MoverLimits& limits, std::int64_t align_bytes) {
  // One stage a thread, one that is being filled, and the room for messages.
  const std::int64_t buffers = background_threads(policy, limits) + 2;
  std::int64_t stage = policy.stage_bytes > 0 ? policy.stage_bytes : default_stage_bytes;
  stage = std::min(stage, std::max<std::int64_t>(1, limits.memory_bytes / buffers));
  return stage > align_bytes ? stage - stage % align_bytes : stage;
}

int most_stages(const Policy& policy, const MoverLimits& limits, std::int64_t stage_bytes) {
  const int blocking = background_threads(policy, limits) + 1;
  if (policy.async == 0) return blocking;
  return static_cast<int>(std::clamp<std::int64_t>(limits.memory_bytes / stage_bytes - 1, blocking, 1 << 20));
}

bool has_code(const AccessPlan& plan) {
  return std::any_of(plan.extents().begin(), plan.extents().end(),
                     [](const Extent& extent) { return extent.has_code(); });
}

void require_memory(Operation operation, const AccessPlan& plan) {
  const bool writes = operation == Operation::write;
  for (const Extent& extent : plan.extents()) {
    const bool has_code = writes ? extent.encoder != nullptr : extent.decoder != nullptr;
    if (extent.memory != nullptr || has_code) continue;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("an extent of file {} has neither memory nor {}: offset {}, runs of {} bytes",
                                        extent.file, writes ? "an encoder" : "a decoder", extent.offset_bytes,
                                        extent.run_bytes)});
  }
}

// What one thread performs at once: neighbouring extents of a file.
std::vector<std::span<const Extent>> direct_tasks(const AccessPlan& plan, int threads) {
  std::vector<std::span<const Extent>> tasks;
  for (const int file : plan.files()) {
    const std::span<const Extent> extents = plan.of_file(file);
    std::size_t begin = 0;
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      bytes += extents[i].total_bytes();
      if (i + 1 < extents.size() && (threads == 1 || bytes < direct_task_bytes)) continue;
      tasks.push_back(extents.subspan(begin, i + 1 - begin));
      begin = i + 1;
      bytes = 0;
    }
  }
  return tasks;
}

// Whether any file has boundaries of domains or windows within.
bool do_cut_files(std::span<const WriterWindows> writers, std::span<const FileDomain> domains) {
  const auto of_one_file = [](const FileDomain& a, const FileDomain& b) { return a.file == b.file; };
  return std::adjacent_find(domains.begin(), domains.end(), of_one_file) != domains.end() ||
         std::any_of(writers.begin(), writers.end(), [](const WriterWindows& each) { return each.cuts_domains(); });
}

// Ranks that believe in different policies or files would wait for ever for each other's messages.
void require_same(Communicator& comm, Policy policy, const MoverFiles& files) {
  policy.threads = 0;
  const std::int64_t mine = together(comm, [&] {
    std::string text = fmt::format("{}\n{}", policy.text(), static_cast<int>(files.mode));
    for (const std::string& path : files.paths) text += '\n' + path;
    return static_cast<std::int64_t>(std::hash<std::string>()(text) >> 1U);
  });
  std::array<std::int64_t, 2> least_and_most{mine, -mine};
  comm.all_reduce(least_and_most, Reduction::min);
  if (least_and_most[0] == -least_and_most[1]) return;
  agree(comm, Error({.code = ErrorCode::usage,
                     .problem = "the ranks were given different policies, paths or modes",
                     .action = "give all ranks of the communicator the same"}));
}

MoverFiles checked(Communicator& comm, MoverFiles files, const Policy& policy, const MoverLimits& limits) {
  together(comm, [&] {
    policy.check();
    if (limits.memory_bytes < least_mover_memory_bytes) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("{} bytes of memory are too few to move anything", limits.memory_bytes),
                   .action = fmt::format("give at least {} bytes", least_mover_memory_bytes)});
    }
    const bool collective = policy.call == Policy::Call::mpiio_collective;
    if (collective ? !files.open_together : !files.open) {
      throw Error({.code = ErrorCode::usage, .problem = "no opener is given for the calls that the policy names"});
    }
    if (files.most_open < 0) {
      throw Error({.code = ErrorCode::usage, .problem = fmt::format("{} files cannot be open", files.most_open)});
    }
  });
  require_same(comm, policy, files);
  if (files.most_open == 0) {
    files.most_open = static_cast<std::int64_t>(calls_mpi(policy) ? safe_open_mpiio_files() : safe_open_files());
  }
  files.most_open = all_reduce(comm, files.most_open, Reduction::min);
  return files;
}

// Files that are created get the stripes that the policy asks for.
MoverFiles with_stripes(MoverFiles files, const Policy& policy, StripingReport& report) {
  if (policy.stripe_count > 0 && files.open) {
    files.open = striped(std::move(files.open), {policy.stripe_count, policy.stripe_bytes}, report);
  }
  return files;
}

// The stripes that boundaries are aligned to: those asked for, or those of the first file as rank 0 sees it, or of its
// folder if it is not there yet.
Striping stripes_to_align_to(Communicator& comm, const MoverFiles& files, const Policy& policy) {
  if (policy.align != Policy::Align::stripe || files.paths.empty()) return {0, 1};
  std::array<std::int64_t, 2> found{policy.stripe_count, policy.stripe_bytes};
  if (comm.rank() == 0 && found[0] == 0) {
    std::string path = files.paths.front();
    std::error_code error;
    if (!std::filesystem::exists(path, error)) path = std::filesystem::path(path).parent_path().string();
    if (path.empty()) path = ".";
    found = {striping_of(path).striping.value_or(Striping{}).count, stripe_bytes_of(path)};
  }
  comm.broadcast(std::as_writable_bytes(std::span(found)), 0);
  return {static_cast<int>(found[0]), std::max<std::int64_t>(1, found[1])};
}

std::int64_t align_of(const Policy& policy, const Striping& stripes) {
  switch (policy.align) {
    case Policy::Align::none: return 1;
    case Policy::Align::size: return policy.align_bytes;
    case Policy::Align::stripe: return stripes.unit_bytes;
  }
  return 1;
}

}  // namespace

Mover::Mover(Communicator& comm, MoverFiles files, const Policy& policy, const MoverLimits& limits)
    : comm_(comm),
      files_(with_stripes(checked(comm, std::move(files), policy, limits), policy, striping_)),
      policy_(policy),
      limits_{limits.memory_bytes, calls_mpi(policy) ? 1 : std::max(1, limits.threads)},
      found_(stripes_to_align_to(comm, files_, policy)),
      align_bytes_(align_of(policy, found_)),
      topology_{comm.node_of_ranks(), found_.count},
      stage_bytes_(all_reduce(comm, stage_for(policy, limits_, align_bytes_), Reduction::min)),
      handles_(files_.open, files_.paths, files_.mode, static_cast<std::size_t>(files_.most_open)),
      collective_(comm, files_.open_together, files_.paths, files_.mode, files_.most_open, stage_bytes_,
                  policy.sync != Policy::Sync::never),
      stages_(stage_bytes_, most_stages(policy, limits_, stage_bytes_)),
      background_(background_threads(policy, limits_)) {}

Mover::~Mover() {
  for (Unfinished& write : in_flight_) (void)write.phase->wait();
}

void Mover::write(const AccessPlan& mine, const PlanOfRank& plan_of_rank, Memory memory) {
  collect(static_cast<std::size_t>(std::max(0, policy_.async - 1)));
  const bool direct = is_direct(Operation::write, mine, memory);
  const std::optional<std::int64_t> distance = distance_from_last(mine, direct);
  if (!distance) {
    last_ = {};
    last_.is_direct = direct;
    last_.shares = all_shares(comm_, mine, plan_of_rank);
    // Elsewhere the writers see it in what they are sent.
    if (policy_.writers == Policy::Writers::all) require_disjoint_ranks(comm_, mine, last_.shares, plan_of_rank);
  }
  if (policy_.call == Policy::Call::mpiio_collective) {
    together(comm_, [&] { require_memory(Operation::write, mine); });
    collective_.perform(Operation::write, mine, last_.shares);
    if (policy_.sync == Policy::Sync::phase) collective_.sync();
    return;
  }
  const bool here = policy_.async == 0;
  bool is_kept = distance.has_value() || mine.extents().size() <= most_kept;
  last_.is_known = false;
  Unfinished& write = begin_write(mine, distance, direct);
  try {
    background_.begin_phase();
    if (direct) {
      perform_direct(Operation::write, here ? mine : write.plan, *write.phase, here);
    } else if (distance) {
      last_.plan.take_memory_of(mine);
      write_rounds_again(tools(), last_.rounds, *distance, *write.phase, here);
    } else {
      const AccessPlan& plan = is_kept ? last_.plan : mine;
      last_.course = course_of(Operation::write, plan, last_.shares, plan_of_rank);
      const Schedule schedule = schedule_of(Operation::write, plan, last_.course);
      auto rounds = write_rounds(tools(), schedule, *write.phase, here, is_kept ? most_kept : 0);
      is_kept = is_kept && rounds.has_value();
      if (rounds) last_.rounds = std::move(*rounds);
    }
  } catch (...) {
    if (exchanges()) {
      write.phase->seal();
      (void)write.phase->wait();
      in_flight_.pop_back();
      throw;
    }
    write.phase->fail(current_error());  // this rank's own: to be agreed on like those of its requests
  }
  last_.is_known = is_kept && !write.phase->has_failed();
  write.phase->seal();
  if (here) collect(0);
}

void Mover::read(const AccessPlan& mine, const PlanOfRank& plan_of_rank) {
  wait();
  const auto phase = together(comm_, [&] {
    require_memory(Operation::read, mine);
    return std::make_shared<Phase>(nullptr);
  });
  if (policy_.call == Policy::Call::mpiio_collective) {
    collective_.perform(Operation::read, mine, all_shares(comm_, mine, plan_of_rank));
    return;
  }
  try {
    background_.begin_phase();
    if (is_direct(Operation::read, mine, Memory::lent)) {
      perform_direct(Operation::read, mine, *phase, true);
    } else {
      const Course course =
          course_of(Operation::read, mine, exchanges() ? all_shares(comm_, mine, plan_of_rank) : std::vector<Share>{},
                    plan_of_rank);
      read_rounds(tools(), schedule_of(Operation::read, mine, course), *phase);
    }
  } catch (...) {
    if (exchanges()) {
      phase->seal();
      (void)phase->wait();
      throw;
    }
    phase->fail(current_error());
  }
  phase->seal();
  agree(comm_, phase->wait());
}

void Mover::wait() { collect(0); }

void Mover::close() {
  wait();
  if (policy_.call == Policy::Call::mpiio_collective) {
    if (policy_.sync != Policy::Sync::never) collective_.sync();
    collective_.close();
    return;
  }
  // Closed also where syncing failed: another try would not tell of the error again.
  std::optional<Error> failure;
  if (policy_.sync != Policy::Sync::never) failure = attempt([&] { handles_.sync_written(); });
  const std::optional<Error> closing = attempt([&] { handles_.close(); });
  agree(comm_, failure ? failure : closing);
}

MoveCounts Mover::counts() const {
  MoveCounts counts = counts_;
  counts.buffer_bytes = stages_.made() * stages_.bytes_each() + static_cast<std::int64_t>(messages_.size());
  return counts;
}

// Distances of all ranks agree if the least is the greatest; an empty plan is as far away as anyone likes.
std::optional<std::int64_t> Mover::distance_from_last(const AccessPlan& mine, bool direct) {
  constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  std::array<std::int64_t, 2> found{never, never};
  if (last_.is_known && last_.is_direct == direct) {
    const std::optional<std::int64_t> distance = mine.distance_from(last_.plan);
    const bool keeps_alignment = !last_.course.cuts_files || distance.value_or(0) % align_bytes_ == 0;
    if (mine.empty() && distance) {
      found = {any, any};
    } else if (distance && keeps_alignment) {
      found = {*distance, -*distance};
    }
  }
  comm_.all_reduce(found, Reduction::min);
  if (found[0] == any) return 0;
  if (found[0] == never || found[0] != -found[1]) return std::nullopt;
  return found[0];
}

Mover::Unfinished& Mover::begin_write(const AccessPlan& mine, std::optional<std::int64_t> distance, bool direct) {
  std::list<Unfinished> begun;
  together(comm_, [&] {
    require_memory(Operation::write, mine);
    begun.emplace_back();
    begun.back().phase = std::make_shared<Phase>([this] {
      if (policy_.sync == Policy::Sync::phase) handles_.sync_written();
    });
    if (!distance && mine.extents().size() <= most_kept) last_.plan = mine;
    if (policy_.async == 0) return;
    if (direct) begun.back().plan = mine;
    begun.back().shares = last_.shares;
    for (Share& share : begun.back().shares) share.hull.offset += distance.value_or(0);
  });
  keep_order(begun.back().shares);
  in_flight_.splice(in_flight_.end(), begun);
  return in_flight_.back();
}

// Waits until at most so many writes are in flight, and agrees on errors of all that are finished.
void Mover::collect(std::size_t most_in_flight) {
  if (in_flight_.empty()) return;  // on all ranks: they began the same writes
  std::optional<Error> failure;
  std::size_t left = in_flight_.size();
  for (const Unfinished& write : in_flight_) {
    const bool must_end = left-- > most_in_flight;
    if (failure || !(must_end || write.phase->finished())) continue;
    failure = write.phase->wait();
  }
  try {
    agree(comm_, failure);
  } catch (...) {
    for (Unfinished& write : in_flight_) (void)write.phase->wait();
    in_flight_.clear();
    throw;
  }
  while (in_flight_.size() > most_in_flight) in_flight_.pop_front();
}

// A rank performs its requests in the order of the calls. Where another rank wrote the same bytes in a call that may
// not be finished, all wait for it.
void Mover::keep_order(std::span<const Share> shares) {
  const bool one_writer = policy_.writers == Policy::Writers::root || policy_.writers == Policy::Writers::elected;
  if (one_writer || comm_.size() == 1) return;
  const bool by_owner = policy_.writers == Policy::Writers::all;
  for (const Unfinished& before : in_flight_) {
    for (const Share& share : shares) {
      const auto of_file = std::lower_bound(before.shares.begin(), before.shares.end(), share.file,
                                            [](const Share& each, int file) { return each.file < file; });
      for (auto other = of_file; other != before.shares.end() && other->file == share.file; ++other) {
        if (by_owner && other->rank == share.rank) continue;
        if (other->hull.end() <= share.hull.offset || share.hull.end() <= other->hull.offset) continue;
        collect(0);
        return;
      }
    }
  }
}

bool Mover::exchanges() const { return policy_.writers != Policy::Writers::all; }

bool Mover::is_direct(Operation operation, const AccessPlan& mine, Memory memory) {
  const bool may_keep_memory = operation == Operation::read || policy_.async == 0 || memory == Memory::lent;
  return !exchanges() && policy_.stage_bytes == 0 && may_keep_memory && !has_code(mine);
}

void Mover::perform_direct(Operation operation, const AccessPlan& mine, Phase& phase, bool here) {
  const auto perform = [this, operation](std::span<const Extent> extents) {
    const int file = extents.front().file;
    handles_.get(file)->submit_extents(operation, extents);
    if (operation == Operation::write) handles_.written(file);
  };
  std::vector<std::span<const Extent>> tasks = direct_tasks(mine, limits_.threads);
  if (here) {
    phase.perform([&] {
      hand_out(limits_.threads, static_cast<std::int64_t>(tasks.size()),
               [&](std::int64_t task, int) { perform(tasks[static_cast<std::size_t>(task)]); });
    });
  } else {
    for (const std::span<const Extent> task : tasks) phase.start(background_, [perform, task] { perform(task); });
  }
}

Mover::Course Mover::course_of(Operation operation, const AccessPlan& mine, std::span<const Share> shares,
                               const PlanOfRank& plan_of_rank) {
  Course course;
  // On a copy: who was elected must not differ between ranks after one of them failed.
  Election election;
  const auto found_out = [&] {
    stages_.prepare(operation == Operation::read ? 2 : 1);
    std::vector<FileDomain> domains;
    if (exchanges()) {
      if (comm_.size() > 1) messages_.resize(static_cast<std::size_t>(stages_.bytes_each()));
      election = election_;
      domains = domains_of(shares, policy_, align_bytes_, topology_, election);
    } else {
      for (const Share& share : shares_of(mine, comm_.rank())) domains.push_back({share.file, share.hull, share.rank});
    }
    course.writers = windows_of(domains, stages_.bytes_each(), align_bytes_);
    course.cuts_files = do_cut_files(course.writers, domains);
  };
  if (!exchanges()) {
    found_out();
    return course;
  }
  together(comm_, found_out);
  election_ = std::move(election);
  course.others = announced(comm_, mine, course.writers, plan_of_rank);
  course.of_others = course.others.owned();
  return course;
}

Schedule Mover::schedule_of(Operation operation, const AccessPlan& mine, const Course& course) const {
  return {operation, comm_.rank(), course.writers, mine, course.of_others, stages_.bytes_each()};
}

}  // namespace sill
