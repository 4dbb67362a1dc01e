// Surface output of a wave simulation: planes of a distributed grid, written at intervals of several steps.
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

/// Options of surface output, the same on all ranks.
struct SurfaceOptions {
  std::string prefix = {};                   ///< prepended to file names; to name a folder, end it with a slash
  std::optional<std::int64_t> xy_at_z = {};  ///< z index of the xy plane, from 0; nullopt: no such plane. At least one
                                             ///< of the three planes is required
  std::optional<std::int64_t> xz_at_y = {};
  std::optional<std::int64_t> yz_at_x = {};
  std::int64_t first_plane_row = 0;          ///< first z index of the xz and yz planes
  std::int64_t plane_rows = 0;               ///< number of z indices of the xz and yz planes; 0: up to the last z index
                                             ///< of the grid
  std::array<double, 3> origin{};            ///< position of point (0, 0, 0), in m
  std::array<double, 3> spacing{1, 1, 1};    ///< distance between points, in m
  std::int64_t continues_after = 0;          ///< last step of an earlier run that this run continues: files of later
                                             ///< steps are removed; 0: a new run
  bool displacement = false;                 ///< written in addition to velocity
  PointOrder order = PointOrder::z_fastest;  ///< order of points in the arrays
};

/// Writes one file per plane and quantity in each phase, in the format and with the names of Ondes3D
/// (formats/surface/surface_file.hpp). The bytes do not depend on the distribution of the grid over ranks, nor on the
/// policy.
///
///     SurfaceWriter surfaces(resources, {.shape = {520, 370, 140}, .mine = mine}, {.prefix = "out/", .xy_at_z = 139});
///     for (step = 1; step <= steps; ++step) {
///       ...
///       if (step % 10 == 0) surfaces.write_phase(step, {vx, vy, vz});
///     }
///     surfaces.close();
///
/// A file has its name when it is complete; with Policy::async = k at the latest when k further phases have begun. If
/// the writer is destroyed before `close`, unfinished files may be lost; files that have their names remain.
class SurfaceWriter {
 public:
  /// Collective. Opens surface output. `resources` outlive it. The grid may be decomposed into any boxes; a rank may
  /// have no points, or none of a plane. Errors: usage if ranks were given different grids or options, if the points
  /// that a rank writes are outside the grid or outside the rank's stored box, if there is no plane or a plane is
  /// outside the grid, if a point of a plane belongs to no rank, or for an origin or a spacing that the format cannot
  /// store; io if the folder of the files does not exist or is not writable.
  SurfaceWriter(const Resources& resources, DistributedGrid grid, SurfaceOptions options);

  /// Collective. Writes the planes of step `step`, which is part of the file names: 3 files for three planes, 6 with
  /// displacement. The caller may change the arrays after the call; lent arrays (Policy::async) only after `wait` or
  /// `close`. The threads that write read lent arrays, so that the call itself reads only data that other ranks write.
  /// At most Policy::async phases are unfinished when the call returns. An error of an earlier phase is thrown after
  /// the phase of this call has begun: the phase of this call is written nevertheless, and must not be passed again.
  /// The phases in flight share the memory of the resources; lists of extents additionally need memory for three
  /// extents per quantity. Errors: usage if an array does not have one value for each point that the rank stores, if
  /// displacement is missing or was not requested, if the step differs between ranks or is below 0, after `close`, or
  /// if two ranks have the same point of a plane; io. Files of finished phases remain unchanged.
  void write_phase(std::int64_t step, const VectorField& velocity, const VectorField& displacement = {},
                   Memory memory = Memory::copied);

  /// Collective. Finishes all phases begun so far: their files have their names, and the caller may change lent arrays.
  /// Errors: as write_phase: the first error, after the other phases are finished too.
  void wait();

  /// Collective. Finishes all phases. Errors: as write_phase: the first error, after the other phases are finished too.
  /// A second call does nothing.
  void close();

  /// Local. Returns the size of the files of one phase in bytes.
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
