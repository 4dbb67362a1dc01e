// The functions of Cairo that draw pictures. Source: cairo.h, cairo-svg.h, cairo-pdf.h of Cairo 1.16.
#pragma once

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
  CairoSurface* (*image_surface_create)(int format, int width, int height);
  CairoSurface* (*image_surface_create_for_data)(unsigned char* data, int format, int width, int height, int stride);
  unsigned char* (*image_surface_get_data)(CairoSurface*);
  int (*image_surface_get_stride)(CairoSurface*);
  CairoSurface* (*svg_surface_create_for_stream)(CairoWrite, void* closure, double width_pt, double height_pt);
  void (*svg_surface_set_document_unit)(CairoSurface*, int unit);
  CairoSurface* (*pdf_surface_create_for_stream)(CairoWrite, void* closure, double width_pt, double height_pt);
  void (*pdf_surface_set_metadata)(CairoSurface*, int metadata, const char* utf8);
  void (*surface_flush)(CairoSurface*);
  void (*surface_finish)(CairoSurface*);
  void (*surface_destroy)(CairoSurface*);
  int (*surface_status)(CairoSurface*);
  CairoContext* (*create)(CairoSurface*);
  void (*destroy)(CairoContext*);
  int (*status)(CairoContext*);
  const char* (*status_to_string)(int status);
  void (*save)(CairoContext*);
  void (*restore)(CairoContext*);
  void (*translate)(CairoContext*, double x, double y);
  void (*scale)(CairoContext*, double x, double y);
  void (*rotate)(CairoContext*, double angle);
  void (*set_source_rgba)(CairoContext*, double red, double green, double blue, double alpha);
  void (*set_source_surface)(CairoContext*, CairoSurface*, double x, double y);
  CairoPattern* (*get_source)(CairoContext*);
  void (*pattern_set_filter)(CairoPattern*, int filter);
  void (*paint)(CairoContext*);
  void (*new_path)(CairoContext*);
  void (*move_to)(CairoContext*, double x, double y);
  void (*line_to)(CairoContext*, double x, double y);
  void (*close_path)(CairoContext*);
  void (*rectangle)(CairoContext*, double x, double y, double width, double height);
  void (*arc)(CairoContext*, double x, double y, double radius, double from, double to);
  void (*fill)(CairoContext*);
  void (*stroke)(CairoContext*);
  void (*clip)(CairoContext*);
  void (*set_line_width)(CairoContext*, double width);
  void (*set_line_join)(CairoContext*, int join);
  void (*select_font_face)(CairoContext*, const char* family, int slant, int weight);
  void (*set_font_size)(CairoContext*, double size);
  CairoFontOptions* (*font_options_create)();
  void (*font_options_destroy)(CairoFontOptions*);
  void (*font_options_set_hint_style)(CairoFontOptions*, int style);
  void (*font_options_set_hint_metrics)(CairoFontOptions*, int metrics);
  void (*set_font_options)(CairoContext*, const CairoFontOptions*);
  CairoScaledFont* (*get_scaled_font)(CairoContext*);
  int (*scaled_font_get_type)(CairoScaledFont*);
  void (*text_extents)(CairoContext*, const char* utf8, CairoTextExtents*);
  void (*show_text)(CairoContext*, const char* utf8);

  bool has_font;  ///< false: fontconfig finds none, so Cairo draws texts with its built-in strokes

  /// Local. Returns the library. Errors: io, if Cairo cannot be loaded or no font is found.
  [[nodiscard]] static const CairoLibrary& get();
};

}  // namespace sill::draw
