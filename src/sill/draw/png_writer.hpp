// Rows of pixels as a PNG file.
#pragma once

#include <cstdint>
#include <memory>

#include "sill/draw/sink.hpp"

namespace sill::draw {

/// A PNG of 8-bit red, green and blue, written row by row. Errors of all calls: io; those of the sink.
class PngWriter {
 public:
  /// Local. `sink` outlives it.
  PngWriter(int width, int height, double dpi, const Sink& sink);
  ~PngWriter();
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  /// Local. The next row: three bytes per pixel.
  void write_row(const std::uint8_t* row);
  /// Local. Call after the last row.
  void finish();

 private:
  class Library;
  std::unique_ptr<Library> library_;
};

}  // namespace sill::draw
