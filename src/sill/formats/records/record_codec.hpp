// Frames of a file of records: consecutive pieces of equal size of all records, each compressed separately.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sill/formats/codec/compressor.hpp"
#include "sill/layout/range.hpp"

namespace sill::records {

enum class Codec : std::uint8_t {
  none,  ///< uncompressed
  zstd,  ///< seekable: frames, then a table of their sizes in a frame that other readers skip
  bgzf,  ///< gzip members of at most 64 KiB, as in BAM files
};

inline constexpr std::array codecs{Codec::none, Codec::zstd, Codec::bgzf};

/// Local. Returns the name of a codec: "none", "zstd" or "bgzf".
[[nodiscard]] std::string_view name_of(Codec codec);
[[nodiscard]] std::optional<Codec> codec_named(std::string_view name);

/// The maximum size of a frame, even if a damaged header states more.
inline constexpr std::int64_t max_frame_bytes = 256 << 20;

/// The parameters of frames.
struct FrameForm {
  Codec codec = Codec::zstd;
  int level = 3;                       ///< of zstd 1 to 19, of bgzf 1 to 12
  std::int64_t frame_bytes = 1 << 20;  ///< bytes of records per frame, before compression
};

/// Local. Returns the form that is used: for bgzf, frames have 65,280 bytes. Errors: usage for a level that the codec
/// lacks, and for frames of less than 1 KiB or more than 256 MiB.
[[nodiscard]] FrameForm checked(FrameForm form);

/// The sizes of a frame in bytes: `packed` as stored in the file, `raw` after unpacking.
struct FrameSize {
  std::int64_t packed = 0;
  std::int64_t raw = 0;
};

/// Packs frames one after another. Sources: RFC 8878 (zstd, with checksum); SAM/BAM Format Specification, 4.1 (BGZF),
/// RFC 1952.
class FramePacker {
 public:
  /// Local. Allocates the buffers. Errors: std::bad_alloc. Precondition: `form` was returned by `checked`.
  explicit FramePacker(const FrameForm& form);

  /// Local. Appends the frame of `raw` to `packed` and returns the size of the frame. Errors: std::bad_alloc.
  /// Precondition: `raw` is not longer than a frame.
  std::int64_t add(std::span<const std::byte> raw, std::vector<std::byte>& packed);

 private:
  FrameForm form_;
  Compressor compressor_;
  std::optional<Compressor> stored_ = {};  // for data that compression does not reduce
  std::vector<std::byte> room_;
};

/// Local. Returns the end of a file: zstd's table of frames ("Zstandard Seekable Format", version 0.1.0), or the empty
/// block of BGZF. Precondition: at most 2^27 frames.
[[nodiscard]] std::vector<std::byte> end_of_frames(Codec codec, std::span<const FrameSize> frames);

/// Local. Returns the codec of a file with these first bytes.
[[nodiscard]] Codec codec_of(std::span<const std::byte> first_bytes);

/// The number of bytes needed to recognize the beginning of a frame, or the end of a file.
inline constexpr std::int64_t frame_header_bytes = 18;

/// Local. Returns the size of the table at the end of a zstd file whose last 9 bytes are `last`; nullopt if the file
/// ends without such a table.
[[nodiscard]] std::optional<std::int64_t> frame_table_bytes(std::span<const std::byte> last);
/// Local. Returns the sizes of frames that the table of frames of a zstd file lists; nullopt if the sizes are
/// impossible.
[[nodiscard]] std::optional<std::vector<FrameSize>> frames_in_table(std::span<const std::byte> table);

/// Local. Returns the maximum number of bytes needed to find the end of the frame that begins with `header`; nullopt if
/// no frame begins there.
[[nodiscard]] std::optional<std::int64_t> bytes_to_find_end(Codec codec, std::span<const std::byte> header);
/// Local. Returns the sizes of the frame at the beginning of `bytes`; raw is 0 for a frame without contents, such as a
/// table. Returns nullopt if the frame does not end within `bytes`.
[[nodiscard]] std::optional<FrameSize> frame_at(Codec codec, std::span<const std::byte> bytes);

/// Local. Unpacks a frame into `raw`. Returns the defect of a damaged frame, whose contents in `raw` may be incomplete;
/// nullopt if the frame is intact.
[[nodiscard]] std::optional<std::string_view> unpack_frame(Codec codec, std::span<const std::byte> packed,
                                                           std::span<std::byte> raw);

}  // namespace sill::records
