// Seismograms as SAC files: one file per component of a station, with a header of 632 bytes and floats.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sill/formats/station/station_file.hpp"

namespace sill::station {

/// A SAC file of evenly spaced samples (header version 6), little-endian. The position is stored in USER0 to USER2, in
/// m, because SAC only supports geographical coordinates. The first sample is at B = 0 and has no date; unknown fields
/// are undefined (-12345). Source: SAC Users Manual, "SAC Data File Format".
class SacFile final : public ReceiverFile {
 public:
  /// Local. Creates the header. `component` is stored in KCMPNM, the station's number in KSTNM. Errors: usage if the
  /// interval is not above 0 or not a float, if a coordinate is not a float, for more than 2^31 - 1 steps, or for names
  /// of more than 8 characters.
  SacFile(const Station& station, const std::string& component, double interval_s, std::int64_t final_steps);

  [[nodiscard]] std::string header(std::int64_t steps) const override;
  [[nodiscard]] ItemList records(std::int64_t first_phase_steps) const override;
  [[nodiscard]] std::int64_t contents_bytes() const override;
  [[nodiscard]] std::optional<ReceiverContents> contents_of(std::string_view first_bytes) const override;
  [[nodiscard]] std::int64_t value_bytes() const override { return sizeof(float); }
  void write(const Values& values, ByteRange range, std::span<std::byte> bytes) const override;

 private:
  std::string header_;  // for 0 steps
  double interval_s_;
  std::int64_t final_steps_;
};

/// Local. Returns "obs<n>.<component>.sac"; stations are numbered from 1.
[[nodiscard]] std::string sac_file_name(std::int64_t number, const std::string& component);

}  // namespace sill::station
