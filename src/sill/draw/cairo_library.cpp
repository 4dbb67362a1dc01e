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

CairoLibrary loaded() {
  void* const library = ::dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = ::dlerror();
    refuse_to_draw(
        fmt::format("pictures are drawn by Cairo, which cannot be loaded: {}", reason == nullptr ? "" : reason),
        "libcairo2 and fonts-dejavu-core");
  }
  const auto load = [&]<class Function>(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    if (function == nullptr)
      refuse_to_draw(fmt::format("this version of Cairo lacks the function {}", name),
                     "libcairo2 of version 1.16 or later");
  };
  CairoLibrary cairo{};
  load(cairo.image_surface_create, "cairo_image_surface_create");
  load(cairo.image_surface_create_for_data, "cairo_image_surface_create_for_data");
  load(cairo.image_surface_get_data, "cairo_image_surface_get_data");
  load(cairo.image_surface_get_stride, "cairo_image_surface_get_stride");
  load(cairo.svg_surface_create_for_stream, "cairo_svg_surface_create_for_stream");
  load(cairo.svg_surface_set_document_unit, "cairo_svg_surface_set_document_unit");
  load(cairo.pdf_surface_create_for_stream, "cairo_pdf_surface_create_for_stream");
  load(cairo.pdf_surface_set_metadata, "cairo_pdf_surface_set_metadata");
  load(cairo.surface_flush, "cairo_surface_flush");
  load(cairo.surface_finish, "cairo_surface_finish");
  load(cairo.surface_destroy, "cairo_surface_destroy");
  load(cairo.surface_status, "cairo_surface_status");
  load(cairo.create, "cairo_create");
  load(cairo.destroy, "cairo_destroy");
  load(cairo.status, "cairo_status");
  load(cairo.status_to_string, "cairo_status_to_string");
  load(cairo.save, "cairo_save");
  load(cairo.restore, "cairo_restore");
  load(cairo.translate, "cairo_translate");
  load(cairo.scale, "cairo_scale");
  load(cairo.rotate, "cairo_rotate");
  load(cairo.set_source_rgba, "cairo_set_source_rgba");
  load(cairo.set_source_surface, "cairo_set_source_surface");
  load(cairo.get_source, "cairo_get_source");
  load(cairo.pattern_set_filter, "cairo_pattern_set_filter");
  load(cairo.paint, "cairo_paint");
  load(cairo.new_path, "cairo_new_path");
  load(cairo.move_to, "cairo_move_to");
  load(cairo.line_to, "cairo_line_to");
  load(cairo.close_path, "cairo_close_path");
  load(cairo.rectangle, "cairo_rectangle");
  load(cairo.arc, "cairo_arc");
  load(cairo.fill, "cairo_fill");
  load(cairo.stroke, "cairo_stroke");
  load(cairo.clip, "cairo_clip");
  load(cairo.set_line_width, "cairo_set_line_width");
  load(cairo.set_line_join, "cairo_set_line_join");
  load(cairo.select_font_face, "cairo_select_font_face");
  load(cairo.set_font_size, "cairo_set_font_size");
  load(cairo.font_options_create, "cairo_font_options_create");
  load(cairo.font_options_destroy, "cairo_font_options_destroy");
  load(cairo.font_options_set_hint_style, "cairo_font_options_set_hint_style");
  load(cairo.font_options_set_hint_metrics, "cairo_font_options_set_hint_metrics");
  load(cairo.set_font_options, "cairo_set_font_options");
  load(cairo.get_scaled_font, "cairo_get_scaled_font");
  load(cairo.scaled_font_get_type, "cairo_scaled_font_get_type");
  load(cairo.text_extents, "cairo_text_extents");
  load(cairo.show_text, "cairo_show_text");
  return cairo;
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

const CairoLibrary& CairoLibrary::get() {
  static const CairoLibrary library = [] {
    CairoLibrary cairo = loaded();
    cairo.has_font = finds_font(cairo);
    return cairo;
  }();
  return library;
}

}  // namespace sill::draw
