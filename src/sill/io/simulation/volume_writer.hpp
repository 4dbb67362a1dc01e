// Volume output of a wave simulation: every few points of a distributed grid, several samples in time a file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/formats/volume/sample.hpp"
#include "sill/formats/volume/volume_file.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/distributed_grid.hpp"
#include "sill/io/simulation/phase_writer.hpp"
#include "sill/layout/box.hpp"
#include "sill/move/mover.hpp"

namespace sill {

/// What is written, the same on all ranks. In AWP-ODC's words: NBG - 1, NED - 1 and NSKP of x, y and z; NTISKP;
/// WRITE_STEP.
struct VolumeOptions {
  std::string prefix = {};         ///< put before the files' names as it is; of a folder it ends with a slash
  std::string components = "XYZ";  ///< which of them have files
  volume::KeptPoints kept = {{{0, -1, 1}, {0, -1, 1}, {0, -1, 1}}};  ///< a last of -1: to the last of the grid
  std::int64_t steps_per_sample = 1;  ///< a sample at each step that is a multiple of this
  std::int64_t samples_per_file = 1;  ///< files end at steps that are multiples of both
  std::int64_t first_step = 1;        ///< of the first call of `write_step`
  /// The step after which an earlier run is gone on with, so that the first call is of the next one; 0: a new run.
  std::int64_t continues_after = 0;
  PointOrder order = PointOrder::x_fastest;              ///< of the arrays
  volume::Surface surface = volume::Surface::at_last_z;  ///< files begin there
};

/// Writes one file a component and batch of samples, in the format and with the names of AWP-ODC
/// (formats/volume/volume_file.hpp). The bytes do not depend on how the grid is distributed to ranks, nor on the
/// policy.
///
///     VolumeWriter volumes(resources, {.shape = {400, 200, 100}, .mine = mine}, {.prefix = "out/",
///                          .kept = {{{0, -1, 2}, {0, -1, 2}, {0, -1, 2}}}, .samples_per_file = 20});
///     for (step = 1; step <= steps; ++step) {
///       ...
///       volumes.write_step(step, {vx, vy, vz});
///     }
///     volumes.close();
///
/// **Memory.** Samples of batches of more than one are kept until their file is full: `kept_bytes()` on this rank, its
/// kept points x samples_per_file x components x 4 bytes, and with a policy that writes straight from there behind the
/// computation (Policy::keeps_lent_memory) that again for each of Policy::async batches. Batches of one whose points
/// lie one behind the other (x varies fastest, each point in x is kept) are written from the caller's arrays, and
/// nothing is kept; other batches of one are kept for the call. That memory is only reserved when the writer is made,
/// and refused where it is more than this rank's share of the memory of its node, `memory_limit_bytes()` divided by the
/// ranks there; pages are taken when samples are first put there. Buffers of the policy come on top, as `resources`
/// say.
///
/// **Going on with an earlier run** (VolumeOptions::continues_after), whatever its ranks: files of later steps are
/// removed, and if a batch was unfinished at that step, its samples are read from the file that `close` left of them,
/// which is removed when the batch is complete: in the end the files are those of one run.
///
/// A file has its name once it is complete. A batch that fails has no files, unless it was the renaming itself that
/// failed: those of its components before that one have theirs then. Other batches are as if it had not failed. What
/// was not closed when the writer is destroyed may be lost; files that have their names stay.
class VolumeWriter {
 public:
  /// Collective. `resources` outlive it. Any decomposition into boxes will do; ranks need not have points, nor any that
  /// is kept. Errors: usage if ranks were given different grids or options, if a box does not lie where it must, if the
  /// points to be kept are not in the grid or not all some rank's, or for components, steps or samples that make no
  /// file, or one whose bytes, times components and batches in memory, are no 64-bit number; input if samples of a run
  /// that is gone on with are in no file; io if the folder of the files is not there or cannot be written to, or if
  /// there is no memory for the samples of a rank (see above).
  VolumeWriter(const Resources& resources, DistributedGrid grid, VolumeOptions options);
  VolumeWriter(const VolumeWriter&) = delete;
  VolumeWriter& operator=(const VolumeWriter&) = delete;

  /// Collective. Called once a time step, steps following one another, with the arrays as the rank stores them; those
  /// of components without files are not looked at, and none is where nothing is sampled. Ranks talk only where a batch
  /// is full; it is written then, and what was wrong on any rank since the last batch is thrown. The arrays are the
  /// caller's again when it returns, unless they are lent and written from (see above): then after `wait` or `close`.
  /// At most Policy::async batches are unfinished when it returns; an error of one before is thrown once this one has
  /// begun. Errors: usage if an array does not have as many values as the rank stores points, if the step is not the
  /// next one, if ranks took different numbers of samples, after `close`, or if two ranks hold the same kept point; io.
  void write_step(std::int64_t step, const VectorField& field, Memory memory = Memory::copied);

  /// Collective. Finishes all batches that were begun: lent arrays are the caller's again. Errors: as write_step: the
  /// first, once the others are finished too.
  void wait();

  /// Collective. Writes the last batch with the samples it has, its file named for the last of them, and finishes all.
  /// Errors: as wait. A second call does nothing.
  void close();

  /// Local. The memory for kept samples of this rank.
  [[nodiscard]] std::int64_t kept_bytes() const;
  /// Local. The bytes of the files of one full batch.
  [[nodiscard]] std::int64_t batch_bytes() const;
  /// Local. Batches that were begun.
  [[nodiscard]] std::int64_t batches() const { return batches_; }

 private:
  using Values = std::unique_ptr<float[]>;
  // Lends a batch's values to its requests, and takes them back.
  struct Lent {
    Values values;
    std::vector<Values>& free;
    ~Lent() {
      if (values != nullptr) free.push_back(std::move(values));  // for which it has room
    }
  };

  void choose_points();
  void require_countable_bytes() const;
  void take_memory();
  void require_sample(const VectorField& field) const;
  void buffer_sample(const VectorField& field);
  void end_batch(const VectorField& field, Memory memory, OutputCall& call);
  // Collective.
  void continue_files();
  [[nodiscard]] std::vector<Extent> batch_extents(std::int64_t samples, const VectorField& field) const;
  [[nodiscard]] std::vector<std::string> targets() const;
  [[nodiscard]] std::int64_t buffers() const;

  const Resources& resources_;
  DistributedGrid grid_;
  VolumeOptions options_;
  volume::FileForm form_;     // of a full batch
  Box part_;                  // of the kept points, this rank's
  volume::Sample sample_;     // where they lie in its arrays, if there are any
  bool is_buffered_ = false;  // whether samples are kept: on all ranks or on none
  Values filling_;
  std::vector<Values> free_;
  std::int64_t next_step_ = 0;
  std::int64_t last_sample_step_ = 0;
  std::int64_t buffered_samples_ = 0;
  std::int64_t batches_ = 0;
  std::vector<std::string> unfinished_;  // files of an earlier run with the first samples of this batch
  std::optional<Error> noticed_;         // on this rank, since the last batch
  bool is_closed_ = false;
  std::optional<PhaseWriter> phases_;  // last: its requests end before the memory that they may work from
};

}  // namespace sill
