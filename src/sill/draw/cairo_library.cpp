#include "sill/draw/cairo_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "sill/base/error.hpp"

namespace sill::draw {
namespace {

[[noreturn]] void refuse_to_draw(std::string problem, const char* packages) {
  throw Error({.code = ErrorCode::io,
               .problem = std::move(problem),
               .action = fmt::format("install {} (Debian); everything except pictures works without it", packages)});
}

void* loaded() {
  void* const library = ::dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* const reason = ::dlerror();
  refuse_to_draw(
      fmt::format("pictures are drawn by Cairo, which cannot be loaded: {}", reason == nullptr ? "" : reason),
      "libcairo2 and fonts-dejavu-core");
}

// Without a font Cairo draws no text, or text made of strokes, and reports no error. Returns false for strokes.
bool finds_font(const CairoLibrary& cairo) {
  CairoSurface* const surface = cairo.image_surface_create(cairo_format_rgb24, 1, 1);
  CairoContext* const context = cairo.create(surface);
  cairo.select_font_face(context, "sans-serif", 0, 0);
  cairo.set_font_size(context, 10.0);
  CairoTextExtents extents{};
  cairo.text_extents(context, "0", &extents);
  const bool has_text = cairo.status(context) == 0 && extents.width > 0.0;
  const bool has_font = has_text && cairo.scaled_font_get_type(cairo.get_scaled_font(context)) != cairo_font_type_user;
  cairo.destroy(context);
  cairo.surface_destroy(surface);
  if (!has_text) refuse_to_draw("no font was found, so a picture would have no text", "fonts-dejavu-core");
  return has_font;
}

}  // namespace

LoadedFunction CairoLibrary::find(const char* name) {
  static void* const library = loaded();
  void* const function = ::dlsym(library, name);
  if (function == nullptr)
    refuse_to_draw(fmt::format("this version of Cairo lacks the function {}", name),
                   "libcairo2 of version 1.16 or later");
  return LoadedFunction(function);
}

const CairoLibrary& CairoLibrary::get() {
  static const CairoLibrary library = [] {
    CairoLibrary cairo;
    cairo.has_font = finds_font(cairo);
    return cairo;
  }();
  return library;
}

}  // namespace sill::draw
