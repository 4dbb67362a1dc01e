// The common options of all commands that draw: file, size, colours, and selection of traces.
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

/// The format of a picture. An HTML page contains a picture.
enum class OutputForm : std::uint8_t { png, svg, pdf, html };

/// The options as written by the user.
struct PictureOptions {
  std::string output = {};
  std::string size = "1200x800";
  double dpi = 96.0;
  std::string colors = "viridis";

  /// Local. Returns the values of the options. Errors: usage.
  [[nodiscard]] OutputForm form() const;
  [[nodiscard]] draw::PageSize page() const;
  [[nodiscard]] draw::ColourMap colour_map() const { return draw::ColourMap::parse(colors); }
  /// Local. Checks the options before anything is read. Errors: usage.
  void require_valid() const;
};

/// The options of every command that draws a survey.
struct DrawingArguments {
  std::string file = {};
  PictureOptions picture = {};
  view::TracesRequest traces = {};
};

/// Local. Adds FILE, `-o`, `--size`, `--dpi`, `--colors`, and the options that select traces. The colours in `options`
/// are the default.
void add_drawing_options(CLI::App& parser, DrawingArguments& options);

/// A picture that gets its name after all of it has been written and its data have been checked. Used by one rank.
/// Errors of all calls: io.
class PictureFile {
 public:
  PictureFile(const Resources& resources, const std::string& path) : file_(resources, path) {}
  /// Local. Writes bytes.
  void write(std::string_view bytes);
  /// Local. Completes the file. Must be called after the last byte.
  void finish();

 private:
  WholeTextFile file_;
  std::string block_;
};

/// Local. Warns that pictures were drawn without a font. Called by the rank that has drawn one.
void warn_of_font(Session& session);

/// Collective. Draws the chart that `make` returns on rank 0, checks that the files of `reader` have not changed, and
/// reports that the file contains `what`. Returns the exit code. Errors: io; errors of `make`.
int draw_chart(Session& session, const PictureOptions& options, const SurveyReader& reader,
               const std::function<draw::Chart()>& make, const std::string& what);

}  // namespace sill::cli
