// The solution output of MHM as its kernel MSLIO mimics it: many local problems, one text per problem and output phase.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernel.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/solution_writer.hpp"

namespace sill::kernels {

/// The sizes of a run. The largest run that the paper measured (F. Z. Boito et al. 2022, tables I and II) has ccross 8
/// and 128 sub-elements.
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

/// Local. Returns the value of problem, point and dimension, from 0, in a phase, from 1: with any sign and various
/// magnitudes, the same on every machine. printf prints each value with at most 12 characters.
[[nodiscard]] double solution_value(std::int64_t problem, std::int64_t point, int dimension, std::int64_t phase);

/// Local. Returns the triangle of a problem, in a square of 1 by 1.
[[nodiscard]] solution::Element solution_element(int ccross, std::int64_t problem);

/// The solution files of MHM. `paths` and `file_bytes` include only files that MSLIO writes: no indexes of phases and
/// no descriptions of problems.
class SolutionKernel final : public Kernel {
 public:
  SolutionKernel(KernelSetting setting, SolutionRun run);

  [[nodiscard]] std::string name() const override { return "mslio"; }
  [[nodiscard]] std::string sizes() const override;
  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> numbers() const override;
  [[nodiscard]] std::vector<std::string> paths() const override;
  /// Local. Returns the indexes, and the descriptions of problems.
  [[nodiscard]] std::vector<std::string> paths_beside() const override;
  [[nodiscard]] std::int64_t file_bytes() const override;
  /// Collective. Writes with a SolutionWriter.
  [[nodiscard]] KernelCosts run(const Resources& resources) const override;
  /// Collective. Distributes a rank's problems over threads. For each problem, opens a file, prints it value by value,
  /// and closes it. A shared file, which MSLIO writes by independent calls of MPI-IO, gets one call per value.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const override;
  [[nodiscard]] std::optional<OutputOf> locked_as() const override { return OutputOf::solutions; }
  void count_formatting(const Resources& resources, Meter& meter) const override;
  /// Collective. Computes the expected text with printf.
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
