// The functions of Cairo that draw pictures. Source: cairo.h, cairo-svg.h, cairo-pdf.h of Cairo 1.16.
#pragma once

#include "sill/base/loaded_function.hpp"

extern "C" {
struct _cairo;
struct _cairo_surface;
struct _cairo_pattern;
struct _cairo_font_options;
struct _cairo_scaled_font;
}

namespace sill::draw {

using CairoContext = _cairo;
using CairoSurface = _cairo_surface;
using CairoPattern = _cairo_pattern;
using CairoFontOptions = _cairo_font_options;
using CairoScaledFont = _cairo_scaled_font;
using CairoWrite = int (*)(void*, const unsigned char*, unsigned int);

/// cairo_text_extents_t.
struct CairoTextExtents {
  double x_bearing;
  double y_bearing;
  double width;
  double height;
  double x_advance;
  double y_advance;
};

inline constexpr int cairo_format_rgb24 = 1;
inline constexpr int cairo_filter_nearest = 3;
inline constexpr int cairo_line_join_bevel = 2;
inline constexpr int cairo_svg_unit_px = 3;
inline constexpr int cairo_hint_style_none = 1;
inline constexpr int cairo_hint_metrics_off = 1;
inline constexpr int cairo_font_type_user = 4;
inline constexpr int cairo_status_write_error = 11;
inline constexpr int cairo_pdf_metadata_title = 0;

/// Cairo, loaded once per process.
struct CairoLibrary {
  CairoSurface* (*image_surface_create)(int format, int width, int height) = find("cairo_image_surface_create");
  CairoSurface* (*image_surface_create_for_data)(unsigned char* data, int format, int width, int height,
                                                 int stride) = find("cairo_image_surface_create_for_data");
  unsigned char* (*image_surface_get_data)(CairoSurface*) = find("cairo_image_surface_get_data");
  int (*image_surface_get_stride)(CairoSurface*) = find("cairo_image_surface_get_stride");
  CairoSurface* (*svg_surface_create_for_stream)(CairoWrite, void* closure, double width_pt,
                                                 double height_pt) = find("cairo_svg_surface_create_for_stream");
  void (*svg_surface_set_document_unit)(CairoSurface*, int unit) = find("cairo_svg_surface_set_document_unit");
  CairoSurface* (*pdf_surface_create_for_stream)(CairoWrite, void* closure, double width_pt,
                                                 double height_pt) = find("cairo_pdf_surface_create_for_stream");
  void (*pdf_surface_set_metadata)(CairoSurface*, int metadata,
                                   const char* utf8) = find("cairo_pdf_surface_set_metadata");
  void (*surface_flush)(CairoSurface*) = find("cairo_surface_flush");
  void (*surface_finish)(CairoSurface*) = find("cairo_surface_finish");
  void (*surface_destroy)(CairoSurface*) = find("cairo_surface_destroy");
  int (*surface_status)(CairoSurface*) = find("cairo_surface_status");
  CairoContext* (*create)(CairoSurface*) = find("cairo_create");
  void (*destroy)(CairoContext*) = find("cairo_destroy");
  int (*status)(CairoContext*) = find("cairo_status");
  const char* (*status_to_string)(int status) = find("cairo_status_to_string");
  void (*save)(CairoContext*) = find("cairo_save");
  void (*restore)(CairoContext*) = find("cairo_restore");
  void (*translate)(CairoContext*, double x, double y) = find("cairo_translate");
  void (*scale)(CairoContext*, double x, double y) = find("cairo_scale");
  void (*rotate)(CairoContext*, double angle) = find("cairo_rotate");
  void (*set_source_rgba)(CairoContext*, double red, double green, double blue,
                          double alpha) = find("cairo_set_source_rgba");
  void (*set_source_surface)(CairoContext*, CairoSurface*, double x, double y) = find("cairo_set_source_surface");
  CairoPattern* (*get_source)(CairoContext*) = find("cairo_get_source");
  void (*pattern_set_filter)(CairoPattern*, int filter) = find("cairo_pattern_set_filter");
  void (*paint)(CairoContext*) = find("cairo_paint");
  void (*new_path)(CairoContext*) = find("cairo_new_path");
  void (*move_to)(CairoContext*, double x, double y) = find("cairo_move_to");
  void (*line_to)(CairoContext*, double x, double y) = find("cairo_line_to");
  void (*close_path)(CairoContext*) = find("cairo_close_path");
  void (*rectangle)(CairoContext*, double x, double y, double width, double height) = find("cairo_rectangle");
  void (*arc)(CairoContext*, double x, double y, double radius, double from, double to) = find("cairo_arc");
  void (*fill)(CairoContext*) = find("cairo_fill");
  void (*stroke)(CairoContext*) = find("cairo_stroke");
  void (*clip)(CairoContext*) = find("cairo_clip");
  void (*set_line_width)(CairoContext*, double width) = find("cairo_set_line_width");
  void (*set_line_join)(CairoContext*, int join) = find("cairo_set_line_join");
  void (*select_font_face)(CairoContext*, const char* family, int slant, int weight) = find("cairo_select_font_face");
  void (*set_font_size)(CairoContext*, double size) = find("cairo_set_font_size");
  CairoFontOptions* (*font_options_create)() = find("cairo_font_options_create");
  void (*font_options_destroy)(CairoFontOptions*) = find("cairo_font_options_destroy");
  void (*font_options_set_hint_style)(CairoFontOptions*, int style) = find("cairo_font_options_set_hint_style");
  void (*font_options_set_hint_metrics)(CairoFontOptions*, int metrics) = find("cairo_font_options_set_hint_metrics");
  void (*set_font_options)(CairoContext*, const CairoFontOptions*) = find("cairo_set_font_options");
  CairoScaledFont* (*get_scaled_font)(CairoContext*) = find("cairo_get_scaled_font");
  int (*scaled_font_get_type)(CairoScaledFont*) = find("cairo_scaled_font_get_type");
  void (*text_extents)(CairoContext*, const char* utf8, CairoTextExtents*) = find("cairo_text_extents");
  void (*show_text)(CairoContext*, const char* utf8) = find("cairo_show_text");

  bool has_font = false;  ///< false: fontconfig finds none, so Cairo draws texts with its built-in strokes

  /// Local. Returns the library. Errors: io, if Cairo cannot be loaded or no font is found.
  [[nodiscard]] static const CairoLibrary& get();

 private:
  static LoadedFunction find(const char* name);
};

}  // namespace sill::draw
