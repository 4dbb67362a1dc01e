#include "cli/view/picture_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/html_text.hpp"
#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/session/dataset_layouts.hpp"

namespace sill::cli {

OutputForm PictureOptions::form() const {
  constexpr std::array<std::string_view, 4> endings{".png", ".svg", ".pdf", ".html"};
  for (std::size_t i = 0; i < endings.size(); ++i)
    if (output.size() > endings[i].size() && output.ends_with(endings[i])) return static_cast<OutputForm>(i);
  throw usage_error(fmt::format("the name of the picture, `{}`, does not end with a picture format", echoed(output)),
                    "end the name with .png, .svg, .pdf or .html");
}

draw::PageSize PictureOptions::page() const {
  constexpr std::int64_t min_px = 100;
  constexpr std::int64_t max_px = 16'384;
  Index px;
  const std::optional<Error> refused = attempt([&] { px = parse_chunk(size); });
  if (!refused && px.size() == 2 && std::ranges::min(px) >= min_px && std::ranges::max(px) <= max_px)
    return {.width = static_cast<int>(px[0]), .height = static_cast<int>(px[1]), .dpi = dpi};
  throw usage_error(fmt::format("`{}` is not a picture size", echoed(size)),
                    fmt::format("write WIDTHxHEIGHT in pixels, each from {} to {}, such as 1200x800", min_px, max_px));
}

void PictureOptions::require_valid() const {
  (void)form();
  (void)page();
  (void)colour_map();
}

void add_drawing_options(CLI::App& parser, DrawingArguments& options) {
  parser.add_option("FILE", options.file, "A SEG-Y or Seismic Unix file")->required();
  parser
      .add_option("-o,--output", options.picture.output,
                  "Picture file, .png, .svg, .pdf or .html; it appears when it is complete")
      ->required();
  parser.add_option("--size", options.picture.size, "Size of the picture in pixels, WIDTHxHEIGHT")
      ->capture_default_str();
  parser
      .add_option("--dpi", options.picture.dpi,
                  "Pixels per inch, which scales texts and lines and sets the size of a PDF page")
      ->check(NumberRange(20.0, 2400.0))
      ->capture_default_str();
  parser
      .add_option("--colors", options.picture.colors,
                  fmt::format("Color map: {}; append `,reversed` to reverse it", draw::ColourMap::names()))
      ->capture_default_str();
  parser.add_option("--traces", options.traces.range, "Select traces FIRST:LAST, counted from 1, both included");
  parser.add_option("--gather", options.traces.gather,
                    "Select a gather, WORD=VALUE, or several gathers, WORD=FIRST:LAST");
  parser.add_option("--inline", options.traces.inline_number, "Select the traces of this inline (iline)");
  parser.add_option("--crossline", options.traces.crossline_number, "Select the traces of this crossline (xline)");
  parser.add_option("--where", options.traces.where,
                    "Select the traces for which this condition holds (`sill help expressions`)");
}

void PictureFile::write(std::string_view bytes) {
  constexpr std::size_t block_bytes = std::size_t{1} << 20;
  block_ += bytes;
  if (block_.size() >= block_bytes) file_.write(std::exchange(block_, {}));
}

void PictureFile::finish() {
  file_.write(block_);
  file_.finish();
}

void warn_of_font(Session& session) {
  if (const std::string warning = draw::font_warning(); !warning.empty()) session.warn(warning);
}

int draw_chart(Session& session, const PictureOptions& options, const SurveyReader& reader,
               const std::function<draw::Chart()>& make, const std::string& what) {
  std::optional<PictureFile> file;
  std::string text = fmt::format("{}, into {}\n", what, options.output);
  run_on_rank(session.comm(), 0, [&] {
    const draw::Chart chart = make();
    for (const std::string& note : chart.notes)
      if (note != what) text += fmt::format("  note          {}\n", note);
    const OutputForm form = options.form();
    file.emplace(session.resources(), options.output);
    const auto sink = [&](std::string_view bytes) { file->write(bytes); };
    if (form != OutputForm::html)
      return draw::write_chart(static_cast<draw::PictureForm>(form), options.page(), chart, sink);
    sink(page_begin(chart.title));
    write_picture_element(
        [&](const TextSink& svg) { draw::write_chart(draw::PictureForm::svg, options.page(), chart, svg); }, sink);
    std::string notes = "<p>";
    for (const std::string& note : chart.notes) notes += escaped(note) + "<br/>\n";
    sink(notes + "</p>\n</body>\n</html>\n");
  });
  reader.require_unchanged(session.comm());
  run_on_rank(session.comm(), 0, [&] {
    file->finish();
    warn_of_font(session);
  });
  session.print(text + fmt::format("  time          {}", format_duration(session.seconds())));
  return session.finish();
}

}  // namespace sill::cli
