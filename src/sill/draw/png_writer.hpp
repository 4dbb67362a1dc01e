// Writes rows of pixels as a PNG file.
#pragma once

#include <cstdint>
#include <memory>

#include "sill/draw/sink.hpp"

namespace sill::draw {

/// A PNG of 8-bit red, green and blue, written row by row. Errors of all calls: io; errors of the sink.
class PngWriter {
 public:
  /// Local. Writes the beginning of the file. `sink` must outlive this object.
  PngWriter(int width, int height, double dpi, const Sink& sink);
  ~PngWriter();
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  /// Local. Writes the next row: three bytes per pixel.
  void write_row(const std::uint8_t* row);
  /// Local. Writes the end of the file. Precondition: all rows were written.
  void finish();

 private:
  class Library;
  std::unique_ptr<Library> library_;
};

}  // namespace sill::draw
