// The solution output of MHM as its kernel MSLIO mimics it: many local problems, one text per problem and output phase.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

#include "kernels/kernels.hpp"
#include "kernels/stdio_file.hpp"
#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/store/mpiio/mpiio_store.hpp"
#include "sill/store/posix/folder.hpp"
#include "sill/store/striping.hpp"

namespace sill::kernels {
namespace {

using solution::Files;

solution::Form form_of_run(const SolutionRun& run, const std::string& folder) {
  solution::Form form{.problems = std::int64_t{1} << (2 * run.ccross),
                      .sub_elements = run.sub_elements,
                      .dimensions = run.dimensions,
                      .record_bytes = run.record_bytes,
                      .files = run.files};
  require_possible(form);
  if (run.align_to_stripes) form = aligned_to(form, stripe_bytes_of(existing_folder(folder)));
  if (run.chunk_align_bytes > 0) form = aligned_to(form, run.chunk_align_bytes);
  require_possible(form);
  if (run.phases > std::numeric_limits<std::int64_t>::max() / phase_bytes(form)) {
    throw usage_error(fmt::format("{} phases exceed any disk", run.phases));
  }
  return form;
}

const char* record_of(const solution::Form& form) { return form.record_bytes == 13 ? "%12.5e\n" : "%13.5e\n"; }

// Returns the value of problem, point and dimension, from 0, in a phase, from 1.
double solution_value(std::int64_t problem, std::int64_t point, int dimension, std::int64_t phase) {
  return varied_value(problem, point, phase * 1009 + dimension);
}

// Returns the triangle of a problem, in a square of 1 by 1.
solution::Element solution_element(int ccross, std::int64_t problem) {
  if (ccross == 0) return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
  const std::int64_t squares = std::int64_t{1} << (ccross - 1);  // along an edge
  const double edge = 1.0 / static_cast<double>(squares);
  const double x = static_cast<double>(problem / 4 % squares) * edge;
  const std::int64_t row = problem / 4 / squares;
  const double y = static_cast<double>(row) * edge;
  const std::array<std::array<double, 3>, 4> corners{
      {{x, y, 0}, {x + edge, y, 0}, {x + edge, y + edge, 0}, {x, y + edge, 0}}};
  const auto side = static_cast<std::size_t>(problem % 4);
  return {{corners[side], corners[(side + 1) % 4], {x + edge / 2, y + edge / 2, 0}}};
}

// The solution files of MHM. `paths` and `file_bytes` include only files that MSLIO writes: no indexes of phases and
// no descriptions of problems.
class SolutionKernel final : public Kernel {
 public:
  SolutionKernel(KernelSetting setting, SolutionRun run)
      : Kernel(std::move(setting), "mslio"), run_(run), form_(form_of_run(run_, folder())) {}

  [[nodiscard]] std::string sizes() const override {
    return fmt::format("{}, {}, {}", format_count(form_.problems, "local problem"),
                       format_count(form_.sub_elements, "sub-element"), format_count(form_.dimensions, "dimension"));
  }

  [[nodiscard]] KernelNumbers numbers() const override {
    return {{"ccross", run_.ccross},
            {"sub_elements", run_.sub_elements},
            {"dimensions", run_.dimensions},
            {"record_width", run_.record_bytes},
            {"problems", form_.problems},
            {"shared", run_.files == Files::shared ? 1 : 0},
            {"chunk_bytes", chunk_bytes(form_)}};
  }

  [[nodiscard]] std::vector<std::string> paths() const override {
    std::vector<std::string> paths;
    const std::int64_t files = form_.files == Files::shared ? 1 : form_.problems;
    for (std::int64_t phase = 1; phase <= run_.phases; ++phase) {
      for (std::int64_t p = 0; p < files; ++p) paths.push_back(path(p, phase));
    }
    return paths;
  }

  /// Local. Returns the indexes, and the descriptions of problems.
  [[nodiscard]] std::vector<std::string> paths_beside() const override {
    std::vector<std::string> paths;
    for (std::int64_t phase = 1; phase <= run_.phases; ++phase) {
      paths.push_back(fmt::format("{}/{}", folder(), solution::index_name(phase)));
    }
    if (!run_.describe) return paths;
    for (const char* name : {"elements.txt", "parameters.txt"}) paths.push_back(fmt::format("{}/{}", folder(), name));
    for (std::int64_t p = 0; form_.files == Files::each && p < form_.problems; ++p) {
      for (const char* name : {"element.txt", "parameters.txt", "mesh.txt"}) {
        paths.push_back(fmt::format("{}/{}/{}", folder(), solution::problem_folder(p), name));
      }
    }
    return paths;
  }

  [[nodiscard]] std::int64_t file_bytes() const override { return run_.phases * phase_bytes(form_); }

  /// Collective. Writes with a SolutionWriter.
  void write(const Resources& resources, RunClock& clock) const override {
    Communicator& comm = resources.comm;
    SolutionWriter writer(resources, output(comm));
    if (run_.describe) {
      resources.begin_stage("describing local problems", 0);
      const std::vector<solution::Element> elements = run_and_agree(comm, [&] {
        std::vector<solution::Element> made;
        for (std::int64_t p = writer.problems().first; p < writer.problems().end(); ++p) {
          made.push_back(solution_element(run_.ccross, p));
        }
        return made;
      });
      writer.write_problem_files(elements, fmt::format("ccross {}\nsub-elements {}\n", run_.ccross, run_.sub_elements));
    }
    std::vector<double> values = run_and_agree(comm, [&] {
      return std::vector<double>(static_cast<std::size_t>(writer.problems().count * values_of(form_)));
    });
    clock.begin_loop();
    begin_phases(resources, writer.problems());
    for (std::int64_t phase = 1; phase <= run_.phases; ++phase) {
      compute();
      if (run_.lends) clock.output([&] { writer.wait(); });
      run_and_agree(comm, [&] { fill(writer.problems(), phase, resources.threads(), values); });
      clock.output([&] { writer.write_phase(phase, values, run_.lends ? Memory::lent : Memory::copied); });
      count_done(resources.progress, writer.problems().count * chunk_bytes(form_));
    }
    clock.output([&] { writer.close(); });
    clock.costs.phases = run_.phases;
  }

  /// Collective. Distributes a rank's problems over threads. For each problem, opens a file, prints it value by value,
  /// and closes it. A shared file, which MSLIO writes by independent calls of MPI-IO, gets one call per value.
  void write_as_original(const Resources& resources, Meter& meter, RunClock& clock) const override {
    Communicator& comm = resources.comm;
    const ItemRange mine = problems_of(comm);
    run_on_rank(comm, 0, [&] { make_folder(folder()); });
    const OutputLock lock(comm, folder(), OutputOf::solutions);
    run_on_rank(comm, 0, [&] {
      for (std::int64_t phase = 1; phase <= run_.phases; ++phase) {
        // The index would describe files of an earlier run, and an existing shared file may be longer.
        (void)::unlink(fmt::format("{}/{}", folder(), solution::index_name(phase)).c_str());
        if (form_.files == Files::shared) (void)::unlink(path(0, phase).c_str());
      }
    });
    std::vector<double> values = run_and_agree(comm, [&] {
      if (form_.files == Files::each) {
        parallel_for(resources.threads(), mine.count, [&](std::int64_t task, int /*thread*/) {
          make_folder(fmt::format("{}/{}", folder(), solution::problem_folder(mine.first + task)));
        });
      }
      return std::vector<double>(static_cast<std::size_t>(mine.count * values_of(form_)));
    });
    clock.begin_loop();
    begin_phases(resources, mine);
    for (std::int64_t phase = 1; phase <= run_.phases; ++phase) {
      compute();
      run_and_agree(comm, [&] { fill(mine, phase, resources.threads(), values); });
      clock.output([&] {
        run_and_agree(comm, [&] {
          if (form_.files == Files::each) {
            print_files(mine, phase, values, resources.threads(), meter);
          } else {
            write_chunks(mine, phase, values, meter);
          }
        });
      });
      count_done(resources.progress, mine.count * chunk_bytes(form_));
    }
    clock.costs.phases = run_.phases;
  }

  [[nodiscard]] std::optional<OutputOf> locked_as() const override { return OutputOf::solutions; }
  void count_formatting(const Resources& resources, Meter& meter) const override {
    const ItemRange problems = problems_of(resources.comm);
    const int threads = form_.files == Files::each ? resources.threads() : 1;
    const char* const record = record_of(form_);
    run_and_agree(resources.comm, [&] {
      std::vector<double> values(static_cast<std::size_t>(values_of(form_)));
      fill({problems.first, std::min<std::int64_t>(1, problems.count)}, 1, 1, values);
      run_on_threads(threads, [&](int thread) {
        std::array<char, 40> text{};
        const PrepareTimer timer(&meter);
        for (std::int64_t left = run_.phases * block_of(problems.count, threads, thread).count; left > 0; --left) {
          for (const double value : values) (void)std::snprintf(text.data(), text.size(), record, value);
        }
      });
    });
  }

  /// Collective. Computes the expected text with printf.
  void verify(const Resources& resources) const override {
    Communicator& comm = resources.comm;
    resources.begin_stage("verifying files", 0);
    const ItemRange mine = problems_of(comm);
    const std::int64_t points = (run_.sub_elements + 1) * (run_.sub_elements + 2) / 2;
    const char* const record = run_.record_bytes == 13 ? "%12.5e\n" : "%13.5e\n";
    const auto text_of = [&](std::int64_t problem, std::int64_t phase) {
      std::string text;
      for (int d = 0; d < run_.dimensions; ++d) {
        for (std::int64_t i = 0; i < points; ++i) text += printed(record, solution_value(problem, i, d, phase));
      }
      if (form_.files == Files::shared && form_.stride_bytes > std::ssize(text)) {
        text.resize(static_cast<std::size_t>(form_.stride_bytes - 1), ' ');
        text += '\n';
      }
      return text;
    };
    run_and_agree(comm, [&] {
      for (std::int64_t phase = 1; phase <= run_.phases; ++phase) {
        if (form_.files == Files::each) {
          parallel_for(resources.threads(), mine.count, [&](std::int64_t task, int /*thread*/) {
            require_content(path(mine.first + task, phase), text_of(mine.first + task, phase));
          });
        } else if (phase % comm.size() == comm.rank()) {  // one file per rank, in turn
          require_content(path(0, phase), phase_bytes(form_), [&](ExpectedContent& expected) {
            for (std::int64_t problem = 0; problem < form_.problems; ++problem) expected.add(text_of(problem, phase));
          });
        }
      }
    });
  }

 private:
  [[nodiscard]] SolutionOutput output(const Communicator& comm) const {
    return {.folder = folder(),
            .my_problems = problems_of(comm).count,
            .sub_elements = run_.sub_elements,
            .dimensions = run_.dimensions,
            .record_bytes = run_.record_bytes,
            .files = run_.files,
            .chunk_align_bytes = form_.stride_bytes};
  }

  [[nodiscard]] ItemRange problems_of(const Communicator& comm) const {
    return block_of(form_.problems, comm.size(), comm.rank());
  }

  [[nodiscard]] std::string path(std::int64_t problem, std::int64_t phase) const {
    return solution::solution_path(folder(), form_, problem, phase);
  }

  void fill(ItemRange problems, std::int64_t phase, int threads, std::vector<double>& values) const {
    const std::int64_t points = solution::points_of(form_.sub_elements);
    parallel_for(threads, problems.count, [&](std::int64_t task, int /*thread*/) {
      double* to = values.data() + task * values_of(form_);
      for (std::int64_t i = 0; i < points; ++i) {
        for (int d = 0; d < form_.dimensions; ++d) *to++ = solution_value(problems.first + task, i, d, phase);
      }
    });
  }

  // The progress within a single phase is unknown.
  void begin_phases(const Resources& resources, ItemRange mine) const {
    resources.begin_stage("writing phases", run_.phases > 1 ? run_.phases * mine.count * chunk_bytes(form_) : 0);
  }

  void print_files(ItemRange problems, std::int64_t phase, const std::vector<double>& values, int threads,
                   Meter& meter) const {
    const std::int64_t points = solution::points_of(form_.sub_elements);
    const char* const record = record_of(form_);
    // Distributes problems as OpenMP distributes the iterations of a loop: neighbouring ones to the same thread.
    run_on_threads(threads, [&](int thread) {
      const ItemRange mine = block_of(problems.count, threads, thread);
      for (std::int64_t p = mine.first; p < mine.end(); ++p) {
        const double* const of_problem = values.data() + p * values_of(form_);
        StdioFile file(path(problems.first + p, phase), "w", meter);
        for (int d = 0; d < form_.dimensions; ++d) {
          for (std::int64_t i = 0; i < points; ++i) file.print(record, of_problem[i * form_.dimensions + d]);
        }
        file.close();
      }
    });
  }

  // Uses one thread, because only the thread that initialized MPI may call it.
  void write_chunks(ItemRange problems, std::int64_t phase, const std::vector<double>& values, Meter& meter) const {
    if (problems.empty()) return;
    const std::int64_t points = solution::points_of(form_.sub_elements);
    const char* const record = record_of(form_);
    std::string gap(static_cast<std::size_t>(chunk_bytes(form_) - problem_bytes(form_)), ' ');  // none in MSLIO
    if (!gap.empty()) gap.back() = '\n';
    const std::unique_ptr<Store> store = metered(open_mpiio(path(0, phase), OpenMode::write_or_create), meter);
    for (std::int64_t p = 0; p < problems.count; ++p) {
      std::int64_t at = (problems.first + p) * chunk_bytes(form_);
      const double* const of_problem = values.data() + p * values_of(form_);
      for (int d = 0; d < form_.dimensions; ++d) {
        for (std::int64_t i = 0; i < points; ++i) {
          std::array<char, 40> text{};
          (void)std::snprintf(text.data(), text.size(), record, of_problem[i * form_.dimensions + d]);
          const auto bytes = static_cast<std::size_t>(form_.record_bytes);
          write_at(*store, at, std::as_bytes(std::span(text)).first(bytes));
          at += form_.record_bytes;
        }
      }
      if (!gap.empty()) write_at(*store, at, std::as_bytes(std::span(gap)));
    }
    store->close();
  }

  SolutionRun run_;
  solution::Form form_;
};

}  // namespace

std::unique_ptr<Kernel> make_solution_kernel(KernelSetting setting, SolutionRun run) {
  return std::make_unique<SolutionKernel>(std::move(setting), run);
}

}  // namespace sill::kernels
