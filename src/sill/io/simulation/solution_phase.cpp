#include "sill/io/simulation/solution_phase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <dirent.h>
#include <unistd.h>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/io/simulation/folder_syncs.hpp"
#include "sill/store/posix/folder.hpp"

namespace sill {
namespace {

using solution::Files;
using solution::PhaseIndex;

// Of many small files few are open at once: so threads close them as they go, not one thread all of them at the end.
constexpr std::int64_t max_open_problems = 64;

std::string problem_folder_in(const std::string& folder, std::int64_t problem) {
  return fmt::format("{}/{}", folder, solution::problem_folder(problem));
}

std::string index_path(const std::string& folder, std::int64_t step) {
  return fmt::format("{}/{}", folder, solution::index_name(step));
}

// Whether there was one.
bool remove_left_file(const std::string& path) {
  if (::unlink(path.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  throw system_error(errno, "removing the file of an earlier run", {.file = path});
}

// Whether a file of a problem is written by who has the problem, whatever the others bring.
bool do_owners_write(const Policy& policy, const Communicator& comm) {
  if (policy.call == Policy::Call::mpiio_collective) return false;
  switch (policy.writers) {
    case Policy::Writers::all:
    case Policy::Writers::first:
    case Policy::Writers::elected: return true;
    case Policy::Writers::root:
    case Policy::Writers::node:
    case Policy::Writers::number: return comm.size() == 1;
  }
  return false;
}

// Collective. Calls `visit(folder, names)` for each folder in which problems may be described, and the names of files
// that do: rank 0 for that of the output, then every rank, on its threads, for those of its problems.
template <class Visit>
void in_described_folders(const Resources& resources, const std::string& folder, const solution::Form& form,
                          ItemRange mine, const Visit& visit) {
  run_on_rank(resources.comm, 0, [&] { visit(folder, solution::shared_descriptions); });
  if (form.files == Files::shared) return;
  run_and_agree(resources.comm, [&] {
    parallel_for(resources.threads(), mine.count, [&](std::int64_t task, int /*thread*/) {
      visit(problem_folder_in(folder, mine.first + task), solution::problem_descriptions);
    });
  });
}

}  // namespace

Opener in_place_of_old(Opener open) {
  return [open = std::move(open)](const std::string& path, OpenMode mode) {
    if (mode != OpenMode::write_or_create) return open(path, mode);
    try {
      return open(path, OpenMode::create);
    } catch (const Error&) {
      if (::unlink(path.c_str()) != 0) throw;  // there is none: it was something else
    }
    return open(path, OpenMode::create);
  };
}

SolutionPhase::SolutionPhase(const Resources& resources, const std::string& folder, const PhaseIndex& phase,
                             ItemRange mine, std::int64_t memory_bytes, IoThreads* background)
    : resources_(resources), phase_(phase), mine_(mine) {
  Communicator& comm = resources_.comm;
  run_and_agree(comm, [&] {
    folder_ = folder;
    if (comm.rank() == 0) begin_index();
  });
  if (phase_.form.files == Files::shared) {
    std::vector<std::string> paths =
        run_and_agree(comm, [&] { return std::vector{solution::solution_path(folder_, phase_.form, 0, phase_.step)}; });
    shared_.emplace(resources_, std::move(paths), memory_bytes, background);
    return;
  }
  Policy policy = resources_.policy;
  if (policy.is_durable()) policy.sync = Policy::Sync::phase;  // of one write: behind the computation, as its requests
  const MoverLimits limits{std::max(memory_bytes, min_mover_memory_bytes), resources_.threads(), background};
  if (do_owners_write(policy, comm)) {
    first_problem_ = mine.first;
    run_and_agree(comm, [&] {
      alone_ = make_alone();
      each_.emplace(*alone_, files_of(mine, true), policy, limits);
    });
    return;
  }
  MoverFiles files = run_and_agree(comm, [&] {
    // Where several ranks may open a file, none of them can take the place of an old one.
    for (std::int64_t p = mine.first; p < mine.end(); ++p) {
      (void)remove_left_file(solution::solution_path(folder_, phase_.form, p, phase_.step));
    }
    return files_of({0, phase_.form.problems}, false);
  });
  each_.emplace(comm, std::move(files), policy, limits);
}

// Its text is there before the phase's files are, so that a disk that they, or later phases, fill cannot keep a phase
// that is complete from having an index.
void SolutionPhase::begin_index() {
  const std::string path = index_path(folder_, phase_.step);
  const bool was_there = remove_left_file(path);
  // Back after a crash of the machine, it would tell that what is then written here is complete.
  if (was_there && resources_.policy.is_durable()) sync_folder(folder_, resources_.meter);
  index_.emplace(resources_, path);
  index_->write(index_text(phase_));
  index_->close();
}

MoverFiles SolutionPhase::files_of(ItemRange problems, bool is_only_mine) const {
  std::vector<std::string> paths;
  paths.reserve(static_cast<std::size_t>(problems.count));
  for (std::int64_t p = problems.first; p < problems.end(); ++p) {
    paths.push_back(solution::solution_path(folder_, phase_.form, p, phase_.step));
  }
  MoverFiles files = resources_.files(std::move(paths), OpenMode::write_or_create);
  if (is_only_mine) files.open = in_place_of_old(std::move(files.open));
  // What is to be synced stays open for it, as far as the phases in flight all have room.
  files.max_open =
      std::max(std::int64_t{1}, static_cast<std::int64_t>(safe_open_files()) / std::max(1, resources_.policy.async));
  if (!resources_.policy.is_durable()) files.max_open = std::min(files.max_open, max_open_problems);
  return files;
}

Extent SolutionPhase::extent_of(ItemRange problems, const Encoder& encoder) const {
  const std::int64_t bytes = problems.count * chunk_bytes(phase_.form);
  if (shared_)
    return {.offset_bytes = problems.first * chunk_bytes(phase_.form), .run_bytes = bytes, .encoder = &encoder};
  return {.file = static_cast<int>(problems.first - first_problem_), .run_bytes = bytes, .encoder = &encoder};
}

void SolutionPhase::write(const AccessPlan& mine, Memory memory) {
  if (shared_) {
    shared_->write(mine, memory);
  } else if (alone_) {
    run_and_agree(resources_.comm, [&] { each_->write(mine, {}, memory); });
  } else {
    each_->write(mine, {}, memory);
  }
}

void SolutionPhase::finish() {
  if (shared_) {
    shared_->finish();
  } else if (alone_) {
    run_and_agree(resources_.comm, [&] { each_->close(); });
  } else {
    each_->close();
  }
  if (each_ && resources_.policy.is_durable()) sync_names();
  run_on_rank(resources_.comm, 0, [&] { index_->finish(); });
}

// An index that outlives a crash of the machine tells of files, which are nothing without their names.
void SolutionPhase::sync_names() const {
  run_and_agree(resources_.comm, [&] {
    parallel_for(resources_.threads(), mine_.count, [&](std::int64_t task, int /*thread*/) {
      sync_folder(problem_folder_in(folder_, mine_.first + task), resources_.meter);
    });
  });
}

std::vector<std::int64_t> solution_steps(const std::string& folder) {
  std::vector<std::int64_t> steps;
  const auto failed = [&] { return system_error(errno, "reading the folder of local solutions", {.file = folder}); };
  // By the calls of the system: a std::filesystem::directory_iterator that gets no memory ends the program.
  const std::unique_ptr<DIR, decltype([](DIR* open) { ::closedir(open); })> entries(::opendir(folder.c_str()));
  if (!entries) throw failed();
  while (true) {
    errno = 0;
    const dirent* const entry = ::readdir(entries.get());
    if (entry == nullptr && errno != 0) throw failed();
    if (entry == nullptr) break;
    const std::string_view name(entry->d_name);
    constexpr std::string_view before = "solution";
    if (!name.starts_with(before)) continue;
    std::int64_t step = -1;
    (void)std::from_chars(name.data() + before.size(), name.data() + name.size(), step);
    if (step >= 0 && name == solution::index_name(step)) steps.push_back(step);
  }
  std::sort(steps.begin(), steps.end());
  return steps;
}

void remove_phase_indexes(const Resources& resources, const std::string& folder) {
  run_on_rank(resources.comm, 0, [&] {
    for (const std::int64_t step : solution_steps(folder)) (void)remove_left_file(index_path(folder, step));
    // Also when there was none: a run that was killed here may have removed it without syncing.
    if (resources.policy.is_durable()) sync_folder(folder, resources.meter);
  });
}

void make_problem_folders(const Resources& resources, const std::string& folder, const solution::Form& form,
                          ItemRange mine) {
  if (form.files == Files::shared) return;
  run_and_agree(resources.comm, [&] {
    parallel_for(resources.threads(), mine.count,
                 [&](std::int64_t task, int /*thread*/) { make_folder(problem_folder_in(folder, mine.first + task)); });
  });
}

void remove_descriptions(const Resources& resources, const std::string& folder, const solution::Form& form,
                         ItemRange mine) {
  const bool is_durable = resources.policy.is_durable();
  const auto remove_in = [&](const std::string& where, std::span<const std::string_view> names) {
    bool was_any = false;
    for (const std::string_view name : names) was_any |= remove_left_file(fmt::format("{}/{}", where, name));
    if (was_any && is_durable) sync_folder(where, resources.meter);
  };
  in_described_folders(resources, folder, form, mine, remove_in);
}

void require_no_descriptions(const Resources& resources, const std::string& folder, const solution::Form& form,
                             ItemRange mine) {
  const auto look_in = [](const std::string& where, std::span<const std::string_view> names) {
    for (const std::string_view name : names) {
      const std::string path = fmt::format("{}/{}", where, name);
      std::error_code none;
      if (!std::filesystem::exists(std::filesystem::symlink_status(path, none))) continue;
      throw Error({.code = ErrorCode::io,
                   .problem = "files in the folder describe the local problems of a run, maybe of another mesh",
                   .where = {.file = path},
                   .action = "choose another folder, or move what describes the problems away: element.txt, "
                             "parameters.txt and mesh.txt of each, elements.txt; nothing was changed"});
    }
  };
  in_described_folders(resources, folder, form, mine, look_in);
}

PhaseIndex read_phase_index(const Resources& resources, const std::string& folder, std::int64_t step) {
  Communicator& comm = resources.comm;
  const std::string path = index_path(folder, step);
  std::string text;
  run_on_rank(comm, 0, [&] {
    const std::unique_ptr<Store> store = resources.open(path, OpenMode::read);
    constexpr std::int64_t max_bytes = 4096;
    text.resize(static_cast<std::size_t>(std::min(max_bytes, store->size_bytes())));
    read_at(*store, 0, std::as_writable_bytes(std::span(text)));
  });
  broadcast_all(comm, text, 0);
  return run_and_agree(comm, [&] {
    const PhaseIndex index = solution::parse_index(text, path);
    if (index.step == step) return index;
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("it tells of step {}", index.step),
                 .where = {.file = path},
                 .action = "give what Sill wrote, under its name"});
  });
}

}  // namespace sill
