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
#include "sill/io/files/folder_syncs.hpp"
#include "sill/io/files/whole_text_file.hpp"
#include "sill/store/posix/folder.hpp"

namespace sill {
namespace {

using solution::Files;
using solution::PhaseIndex;

// Few of many small files are open at the same time, so that threads close them during the work; otherwise one thread
// would close all of them at the end.
constexpr std::int64_t max_open_problems = 64;

std::string problem_folder_in(const std::string& folder, std::int64_t problem) {
  return fmt::format("{}/{}", folder, solution::problem_folder(problem));
}

std::string index_path(const std::string& folder, std::int64_t step) {
  return fmt::format("{}/{}", folder, solution::index_name(step));
}

// Removes a file; returns true if it existed.
bool remove_left_file(const std::string& path) {
  if (::unlink(path.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  throw system_error(errno, "removing the file of an earlier run", {.file = path});
}

// Writes the text of the index before the files of the phase, so that a disk filled by these or later phases cannot
// prevent a complete phase from having an index.
std::shared_ptr<WholeTextFile> begin_index(const Resources& resources, const std::string& folder,
                                           const PhaseIndex& phase) {
  const std::string path = index_path(folder, phase.step);
  const bool was_there = remove_left_file(path);
  // If the old index reappeared after a crash of the machine, it would mark the data that is written now as complete.
  if (was_there && resources.policy.is_durable()) sync_folder(folder, resources.meter);
  auto index = std::make_shared<WholeTextFile>(resources, path);
  index->write(index_text(phase));
  index->close();
  return index;
}

// Collective. Calls `visit(folder, names)` for each folder that may describe problems, with the names of the describing
// files: on rank 0 for the folder of the output, then on the threads of every rank for the folders of its problems.
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
      if (::unlink(path.c_str()) != 0) throw;  // there is no such file: the error had another cause
    }
    return open(path, OpenMode::create);
  };
}

OutputPhase solution_phase(const Resources& resources, const std::string& folder, const PhaseIndex& phase,
                           ItemRange mine, std::shared_ptr<void> holds) {
  const Communicator& comm = resources.comm;
  std::shared_ptr<WholeTextFile> index;
  if (comm.rank() == 0) index = begin_index(resources, folder, phase);
  OutputPhase output;
  output.holds =
      std::make_shared<std::pair<std::shared_ptr<void>, std::shared_ptr<WholeTextFile>>>(std::move(holds), index);
  output.publish = [index] { index->finish(); };
  const auto path_of = [&](std::int64_t problem) {
    return solution::solution_path(folder, phase.form, problem, phase.step);
  };
  if (phase.form.files == Files::shared) {
    output.paths = {path_of(0)};
    return output;
  }
  const bool own = resources.policy.owners_write() || comm.size() == 1;
  output.files = own ? OutputPhase::Files::of_rank : OutputPhase::Files::named;
  // If several ranks may open a file, none of them can replace an old one.
  for (std::int64_t p = mine.first; p < mine.end() && !own; ++p) (void)remove_left_file(path_of(p));
  const ItemRange named = own ? mine : ItemRange{0, phase.form.problems};
  output.paths.reserve(static_cast<std::size_t>(named.count));
  for (std::int64_t p = named.first; p < named.end(); ++p) output.paths.push_back(path_of(p));
  // An index that survives a crash of the machine refers to files by name, so their names must be durable, too.
  if (resources.policy.is_durable()) {
    output.closed = [&resources, folder, mine] {
      parallel_for(resources.threads(), mine.count, [&](std::int64_t task, int /*thread*/) {
        sync_folder(problem_folder_in(folder, mine.first + task), resources.meter);
      });
    };
  }
  return output;
}

std::unique_ptr<PhaseWriter> solution_phase_writer(const Resources& resources, const std::string& folder,
                                                   const solution::Form& form, std::int64_t memory_bytes) {
  const bool each = form.files == Files::each;
  const bool own = each && (resources.policy.owners_write() || resources.comm.size() == 1);
  // Files that must be synced stay open until then.
  const std::int64_t max_open = each && !resources.policy.is_durable() ? max_open_problems : 0;
  return std::make_unique<PhaseWriter>(resources, folder + "/", memory_bytes,
                                       own ? in_place_of_old(resources.open) : resources.open, max_open);
}

Extent solution_extent(const OutputPhase& phase, const solution::Form& form, ItemRange mine, ItemRange problems,
                       const Encoder& encoder) {
  const std::int64_t bytes = problems.count * chunk_bytes(form);
  if (form.files == Files::shared) {
    return {.offset_bytes = problems.first * chunk_bytes(form), .run_bytes = bytes, .encoder = &encoder};
  }
  const std::int64_t first = phase.files == OutputPhase::Files::of_rank ? mine.first : 0;
  return {.file = static_cast<int>(problems.first - first), .run_bytes = bytes, .encoder = &encoder};
}

std::vector<std::int64_t> solution_steps(const std::string& folder) {
  std::vector<std::int64_t> steps;
  const auto failed = [&] { return system_error(errno, "reading the folder of local solutions", {.file = folder}); };
  // Uses system calls, because a std::filesystem::directory_iterator that gets no memory ends the program.
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
    // Even if there was none: a run that was killed here may have removed it without syncing.
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
      throw Error(
          {.code = ErrorCode::io,
           .problem = "files in the folder describe the local problems of an earlier run, possibly with another mesh",
           .where = {.file = path},
           .action = "choose another folder, or move the descriptions of the problems elsewhere: element.txt, "
                     "parameters.txt and mesh.txt of each problem, and elements.txt; nothing was changed"});
    }
  };
  in_described_folders(resources, folder, form, mine, look_in);
}

PhaseIndex read_phase_index(const Resources& resources, const std::string& folder, std::int64_t step) {
  Communicator& comm = resources.comm;
  const std::string path = index_path(folder, step);
  const std::string text = value_from_rank(comm, 0, [&] {
    const std::unique_ptr<Store> store = resources.open(path, OpenMode::read);
    constexpr std::int64_t max_bytes = 4096;
    std::string read(static_cast<std::size_t>(std::min(max_bytes, store->size_bytes())), '\0');
    read_at(*store, 0, std::as_writable_bytes(std::span(read)));
    return read;
  });
  return run_and_agree(comm, [&] {
    const PhaseIndex index = solution::parse_index(text, path);
    if (index.step == step) return index;
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("it belongs to step {}", index.step),
                 .where = {.file = path},
                 .action = "give the file that Sill wrote, under its original name"});
  });
}

}  // namespace sill
