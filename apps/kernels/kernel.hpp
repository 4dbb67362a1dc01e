// The output of a published program, as used by the command line and by measurements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sill/io/session/dataset_layouts.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/output_lock.hpp"
#include "sill/layout/box.hpp"
#include "sill/layout/range.hpp"
#include "sill/store/meter_store.hpp"

namespace sill::kernels {

/// The costs of a run, in seconds on the slowest rank.
struct KernelCosts {
  std::int64_t phases = 0;
  double setup_s = 0.0;       ///< before the time loop
  double loop_s = 0.0;        ///< the time loop and closing of the files
  double output_s = 0.0;      ///< share of `loop_s` for which the program waits for output: passing data, phases,
                              ///< closing
  double own_output_s = 0.0;  ///< time that this rank waited for output
  /// Additional figures for the report.
  std::vector<std::pair<std::string, std::int64_t>> more = {};
};

/// Local. Return a + b bytes; a * b bytes. Precondition: a and b are not negative. Errors: usage if the result exceeds
/// 2^63 - 1.
[[nodiscard]] std::int64_t sum_bytes(std::int64_t a, std::int64_t b);
[[nodiscard]] std::int64_t product_bytes(std::int64_t a, std::int64_t b);

/// Sizes, each with the name of its option.
using KernelNumbers = std::vector<std::pair<std::string, std::int64_t>>;

/// Local. Returns the sizes of a grid, and `more`.
[[nodiscard]] inline KernelNumbers grid_numbers(const Index& grid, const KernelNumbers& more) {
  KernelNumbers all{{"points_x", grid[0]}, {"points_y", grid[1]}, {"points_z", grid[2]}};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// The settings of every kernel.
struct KernelSetting {
  std::string folder;       ///< folder of the files
  double compute_ms = 0.0;  ///< time for which a rank keeps a core busy per time step
};

/// The output of a published program. Its files depend only on its sizes, not on the policy, and on ranks only if the
/// published program has one file per rank.
class Kernel {
 public:
  explicit Kernel(KernelSetting setting) : setting_(std::move(setting)) {}
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual ~Kernel() = default;

  /// Local. Returns the name in `sill kernel NAME`.
  [[nodiscard]] virtual std::string name() const = 0;
  /// Local. Returns the kernel's sizes in words: "650 stations, 1,000 steps".
  [[nodiscard]] virtual std::string sizes() const = 0;
  /// Local. Returns the kernel's sizes, each with the name of its option, for the report.
  [[nodiscard]] virtual KernelNumbers numbers() const = 0;
  /// Local. Returns all files that a run leaves.
  [[nodiscard]] virtual std::vector<std::string> paths() const = 0;
  /// Local. Returns the type of the lock on the kernel's folder during writing, or nullopt if the folder is not locked
  /// (OutputLock).
  [[nodiscard]] virtual std::optional<OutputOf> locked_as() const { return std::nullopt; }
  /// Local. Sets the user's layouts of dataset files. Called before any other function. Kernels without datasets ignore
  /// it.
  virtual void use(const DatasetLayouts& /*layouts*/) {}
  /// Local. Returns true if PnetCDF can write the kernel's files.
  [[nodiscard]] virtual bool is_netcdf() const { return false; }
  /// Local. Returns files that a run may write in addition to `paths`; they contain no output of the original program.
  [[nodiscard]] virtual std::vector<std::string> paths_beside() const { return {}; }
  /// Local. Returns the total size of the files of `paths`, computed only from the sizes. Errors: usage if it exceeds
  /// 2^63 - 1.
  [[nodiscard]] virtual std::int64_t file_bytes() const = 0;

  // The functions below require that the folder exists.

  /// Collective. Writes the files through the library with `resources.policy`. Replaces files of an earlier run.
  /// Errors: as the library's writers.
  [[nodiscard]] virtual KernelCosts run(const Resources& resources) const = 0;
  /// Collective. Writes the files as the original program does, with its requests, counted in `meter`. Each output call
  /// of the program is counted as a request, even if stdio combines several calls for the system. Errors: io.
  [[nodiscard]] virtual KernelCosts run_original(const Resources& resources, Meter& meter) const = 0;
  /// Collective. Formats as many values as the original program prints, in the same way, and counts the time in `meter`
  /// as time to prepare bytes. Does nothing if the original writes no text.
  virtual void count_formatting(const Resources& /*resources*/, Meter& /*meter*/) const {}
  /// Collective. Reads the files and compares them with their expected content, which is computed by code independent
  /// of the writers. Errors: input, with file and byte, for the first difference; io.
  virtual void verify(const Resources& resources) const = 0;

  [[nodiscard]] const std::string& folder() const { return setting_.folder; }

 protected:
  [[nodiscard]] double compute_ms() const { return setting_.compute_ms; }

 private:
  KernelSetting setting_;
};

/// Generates the expected bytes `range` of a file. Called with ascending ranges without gaps.
using ExpectedContent = std::function<void(ByteRange range, std::span<std::byte> bytes)>;

/// Local. Reads the file block by block and compares it. Errors: input, with the first byte that differs, or both
/// sizes; io.
void require_content(const std::string& path, std::int64_t size_bytes, const ExpectedContent& expected);

}  // namespace sill::kernels
