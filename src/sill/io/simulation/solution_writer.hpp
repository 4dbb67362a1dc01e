// Output of multiscale simulations: what each local problem computed, as text, phase by phase.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/formats/solution/local_mesh.hpp"
#include "sill/formats/solution/solution_file.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/output_lock.hpp"
#include "sill/io/simulation/solution_phase.hpp"

namespace sill {

/// What is written, the same on all ranks but for `my_problems`.
struct SolutionOutput {
  std::string folder;  ///< of all files; made if it is not there
  /// How many local problems this rank has, none included. Those of rank 0 come first, then those of rank 1, and so on.
  std::int64_t my_problems = 0;
  std::int64_t sub_elements = 64;
  int dimensions = 1;     ///< values per point
  int record_bytes = 13;  ///< 14: every double has room
  solution::Files files = solution::Files::each;
  /// Where chunks of a shared file begin: 0: packed; else at multiples of so many bytes, or, with `align_to_stripes`,
  /// of the stripes that the file system reports for the folder.
  std::int64_t chunk_align_bytes = 0;
  bool align_to_stripes = false;
};

/// Writes the solutions of local problems each phase: a file a problem, in its folder, or one for all, beside an index
/// whose existence means that they are complete (formats/solution). The bytes do not depend on how problems are
/// distributed to ranks, on the policy or the number of threads.
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
  /// Collective. Makes the folder and, with Files::each, those of the problems. A folder is that of one writer: the
  /// indexes of all phases that are in it are removed, before any other file is touched, and then what describes the
  /// problems of this one; else solutions of one run would be taken together with elements of another. `resources`
  /// outlive it. Errors: usage if ranks were given different outputs, or one that cannot be
  /// (solution::require_possible); io, also if another writer, of this or any other program, has the folder.
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
  /// With Policy::async at most that many phases are unfinished when it returns; phases whose requests all ranks have
  /// done get their index in the next call. Values are the caller's again then; lent ones stay as they are until `wait`
  /// or `close`. Text is made by the threads that write, behind the call, of lent values and of copied ones, for which
  /// half of the memory of a phase must have room: else the call makes it. What the policy gives other ranks to write
  /// is made and sent in the call. An error of an earlier phase, which has no index then, may be thrown here: the phase
  /// handed over is written all the same, and its step is not to be given again. Takes memory as `resources` say,
  /// shared by the phases in flight, and all of them together no more threads than those. Errors: usage for another
  /// number of values, for a number that is too long for its
  /// record (naming problem, point, dimension, value), if the step differs between ranks or is not above those before,
  /// after `close`: nothing is written then; io. Phases that were finished stay as they are.
  void write_phase(std::int64_t step, std::span<const double> values, Memory memory = Memory::copied);

  /// Collective. Finishes all phases begun so far: they have their indexes, and lent values are the caller's again.
  /// Errors: as write_phase: the first, once the others are finished too.
  void wait();

  /// Collective. Finishes all phases, and lets other writers have the folder. Errors: as write_phase: the first, once
  /// the others are finished too. A second call does nothing.
  void close();

  /// Local. The bytes of the solution files of one phase.
  [[nodiscard]] std::int64_t phase_bytes() const { return solution::phase_bytes(form_); }

 private:
  void write_small_file(const std::string& path, std::string_view text) const;
  void require_values(std::span<const double> values) const;
  // Chunks of neighbouring problems, from the memory of the caller or of a phase.
  class Text : public Encoder {
   public:
    Text(const solution::Form& form, const double* values) : form_(form), values_(values) {}
    void fill(ByteRange range, std::span<std::byte> bytes) const override {
      solution::write_text(form_, values_, range, bytes);
    }
    [[nodiscard]] bool is_for_threads() const override { return true; }

   private:
    const solution::Form& form_;
    const double* values_;
  };
  // What a phase works from until it has ended; then copies go back to `spare_`.
  struct Held {
    std::vector<std::vector<double>>& spare;
    std::vector<double> copied;
    std::deque<Text> texts;
    ~Held() {
      if (copied.capacity() > 0) spare.push_back(std::move(copied));  // for which it has room
    }
  };
  [[nodiscard]] bool copies(std::span<const double> values, Memory memory) const;
  [[nodiscard]] OutputPhase phase_at(std::int64_t step, std::span<const double> values, bool copied);

  const Resources& resources_;
  std::string folder_;
  solution::Form form_;
  ItemRange mine_;
  std::int64_t last_step_ = -1;
  std::optional<OutputLock> lock_;
  std::int64_t copied_bytes_ = 0;           // of values that each phase may hold
  std::vector<std::vector<double>> spare_;  // where copies of phases were that have ended
  bool is_closed_ = false;
  std::unique_ptr<PhaseWriter> phases_;
};

}  // namespace sill
