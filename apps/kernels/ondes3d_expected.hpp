// The expected files of the station output of Ondes3D.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/kernels.hpp"
#include "sill/io/simulation/station_writer.hpp"

namespace sill::kernels {

inline constexpr std::int64_t sac_header_bytes = 632;
inline constexpr std::int64_t seed_record_bytes = 4096;
inline constexpr std::int64_t seed_samples = (seed_record_bytes - 128) / 4;

/// Local. Returns true if the form has a single file: SEG-Y, Seismic Unix, miniSEED, ASDF.
[[nodiscard]] inline bool is_of_channels(StationForm form) {
  return form != StationForm::text && form != StationForm::sac;
}

/// Collective. Compares text with the output of printf, SAC files by the positions of their words, and files of
/// channels by the positions of their samples. Errors: as Kernel::verify.
void verify_stations(const Resources& resources, const StationRun& run, const StationOutput& output,
                     const std::vector<std::string>& paths, std::int64_t file_bytes);

}  // namespace sill::kernels
