// Output of multiscale simulations: the results of each local problem, as text, in output phases.
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

/// The output of solutions, the same on all ranks except for `my_problems`.
struct SolutionOutput {
  std::string folder;  ///< folder of all files, created if it does not exist
  /// Number of local problems of this rank, 0 or more. Problems are numbered rank by rank, starting with rank 0.
  std::int64_t my_problems = 0;
  std::int64_t sub_elements = 64;
  int dimensions = 1;     ///< values per point
  int record_bytes = 13;  ///< bytes per value; 14 are enough for every double
  solution::Files files = solution::Files::each;
  /// The alignment of chunks in a shared file. 0: no gaps between chunks; otherwise chunks begin at multiples of this
  /// number. With `align_to_stripes`, chunks begin at multiples of the stripe size that the file system reports for the
  /// folder.
  std::int64_t chunk_align_bytes = 0;
  bool align_to_stripes = false;
};

/// Writes the solutions of local problems in each phase: one file per problem, in its folder, or one file for all
/// problems, next to an index that exists if and only if they are complete (formats/solution). The bytes do not depend
/// on the distribution of problems over ranks, the policy or the number of threads.
///
///     SolutionWriter solutions(resources, {.folder = "out", .my_problems = 512, .sub_elements = 64});
///     for (step = 1; step <= steps; ++step) {
///       ...
///       if (step % 10 == 0) solutions.write_phase(step, values);
///     }
///     solutions.close();
///
/// A phase is complete when its index exists; with Policy::async = k at the latest when k further phases have begun. If
/// the writer is destroyed before `close`, unfinished phases may be lost; phases with an index remain.
class SolutionWriter {
 public:
  /// Collective. Creates the folder and, with Files::each, the folders of the problems. A folder belongs to one writer:
  /// the indexes of all phases in it are removed before any other file is changed, and then the descriptions of these
  /// problems. Otherwise solutions of one run could be combined with elements of another. `resources` outlive it.
  /// Errors: usage if ranks were given different outputs, or an invalid one (solution::require_possible); io, also
  /// if another writer, of this or any other program, has the folder.
  SolutionWriter(const Resources& resources, const SolutionOutput& output);
  SolutionWriter(const SolutionWriter&) = delete;
  SolutionWriter& operator=(const SolutionWriter&) = delete;

  /// Local. Returns the problems of this rank.
  [[nodiscard]] ItemRange problems() const { return mine_; }
  /// Local. Returns the form of the files of a phase.
  [[nodiscard]] const solution::Form& form() const { return form_; }

  /// Collective. Writes the files that describe each problem; called once. With Files::each these are element.txt,
  /// parameters.txt and mesh.txt in its folder; with Files::shared elements.txt, with one line per problem, and one
  /// parameters.txt. `elements` are the elements of this rank's problems; `parameters` is any text of rank 0. The files
  /// are small; the rank that has the problem writes them under any policy. Errors: usage if an element is missing, or
  /// if a coordinate is not a number below 1e98; io.
  void write_problem_files(std::span<const solution::Element> elements, std::string parameters);

  /// Collective. Writes the solutions of output step `step`, which is part of the file names and must increase from
  /// call to call. `values`: problem after problem, in each problem point after point, all dimensions of a point
  /// together. The caller may change them after the call; lent values only after `wait` or `close`. With Policy::async
  /// at most that many phases are unfinished when the call returns; phases whose requests are finished on all ranks get
  /// their index in the next call. The threads that write make the text in the background, from lent values, or from a
  /// copy if half of the memory of a phase has room for it; otherwise the call makes the text. Text that the policy
  /// assigns to other ranks is made and sent in the call. An error of an earlier phase, which then has no index, may be
  /// thrown here; the phase passed to the call is written nevertheless, and its step must not be passed again. The
  /// phases in flight share the memory and the threads of the resources. Errors: usage for another number of values,
  /// for a number that is too long for its record (naming problem, point, dimension, value), if the step differs
  /// between ranks or is not above the previous steps, after `close` (nothing is written in these cases); io. Finished
  /// phases remain unchanged.
  void write_phase(std::int64_t step, std::span<const double> values, Memory memory = Memory::copied);

  /// Collective. Waits until all phases begun so far are finished: their indexes exist, and the caller may change lent
  /// values. Errors: as write_phase; the first error is thrown after the other phases are finished too.
  void wait();

  /// Collective. Waits as `wait` does, and releases the folder for other writers. Errors: as `wait`. A second call does
  /// nothing.
  void close();

  /// Local. Returns the size of the solution files of one phase in bytes.
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
  // The data that a phase uses until it has ended; then copies return to `spare_`.
  struct Held {
    std::vector<std::vector<double>>& spare;
    std::vector<double> copied;
    std::deque<Text> texts;
    ~Held() {
      if (copied.capacity() > 0) spare.push_back(std::move(copied));  // which has room for it
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
  std::int64_t copied_bytes_ = 0;           // limit of the copied values of each phase
  std::vector<std::vector<double>> spare_;  // memory of copies of ended phases
  bool is_closed_ = false;
  std::unique_ptr<PhaseWriter> phases_;
};

}  // namespace sill
