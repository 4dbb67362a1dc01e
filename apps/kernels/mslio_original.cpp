// The solution output with the requests of MSLIO: the reference for bytes and time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

#include "kernels/mslio.hpp"
#include "kernels/stdio_file.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/simulation/output_lock.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/store/mpiio/mpiio_store.hpp"
#include "sill/store/posix/folder.hpp"

namespace sill::kernels {
namespace {

using solution::Files;

const char* record_of(const solution::Form& form) { return form.record_bytes == 13 ? "%12.5e\n" : "%13.5e\n"; }

}  // namespace

void SolutionKernel::print_files(ItemRange problems, std::int64_t phase, const std::vector<double>& values, int threads,
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

void SolutionKernel::count_formatting(const Resources& resources, Meter& meter) const {
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

// Uses one thread, because only the thread that initialized MPI may call it.
void SolutionKernel::write_chunks(ItemRange problems, std::int64_t phase, const std::vector<double>& values,
                                  Meter& meter) const {
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

KernelCosts SolutionKernel::run_original(const Resources& resources, Meter& meter) const {
  Communicator& comm = resources.comm;
  const ItemRange mine = problems_of(comm);
  RunClock clock(comm);
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
    compute(compute_ms());
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
  return clock.finish();
}

}  // namespace sill::kernels
