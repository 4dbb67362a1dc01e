// Drawings as PNG files, band by band, and bytes as text.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "sill/flow/view/drawing.hpp"

namespace sill::cli {

/// Takes the next bytes of a file.
using Sink = std::function<void(std::string_view)>;

/// Local. Writes an image as a PNG file: `draw` draws what lies in each band, from the top to the bottom. Errors: io,
/// if libpng refuses or there is no memory; those of `draw` and `sink`.
void write_png(int width, int height, const std::function<void(flow::view::Band&)>& draw, const Sink& sink);

/// Local. All of a drawing as a PNG file. Errors: as of `write_png`.
void write_png_of(const flow::view::Drawing& drawing, const Sink& sink);

/// Bytes as text, piece by piece. Source: RFC 4648, section 4.
class Base64 {
 public:
  explicit Base64(const Sink& sink) : sink_(sink) {}
  /// Local. Adds bytes.
  void add(std::string_view bytes);
  /// Local. Ends the text.
  void finish();

 private:
  void write(std::string_view bytes);

  const Sink& sink_;
  std::string rest_;  // bytes that make no group of three yet
};

}  // namespace sill::cli
