// The station output of Ondes3D as a kernel: a time loop that computes nothing and records at every receiver.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sill/io/resources.hpp"
#include "sill/io/station_writer.hpp"

namespace sill::kernels {

/// What a run does. The paper's (F. Z. Boito et al. 2017, section IV): 650 stations, 1000 steps, every 10.
struct StationRun {
  std::string folder;
  std::int64_t stations = 650;
  std::int64_t steps = 1000;
  std::int64_t every = 10;  ///< time steps from one output phase to the next; what is left at the end is one more
  station::StepCount count = station::StepCount::reserved;
  double compute_ms = 0.0;  ///< for which a rank is busy each step
};

/// What it cost, in seconds of the rank that took longest.
struct StationCosts {
  std::int64_t phases = 0;
  std::int64_t file_bytes = 0;  ///< of all files
  double setup_s = 0.0;         ///< before the loop
  double loop_s = 0.0;          ///< the time loop and the closing of the files
  double output_s = 0.0;        ///< of that, recording, phases and closing
  // Of the original alone, on rank 0:
  std::int64_t messages = 0;
  std::int64_t opens = 0;
  std::int64_t prints = 0;  ///< calls of fprintf
};

/// Local. The value of component `component` (from 0) of station `station` (from 0) in time step `step` (from 1): any
/// sign and many sizes, the same everywhere.
[[nodiscard]] double station_value(std::int64_t station, int component, std::int64_t step);

/// Local. The output of a run on so many ranks: stations spread over the grid of the paper's model, some where the
/// parts of ranks meet, and who has which of their components, which lie at the points of Ondes3D's staggered grid.
[[nodiscard]] StationOutput station_output(const StationRun& run, int ranks);

/// Local. The file of station `station` (from 0).
[[nodiscard]] std::string station_path(const StationRun& run, std::int64_t station);

/// Collective. By a StationWriter. Errors: as its.
[[nodiscard]] StationCosts run_stations(const Resources& resources, const StationRun& run);

/// Collective. As the original program does: rank 0 receives a message a component and station, opens each file twice a
/// phase, and prints value by value. Errors: io.
[[nodiscard]] StationCosts run_original_stations(const Resources& resources, const StationRun& run);

/// Collective. Reads all files and computes their bytes anew, with printf. Errors: input, naming file and byte, for the
/// first difference; io.
void verify_stations(const Resources& resources, const StationRun& run);

}  // namespace sill::kernels
