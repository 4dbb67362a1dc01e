// The output patterns of the programs that Sill is measured on, as plans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sill/plan/access_plan.hpp"

namespace sill::bench {

/// What a program writes in some phases: how much memory every rank holds, and which of it goes where.
struct Pattern {
  std::string name;
  int files = 1;
  int phases = 1;
  std::int64_t interleaved_bytes = 0;  ///< the runs that arrays are interleaved in; 0 where runs are long
  std::function<std::int64_t(int rank, int ranks)> memory_bytes;
  /// How far each phase is from the one before, in the same files; 0: phases write other files.
  std::int64_t phase_bytes = 0;
  /// `memory` may be null.
  std::function<AccessPlan(int rank, int ranks, int phase, std::byte* memory)> plan;
};

/// Stations: one file each, records of nine 4-byte components owned by four ranks in turns, ten records per phase.
[[nodiscard]] Pattern stations(int stations, int phases);
/// Surfaces: three planes a phase, each of three 4-byte components that lie in arrays of their own, interleaved.
[[nodiscard]] Pattern planes(std::int64_t rows, std::int64_t columns, int phases);
/// A volume of 4-byte elements over a grid of ranks, some time steps a phase, into one file.
[[nodiscard]] Pattern volume(std::int64_t x, std::int64_t y, std::int64_t z, int steps, int phases);
/// Many small files, each of one rank, written once.
[[nodiscard]] Pattern small_files(int files, std::int64_t bytes_each);

/// The patterns by name; those measured by script/bench. Null if there is none of that name.
[[nodiscard]] std::vector<Pattern> all_patterns();

}  // namespace sill::bench
