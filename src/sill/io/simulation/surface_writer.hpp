// Surface output of a wave simulation: planes of a distributed grid, written every so many steps.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/formats/surface/interleaved_plane.hpp"
#include "sill/formats/surface/surface_file.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/distributed_grid.hpp"
#include "sill/io/simulation/phase_writer.hpp"
#include "sill/layout/box.hpp"
#include "sill/layout/point_order.hpp"

namespace sill {

/// What is written, the same on all ranks.
struct SurfaceOptions {
  std::string prefix = {};                   ///< put before the files' names as it is; of a folder it ends with a slash
  std::optional<std::int64_t> xy_at_z = {};  ///< the plane at this index, from 0; nothing: none. One at least
  std::optional<std::int64_t> xz_at_y = {};
  std::optional<std::int64_t> yz_at_x = {};
  std::int64_t first_plane_row = 0;  ///< the first z index of the xz and yz planes, and how many they hold; 0: all from
  std::int64_t plane_rows = 0;       ///< there to the last
  std::array<double, 3> origin{};    ///< of point (0, 0, 0), in m
  std::array<double, 3> spacing{1, 1, 1};    ///< in m
  std::int64_t continues_after = 0;          ///< files of later steps are removed first; 0: a new run, none is
  bool displacement = false;                 ///< beside velocity
  PointOrder order = PointOrder::z_fastest;  ///< of the arrays
};

/// Writes one file a plane and quantity each phase, in the format and with the names of Ondes3D
/// (formats/surface/surface_file.hpp). The bytes do not depend on how the grid is distributed to ranks, nor on the
/// policy.
///
///     SurfaceWriter surfaces(resources, {.shape = {520, 370, 140}, .mine = mine}, {.prefix = "out/", .xy_at_z = 139});
///     for (step = 1; step <= steps; ++step) {
///       ...
///       if (step % 10 == 0) surfaces.write_phase(step, {vx, vy, vz});
///     }
///     surfaces.close();
///
/// A file has its name once it is complete, with Policy::async at the latest when k further phases have begun. What was
/// not closed when the writer is destroyed may be lost; files that have their names stay.
class SurfaceWriter {
 public:
  /// Collective. `resources` outlive it. Any decomposition into boxes will do; ranks need not have points, nor any of a
  /// plane. Errors: usage if ranks were given different grids or options, if a box does not lie where it must, if there
  /// is no plane or it lies beyond the grid, if the points of a plane are not all some rank's, or for an origin or a
  /// spacing that the format cannot hold; io if the folder of the files is not there or cannot be written to.
  SurfaceWriter(const Resources& resources, DistributedGrid grid, SurfaceOptions options);

  /// Collective. Writes the planes as they are at step `step`, which goes into the files' names: 3 files for three
  /// planes, 6 with displacement. The arrays are the caller's again when it returns; lent ones (Policy::async) stay as
  /// they are until `wait` or `close`, and are then read by the threads that write, so that the call itself goes
  /// through no more of them than other ranks write. At most Policy::async phases are unfinished then. An error of one
  /// before is thrown once this one has begun: a phase that is handed over while an earlier one's error is thrown is
  /// written all the same, and is not to be handed over again. Takes memory as `resources` say, shared by the phases
  /// in flight, and that for three extents a quantity. Errors: usage if an array does not have as
  /// many values as the rank stores points, if displacement is missing or was not announced, if the step differs
  /// between ranks or is below 0, after `close`, or if two ranks hold the same point of a plane; io. Files of phases
  /// that were finished stay as they are.
  void write_phase(std::int64_t step, const VectorField& velocity, const VectorField& displacement = {},
                   Memory memory = Memory::copied);

  /// Collective. Finishes all phases begun so far: their files have their names, and lent arrays are the caller's
  /// again. Errors: as write_phase: the first, once the others are finished too.
  void wait();

  /// Collective. Finishes all phases. Errors: as write_phase: the first, once the others are finished too. A second
  /// call does nothing.
  void close();

  /// Local. The bytes of the files of one phase.
  [[nodiscard]] std::int64_t phase_bytes() const;

 private:
  struct PlaneFile {
    surface::Plane plane = surface::Plane::xy;
    surface::FileForm form;
    std::string header;
    Box mine;
  };

  [[nodiscard]] std::vector<PlaneFile> checked_planes() const;
  void require_fields(std::span<const VectorField> fields) const;
  [[nodiscard]] std::vector<std::string> targets(std::int64_t step) const;

  [[nodiscard]] OutputPhase phase_at(std::int64_t step, const VectorField& velocity,
                                     const VectorField& displacement) const;

  const Resources& resources_;
  DistributedGrid grid_;
  SurfaceOptions options_;
  std::vector<PlaneFile> planes_;
  std::optional<PhaseWriter> phases_;
  bool is_closed_ = false;
};

}  // namespace sill
