// Moving the bytes of parts between memory, messages and the images of files in a stage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sill/move/schedule.hpp"

namespace sill {

/// The image of a stretch of a file: byte `bytes.offset` of the file is at `memory`.
struct Image {
  ByteRange bytes;
  std::byte* memory = nullptr;
};

/// Local. The image in `stage` of the segment of `round` that holds a part.
[[nodiscard]] inline Image image_of(const Round& round, const StagedPart& part, std::byte* stage) {
  const Segment& segment = round.segments[part.segment];
  return {segment.bytes, stage + segment.stage_offset_bytes};
}

/// Whether a part is contiguous in memory: then it needs no copy to become a message. Never with an encoder or decoder.
[[nodiscard]] bool is_contiguous_in_memory(const Part& part);
/// Whether a part is contiguous in the file: then a message can be received into its image.
[[nodiscard]] bool is_contiguous_in_file(const Part& part);
/// The first byte of a part in memory. Precondition: it has an address.
[[nodiscard]] std::byte* memory_of(const Part& part);

/// Local. From `packed` to the part's places in the image, and back. Precondition: the image covers the part.
void packed_to_image(const Part& part, std::span<const std::byte> packed, const Image& image);
void image_to_packed(const Part& part, const Image& image, std::span<std::byte> packed);
/// Local. From memory or the encoder to the part's places in the image, and back to memory or the decoder.
void memory_to_image(const Part& part, const Image& image);
void image_to_memory(const Part& part, const Image& image);

}  // namespace sill
