// Output of multiscale simulations: what each local problem computed, as text, phase by phase.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sill/base/error.hpp"
#include "sill/formats/solution/local_mesh.hpp"
#include "sill/formats/solution/solution_file.hpp"
#include "sill/io/phases_in_flight.hpp"
#include "sill/io/resources.hpp"
#include "sill/io/solution_phase.hpp"

namespace sill {

/// What is written, the same on all ranks but for `my_problems`.
struct SolutionOutput {
  std::string folder;  ///< of all files; made if it is not there
  /// How many local problems this rank has, none included. Those of rank 0 come first, then those of rank 1, and so on.
  std::int64_t my_problems = 0;
  std::int64_t sub_elements = 64;
  int dimensions = 1;     ///< values a point
  int record_bytes = 13;  ///< 14: every double has room
  solution::Files files = solution::Files::each;
  /// Where chunks of a shared file begin: 0: packed; else at multiples of so many bytes, or, with `align_to_stripes`,
  /// of the stripes that the file system tells of the folder.
  std::int64_t chunk_align_bytes = 0;
  bool align_to_stripes = false;
};

/// Writes the solutions of local problems each phase: a file a problem, in its folder, or one for all, beside an index
/// that tells that they are complete (formats/solution). The bytes do not depend on how problems are dealt to ranks,
/// on the policy or the number of threads.
///
///     SolutionWriter solutions(resources, {.folder = "out", .my_problems = 512, .sub_elements = 64});
///     for (step = 1; step <= steps; ++step) {
///       ...
///       if (step % 10 == 0) solutions.write_phase(step, values);
///     }
///     solutions.close();
///
/// A phase is complete when its index is there, with Policy::async at the latest when k further phases have begun. What
/// was not closed when the writer is destroyed may be lost; phases that have an index stay.
class SolutionWriter {
 public:
  /// Collective. Makes the folder and, with Files::each, those of the problems. The indexes of all phases that are in
  /// the folder are removed, before any file is touched: an earlier run's would tell that its solutions are complete,
  /// beside the elements of this one. So a folder is that of one writer. `resources` outlive it. Errors: usage
  /// if ranks were given different outputs, or one that cannot be (solution::require_possible); io.
  SolutionWriter(const Resources& resources, const SolutionOutput& output);
  SolutionWriter(const SolutionWriter&) = delete;
  SolutionWriter& operator=(const SolutionWriter&) = delete;

  /// Local. The problems that this rank has.
  [[nodiscard]] ItemRange problems() const { return mine_; }
  /// Local. What the files of a phase are.
  [[nodiscard]] const solution::Form& form() const { return form_; }

  /// Collective. Writes once what is to be known of each problem beside its solutions. With Files::each into its
  /// folder: element.txt, parameters.txt, mesh.txt; with Files::shared "elements.txt", a line a problem, and one
  /// parameters.txt. `elements` are those of this rank's problems; `parameters`, any text, of rank 0. Small files,
  /// written by the rank that has the problem, whatever the policy. Errors: usage if an element is missing, or its
  /// coordinates are no numbers below 1e98; io.
  void write_problem_files(std::span<const solution::Element> elements, std::string parameters);

  /// Collective. Writes the solutions as they are at output step `step`, which goes into the files' names and grows
  /// from call to call. `values`: problem after problem, in each point after point, all dimensions of a point together.
  /// They are the caller's again when it returns. At most Policy::async phases are unfinished then. An error of an
  /// earlier phase, which has no index then, may be thrown here: the phase handed over is written all the same, and its
  /// step is not to be given again. Takes memory as `resources` say,
  /// shared by the phases in flight. Errors: usage for another number of values, for a number that is too long for its
  /// record (naming problem, point, dimension, value), if the step differs between ranks or is not above those before,
  /// after `close`: nothing is written then; io. Phases that were finished stay as they are.
  void write_phase(std::int64_t step, std::span<const double> values);

  /// Collective. Finishes all phases. Errors: as write_phase: the first, once the others are finished too. A second
  /// call does nothing.
  void close();

  /// Local. The bytes of the solution files of one phase.
  [[nodiscard]] std::int64_t phase_bytes() const { return solution::phase_bytes(form_); }

 private:
  void write_small_file(const std::string& path, std::string_view text) const;
  void require_values(std::span<const double> values) const;
  struct Phase {
    std::optional<SolutionPhase> files;
    void finish() { files->finish(); }
  };
  void begin(Phase& phase, std::int64_t step, std::span<const double> values);

  const Resources& resources_;
  std::string folder_;
  solution::Form form_;
  ItemRange mine_;
  std::int64_t last_step_ = -1;
  PhasesInFlight<Phase> in_flight_;
  std::int64_t memory_bytes_ = 0;  // for each of them
  bool is_closed_ = false;
};

}  // namespace sill
