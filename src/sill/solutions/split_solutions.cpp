#include "sill/solutions/split_solutions.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/io/simulation/output_lock.hpp"
#include "sill/io/simulation/solution_phase.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/store/handle_cache.hpp"
#include "sill/store/posix/folder.hpp"
#include "sill/store/posix/free_space.hpp"

namespace sill {
namespace {

using solution::EnsightCase;
using solution::Files;
using solution::PhaseIndex;

// The text of a problem, read from the variables of a case.
class SplitText : public Encoder {
 public:
  SplitText(HandleCache& variables, const EnsightCase& ensight, std::int64_t problem)
      : variables_(variables), ensight_(ensight), problem_(problem) {}
  void fill(ByteRange range, std::span<std::byte> bytes) const override {
    const std::int64_t item = ensight_.values_of_problem(0, 0).length;
    in_items(item, range, bytes, [&](std::int64_t d, ByteRange within, std::span<std::byte> part) {
      const auto dimension = static_cast<int>(d);
      const ByteRange values = ensight_.values_of_problem(problem_, dimension);
      const std::shared_ptr<Store> store = variables_.get(dimension);
      const std::string head = ensight_.variable_head(dimension);
      const std::int64_t lines_before = std::count(head.begin(), head.end(), '\n');
      read_records(*store,
                   {.form = ensight_.phase().form,
                    .offset_bytes = values.offset,
                    .line = lines_before + problem_ * ensight_.mesh().nodes() + 1,
                    .action = "join the phase again"},
                   within, part);
    });
  }
  [[nodiscard]] bool is_for_threads() const override { return true; }

 private:
  HandleCache& variables_;
  const EnsightCase& ensight_;
  std::int64_t problem_;
};

// Returns the case that is split.
EnsightCase case_to_split(const Resources& resources, const std::string& case_path) {
  Communicator& comm = resources.comm;
  const std::string text = value_from_rank(comm, 0, [&] {
    const std::unique_ptr<Store> store = resources.open(case_path, OpenMode::read);
    constexpr std::int64_t max_bytes = std::int64_t{64} << 20;  // one line per dimension
    return text_at(*store, {0, std::min(max_bytes, store->size_bytes())});
  });
  EnsightCase ensight = run_and_agree(comm, [&] {
    EnsightCase made(solution::phase_of_case(text, case_path), case_path);
    // A copy under another name lists the files of the original; an edited case may list files that do not exist.
    if (made.case_text() == text) return made;
    throw Error({.code = ErrorCode::input,
                 .problem = "the case was changed after the join: its files, variables or sizes do not fit its name "
                            "and its first lines",
                 .where = {.file = case_path},
                 .action = "give the unchanged case of `sill solutions join`, under its original name"});
  });
  // Before allocating lists of as many files as a damaged case may state.
  run_on_rank(comm, 0, [&] {
    const int last = ensight.phase().form.dimensions - 1;
    (void)of_size(resources.open, ensight.variable_bytes(last))(ensight.variable_path(last), OpenMode::read);
  });
  return ensight;
}

// Returns the bytes on the disk that the files of these problems need in addition. A replaced file frees its space,
// unless it has other names.
std::int64_t more_bytes(const std::string& folder, const PhaseIndex& phase, ItemRange problems) {
  const std::int64_t each_bytes = in_whole_blocks(problem_bytes(phase.form), block_bytes_of(folder));
  std::int64_t bytes = 0;
  for (std::int64_t p = problems.first; p < problems.end(); ++p) {
    struct stat there {};
    const std::string path = solution::solution_path(folder, phase.form, p, phase.step);
    const bool frees = ::lstat(path.c_str(), &there) == 0 && S_ISREG(there.st_mode) && there.st_nlink == 1;
    bytes += std::max<std::int64_t>(0, each_bytes - (frees ? std::int64_t{there.st_blocks} * 512 : 0));
  }
  return bytes;
}

// Returns the phase with one file per problem, regardless of the files that the case was made from.
PhaseIndex phase_of_each(const EnsightCase& ensight) {
  PhaseIndex phase = ensight.phase();
  phase.form.files = Files::each;
  phase.form.stride_bytes = 0;
  return phase;
}

}  // namespace

SolutionPaths paths_of_split(const Resources& resources, const std::string& case_path, const std::string& folder) {
  const EnsightCase ensight = case_to_split(resources, case_path);
  return run_and_agree(resources.comm, [&] {
    const PhaseIndex phase = phase_of_each(ensight);
    require_possible(phase.form);
    SolutionPaths paths{case_files(ensight), solution_paths(folder, phase)};
    paths.outputs.push_back(folder + "/" + solution::index_name(phase.step));
    return paths;
  });
}

SolutionFiles split_solutions(const Resources& resources, const std::string& case_path, const std::string& folder) {
  Communicator& comm = resources.comm;
  const EnsightCase ensight = case_to_split(resources, case_path);
  const PhaseIndex phase = phase_of_each(ensight);
  const int dimensions = phase.form.dimensions;
  const ItemRange mine = block_of(phase.form.problems, comm.size(), comm.rank());
  std::unique_ptr<HandleCache> variables;
  run_and_agree(comm, [&] {
    require_possible(phase.form);
    std::vector<std::string> paths;
    for (int d = 0; d < dimensions; ++d) paths.push_back(ensight.variable_path(d));
    variables = std::make_unique<HandleCache>(resources.open, paths, OpenMode::read, max_open_inputs());
  });
  run_on_rank(comm, 0, [&] {
    for (int d = 0; d < dimensions; ++d) {
      const std::string head = ensight.variable_head(d);
      const auto store = of_size(resources.open, ensight.variable_bytes(d))(ensight.variable_path(d), OpenMode::read);
      if (text_at(*store, {0, std::ssize(head)}) == head) continue;
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format("the file does not begin with the text for dimension {}", d + 1),
                   .where = {.file = store->name()},
                   .action = "give an unchanged case, with its files next to it"});
    }
  });
  const std::int64_t bytes = all_reduce(comm, more_bytes(folder, phase, mine), Reduction::sum);
  run_on_rank(comm, 0, [&] {
    require_free_space(folder, bytes, "free some, or write elsewhere");
    make_folder(folder);
  });
  const OutputLock lock(comm, folder, OutputOf::solutions);
  require_no_descriptions(resources, folder, phase.form, mine);
  make_problem_folders(resources, folder, phase.form, mine);
  resources.begin_stage("splitting local solutions", 0);
  const auto prepare = [&] {
    const auto encoders = std::make_shared<std::deque<SplitText>>();
    OutputPhase output = solution_phase(resources, folder, phase, mine, encoders);
    std::vector<Extent> extents;
    for (std::int64_t p = mine.first; p < mine.end(); ++p) {
      encoders->emplace_back(*variables, ensight, p);
      extents.push_back(solution_extent(output, phase.form, mine, {p, 1}, encoders->back()));
    }
    output.plan = AccessPlan::for_writing(std::move(extents));
    return output;
  };
  const auto writer = solution_phase_writer(resources, folder, phase.form, resources.memory());
  OutputCall call(resources.meter);
  writer->write(call, {}, prepare);
  writer->wait();
  return {.phase = phase, .files = phase.form.problems, .bytes = phase_bytes(phase.form)};
}

}  // namespace sill
