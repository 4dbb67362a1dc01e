#include "sill/io/simulation/solution_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/first_index.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/same_text.hpp"
#include "sill/store/posix/folder.hpp"

namespace sill {
namespace {

using solution::Files;
using solution::Form;

// Returns the problems of this rank, which follow those of lower ranks, and the total number.
std::pair<ItemRange, std::int64_t> distributed_problems(Communicator& comm, std::int64_t mine) {
  run_and_agree(comm, [&] {
    if (mine < 0 || mine > std::int64_t{1} << 40) {
      refuse_output("solution", fmt::format("{} local problems of a rank", mine), "give 0 or more");
    }
  });
  const std::vector<std::int64_t> of_ranks = all_gather_all(comm, std::span<const std::int64_t>(&mine, 1));
  const ExclusiveSum problems = exclusive_sum(of_ranks, comm.rank());
  return {{problems.before, mine}, problems.all};
}

void require_same_output(Communicator& comm, const SolutionOutput& output) {
  require_same_on_all(
      comm,
      [&] {
        return fmt::format("{}\n{} {} {} {} {} {}", output.folder, output.sub_elements, output.dimensions,
                           output.record_bytes, static_cast<int>(output.files), output.chunk_align_bytes,
                           output.align_to_stripes);
      },
      "solution output: the ranks were given different folders, sizes or options",
      "pass the same values on all ranks of the communicator, except the number of problems");
}

Form form_of(const SolutionOutput& output, std::int64_t problems, std::int64_t stripe_bytes) {
  if (output.folder.empty())
    refuse_output("solution", "no folder is named", "name a folder; `.` is the current folder");
  Form form{.problems = problems,
            .sub_elements = output.sub_elements,
            .dimensions = output.dimensions,
            .record_bytes = output.record_bytes,
            .files = output.files};
  require_possible(form);
  const bool aligns = output.chunk_align_bytes != 0 || output.align_to_stripes;
  if (!aligns) return form;
  if (output.files == Files::each)
    refuse_output("solution", "one file per problem has no chunks to align", "write a shared file");
  if (output.chunk_align_bytes != 0 && output.align_to_stripes) {
    refuse_output("solution", "chunks cannot be aligned to a size and to stripes", "choose one");
  }
  if (output.chunk_align_bytes < 0) {
    refuse_output("solution", fmt::format("chunks aligned to {} bytes", output.chunk_align_bytes),
                  "give a positive size");
  }
  form = aligned_to(form, output.align_to_stripes ? stripe_bytes : output.chunk_align_bytes);
  require_possible(form);
  return form;
}

}  // namespace

SolutionWriter::SolutionWriter(const Resources& resources, const SolutionOutput& output) : resources_(resources) {
  Communicator& comm = resources_.comm;
  require_same_output(comm, output);
  const auto [mine, all] = distributed_problems(comm, output.my_problems);
  mine_ = mine;
  run_and_agree(comm, [&, problems = all] {
    form_ = form_of(output, problems, 1);  // fails before any file is created
    folder_ = output.folder;
    // Half of the memory is for copies of values, the other half for stages.
    const int async = resources_.policy.async;
    if (resources_.writes_behind()) copied_bytes_ = resources_.memory() / 2 / async;
    spare_.reserve(static_cast<std::size_t>(async) + 1);  // so that returning a copy cannot fail
  });
  const bool is_new = value_from_rank(comm, 0, [&] { return make_folder(folder_); });
  lock_.emplace(comm, folder_, OutputOf::solutions);
  if (output.align_to_stripes) {
    const std::int64_t stripe_bytes = value_from_rank(comm, 0, [&] { return stripe_bytes_of(folder_); });
    form_ = run_and_agree(comm, [&, problems = all] { return form_of(output, problems, stripe_bytes); });
  }
  make_problem_folders(resources_, folder_, form_, mine_);  // first: if it fails, the output of an earlier run is
                                                            // unchanged
  remove_phase_indexes(resources_, folder_);
  if (!is_new) remove_descriptions(resources_, folder_, form_, mine_);
  const std::int64_t memory_bytes = resources_.memory();
  phases_ = solution_phase_writer(resources_, folder_, form_, copied_bytes_ > 0 ? memory_bytes / 2 : memory_bytes);
}

// Writes a file under its name immediately, as all files of problems are written
// (docs/adr/0033-solution-files-have-an-index.md).
void SolutionWriter::write_small_file(const std::string& path, std::string_view text) const {
  const std::unique_ptr<Store> store = in_place_of_old(resources_.open)(path, OpenMode::write_or_create);
  write_at(*store, 0, std::as_bytes(std::span(text)));
  if (resources_.policy.is_durable()) store->sync();
  store->close();
}

void SolutionWriter::write_problem_files(std::span<const solution::Element> elements, std::string parameters) {
  Communicator& comm = resources_.comm;
  run_and_agree(comm, [&] {
    if (static_cast<std::int64_t>(elements.size()) != mine_.count) {
      refuse_output("solution",
                    fmt::format("{} elements for the {} local problems of a rank", elements.size(), mine_.count),
                    "give one for each");
    }
    for (std::size_t i = 0; i < elements.size(); ++i) {
      solution::require_element(elements[i], mine_.first + static_cast<std::int64_t>(i));
    }
  });
  broadcast_all(comm, parameters, 0);
  if (form_.files == Files::shared) {
    std::string lines = run_and_agree(comm, [&] {
      std::string made;
      for (const solution::Element& element : elements) made += solution::element_line(element);
      return made;
    });
    const auto prepare = [&] {
      OutputPhase phase{.paths = {folder_ + "/elements.txt", folder_ + "/parameters.txt"}};
      std::vector<Extent> extents;
      if (!lines.empty()) {
        const ByteRange place{mine_.first * solution::element_bytes, static_cast<std::int64_t>(lines.size())};
        extents.push_back(contiguous(0, place, std::as_bytes(std::span(lines)).data()));
      }
      if (comm.rank() == 0 && !parameters.empty()) {
        const ByteRange place{0, static_cast<std::int64_t>(parameters.size())};
        extents.push_back(contiguous(1, place, std::as_bytes(std::span(parameters)).data()));
      }
      phase.plan = AccessPlan::for_writing(std::move(extents));
      return phase;
    };
    OutputCall none(nullptr);
    phases_->write(none, {}, prepare);
    phases_->wait();
    return;
  }
  run_and_agree(comm, [&] {
    const solution::LocalMesh mesh(form_.sub_elements);
    parallel_for(resources_.threads(), mine_.count, [&](std::int64_t task, int /*thread*/) {
      const solution::Element& element = elements[static_cast<std::size_t>(task)];
      const std::string folder = fmt::format("{}/{}/", folder_, solution::problem_folder(mine_.first + task));
      write_small_file(folder + "element.txt", solution::element_line(element));
      write_small_file(folder + "parameters.txt", parameters);
      write_small_file(folder + "mesh.txt", mesh.text(element));
    });
  });
}

// Finds values that are too long before any file is changed: the first one of this rank, for any number of threads.
void SolutionWriter::require_values(std::span<const double> values) const {
  const std::int64_t each = values_of(form_);
  if (static_cast<std::int64_t>(values.size()) != mine_.count * each) {
    refuse_output("solution",
                  fmt::format("{} values for {} local problems of {} points with {} dimensions each", values.size(),
                              mine_.count, solution::points_of(form_.sub_elements), form_.dimensions),
                  "give a value for each dimension of each point");
  }
  // While threads write earlier phases, no additional threads are used.
  const int threads = resources_.policy.takes_memory_at_once() ? resources_.threads() : 1;
  const int one = first_index();  // first index in messages of this thread
  parallel_for(threads, mine_.count, [&](std::int64_t task, int /*thread*/) {
    const auto found =
        first_misfit(form_, values.subspan(static_cast<std::size_t>(task * each), static_cast<std::size_t>(each)));
    if (!found) return;
    refuse_output("solution",
                  fmt::format("{:e} is too long for a record of {} bytes: dimension {} of point {} of local "
                              "problem {}, counted from {}",
                              found->value, form_.record_bytes, found->dimension + one, found->point + one,
                              mine_.first + task + one, one),
                  "write records of 14 bytes, or numbers with exponents of two digits");
  });
}

void SolutionWriter::write_phase(std::int64_t step, std::span<const double> values, Memory memory) {
  OutputCall call(resources_.meter);
  const bool copied = copies(values, memory);
  phases_->write(
      call, {step, unequal_steps_of("solution")}, [&] { return phase_at(step, values, copied); },
      copied ? Memory::lent : memory);
}

// Returns true if the call copies the values, so that they are converted to text after the call.
bool SolutionWriter::copies(std::span<const double> values, Memory memory) const {
  return memory == Memory::copied && static_cast<std::int64_t>(values.size_bytes()) <= copied_bytes_;
}

OutputPhase SolutionWriter::phase_at(std::int64_t step, std::span<const double> values, bool copied) {
  if (is_closed_)
    refuse_output("solution", "a phase is written after the writer was closed",
                  "close the writer after the last phase");
  if (step <= last_step_) {
    refuse_output(
        "solution",
        step < 0 ? fmt::format("the step is {}", step) : fmt::format("step {} after step {}", step, last_step_),
        "count steps upwards from 0");
  }
  require_values(values);
  const auto held = std::make_shared<Held>(spare_);
  if (copied) {
    if (!spare_.empty()) {
      held->copied = std::move(spare_.back());
      spare_.pop_back();
    }
    held->copied.assign(values.begin(), values.end());
    values = held->copied;
  }
  OutputPhase phase = solution_phase(resources_, folder_, {form_, step}, mine_, held);
  std::vector<Extent> extents;
  const std::int64_t count = form_.files == Files::each ? mine_.count : std::min<std::int64_t>(1, mine_.count);
  for (std::int64_t i = 0; i < count; ++i) {
    held->texts.emplace_back(form_, values.data() + i * values_of(form_));
    const std::int64_t problems = form_.files == Files::each ? 1 : mine_.count;
    extents.push_back(solution_extent(phase, form_, mine_, {mine_.first + i, problems}, held->texts.back()));
  }
  phase.plan = AccessPlan::for_writing(std::move(extents));
  phase.begun = [this, step] { last_step_ = step; };
  return phase;
}

void SolutionWriter::wait() {
  const OutputCall call(resources_.meter);
  phases_->wait();
}

void SolutionWriter::close() {
  const OutputCall call(resources_.meter);
  is_closed_ = true;
  const std::optional<Error> first = attempt_together(resources_.comm, [&] { phases_->wait(); });
  lock_.reset();
  if (first) throw Error(*first);
}

}  // namespace sill
