// Volume output of a wave simulation: a regular selection of points of a distributed grid, several time samples per
// file.
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

/// Options of volume output, the same on all ranks. Names in AWP-ODC: NBG - 1, NED - 1 and NSKP of x, y and z; NTISKP;
/// WRITE_STEP.
struct VolumeOptions {
  std::string prefix = {};         ///< prepended to file names unchanged; to name a folder, end it with a slash
  std::string components = "XYZ";  ///< the components that are written
  volume::KeptPoints kept = {{{0, -1, 1}, {0, -1, 1}, {0, -1, 1}}};  ///< selected points in x, y and z; last = -1: the
                                                                     ///< last point of the grid
  std::int64_t steps_per_sample = 1;  ///< samples are taken at steps that are multiples of this number
  std::int64_t samples_per_file = 1;  ///< files end at steps that are multiples of steps_per_sample * samples_per_file
  std::int64_t first_step = 1;        ///< step of the first call of `write_step`
  /// The last step of an earlier run that this run continues, so that the first call of `write_step` is for the next
  /// step; 0: a new run.
  std::int64_t continues_after = 0;
  PointOrder order = PointOrder::x_fastest;              ///< order of points in the arrays
  volume::Surface surface = volume::Surface::at_last_z;  ///< end of the z dimension at which the surface is; files
                                                         ///< begin with the surface
};

/// Writes one file per component and batch of samples, in the format and with the names of AWP-ODC
/// (formats/volume/volume_file.hpp). The bytes do not depend on the distribution of the grid over ranks, nor on the
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
/// **Memory.** Samples of batches with more than one sample are buffered until their file is full. The buffer on this
/// rank has `kept_bytes()` bytes: its selected points x samples_per_file x components x 4 bytes. With a policy that
/// writes directly from the buffer in the background (Policy::keeps_lent_memory), each of Policy::async batches has
/// another buffer. Batches of one sample are written from the caller's arrays, without a buffer, if their points are
/// contiguous (x varies fastest, and every point in x is selected); other batches of one sample are buffered during the
/// call. The constructor only reserves the buffers, and fails if they are larger than this rank's share of the memory
/// of its node, `memory_limit_bytes()` divided by the ranks of the node; pages are allocated when samples are first
/// stored. Buffers of the policy are additional, as the resources define.
///
/// **Continuing an earlier run** (VolumeOptions::continues_after), on any number of ranks: files of later steps are
/// removed. If a batch was unfinished at that step, its samples are read from the file that `close` wrote for them,
/// which is removed when the batch is complete: in the end the files are the same as those of one run.
///
/// A file has its name when it is complete. A batch that fails has no files, unless the renaming itself failed: then
/// files of earlier components may have their names. Other batches are not affected. If the writer is destroyed before
/// `close`, unfinished files may be lost; files that have their names remain.
class VolumeWriter {
 public:
  /// Collective. Opens volume output. `resources` outlive it. The grid may be decomposed into any boxes; a rank may
  /// have no points, or no selected ones. Errors: usage if ranks were given different grids or options, if the points
  /// that a rank writes are outside the grid or outside the rank's stored box, if a selected point is outside the grid
  /// or belongs to no rank, if the components, steps or samples result in no file, or if the bytes of a file, times
  /// components and batches in memory, are not a 64-bit number; input if no file contains the samples of a run to be
  /// continued; io if the folder of the files does not exist or is not writable, or if a rank has not enough memory for
  /// its samples (see above).
  VolumeWriter(const Resources& resources, DistributedGrid grid, VolumeOptions options);
  VolumeWriter(const VolumeWriter&) = delete;
  VolumeWriter& operator=(const VolumeWriter&) = delete;

  /// Collective. Must be called once per time step, for consecutive steps, with the arrays as the rank stores them.
  /// Arrays of components without files are not read, and no array is read at steps without a sample. Ranks communicate
  /// only when a batch is full. The batch is then written, and errors of any rank since the last batch are thrown. The
  /// caller may change the arrays after the call, unless they are lent and written directly (see above): then after
  /// `wait` or `close`. At most Policy::async batches are unfinished when the call returns; an error of an earlier
  /// batch is thrown after the batch of this call has begun. Errors: usage if an array does not have one value for each
  /// point that the rank stores, if the step is not the next one, if ranks took different numbers of samples, after
  /// `close`, or if two ranks have the same selected point; io.
  void write_step(std::int64_t step, const VectorField& field, Memory memory = Memory::copied);

  /// Collective. Finishes all batches begun so far; after that the caller may change lent arrays. Errors: as
  /// write_step: the first error, after the other batches are finished too.
  void wait();

  /// Collective. Writes the last batch with the samples that it has, in a file named after the last of them, and
  /// finishes all batches. Errors: as `wait`. A second call does nothing.
  void close();

  /// Local. Returns the size of the buffer for samples of this rank in bytes.
  [[nodiscard]] std::int64_t kept_bytes() const;
  /// Local. Returns the size of the files of one full batch in bytes.
  [[nodiscard]] std::int64_t batch_bytes() const;
  /// Local. Returns the number of batches begun so far.
  [[nodiscard]] std::int64_t batches() const { return batches_; }

 private:
  using Values = std::unique_ptr<float[]>;
  // Lends the values of a batch to its requests, and recovers their memory.
  struct Lent {
    Values values;
    std::vector<Values>& free;
    ~Lent() {
      if (values != nullptr) free.push_back(std::move(values));  // which has room for it
    }
  };

  void choose_points();
  void require_countable_bytes() const;
  void take_memory();
  void require_sample(const VectorField& field) const;
  void buffer_sample(const VectorField& field);
  void end_batch(const VectorField& field, Memory memory, OutputCall& call);
  // Collective. Removes files of later steps, and reads the samples of an unfinished batch.
  void continue_files();
  [[nodiscard]] std::vector<Extent> batch_extents(std::int64_t samples, const VectorField& field) const;
  [[nodiscard]] std::vector<std::string> targets() const;
  [[nodiscard]] std::int64_t buffers() const;

  const Resources& resources_;
  DistributedGrid grid_;
  VolumeOptions options_;
  volume::FileForm form_;     // form of a full batch
  Box part_;                  // the selected points of this rank
  volume::Sample sample_;     // places of the selected points in this rank's arrays, if there are any
  bool is_buffered_ = false;  // samples are buffered: on all ranks or on none
  Values filling_;
  std::vector<Values> free_;
  std::int64_t next_step_ = 0;
  std::int64_t last_sample_step_ = 0;
  std::int64_t buffered_samples_ = 0;
  std::int64_t batches_ = 0;
  std::vector<std::string> unfinished_;  // files of an earlier run with the first samples of this batch
  std::optional<Error> noticed_;         // error on this rank since the last batch
  bool is_closed_ = false;
  std::optional<PhaseWriter> phases_;  // last, so that its requests end before the memory they use is freed
};

}  // namespace sill
