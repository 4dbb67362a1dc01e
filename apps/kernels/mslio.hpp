// The solution output of MHM as its kernel MSLIO mimics it: many local problems, a text of each an output phase.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernel.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/solution_writer.hpp"

namespace sill::kernels {

/// The sizes of a run. Of those that the paper measured (F. Z. Boito et al. 2022, tables I and II) the largest is
/// ccross 8 with 128 sub-elements.
struct SolutionRun {
  int ccross = 5;  ///< 4^ccross local problems: the triangles of 2^(ccross - 1) by 2^(ccross - 1) squares, each crossed
                   ///< by both diagonals; one triangle for 0
  std::int64_t sub_elements = 64;
  int dimensions = 1;
  std::int64_t phases = 1;  ///< MSLIO mimics one
  int record_bytes = 13;
  solution::Files files = solution::Files::each;
  std::int64_t chunk_align_bytes = 0;
  bool align_to_stripes = false;
  bool lends = false;     ///< its values to the phase in flight, until they change: MSLIO does not
  bool describe = false;  ///< also writes what is known of each problem, so that `sill solutions join` knows its place
};

/// Local. A value of problem, point and dimension, from 0, in a phase, from 1: any sign, many sizes, the same
/// everywhere; for all of them printf takes 12 characters at most.
[[nodiscard]] double solution_value(std::int64_t problem, std::int64_t point, int dimension, std::int64_t phase);

/// Local. The triangle of a problem, in a square of 1 by 1.
[[nodiscard]] solution::Element solution_element(int ccross, std::int64_t problem);

/// The solution files of MHM. Of the files that a run leaves it counts those that MSLIO writes: no index of a phase and
/// nothing that describes a problem.
class SolutionKernel final : public Kernel {
 public:
  SolutionKernel(KernelSetting setting, SolutionRun run);

  [[nodiscard]] std::string name() const override { return "mslio"; }
  [[nodiscard]] std::string sizes() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> numbers() const override;
  [[nodiscard]] std::vector<std::string> paths() const override;
  /// Indexes, and the descriptions of problems.
  [[nodiscard]] std::vector<std::string> paths_beside() const override;
  [[nodiscard]] std::int64_t file_bytes() const override;
  /// By a SolutionWriter.
  [[nodiscard]] KernelCosts run(const Resources& resources) const override;
  /// Threads share a rank's problems; for each a file is opened, printed to value by value, and closed. With a shared
  /// file, which MSLIO writes by independent calls of MPI-IO, a call a value.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const override;
  [[nodiscard]] std::optional<OutputOf> locked_as() const override { return OutputOf::solutions; }
  void count_formatting(const Resources& resources, Meter& meter) const override;
  /// With printf.
  void verify(const Resources& resources) const override;

 private:
  [[nodiscard]] SolutionOutput output(const Communicator& comm) const;
  [[nodiscard]] ItemRange problems_of(const Communicator& comm) const;
  [[nodiscard]] std::string path(std::int64_t problem, std::int64_t phase) const;
  void fill(ItemRange problems, std::int64_t phase, int threads, std::vector<double>& values) const;
  void begin_phases(const Resources& resources, ItemRange mine) const;
  void print_files(ItemRange problems, std::int64_t phase, const std::vector<double>& values, int threads,
                   Meter& meter) const;
  void write_chunks(ItemRange problems, std::int64_t phase, const std::vector<double>& values, Meter& meter) const;

  SolutionRun run_;
  solution::Form form_;
};

}  // namespace sill::kernels
