#include "sill/io/solution_phase.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/io/whole_text_file.hpp"
#include "sill/store/folder.hpp"

namespace sill {
namespace {

using solution::Files;
using solution::PhaseIndex;

// Of many small files few are open at once: so threads close them as they go, not one thread all of them at the end.
constexpr std::int64_t most_open_problems = 64;

std::string index_path(const std::string& folder, std::int64_t step) {
  return fmt::format("{}/{}", folder, solution::index_name(step));
}

// Whether there was one.
bool remove_index(const std::string& path) {
  if (::unlink(path.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  throw system_error(errno, "removing the index of an earlier run", {.file = path});
}

// Opens a file that may be left from an earlier run, longer than it will be.
Opener cut_to(Opener open, std::int64_t size_bytes) {
  return [open = std::move(open), size_bytes](const std::string& path, OpenMode mode) {
    std::unique_ptr<Store> store = open(path, mode);
    if (mode == OpenMode::write_or_create && store->size_bytes() > size_bytes) store->allocate(size_bytes);
    return store;
  };
}

// The same where ranks open a file together.
void cut_left_files(const std::string& folder, const PhaseIndex& phase, const Communicator& comm) {
  const auto size_bytes = static_cast<std::uintmax_t>(problem_bytes(phase.form));
  for (std::int64_t p = comm.rank(); p < phase.form.problems; p += comm.size()) {
    const std::string path = solution::solution_path(folder, phase.form, p, phase.step);
    std::error_code none;
    const std::uintmax_t found = std::filesystem::file_size(path, none);
    if (none || found <= size_bytes) continue;
    if (::truncate(path.c_str(), static_cast<off_t>(size_bytes)) != 0) {
      throw system_error(errno, "shortening the file of an earlier run", {.file = path});
    }
  }
}

}  // namespace

SolutionPhase::SolutionPhase(const Resources& resources, std::string folder, const PhaseIndex& phase,
                             std::int64_t memory_bytes)
    : resources_(resources), folder_(std::move(folder)), phase_(phase) {
  Communicator& comm = resources_.comm;
  on_rank(comm, 0, [&] {
    const bool was_there = remove_index(index_path(folder_, phase_.step));
    // Back after a crash of the machine, it would tell that what is then written here is complete.
    if (was_there && resources_.policy.is_durable()) sync_folder(folder_);
  });
  if (phase_.form.files == Files::shared) {
    std::vector<std::string> paths =
        together(comm, [&] { return std::vector{solution::solution_path(folder_, phase_.form, 0, phase_.step)}; });
    shared_.emplace(resources_, std::move(paths), memory_bytes);
    return;
  }
  MoverFiles files = together(comm, [&] {
    if (resources_.policy.call == Policy::Call::mpiio_collective) cut_left_files(folder_, phase_, comm);
    std::vector<std::string> paths;
    paths.reserve(static_cast<std::size_t>(phase_.form.problems));
    for (std::int64_t p = 0; p < phase_.form.problems; ++p) {
      paths.push_back(solution::solution_path(folder_, phase_.form, p, phase_.step));
    }
    MoverFiles made = resources_.files(std::move(paths), OpenMode::write_or_create);
    made.open = cut_to(std::move(made.open), problem_bytes(phase_.form));
    // What is to be synced stays open for it.
    if (!resources_.policy.is_durable()) {
      made.most_open = std::min<std::int64_t>(most_open_problems, static_cast<std::int64_t>(safe_open_files()));
    }
    return made;
  });
  const MoverLimits limits{std::max(memory_bytes, least_mover_memory_bytes), resources_.threads()};
  each_.emplace(comm, std::move(files), resources_.policy, limits);
}

Extent SolutionPhase::extent_of(ItemRange problems, const Encoder& encoder) const {
  const std::int64_t bytes = problems.count * chunk_bytes(phase_.form);
  if (shared_)
    return {.offset_bytes = problems.first * chunk_bytes(phase_.form), .run_bytes = bytes, .encoder = &encoder};
  return {.file = static_cast<int>(problems.first), .run_bytes = bytes, .encoder = &encoder};
}

void SolutionPhase::write(const AccessPlan& mine) { shared_ ? shared_->write(mine) : each_->write(mine); }

void SolutionPhase::finish() {
  shared_ ? shared_->finish() : each_->close();
  on_rank(resources_.comm, 0, [&] {
    WholeTextFile index(resources_, index_path(folder_, phase_.step));
    index.write(index_text(phase_));
    index.finish();
  });
}

std::vector<std::int64_t> solution_steps(const std::string& folder) {
  std::vector<std::int64_t> steps;
  std::error_code failure;
  std::filesystem::directory_iterator entries(folder, failure);
  if (failure) throw system_error(failure.value(), "reading the folder of local solutions", {.file = folder});
  for (const std::filesystem::directory_entry& entry : entries) {
    const std::string name = entry.path().filename().string();
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
  on_rank(resources.comm, 0, [&] {
    for (const std::int64_t step : solution_steps(folder)) (void)remove_index(index_path(folder, step));
    // Also when there was none: a run that was killed here may have removed it without syncing.
    if (resources.policy.is_durable()) sync_folder(folder);
  });
}

void make_solution_folders(const Resources& resources, const std::string& folder, const solution::Form& form,
                           ItemRange mine) {
  Communicator& comm = resources.comm;
  on_rank(comm, 0, [&] { make_folder(folder); });
  if (form.files == Files::shared) return;
  together(comm, [&] {
    hand_out(resources.threads(), mine.count, [&](std::int64_t task, int /*thread*/) {
      make_folder(fmt::format("{}/{}", folder, solution::problem_folder(mine.first + task)));
    });
  });
}

PhaseIndex read_phase_index(const Resources& resources, const std::string& folder, std::int64_t step) {
  Communicator& comm = resources.comm;
  const std::string path = index_path(folder, step);
  std::string text;
  on_rank(comm, 0, [&] {
    const std::unique_ptr<Store> store = resources.open(path, OpenMode::read);
    constexpr std::int64_t most_bytes = 4096;
    text.resize(static_cast<std::size_t>(std::min(most_bytes, store->size_bytes())));
    read_at(*store, 0, std::as_writable_bytes(std::span(text)));
  });
  broadcast_all(comm, text, 0);
  return together(comm, [&] {
    const PhaseIndex index = solution::parse_index(text, path);
    if (index.step == step) return index;
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("it tells of step {}", index.step),
                 .where = {.file = path},
                 .action = "give what Sill wrote, under its name"});
  });
}

}  // namespace sill
