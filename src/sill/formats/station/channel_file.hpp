// One file with the records of all receivers: the samples of a channel are contiguous within a block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/convert/file_form.hpp"
#include "sill/formats/station/station_file.hpp"
#include "sill/layout/range.hpp"

namespace sill::station {

/// A component of a station.
struct Channel {
  Station station;
  int component = 0;  ///< from 0
  std::string component_name;
};

/// The contents of a channel file, the same for all formats.
struct Channels {
  std::vector<Channel> list = {};
  double interval_s = 0.0;
  std::int64_t final_steps = 0;
  std::int64_t start_us = 0;                           ///< time of the first sample in microseconds since 1970, UTC
  int shot = 1;                                        ///< number of the shot
  std::optional<std::array<double, 3>> source_m = {};  ///< position of the shot
};

/// A file in blocks of a fixed number of time steps. A block has a record for every channel: a header and samples as
/// 4-byte floats, with zeros for steps that are not written yet.
class ChannelFile {
 public:
  ChannelFile(const ChannelFile&) = delete;
  ChannelFile& operator=(const ChannelFile&) = delete;
  virtual ~ChannelFile() = default;

  [[nodiscard]] std::int64_t channels() const { return std::ssize(of_.list); }
  [[nodiscard]] const std::vector<std::byte>& file_header() const { return file_header_; }
  [[nodiscard]] std::int64_t record_header_bytes() const { return record_header_bytes_; }
  [[nodiscard]] std::int64_t record_bytes() const { return record_bytes_; }
  /// Local. Returns the number of steps per block.
  [[nodiscard]] std::int64_t block_steps() const { return block_steps_; }
  [[nodiscard]] ByteOrder byte_order() const { return byte_order_; }
  /// Local. Returns the first byte of a record.
  [[nodiscard]] std::int64_t begin_of(std::int64_t block, std::int64_t channel) const {
    if (!begins_.empty()) return begins_[static_cast<std::size_t>(channel)];
    return std::ssize(file_header_) + (block * channels() + channel) * record_bytes_;
  }
  [[nodiscard]] std::int64_t end_of(std::int64_t block, std::int64_t channel) const {
    return begin_of(block, channel) + record_bytes_;
  }
  /// Local. Returns the size of a file with `steps` steps.
  [[nodiscard]] std::int64_t file_bytes(std::int64_t steps) const {
    if (!begins_.empty()) return end_;
    return begin_of((steps + block_steps_ - 1) / block_steps_, 0);
  }
  /// Local. Returns true if record headers state the number of steps in their blocks.
  [[nodiscard]] bool counts_steps() const { return counts_steps_; }
  /// Local. Writes the header of a record whose block contains `steps` steps. Precondition: `out` has
  /// record_header_bytes().
  virtual void record_header(std::int64_t block, std::int64_t channel, std::int64_t steps,
                             std::span<std::byte> out) const = 0;
  /// Local. Returns the number of steps that a record header states; for formats that do not state it, the final
  /// number.
  [[nodiscard]] virtual std::int64_t steps_in(std::span<const std::byte> record_header) const = 0;

 protected:
  /// Local. Stores the contents. Errors: usage if there is no channel, or if the interval or the number of steps is not
  /// positive.
  explicit ChannelFile(Channels of);

  Channels of_;
  std::vector<std::byte> file_header_ = {};
  std::int64_t record_header_bytes_ = 0;
  std::int64_t record_bytes_ = 0;
  std::int64_t block_steps_ = 0;
  ByteOrder byte_order_ = ByteOrder::big;
  bool counts_steps_ = false;
  std::vector<std::int64_t> begins_ = {};  // of the records of the only block, if they are not adjacent
  std::int64_t end_ = 0;                   // the size of such a file
};

/// A shot gather in one block of all steps, in Seismic Unix or SEG-Y (revision 1, or 2.1 if revision 1 cannot represent
/// the number of samples or the interval). `cdp` is the number of the station, `cdpt` the number of the component, from
/// 1.
class GatherFile final : public ChannelFile {
 public:
  /// Local. Creates the file header. Errors: usage, also for values that the format cannot represent
  /// (segy::require_possible), and for coordinates beyond its words. Sources: SEG-Y rev 1; Seismic Unix, segy.h.
  GatherFile(Channels of, segy::FileKind kind);
  void record_header(std::int64_t block, std::int64_t channel, std::int64_t steps,
                     std::span<std::byte> out) const override;
  [[nodiscard]] std::int64_t steps_in(std::span<const std::byte>) const override { return of_.final_steps; }

 private:
  std::int64_t scale_ = 1;  // coordinate units per metre
};

/// A miniSEED file (version 2) with records of 4,096 bytes, big-endian floats, network XX. The station code is the
/// station's number, the channel code the component's name.
class MiniSeedFile final : public ChannelFile {
 public:
  /// Local. Determines the layout. Errors: usage, also for codes that are too long. Source: SEED Reference Manual 2.4,
  /// chapter 8: fixed section of data header, blockettes 100, 1000 and 1001.
  explicit MiniSeedFile(Channels of);
  void record_header(std::int64_t block, std::int64_t channel, std::int64_t steps,
                     std::span<std::byte> out) const override;
  [[nodiscard]] std::int64_t steps_in(std::span<const std::byte> record_header) const override;

 private:
  std::int16_t rate_factor_ = 0;
  std::int16_t rate_multiplier_ = 1;
};

}  // namespace sill::station
