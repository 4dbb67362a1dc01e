// The station output of Ondes3D as a kernel: a time loop that computes nothing and records at every receiver.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernels.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/station_writer.hpp"

namespace sill::kernels {

/// Local. Returns the value of component `component` (from 0) of station `station` (from 0) in time step `step` (from
/// 1): with any sign and various magnitudes, the same on every machine.
[[nodiscard]] double station_value(std::int64_t station, int component, std::int64_t step);

/// The station files of Ondes3D.
class StationKernel final : public Kernel {
 public:
  StationKernel(KernelSetting setting, StationRun run) : Kernel(std::move(setting)), run_(run) {}

  [[nodiscard]] std::string name() const override { return run_.kernel; }
  [[nodiscard]] std::string sizes() const override;
  [[nodiscard]] KernelNumbers numbers() const override;
  [[nodiscard]] std::vector<std::string> paths() const override;
  /// Local. Returns the size of all files; for ASDF that of the samples.
  [[nodiscard]] std::int64_t file_bytes() const override;
  /// Collective. Writes with a StationWriter.
  [[nodiscard]] KernelCosts run(const Resources& resources) const override;
  /// Collective. Writes from rank 0, which receives one message per component and station, opens each file twice per
  /// phase, and prints value by value. For SAC it opens the file of each component once per phase, and writes values
  /// and header.
  [[nodiscard]] KernelCosts run_original(const Resources& resources, Meter& meter) const override;
  [[nodiscard]] std::optional<OutputOf> locked_as() const override { return OutputOf::stations; }
  void count_formatting(const Resources& resources, Meter& meter) const override;
  /// Collective. Compares text with the output of printf, SAC files by the positions of their words, and files of
  /// channels by the positions of their samples.
  void verify(const Resources& resources) const override;

 private:
  [[nodiscard]] StationOutput output(int ranks) const;
  [[nodiscard]] std::string path(std::int64_t station) const;
  [[nodiscard]] std::string expected_text(const StationOutput& output, std::size_t s) const;
  [[nodiscard]] std::string expected_sac(const StationOutput& output, std::size_t s, std::size_t component) const;
  // Returns true if the form has a single file: SEG-Y, Seismic Unix, miniSEED, ASDF.
  [[nodiscard]] bool is_of_channels() const;
  void verify_channels(const Resources& resources) const;
  // Attaches the metadata of an ASDF file: StationXML of the stations whose first component this rank has, QuakeML, and
  // the positions of the stations.
  void attach_metadata(StationWriter& writer, const StationOutput& output, const Communicator& comm) const;
  // Returns the first byte of each channel of an ASDF file, which the HDF5 library reads; 0: the file lacks it.
  [[nodiscard]] std::vector<std::int64_t> asdf_begins(const Resources& resources) const;
  void print_phase(const StationOutput& output, std::size_t s, std::int64_t step, bool is_first,
                   std::span<const double> values, Meter& meter) const;
  void append_sac(const StationOutput& output, std::size_t s, std::int64_t step, bool is_first,
                  std::span<const double> values, Meter& meter) const;

  StationRun run_;
};

}  // namespace sill::kernels
