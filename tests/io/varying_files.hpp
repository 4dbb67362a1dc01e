// Files whose traces differ in length, made of shapes, for tests of their index.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/description/trace_table.hpp"
#include "store/temporary_folder.hpp"

namespace sill::test {

/// What fills the samples.
enum class Filling { noise, zeros, headers, traces };

/// How a file is made.
struct VaryingFile {
  std::vector<segy::TraceShape> shapes;
  ByteOrder order = ByteOrder::big;
  segy::SampleFormat format = segy::SampleFormat::ieee_float;
  int additional_headers = 0;
  std::int64_t trailers = 0;
  std::int64_t first_trace_byte = 3600;
  std::int64_t samples = 7;  ///< of the binary header; traces of so many say 0
  Filling filling = Filling::noise;
  std::uint64_t seed = 1;
};

/// Local. A header like those that programs write: some words are constant, some count.
inline void put_header(std::byte* at, const VaryingFile& file, std::int64_t trace, const segy::TraceShape& shape) {
  std::fill_n(at, shape.headers * segy::trace_header_bytes, std::byte{0});
  const auto number = static_cast<std::int32_t>(trace + 1);
  store<std::int32_t>(at, number, file.order);
  store<std::int32_t>(at + 4, number, file.order);
  store<std::int32_t>(at + 8, 1000 + number / 48, file.order);
  store<std::int32_t>(at + 12, 1 + number % 48, file.order);
  store<std::int16_t>(at + 28, 1, file.order);
  store<std::int16_t>(at + 68, -10, file.order);
  store<std::int16_t>(at + 70, -100, file.order);
  store<std::int32_t>(at + 72, 45000000 + 10 * number, file.order);
  if (shape.samples != file.samples && shape.samples <= 65535)
    store<std::uint16_t>(at + 114, static_cast<std::uint16_t>(shape.samples), file.order);
  store<std::uint16_t>(at + 116, 2000, file.order);
  if (file.additional_headers == 0 || (shape.headers == 1 + file.additional_headers && shape.samples <= 65535)) return;
  std::byte* const extension = at + segy::trace_header_bytes;
  std::memcpy(extension + 232, "SEG00001", 8);
  if (shape.samples > 65535)
    store<std::uint32_t>(extension + 136, static_cast<std::uint32_t>(shape.samples), file.order);
  store<std::uint16_t>(extension + 156, static_cast<std::uint16_t>(shape.headers - 1), file.order);
}

/// Local. The whole file. With trailers, they are noise.
[[nodiscard]] inline Bytes bytes_of(const VaryingFile& file) {
  const std::int64_t sample_bytes = segy::bytes_of(file.format);
  Bytes bytes = pattern(file.first_trace_byte, file.seed);
  std::mt19937_64 random(file.seed);
  for (std::size_t i = 0; i < file.shapes.size(); ++i) {
    const segy::TraceShape& shape = file.shapes[i];
    const std::size_t header = bytes.size();
    const auto samples = static_cast<std::size_t>(shape.samples * sample_bytes);
    bytes.resize(header + static_cast<std::size_t>(shape.headers * segy::trace_header_bytes));
    put_header(bytes.data() + header, file, static_cast<std::int64_t>(i), shape);
    Bytes filling(samples);
    if (file.filling == Filling::noise) filling = pattern(static_cast<std::int64_t>(samples), random());
    if (file.filling == Filling::headers || file.filling == Filling::traces) {
      // Headers one right behind the other, or with so many samples as they state: chains that lead astray.
      for (std::size_t at = 0; at + segy::trace_header_bytes <= samples;) {
        const auto stated = file.filling == Filling::headers ? 0 : static_cast<std::int64_t>(random() % 4);
        VaryingFile other = file;
        other.samples = -1;
        other.additional_headers = 0;
        put_header(filling.data() + at, other, static_cast<std::int64_t>(random() % 1000),
                   {stated == 0 ? 1 : stated, 1});
        at += segy::trace_header_bytes + static_cast<std::size_t>(stated * sample_bytes);
      }
    }
    bytes.insert(bytes.end(), filling.begin(), filling.end());
  }
  const Bytes trailers = pattern(3200 * file.trailers, file.seed + 1);
  bytes.insert(bytes.end(), trailers.begin(), trailers.end());
  return bytes;
}

/// Local. The description that a probe would give of a file of so many bytes.
[[nodiscard]] inline segy::FileDescription description_of(const VaryingFile& file, std::int64_t file_bytes) {
  segy::FileDescription description;
  description.byte_order = file.order;
  description.revision = description.revision_major = file.additional_headers > 0 || file.trailers > 0 ? 2 : 1;
  description.sample_format = file.format;
  description.samples = file.samples;
  description.additional_trace_headers = file.additional_headers;
  description.trailers = file.trailers;
  description.first_trace_byte = file.first_trace_byte;
  description.trace_bytes = description.header_bytes() + file.samples * segy::bytes_of(file.format);
  description.traces = -1;
  description.file_bytes = file_bytes;
  description.lengths_vary = true;
  return description;
}

/// Local. The stretches of a file, from the shapes it was made of.
[[nodiscard]] inline std::vector<segy::TraceStretch> stretches_of(const VaryingFile& file, std::size_t traces) {
  std::vector<segy::TraceStretch> stretches;
  std::int64_t byte = file.first_trace_byte;
  for (std::size_t i = 0; i < traces; ++i) {
    const segy::TraceShape& shape = file.shapes[i];
    if (stretches.empty() || stretches.back().shape() != shape)
      stretches.push_back({static_cast<std::int64_t>(i), byte, static_cast<std::uint32_t>(shape.samples),
                           static_cast<std::uint32_t>(shape.headers)});
    byte += shape.headers * segy::trace_header_bytes + shape.samples * segy::bytes_of(file.format);
  }
  return stretches;
}

/// Local. Any file, hostile ones among them; the same for the same seed.
[[nodiscard]] inline VaryingFile any_varying_file(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>(random() % end); };
  VaryingFile file;
  file.seed = seed;
  file.order = std::vector{ByteOrder::big, ByteOrder::little, ByteOrder::pairwise}[static_cast<std::size_t>(below(3))];
  file.format = std::vector{segy::SampleFormat::ieee_float, segy::SampleFormat::ibm_float, segy::SampleFormat::int16,
                            segy::SampleFormat::int8}[static_cast<std::size_t>(below(4))];
  file.filling = static_cast<Filling>(below(4));
  file.first_trace_byte = below(5) == 0 ? 3601 : 3600 + 3200 * below(2);
  file.additional_headers = below(3) == 0 ? static_cast<int>(1 + below(3)) : 0;
  file.trailers = below(4) == 0 ? 1 + below(2) : 0;
  const std::int64_t traces = below(5) == 0 ? below(4) : below(400);
  const std::int64_t longest = std::vector<std::int64_t>{2, 30, 3000}[static_cast<std::size_t>(below(3))];
  segy::TraceShape shape;
  for (std::int64_t i = 0; i < traces; ++i) {
    if (i == 0 || below(2) == 0) {
      shape.samples = 1 + below(static_cast<std::uint64_t>(longest));
      shape.headers = 1 + file.additional_headers;
      if (file.additional_headers > 0 && below(2) == 0)
        shape.headers = static_cast<int>(2 + below(static_cast<std::uint64_t>(file.additional_headers)));
      if (file.additional_headers > 0 && below(50) == 0) shape.samples = 65535 + below(3);
    }
    file.shapes.push_back(shape);
  }
  return file;
}

}  // namespace sill::test
