// What all commands that draw have in common: the file, its size and colours; which traces.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "sill/draw/chart.hpp"
#include "sill/io/files/whole_text_file.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/view/shown_traces.hpp"

namespace sill::cli {

/// An HTML page holds a picture.
enum class OutputForm : std::uint8_t { png, svg, pdf, html };

/// As the user wrote them.
struct PictureOptions {
  std::string output = {};
  std::string size = "1200x800";
  double dpi = 96.0;
  std::string colors = "viridis";

  /// Local. Errors: usage.
  [[nodiscard]] OutputForm form() const;
  [[nodiscard]] draw::PageSize page() const;
  [[nodiscard]] draw::ColourMap colour_map() const { return draw::ColourMap::parse(colors); }
  /// Local. Errors: usage, before anything is read.
  void require_valid() const;
};

/// Local. Adds `-o`, `--size`, `--dpi` and `--colors`; the colours that `options` have are the default.
void add_picture_options(CLI::App& parser, PictureOptions& options);

/// Local. Adds the options that choose traces.
void add_trace_options(CLI::App& parser, view::TracesRequest& traces);

/// A picture that takes its name when all of it, and what it is of, is known to be right. Used by one rank. Errors of
/// all calls: io.
class PictureFile {
 public:
  PictureFile(const Resources& resources, const std::string& path) : file_(resources, path) {}
  /// Local. Adds bytes.
  void write(std::string_view bytes);
  /// Local. Call after the last byte.
  void finish();

 private:
  WholeTextFile file_;
  std::string block_;
};

/// Collective. Draws the chart that `make` returns on rank 0, after which `reader` has not changed, and reports `what`
/// is in the file. Errors: io; those of `make`.
void draw_chart(Session& session, const PictureOptions& options, const SurveyReader& reader,
                const std::function<draw::Chart()>& make, const std::string& what);

}  // namespace sill::cli
