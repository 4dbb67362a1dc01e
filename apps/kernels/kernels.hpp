// The kernels: the output of published programs. Each struct contains the sizes of a run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "kernels/kernel.hpp"
#include "sill/formats/array/container.hpp"
#include "sill/io/records/records_writer.hpp"
#include "sill/io/simulation/solution_writer.hpp"
#include "sill/io/simulation/station_writer.hpp"
#include "sill/layout/box.hpp"

namespace sill::kernels {

/// The station output of Ondes3D as a kernel: a time loop that computes nothing and records at every receiver. The
/// paper's run (F. Z. Boito et al. 2017, section IV): 650 stations, 1000 steps, output every 10 steps.
struct StationRun {
  const char* kernel = "ondes3d-stations";  ///< name of its command
  std::int64_t stations = 650;
  std::int64_t steps = 1000;
  std::int64_t every = 10;  ///< time steps between output phases; remaining steps form one more phase
  station::StepCount count = station::StepCount::reserved;
  StationForm form = StationForm::text;
};

/// The surface output of Ondes3D as a kernel: planes of a grid, written every few steps without computing the grid. The
/// paper's run (F. Z. Boito et al. 2017, section IV) has these sizes, but 1000 steps and output every 10 steps.
struct SurfaceRun {
  Index grid{520, 370, 140};     ///< points in x, y, z
  std::int64_t plane_rows = 11;  ///< number of rows of the planes xz and yz, from the top downwards
  std::int64_t steps = 20;
  std::int64_t every = 5;  ///< time steps between output phases; remaining steps have no output
  bool displacement = false;
  bool lends = false;  ///< lends its arrays to the phase in flight until they change; the original does not
};

/// The volume output of AWP-ODC as a kernel: a time loop that computes nothing and samples a distributed grid. The
/// paper's run (L. D. Crosby et al. 2011, section 2) is M8: 10125 x 5000 x 1060 points, of which every second one is
/// stored, three components, 20 samples per file.
struct VolumeRun {
  Index grid{400, 200, 100};          ///< points in x, y, z
  std::int64_t skip = 2;              ///< in each dimension; floor(n / skip) points are stored, as in the paper
  std::int64_t steps = 10;            ///< time steps
  std::int64_t every = 1;             ///< steps per sample
  std::int64_t samples_per_file = 5;  ///< maximum; the last file contains the remaining samples
  bool has_row_types = false;         ///< the original's datatype has an entry per row of points instead of per point
};

/// Snapshots of a grid whose rows are short and distributed over ranks, as written by three-dimensional codes. On 2 x 2
/// ranks, rows have 96 bytes, and rows of two ranks alternate in the file.
struct GridRowsRun {
  Index grid{48, 512, 64};  ///< points in x, y, z; x and y are distributed over ranks
  std::int64_t snapshots = 10;
};

/// The solution output of MHM as its kernel MSLIO mimics it: many local problems, one text per problem and output
/// phase. The largest run that the paper measured (F. Z. Boito et al. 2022, tables I and II) has ccross 8 and 128
/// sub-elements.
struct SolutionRun {
  int ccross = 5;  ///< 4^ccross local problems: the triangles of 2^(ccross - 1) by 2^(ccross - 1) squares, each crossed
                   ///< by both diagonals; one triangle for 0
  std::int64_t sub_elements = 64;
  int dimensions = 1;
  std::int64_t phases = 1;  ///< MSLIO writes one
  int record_bytes = 13;
  solution::Files files = solution::Files::each;
  std::int64_t chunk_align_bytes = 0;
  bool align_to_stripes = false;
  bool lends = false;     ///< lends its values to the phase in flight until they change; MSLIO does not
  bool describe = false;  ///< also writes descriptions of the problems for `sill solutions join`
};

/// Large blocks in equal transfers, as written by the benchmark IOR (https://github.com/hpc/ior): measures the limit of
/// a file system. Corresponds to `ior -w -b BLOCK -t TRANSFER` with one segment, and with `-F` unless shared.
struct IorRun {
  std::int64_t block_bytes = 256LL << 20U;  ///< per rank
  std::int64_t transfer_bytes = 1 << 20U;   ///< per call; the remainder of a block is one more transfer
  bool is_shared = false;                   ///< one file, blocks in rank order; otherwise one file per rank
};

/// The output of a parallel BLAST: a compressed XML record per query. Workers finish the records in an order that
/// differs from the order of their ids.
struct BlastRun {
  std::int64_t records = 20000;
  std::int64_t record_bytes = 8192;      ///< approximate size of a record
  std::int64_t buffer_bytes = 64 << 20;  ///< approximate size of the records that all ranks pass to one call together
  RecordsOptions options = {};
};

/// The netCDF output of the General Curvilinear Coastal Ocean Model.
struct GccomRun {
  Index grid{401, 6, 201};  ///< points in x, y, z: a quarter of the points in the paper in x and z
  std::int64_t phases = 10;
  std::optional<Container> container = {};  ///< nullopt: the container in the layouts, otherwise netCDF
  bool lends = false;  ///< lends its arrays to the phase in flight until they change; the original does not
};

/// The netCDF output of Subflow, a program for the flow of groundwater and its chemistry.
struct SubflowRun {
  Index grid{100, 100, 16};     ///< points in x, y, z, as in the paper
  std::int64_t variables = 73;  ///< physical variables first, at most 9; all others are chemical
  std::int64_t phases = 5;
  std::optional<Container> container = {};  ///< nullopt: the container in the layouts, otherwise netCDF
};

/// The output of the FLASH code: a checkpoint and two plot files, blocks of an adaptive mesh with guard cells.
struct FlashRun {
  std::int64_t blocks = 80;                 ///< per rank
  std::int64_t zones = 16;                  ///< per block in each direction, without guard cells
  std::optional<Container> container = {};  ///< nullopt: the container in the layouts, otherwise netCDF
};

/// Checkpoints of a simulation on a grid: its complete state at regular intervals.
struct CheckpointRun {
  std::int64_t grid = 200;  ///< points in each direction
  std::int64_t variables = 12;
  std::int64_t phases = 3;
};

/// The Tecplot output of a flow solver on a grid of bricks.
struct TecplotRun {
  std::int64_t grid = 96;  ///< nodes in each direction
  std::int64_t steps = 10;
  bool has_ascii = false;  ///< also writes each file as Tecplot text
};

/// Local. Return the kernels; `ranks` is the number of ranks that write. Errors: usage for sizes that are not possible:
/// no points, rows, records or blocks, or files beyond 2^63 - 1 bytes.
[[nodiscard]] std::unique_ptr<Kernel> make_station_kernel(KernelSetting setting, StationRun run);
[[nodiscard]] std::unique_ptr<Kernel> make_surface_kernel(KernelSetting setting, SurfaceRun run);
[[nodiscard]] std::unique_ptr<Kernel> make_volume_kernel(KernelSetting setting, VolumeRun run);
[[nodiscard]] std::unique_ptr<Kernel> make_grid_rows_kernel(KernelSetting setting, GridRowsRun run);
[[nodiscard]] std::unique_ptr<Kernel> make_solution_kernel(KernelSetting setting, SolutionRun run);
[[nodiscard]] std::unique_ptr<Kernel> make_ior_kernel(KernelSetting setting, IorRun run, int ranks);
[[nodiscard]] std::unique_ptr<Kernel> make_blast_kernel(KernelSetting setting, BlastRun run);
[[nodiscard]] std::unique_ptr<Kernel> make_gccom_kernel(KernelSetting setting, GccomRun run);
[[nodiscard]] std::unique_ptr<Kernel> make_subflow_kernel(KernelSetting setting, SubflowRun run);
[[nodiscard]] std::unique_ptr<Kernel> make_flash_kernel(KernelSetting setting, FlashRun run, int ranks);
[[nodiscard]] std::unique_ptr<Kernel> make_checkpoint_kernel(KernelSetting setting, CheckpointRun run);
[[nodiscard]] std::unique_ptr<Kernel> make_tecplot_kernel(KernelSetting setting, TecplotRun run);

}  // namespace sill::kernels
