// What a published program writes, as the command line and measurements see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sill/io/session/dataset_layouts.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/output_lock.hpp"
#include "sill/store/meter_store.hpp"

namespace sill::kernels {

/// What a run cost, in seconds of the rank that took longest.
struct KernelCosts {
  std::int64_t phases = 0;
  double setup_s = 0.0;       ///< before the time loop
  double loop_s = 0.0;        ///< the time loop and the closing of the files
  double output_s = 0.0;      ///< of that, what the program waits for output: handing over, phases, closing
  double own_output_s = 0.0;  ///< what this rank waited
  /// Further figures for the report.
  std::vector<std::pair<std::string, std::int64_t>> more = {};
};

/// Local. a + b and a * b bytes. Errors: usage if they exceed 2^63 - 1. Precondition: neither is below 0.
[[nodiscard]] std::int64_t sum_bytes(std::int64_t a, std::int64_t b);
[[nodiscard]] std::int64_t product_bytes(std::int64_t a, std::int64_t b);

/// The settings of every kernel.
struct KernelSetting {
  std::string folder;       ///< of the files
  double compute_ms = 0.0;  ///< for which a rank keeps a core busy each time step
};

/// The output of a published program. Its files are a function of its sizes alone: of no policy, and of ranks only
/// where the published program has a file per rank.
class Kernel {
 public:
  explicit Kernel(KernelSetting setting) : setting_(std::move(setting)) {}
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual ~Kernel() = default;

  /// Local. Of `sill kernel NAME`.
  [[nodiscard]] virtual std::string name() const = 0;
  /// Local. Its sizes in words: "650 stations, 1,000 steps".
  [[nodiscard]] virtual std::string sizes() const = 0;
  /// Local. Its sizes by the names of its options, for the report.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::int64_t>> numbers() const = 0;
  /// Local. All files that a run leaves.
  [[nodiscard]] virtual std::vector<std::string> paths() const = 0;
  /// Local. As what its folder is locked while it is written, if it is (OutputLock).
  [[nodiscard]] virtual std::optional<OutputOf> locked_as() const { return std::nullopt; }
  /// Local. Takes what a user says of the files of datasets, before anything else is called; other kernels have none.
  virtual void use(const DatasetLayouts& /*layouts*/) {}
  /// Local. Whether PnetCDF can write its files.
  [[nodiscard]] virtual bool is_netcdf() const { return false; }
  /// Local. Files that may come beside them, without output of the program itself.
  [[nodiscard]] virtual std::vector<std::string> paths_beside() const { return {}; }
  /// Local. The bytes of the files of `paths`, from the sizes alone. Errors: usage if they exceed 2^63 - 1.
  [[nodiscard]] virtual std::int64_t file_bytes() const = 0;

  // The folder is there when a run begins.

  /// Collective. Writes the files through the library, as `resources.policy` says. Files of an earlier run are
  /// replaced. Errors: as the library's writers.
  [[nodiscard]] virtual KernelCosts run(const Resources& resources) const = 0;
  /// Collective. Writes the files as the original program does, with its requests, counted in `meter`: a call of the
  /// program is a request, also where stdio gathers several for the system. Errors: io.
  [[nodiscard]] virtual KernelCosts run_original(const Resources& resources, Meter& meter) const = 0;
  /// Collective. Formats as many values as the original program prints, as it does, and counts the time in `meter` as
  /// that of preparing bytes. Does nothing where the original writes no text.
  virtual void count_formatting(const Resources& /*resources*/, Meter& /*meter*/) const {}
  /// Collective. Reads the files and computes anew what must be in them, by other means than what wrote them. Errors:
  /// input, naming file and byte, for the first difference; io.
  virtual void verify(const Resources& resources) const = 0;

  [[nodiscard]] const std::string& folder() const { return setting_.folder; }

 protected:
  [[nodiscard]] double compute_ms() const { return setting_.compute_ms; }

 private:
  KernelSetting setting_;
};

}  // namespace sill::kernels
