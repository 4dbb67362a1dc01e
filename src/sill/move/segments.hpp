// Moves the bytes of parts between memory, messages and the images of files in a stage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sill/move/schedule.hpp"

namespace sill {

/// The image of a file range: byte `bytes.offset` of the file is at `memory`.
struct Image {
  ByteRange bytes;
  std::byte* memory = nullptr;
};

/// Local. Returns the image in `stage` of the segment of `round` that contains a part.
[[nodiscard]] inline Image image_of(const Round& round, const StagedPart& part, std::byte* stage) {
  const Segment& segment = round.segments[part.segment];
  return {segment.bytes, stage + segment.stage_offset_bytes};
}

/// Local. Returns true if a part is contiguous in memory: it can then be sent without a copy. Always false with an
/// encoder or decoder.
[[nodiscard]] bool is_contiguous_in_memory(const Part& part);
/// Local. Returns true if a part is contiguous in the file: a message can then be received into its image.
[[nodiscard]] bool is_contiguous_in_file(const Part& part);
/// Local. Returns the address of the first byte of a part in memory. Precondition: the part has an address.
[[nodiscard]] std::byte* memory_of(const Part& part);

/// Local. Copy the bytes of a part: from `packed` to their positions in the image; from the image to `packed`.
/// Precondition: the image covers the part.
void packed_to_image(const Part& part, std::span<const std::byte> packed, const Image& image);
void image_to_packed(const Part& part, const Image& image, std::span<std::byte> packed);
/// Local. Copy the bytes of a part: from memory or the encoder to their positions in the image; from the image to
/// memory or the decoder.
void memory_to_image(const Part& part, const Image& image);
void image_to_memory(const Part& part, const Image& image);

}  // namespace sill
