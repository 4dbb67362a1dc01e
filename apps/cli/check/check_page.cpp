#include "cli/check/check_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cli/check/check_maps.hpp"
#include "cli/survey/geometry_text.hpp"
#include "sill/base/html_text.hpp"
#include "sill/base/units.hpp"

namespace sill::cli {
namespace {

std::string grade_mark(Grade grade) { return fmt::format("<span class=\"grade {0}\">{0}</span>", name_of(grade)); }

std::string overview_of(std::span<const CheckedFile> files) {
  std::string html =
      "<table>\n<tr><th>file</th><th>format</th><th class=\"number\">traces</th><th class=\"number\">size</th>"
      "<th>worst</th><th class=\"number\">findings</th></tr>\n";
  for (std::size_t i = 0; i < files.size(); ++i) {
    const CheckedFile& file = files[i];
    html += fmt::format("<tr><td><a href=\"#file{}\">{}</a></td>", i + 1, escaped(file.path));
    if (!file.result) {
      html += fmt::format("<td colspan=\"3\">could not be checked</td><td>{}</td><td></td></tr>\n",
                          grade_mark(Grade::critical));
      continue;
    }
    const segy::FileDescription& about = file.result->file;
    html += fmt::format(
        "<td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{}</td><td class=\"number\">{}</td>"
        "</tr>\n",
        escaped(format_of(about)), format_count(about.traces), format_bytes(about.file_bytes),
        grade_mark(file.result->worst()), file.result->findings.size());
  }
  return html + "</table>\n";
}

std::string findings_of(std::span<const Finding> findings) {
  if (findings.empty()) return "<p>No findings.</p>\n";
  std::string html = "<table>\n<tr><th>grade</th><th>finding</th><th>where</th><th>clause</th><th>done</th></tr>\n";
  for (const Finding& finding : findings) {
    const Diagnostic& stated = finding.diagnostic;
    html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", grade_mark(stated.grade),
                        escaped(stated.problem), escaped(stated.where), escaped(stated.clause), escaped(stated.action));
  }
  return html + "</table>\n";
}

std::string amplitudes_of(const Amplitudes& amplitudes, const AmplitudeBars& bars) {
  if (amplitudes.finite() == 0) return "<p>There are no finite samples.</p>\n";
  std::string html =
      "<div class=\"side\">\n<div>" + histogram_drawing(bars) + "</div>\n<table style=\"width: auto\">\n";
  html += row_of("smallest", fmt::format("{:.7g}", amplitudes.smallest));
  for (const Percentile& one : amplitudes.percentiles)
    html += row_of(fmt::format("{:g} %", one.percent),
                   fmt::format("{:.5g} ± {:.1g}", one.amplitude.middle(), one.amplitude.error()));
  html += row_of("largest", fmt::format("{:.7g}", amplitudes.largest));
  html += row_of("rms", fmt::format("{:.7g}", amplitudes.rms));
  html += row_of("samples", format_count(amplitudes.samples));
  html += row_of("of these zero", format_count(amplitudes.zeros));
  html += row_of("NaN, infinite",
                 fmt::format("{}, {}", format_count(amplitudes.nans), format_count(amplitudes.infinities)));
  return html + "</table>\n</div>\n";
}

std::string facts_of(const segy::FileDescription& file) {
  std::string html = "<table style=\"width: auto\">\n";
  html += row_of("format", format_of(file));
  html += row_of("size", fmt::format("{} ({} bytes)", format_bytes(file.file_bytes), format_count(file.file_bytes)));
  html += row_of("byte order", name_of(file.byte_order));
  html +=
      row_of("samples", fmt::format("{}: {}", segy::code_of(file.sample_format), segy::name_of(file.sample_format)));
  html += row_of("traces", format_count(file.traces));
  html += row_of("samples per trace", file.lengths_vary ? "different numbers" : format_count(file.samples));
  html += row_of("interval", fmt::format("{} us", file.interval_us));
  return html + "</table>\n";
}

// Returns the lines of a preformatted text.
std::string lines_of(std::string_view text) {
  std::string html = "<pre>";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    html += escaped(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return html + "</pre>\n";
}

std::string geometry_of(const CheckResult& result) {
  if (!result.geometry) {
    return result.no_geometry.empty()
               ? ""
               : fmt::format("<h3>Geometry</h3>\n<p>Not inferred: {}</p>\n", escaped(result.no_geometry));
  }
  return "<h3>Geometry</h3>\n" + lines_of(geometry_text(*result.geometry)) + fold_drawing(*result.geometry);
}

std::string text_header_of(std::span<const std::string> lines) {
  if (lines.empty()) return "";
  std::string html = "<h3>Text header</h3>\n<pre>";
  for (const std::string& line : lines) html += escaped(line) + "\n";
  return html + "</pre>\n";
}

std::string section_of(const CheckedFile& file, std::size_t number) {
  std::string html = fmt::format("<h2 id=\"file{}\">{}</h2>\n", number, escaped(file.path));
  if (!file.result) {
    return html + fmt::format("<p>{} could not be checked:</p>\n{}", grade_mark(Grade::critical),
                              lines_of(file.error->what()));
  }
  const CheckResult& result = *file.result;
  html += facts_of(result.file);
  html += "<h3>Findings</h3>\n" + findings_of(result.findings);
  if (!file.section_element.empty()) html += "<h3>Section</h3>\n" + file.section_element;
  if (!file.no_section.empty()) html += "<h3>Section</h3>\n<p>Not shown: " + escaped(file.no_section) + "</p>\n";
  html += "<h3>Amplitudes</h3>\n" + amplitudes_of(result.amplitudes, file.bars);
  html += geometry_of(result);
  html += text_header_of(result.text_header);
  return html;
}

}  // namespace

std::string page_of(std::span<const CheckedFile> files) {
  std::string html = page_begin("sill check");
  html += fmt::format("<h1>sill check: {} file{}</h1>\n", files.size(), files.size() == 1 ? "" : "s");
  html += overview_of(files);
  const std::string positions = position_drawing(files);
  if (!positions.empty()) html += "<h2>Positions of the surveys</h2>\n" + positions;
  for (std::size_t i = 0; i < files.size(); ++i) html += section_of(files[i], i + 1);
  return html + fmt::format("<p>Made by sill {}.</p>\n</body>\n</html>", SILL_VERSION);
}

}  // namespace sill::cli
