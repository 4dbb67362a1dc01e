// Frames of a file of records: pieces of one size of all records one after another, each compressed by itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sill/layout/range.hpp"

namespace sill::records {

enum class Codec : std::uint8_t {
  none,  ///< the bytes as they are
  zstd,  ///< seekable: frames, and behind them a table of their sizes in a frame that others skip
  bgzf,  ///< gzip members of at most 64 KiB, as of BAM files
};

inline constexpr std::array codecs{Codec::none, Codec::zstd, Codec::bgzf};

/// Local. Returns "none", "zstd" or "bgzf".
[[nodiscard]] std::string_view name_of(Codec codec);
[[nodiscard]] std::optional<Codec> codec_named(std::string_view name);

/// Frames hold no more, also where a damaged header states so.
inline constexpr std::int64_t max_frame_bytes = 256 << 20;

/// How frames are made.
struct FrameForm {
  Codec codec = Codec::zstd;
  int level = 3;                       ///< of zstd 1 to 19, of bgzf 1 to 12
  std::int64_t frame_bytes = 1 << 20;  ///< of records in a frame, before they are compressed
};

/// Local. Returns the form as it is used: of bgzf, frames have 65,280 bytes. Errors: usage for a level that the codec
/// has not, and for frames of less than 1 KiB or more than 256 MiB.
[[nodiscard]] FrameForm checked(FrameForm form);

/// The bytes of a frame in the file, and of what it holds.
struct FrameSize {
  std::int64_t packed = 0;
  std::int64_t raw = 0;
};

/// Makes frames, one after another. Sources: RFC 8878 (zstd, with checksum); SAM/BAM Format Specification, 4.1 (BGZF),
/// RFC 1952.
class FramePacker {
 public:
  /// Local. Errors: memory. Precondition: `form` is checked.
  explicit FramePacker(const FrameForm& form);
  FramePacker(FramePacker&&) noexcept;
  ~FramePacker();

  /// Local. Adds the bytes of a frame to `packed`, and returns how many. Errors: memory. Precondition: raw is not
  /// longer than a frame.
  std::int64_t add(std::span<const std::byte> raw, std::vector<std::byte>& packed);

 private:
  struct Contexts;
  FrameForm form_;
  std::unique_ptr<Contexts> contexts_;
  std::vector<std::byte> room_;
};

/// Local. Returns what ends a file: zstd's table of frames ("Zstandard Seekable Format", version 0.1.0), the empty
/// block of BGZF. Precondition: at most 2^27 frames.
[[nodiscard]] std::vector<std::byte> end_of_frames(Codec codec, std::span<const FrameSize> frames);

/// Local. Returns how a file with these first bytes is packed.
[[nodiscard]] Codec codec_of(std::span<const std::byte> first_bytes);

/// The bytes of a file by which its frames are found, or its end.
inline constexpr std::int64_t frame_header_bytes = 18;

/// Local. Returns the size of the table that ends a file of zstd whose last 9 bytes are `last`; nothing if none does.
[[nodiscard]] std::optional<std::int64_t> frame_table_bytes(std::span<const std::byte> last);
/// Local. Returns the sizes that such a table lists; nothing if frames cannot have them.
[[nodiscard]] std::optional<std::vector<FrameSize>> frames_in_table(std::span<const std::byte> table);

/// Local. Returns how many bytes of a file show where a frame ends that begins with `header`, at most; nothing if none
/// begins there.
[[nodiscard]] std::optional<std::int64_t> bytes_to_find_end(Codec codec, std::span<const std::byte> header);
/// Local. Returns the sizes of the frame at the beginning of `bytes`; a frame that holds nothing, such as a table, has
/// raw 0. Nothing: it does not end there.
[[nodiscard]] std::optional<FrameSize> frame_at(Codec codec, std::span<const std::byte> bytes);

/// Local. Unpacks a frame into `raw`. Returns what is wrong with it, if anything: it then may not be whole.
[[nodiscard]] std::optional<std::string_view> unpack_frame(Codec codec, std::span<const std::byte> packed,
                                                           std::span<std::byte> raw);

}  // namespace sill::records
