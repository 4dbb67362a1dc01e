// Reading of records, one after another or by id, and detection of damaged ones.
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

/// A file of records and its index. One rank reads it, one frame at a time. Damage is reported, and the rest is read:
/// in a complete file each frame that its table lists, in a truncated file all frames before the first unreadable one.
/// All functions are Local.
class RecordsFile {
 public:
  /// Opens a file. Errors: io; input if there is no index, or if the index has damaged lines before its end.
  RecordsFile(const Resources& resources, std::string path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] records::Codec codec() const { return codec_; }
  [[nodiscard]] std::int64_t file_bytes() const { return file_bytes_; }
  /// Returns the records that the index lists, by id.
  [[nodiscard]] const std::vector<records::RecordPlace>& records() const { return index_; }
  /// Returns the fault of an incomplete file: its frames end before the file does, or its index has no end. Returns
  /// nullopt for a complete file.
  [[nodiscard]] const std::optional<std::string>& incomplete() const { return incomplete_; }

  /// Returns the position of a record, or nullptr if the index does not list that id.
  [[nodiscard]] const records::RecordPlace* find(std::int64_t id) const;
  /// Reads the bytes of a record into `bytes`. Returns the fault if the record is damaged, otherwise nullopt. Errors:
  /// io.
  [[nodiscard]] std::optional<std::string> read(const records::RecordPlace& record, std::vector<std::byte>& bytes) {
    return read_from(last_, record, bytes);
  }

  /// The result of checking all frames and records.
  struct Verified {
    std::vector<records::RecordPlace> damaged = {};
    std::string first_fault = {};     ///< the fault of the first damaged record
    std::int64_t unlisted_bytes = 0;  ///< number of bytes in complete frames after the last record of the index
  };
  /// Decompresses all frames with the threads of the resources, and compares the checksums of all records. Errors: io.
  [[nodiscard]] Verified verify() const;

 private:
  struct Frame {
    std::int64_t at = 0;  // position in the file
    std::int64_t packed = 0;
    std::int64_t offset = 0;  // position of its first byte in the decompressed bytes of all frames
    std::int64_t raw = 0;
  };
  // The frame that was decompressed last.
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
