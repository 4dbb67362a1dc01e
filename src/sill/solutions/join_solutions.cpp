#include "sill/solutions/join_solutions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/solution/ensight_case.hpp"
#include "sill/io/files/folder_syncs.hpp"
#include "sill/io/simulation/output_lock.hpp"
#include "sill/io/simulation/phase_writer.hpp"
#include "sill/io/simulation/solution_phase.hpp"
#include "sill/io/survey/file_stamp.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/store/handle_cache.hpp"
#include "sill/store/posix/folder.hpp"
#include "sill/store/posix/free_space.hpp"

namespace sill {
namespace {

namespace fs = std::filesystem;
using solution::Element;
using solution::EnsightCase;
using solution::Files;
using solution::Form;
using solution::PhaseIndex;

// The meshes of neighbouring problems: one coordinate of their nodes or, for axis 3, their triangles.
class MeshText : public Encoder {
 public:
  MeshText(const EnsightCase& ensight, std::int64_t first, std::span<const Element> elements, std::size_t axis)
      : ensight_(ensight), first_(first), elements_(elements), axis_(axis) {}
  void fill(ByteRange range, std::span<std::byte> bytes) const override {
    const bool is_triangles = axis_ == 3;
    const ByteRange item = is_triangles ? ensight_.triangles_of(0) : ensight_.coordinates_of(0, axis_);
    in_items(item.length, range, bytes, [&](std::int64_t problem, ByteRange within, std::span<std::byte> part) {
      if (is_triangles) {
        ensight_.mesh().write_triangles(ensight_.first_node_of(first_ + problem), within, part);
      } else {
        ensight_.mesh().write_coordinates(elements_[static_cast<std::size_t>(problem)], axis_, within, part);
      }
    });
  }
  [[nodiscard]] bool is_for_threads() const override { return true; }

 private:
  const EnsightCase& ensight_;
  std::int64_t first_;
  std::span<const Element> elements_;
  std::size_t axis_;
};

// The text of one dimension of neighbouring problems, read from their files.
class JoinedText : public Encoder {
 public:
  JoinedText(HandleCache& files, const Form& form, std::int64_t first, int dimension)
      : files_(files), form_(form), first_(first), dimension_(dimension) {}
  void fill(ByteRange range, std::span<std::byte> bytes) const override {
    const std::int64_t item = solution::points_of(form_.sub_elements) * form_.record_bytes;
    in_items(item, range, bytes, [&](std::int64_t i, ByteRange within, std::span<std::byte> part) {
      const std::int64_t problem = first_ + i;
      const bool is_each = form_.files == Files::each;
      const std::shared_ptr<Store> store = files_.get(is_each ? static_cast<int>(problem) : 0);
      const std::int64_t before = is_each ? 0 : problem;  // chunks of other problems; each has an extra line if padded
      const std::int64_t lines = values_of(form_) + (chunk_bytes(form_) > problem_bytes(form_) ? 1 : 0);
      const std::int64_t points = solution::points_of(form_.sub_elements);
      read_records(*store,
                   {.form = form_,
                    .offset_bytes = before * chunk_bytes(form_) + dimension_ * item,
                    .line = before * lines + dimension_ * points + 1,
                    .action = "write the phase again"},
                   within, part);
    });
  }
  [[nodiscard]] bool is_for_threads() const override { return true; }

 private:
  HandleCache& files_;
  const Form& form_;
  std::int64_t first_;
  int dimension_;
};

std::int64_t chosen_step(const JoinSolutionsOptions& options) {
  refuse_dangling_link(options.folder);
  const std::vector<std::int64_t> steps = solution_steps(options.folder);
  const auto refuse = [&](std::string problem, std::string action) {
    throw Error({.code = options.step || steps.empty() ? ErrorCode::io : ErrorCode::usage,
                 .problem = std::move(problem),
                 .where = {.file = options.folder},
                 .action = std::move(action)});
  };
  if (steps.empty()) {
    refuse("the folder contains no complete output phase of local solutions: no solution*.index",
           "give the folder of a run, and wait until the run has ended");
  }
  std::string stated =
      fmt::format("{}", fmt::join(std::span(steps).first(std::min<std::size_t>(steps.size(), 8)), ", "));
  if (steps.size() > 8) stated += ", …";
  if (!options.step) {
    if (steps.size() > 1)
      refuse(fmt::format("the folder contains the phases of steps {}", stated), "choose a phase by its step");
    return steps.front();
  }
  if (!std::binary_search(steps.begin(), steps.end(), *options.step)) {
    refuse(fmt::format("the folder contains no complete phase of step {}", *options.step),
           fmt::format("choose an existing phase: {}", stated));
  }
  return *options.step;
}

std::string element_path(const std::string& folder, std::int64_t problem) {
  return fmt::format("{}/{}/element.txt", folder, solution::problem_folder(problem));
}
std::string elements_path(const std::string& folder) { return folder + "/elements.txt"; }

// Without elements the positions of the problems are unknown.
void require_described(const std::string& path) {
  std::error_code none;
  if (fs::exists(path, none)) return;
  refuse_dangling_link(path);
  throw Error(
      {.code = ErrorCode::input,
       .problem = "the elements of the local problems were not written, so their positions are unknown",
       .where = {.file = path},
       .action = "write them in the simulation (SolutionWriter::write_problem_files) or the kernel (--describe)"});
}

std::vector<Element> read_elements(const Resources& resources, const std::string& folder, const Form& form,
                                   ItemRange mine) {
  std::vector<Element> elements;
  elements.reserve(static_cast<std::size_t>(mine.count));
  const std::int64_t line_bytes = solution::element_bytes;
  if (form.files == Files::each) {
    const Opener open = of_size(resources.open, line_bytes);
    for (std::int64_t p = mine.first; p < mine.end(); ++p) {
      const std::string path = element_path(folder, p);
      require_described(path);
      const std::unique_ptr<Store> store = open(path, OpenMode::read);
      elements.push_back(solution::parse_element(text_at(*store, {0, line_bytes}), path, 1));
    }
    return elements;
  }
  if (mine.empty()) return elements;
  const std::string path = elements_path(folder);
  require_described(path);
  const std::unique_ptr<Store> store = of_size(resources.open, form.problems * line_bytes)(path, OpenMode::read);
  constexpr std::int64_t max_at_once = 4096;
  for (std::int64_t p = mine.first; p < mine.end(); p += max_at_once) {
    const std::int64_t count = std::min(max_at_once, mine.end() - p);
    const std::string lines = text_at(*store, {p * line_bytes, count * line_bytes});
    for (std::int64_t i = 0; i < count; ++i) {
      const auto line = std::string_view(lines).substr(static_cast<std::size_t>(i * line_bytes),
                                                       static_cast<std::size_t>(line_bytes));
      elements.push_back(solution::parse_element(line, path, p + i + 1));
    }
  }
  return elements;
}

void require_no_more_problems(const std::string& folder, const PhaseIndex& phase) {
  if (phase.form.files == Files::shared) return;
  const std::string path = solution::solution_path(folder, phase.form, phase.form.problems, phase.step);
  std::error_code none;
  if (!fs::exists(path, none)) return;
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("there are more local problems than the {} that {} lists", phase.form.problems,
                                      solution::index_name(phase.step)),
               .where = {.file = path},
               .action = "remove the files that an earlier, larger run left"});
}

// Called before anything is written; the stores that read the files verify the sizes again.
void require_sizes(const Resources& resources, const std::string& folder, const PhaseIndex& phase, ItemRange mine) {
  const bool is_each = phase.form.files == Files::each;
  const std::int64_t end = is_each ? mine.end() : std::min(mine.end(), mine.first + 1);
  for (std::int64_t p = mine.first; p < end; ++p) {
    const std::string path = solution::solution_path(folder, phase.form, p, phase.step);
    std::error_code failure;
    std::uintmax_t found = fs::file_size(path, failure);
    // Opening the file reports the reason.
    if (failure) found = static_cast<std::uintmax_t>(resources.open(path, OpenMode::read)->size_bytes());
    require_size(path, static_cast<std::int64_t>(found), is_each ? problem_bytes(phase.form) : phase_bytes(phase.form));
  }
}

// The texts of the case that rank 0 writes: everything that belongs to no problem.
struct CaseTexts {
  explicit CaseTexts(const EnsightCase& ensight)
      : geometry(ensight.geometry_head()), triangles(ensight.triangles_head()), whole(ensight.case_text()) {
    for (int d = 0; d < ensight.phase().form.dimensions; ++d) variables.push_back(ensight.variable_head(d));
  }
  std::string geometry;
  std::string triangles;
  std::vector<std::string> variables;
  std::string whole;
};

Extent text_extent(int file, std::int64_t at, const std::string& text) {
  return contiguous(file, {at, static_cast<std::int64_t>(text.size())}, std::as_bytes(std::span(text)).data());
}

std::string phase_index_path(const std::string& folder, std::int64_t step) {
  return fmt::format("{}/{}", folder, solution::index_name(step));
}

// The case that a join makes, and the state of the phase's index before it was read, which is known on rank 0.
struct CaseToMake {
  EnsightCase ensight;
  FileStamp index;
};

CaseToMake case_to_make(const Resources& resources, const JoinSolutionsOptions& options) {
  Communicator& comm = resources.comm;
  FileStamp stamp;  // on rank 0
  const std::int64_t step = value_from_rank(comm, 0, [&] {
    const std::int64_t chosen = chosen_step(options);
    stamp = own_stamp_of(phase_index_path(options.folder, chosen));
    return chosen;
  });
  const PhaseIndex phase = read_phase_index(resources, options.folder, step);
  EnsightCase ensight = run_and_agree(comm, [&] { return EnsightCase(phase, options.target); });
  // Before allocating lists of as many files as a damaged index may state.
  run_on_rank(comm, 0, [&] { require_sizes(resources, options.folder, phase, {phase.form.problems - 1, 1}); });
  return {std::move(ensight), stamp};
}

// Local. Throws if the phase changed. Any process that writes files of a phase removes the index first, and creates a
// new one later. Called after all ranks have read.
void require_same_phase(const Resources& resources, const std::string& folder, std::int64_t step,
                        const FileStamp& before) {
  const std::string path = phase_index_path(folder, step);
  std::error_code none;
  if (fs::exists(path, none)) {
    (void)resources.open(path, OpenMode::read);  // over NFS opening queries the server; stat may not
    if (own_stamp_of(path) == before) return;
  }
  throw Error({.code = ErrorCode::io,
               .problem = "the phase was changed while it was read: its index was removed or replaced",
               .where = {.file = path},
               .action = "join it again when the run that writes to the folder has ended; no output was made"});
}

// Local. Removes an earlier case. Until it is replaced it would describe a mixture of old and new files.
void remove_case(const Resources& resources, const std::string& path) {
  if (::unlink(path.c_str()) != 0) {
    if (errno == ENOENT) return;
    throw system_error(errno, "removing the case that describes earlier files", {.file = path});
  }
  if (resources.policy.is_durable()) sync_folder(fs::path(path).parent_path().string(), resources.meter);
}

}  // namespace

SolutionPaths paths_of_join(const Resources& resources, const JoinSolutionsOptions& options) {
  const EnsightCase ensight = case_to_make(resources, options).ensight;
  return run_and_agree(resources.comm, [&] {
    SolutionPaths paths{solution_paths(options.folder, ensight.phase()), case_files(ensight)};
    paths.inputs.push_back(phase_index_path(options.folder, ensight.phase().step));
    if (ensight.phase().form.files == Files::shared) paths.inputs.push_back(elements_path(options.folder));
    for (std::int64_t p = 0; ensight.phase().form.files == Files::each && p < ensight.phase().form.problems; ++p) {
      paths.inputs.push_back(element_path(options.folder, p));
    }
    return paths;
  });
}

SolutionFiles join_solutions(const Resources& resources, const JoinSolutionsOptions& options) {
  Communicator& comm = resources.comm;
  const CaseToMake to_make = case_to_make(resources, options);
  const EnsightCase& ensight = to_make.ensight;
  const PhaseIndex& phase = ensight.phase();
  const Form& form = phase.form;
  const ItemRange mine = block_of(form.problems, comm.size(), comm.rank());
  run_on_rank(comm, 0, [&] { require_no_more_problems(options.folder, phase); });
  const std::vector<Element> elements =
      run_and_agree(comm, [&] { return read_elements(resources, options.folder, form, mine); });
  run_and_agree(comm, [&] { require_sizes(resources, options.folder, phase, mine); });

  const std::int64_t file_bytes = form.files == Files::each ? problem_bytes(form) : phase_bytes(form);
  const auto inputs = run_and_agree(comm, [&] {
    return std::make_unique<HandleCache>(of_size(resources.open, file_bytes), solution_paths(options.folder, phase),
                                         OpenMode::read, max_open_inputs());
  });
  const CaseTexts texts(ensight);
  SolutionFiles joined{.phase = phase, .files = form.dimensions + 2};
  const std::int64_t block_bytes = block_bytes_of(options.target);
  std::int64_t room_bytes = 0;
  const auto add_file = [&](std::int64_t bytes) {
    joined.bytes += bytes;
    room_bytes += in_whole_blocks(bytes, block_bytes);
  };
  add_file(ensight.geometry_bytes());
  for (int d = 0; d < form.dimensions; ++d) add_file(ensight.variable_bytes(d));
  add_file(std::ssize(texts.whole));
  const std::vector<std::string> targets = case_files(ensight);
  run_on_rank(comm, 0, [&] { require_free_space(options.target, room_bytes, "free some, or write elsewhere"); });

  std::optional<OutputLock> lock;
  if (comm.rank() == 0) lock.emplace(options.folder, OutputOf::solutions);
  resources.begin_stage("joining local solutions", 0);
  std::deque<MeshText> meshes;
  std::deque<JoinedText> values;
  const auto prepare = [&] {
    OutputPhase output{.paths = targets};
    std::vector<Extent> extents;
    if (comm.rank() == 0) {
      extents.push_back(text_extent(0, 0, texts.geometry));
      extents.push_back(text_extent(0, ensight.triangles_head_offset(), texts.triangles));
      for (int d = 0; d < form.dimensions; ++d) {
        extents.push_back(text_extent(1 + d, 0, texts.variables[static_cast<std::size_t>(d)]));
      }
      extents.push_back(text_extent(1 + form.dimensions, 0, texts.whole));
    }
    const auto add = [&](int file, ByteRange of_first, const Encoder& encoder) {
      extents.push_back({.file = file,
                         .offset_bytes = of_first.offset,
                         .run_bytes = of_first.length * mine.count,
                         .encoder = &encoder});
    };
    for (std::size_t axis = 0; axis < 4 && !mine.empty(); ++axis) {
      meshes.emplace_back(ensight, mine.first, elements, axis);
      add(0, axis == 3 ? ensight.triangles_of(mine.first) : ensight.coordinates_of(mine.first, axis), meshes.back());
    }
    for (int d = 0; d < form.dimensions && !mine.empty(); ++d) {
      values.emplace_back(*inputs, form, mine.first, d);
      add(1 + d, ensight.values_of_problem(mine.first, d), values.back());
    }
    output.plan = AccessPlan::for_writing(std::move(extents));
    output.accept = [&] {
      require_same_phase(resources, options.folder, phase.step, to_make.index);
      remove_case(resources, ensight.path());
    };
    return output;
  };
  PhaseWriter writer(resources, options.target, resources.memory());
  OutputCall call(resources.meter);
  writer.write(call, {}, prepare);
  writer.wait();
  return joined;
}

}  // namespace sill
