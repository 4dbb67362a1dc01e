// Records of files, one after another or by id, and what is damaged of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sill/formats/records/record_codec.hpp"
#include "sill/formats/records/record_index.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// A file of records and its index, read by one rank, a frame at a time. Damage is reported and the rest is read: of a
/// whole file each frame that its table lists, of a file that was cut the frames before the first that cannot be read.
/// All of its calls are Local.
class RecordsFile {
 public:
  /// Errors: io; input if there is no index, or it has damaged lines before its end.
  RecordsFile(const Resources& resources, std::string path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] records::Codec codec() const { return codec_; }
  [[nodiscard]] std::int64_t file_bytes() const { return file_bytes_; }
  /// What the index lists, by id.
  [[nodiscard]] const std::vector<records::RecordPlace>& records() const { return index_; }
  /// Faults of the file as a whole: its frames end before the file does, or its index has no end.
  [[nodiscard]] const std::optional<std::string>& incomplete() const { return incomplete_; }

  /// Returns the place of a record; nothing if the index has none of that id.
  [[nodiscard]] const records::RecordPlace* find(std::int64_t id) const;
  /// Reads the bytes of a record into `bytes`, or returns its fault. Errors: io.
  [[nodiscard]] std::optional<std::string> read(const records::RecordPlace& record, std::vector<std::byte>& bytes) {
    return read_from(last_, record, bytes);
  }

  /// What a look at all frames and records finds.
  struct Verified {
    std::vector<records::RecordPlace> damaged = {};
    std::string first_fault = {};     ///< of the first of them
    std::int64_t unlisted_bytes = 0;  ///< in whole frames behind the last record of the index
  };
  /// Unpacks all frames by the threads of the resources, and compares the checksums of all records. Errors: io.
  [[nodiscard]] Verified verify() const;

 private:
  struct Frame {
    std::int64_t at = 0;  // in the file
    std::int64_t packed = 0;
    std::int64_t offset = 0;  // of its first byte among those of all frames
    std::int64_t raw = 0;
  };
  // The frame that was unpacked last.
  struct Unpacked {
    std::size_t frame = static_cast<std::size_t>(-1);
    std::vector<std::byte> raw = {};
    std::optional<std::string> fault = {};
  };
  void find_frames();
  [[nodiscard]] std::optional<std::string> read_from(Unpacked& last, const records::RecordPlace& record,
                                                     std::vector<std::byte>& bytes) const;
  [[nodiscard]] std::size_t frame_of(std::int64_t offset) const;
  [[nodiscard]] std::optional<std::string> unpack(const Frame& frame, std::vector<std::byte>& raw) const;

  const Resources& resources_;
  std::string path_;
  std::unique_ptr<Store> store_;
  std::int64_t file_bytes_ = 0;
  records::Codec codec_ = records::Codec::none;
  std::vector<records::RecordPlace> index_;
  std::vector<Frame> frames_;
  std::int64_t raw_bytes_ = 0;
  std::optional<std::string> incomplete_;
  Unpacked last_;
};

}  // namespace sill
