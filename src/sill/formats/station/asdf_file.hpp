// Seismograms of all receivers, and arrays of the caller, as an ASDF file (Adaptable Seismic Data Format, HDF5).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/hdf5/hdf5_file.hpp"
#include "sill/formats/station/channel_file.hpp"

namespace sill::station {

/// An ASDF file (version 1.0.3): one block of all steps, little-endian floats, a dataset for each channel. Until it is
/// complete its first 8 bytes are the number of complete steps, and no reader takes it for a file of HDF5. Source: ASDF
/// definition 1.0.3, and its schema in asdf_validate.
class AsdfFile final : public ChannelFile {
 public:
  /// What the waveforms state: the tag in their names and, if not empty, the attribute `event_id`.
  struct Labels {
    std::string tag = "synthetic";
    std::string event_id = {};
  };

  /// Local. Checks the codes. A station without a code (Station::code) has network XX, and its number as station code.
  /// Errors: usage for codes, a tag or times that ASDF does not allow, and if two stations have the same code.
  AsdfFile(Channels of, Labels labels);
  void record_header(std::int64_t, std::int64_t, std::int64_t, std::span<std::byte>) const override {}
  [[nodiscard]] std::int64_t steps_in(std::span<const std::byte>) const override { return of_.final_steps; }

  /// Local. Checks an array of the caller: "QuakeML", "Waveforms/NET.STA/StationXML", "Provenance/…" (XML documents as
  /// u1), "AuxiliaryData/TYPE/…" (any numbers, with any attributes). Errors: usage if an ASDF file of these stations
  /// cannot contain it.
  void require_attachable(const hdf5::NewArray& array) const;
  /// Local. Returns the file that the HDF5 library makes with these arrays, in the order of their paths, after the
  /// channels. Errors: usage, also if two arrays have the same path; as hdf5::new_file.
  [[nodiscard]] hdf5::NewFile lay_out(std::span<const hdf5::NewArray> arrays) const;
  /// Local. Sets the first byte of each channel, and the size of the file.
  void set_places(std::span<const std::int64_t> begins, std::int64_t file_bytes);
  /// Local. Returns the first 8 bytes of a file with `steps` complete steps.
  [[nodiscard]] std::vector<std::byte> beginning(std::int64_t steps) const;
  /// Local. Returns the number of complete steps that the first 8 bytes state; -1 if they state none.
  [[nodiscard]] std::int64_t steps_of(std::span<const std::byte> beginning) const;

 private:
  [[nodiscard]] std::string waveform_name_end() const;

  Labels labels_;
  std::vector<std::string> codes_;  // NET.STA.LOC of each station, sorted
};

}  // namespace sill::station
