#include "cli/check/check_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "cli/survey/geometry_text.hpp"
#include "sill/base/units.hpp"

namespace sill::cli {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

constexpr std::size_t bars_shown = 101;  // odd, so that zero is the middle of a bar

Json amplitudes_json(const Amplitudes& amplitudes, const AmplitudeBars& bars) {
  Json percentiles = Json::array();
  for (const Percentile& one : amplitudes.percentiles) {
    percentiles.push_back({{"percent", one.percent},
                           {"amplitude", one.amplitude.middle()},
                           {"error", one.amplitude.error()},
                           {"lowest", one.amplitude.lowest},
                           {"highest", one.amplitude.highest}});
  }
  const bool any = amplitudes.finite() > 0;
  return {{"samples", amplitudes.samples},
          {"zeros", amplitudes.zeros},
          {"nans", amplitudes.nans},
          {"infinities", amplitudes.infinities},
          {"smallest", any ? number(amplitudes.smallest) : Json()},
          {"largest", any ? number(amplitudes.largest) : Json()},
          {"rms", any ? number(amplitudes.rms) : Json()},
          {"percentiles", percentiles},
          {"histogram",
           {{"lowest", bars.lowest},
            {"highest", bars.highest},
            {"below", bars.below},
            {"above", bars.above},
            {"counts", bars.counts}}}};
}

Json result_json(const CheckResult& result, const AmplitudeBars& bars) {
  const segy::FileDescription& file = result.file;
  Json findings = Json::array();
  for (const Finding& finding : result.findings) {
    findings.push_back({{"kind", finding.kind},
                        {"grade", name_of(finding.diagnostic.grade)},
                        {"problem", finding.diagnostic.problem},
                        {"where", finding.diagnostic.where},
                        {"clause", finding.diagnostic.clause},
                        {"action", finding.diagnostic.action},
                        {"traces", finding.traces},
                        {"first_traces", finding.first_traces}});
  }
  Json words = Json::array();
  for (const SameWord& word : result.same_words)
    words.push_back({{"word", word.name}, {"byte", word.byte}, {"value", word.value}, {"zero", word.is_zero}});
  Json duplicates = Json::array();
  for (const TracePair& pair : result.duplicates)
    duplicates.push_back({{"trace", pair.repeat + 1}, {"repeats", pair.first + 1}});
  const bool is_segy = file.kind == segy::FileKind::segy;
  return {{"file", file.path},
          {"format", name_of(file.kind)},
          {"revision", is_segy ? Json(fmt::format("{}.{}", file.revision_major, file.revision_minor)) : Json()},
          {"byte_order", name_of(file.byte_order)},
          {"sample_format", segy::code_of(file.sample_format)},
          {"bytes", file.file_bytes},
          {"traces", file.traces},
          {"lengths_vary", file.lengths_vary},
          {"samples", file.samples},
          {"interval_us", file.interval_us},
          {"worst", name_of(result.worst())},
          {"findings", findings},
          {"duplicates", duplicates},
          {"amplitudes", amplitudes_json(result.amplitudes, bars)},
          {"same_words", words},
          {"geometry", result.geometry ? geometry_json(*result.geometry) : Json()},
          {"no_geometry", result.no_geometry},
          {"text_header", result.text_header}};
}

Json error_json(const CheckedFile& file) {
  const ErrorParts& parts = file.error->parts();
  return {{"file", file.path},
          {"error",
           {{"code", static_cast<int>(parts.code)},
            {"problem", parts.problem},
            {"byte", parts.where.byte ? Json(*parts.where.byte) : Json()},
            {"trace", parts.where.item ? Json(*parts.where.item) : Json()},
            {"clause", parts.clause},
            {"action", parts.action}}}};
}

void report_amplitudes(const Amplitudes& amplitudes, std::string& text) {
  if (amplitudes.finite() == 0) {
    text += "  amplitudes              none\n";
    return;
  }
  text += fmt::format("  amplitudes              {:.6g} to {:.6g}, rms {:.6g}, {} of {} samples are zero\n",
                      amplitudes.smallest, amplitudes.largest, amplitudes.rms, format_count(amplitudes.zeros),
                      format_count(amplitudes.samples));
  text += "  percentiles            ";
  for (const Percentile& one : amplitudes.percentiles)
    text += fmt::format(" {:g} %: {:.3g}", one.percent, one.amplitude.middle()) +
            (&one == &amplitudes.percentiles.back() ? "\n" : ",");
}

}  // namespace

AmplitudeBars bars_of(const Amplitudes& amplitudes) {
  if (!amplitudes.histogram) return {};
  const double reach = 2.0 * std::max(std::abs(amplitudes.percentiles.front().amplitude.middle()),
                                      std::abs(amplitudes.percentiles.back().amplitude.middle()));
  const double widest = std::max(std::abs(amplitudes.smallest), std::abs(amplitudes.largest));
  const double shown = reach > 0.0 ? std::min(reach, widest) : std::max(widest, 1.0);
  const std::vector<std::int64_t> bars = amplitudes.histogram->bars(-shown, shown, bars_shown);
  return {-shown, shown, bars.front(), bars.back(), {bars.begin() + 1, bars.end() - 1}};
}

Grade worst_of(std::span<const CheckedFile> files) {
  Grade worst = Grade::info;
  for (const CheckedFile& file : files) worst = std::max(worst, file.result ? file.result->worst() : Grade::critical);
  return worst;
}

std::string format_of(const segy::FileDescription& file) {
  return file.kind == segy::FileKind::segy
             ? fmt::format("SEG-Y revision {}.{}", file.revision_major, file.revision_minor)
             : std::string(name_of(file.kind));
}

std::string text_of(const CheckResult& result) {
  const segy::FileDescription& file = result.file;
  std::string text = fmt::format("{}\n", file.path);
  text += fmt::format("  format                  {}, {}, byte order {}\n", format_of(file),
                      segy::name_of(file.sample_format), name_of(file.byte_order));
  text += fmt::format("  traces                  {} of {} samples, {} us\n", format_count(file.traces),
                      file.lengths_vary ? "different numbers of" : format_count(file.samples), file.interval_us);
  report_amplitudes(result.amplitudes, text);
  if (result.geometry) text += geometry_text(*result.geometry) + "\n";
  if (!result.no_geometry.empty())
    text += fmt::format("  geometry                not inferred: {}\n", result.no_geometry);
  for (const Finding& finding : result.findings) {
    const Diagnostic& stated = finding.diagnostic;
    text += fmt::format("  {}: {}\n    where:  {}\n", name_of(stated.grade), stated.problem, stated.where);
    if (!stated.clause.empty()) text += fmt::format("    clause: {}\n", stated.clause);
    text += fmt::format("    done:   {}\n", stated.action);
  }
  text.pop_back();
  return text;
}

std::string summary_of(std::span<const CheckedFile> files) {
  constexpr std::array grades{Grade::critical, Grade::major, Grade::minor, Grade::info};
  std::size_t width = 4;
  for (const CheckedFile& file : files) width = std::max(width, file.path.size());
  std::string text = fmt::format("{:<{}}  {:>13}", "file", width, "traces");
  for (const Grade grade : grades) text += fmt::format("  {:>8}", name_of(grade));
  std::int64_t unread = 0;
  std::array<std::int64_t, grades.size()> with_worst{};
  std::int64_t without = 0;
  for (const CheckedFile& file : files) {
    text += fmt::format("\n{:<{}}", file.path, width);
    if (!file.result) {
      text += "  not checked";
      ++unread;
      continue;
    }
    text += fmt::format("  {:>13}", format_count(file.result->file.traces));
    bool is_first = true;
    for (std::size_t g = 0; g < grades.size(); ++g) {
      const auto count = std::ranges::count_if(file.result->findings,
                                               [&](const Finding& each) { return each.diagnostic.grade == grades[g]; });
      text += fmt::format("  {:>8}", count);
      if (count > 0 && std::exchange(is_first, false)) ++with_worst[g];
    }
    if (is_first) ++without;
  }
  std::vector<std::string> parts;
  if (unread > 0) parts.push_back(fmt::format("{} not checked", unread));
  for (std::size_t g = 0; g < grades.size(); ++g) {
    if (with_worst[g] > 0)
      parts.push_back(fmt::format("{} with findings of grade {}{}", with_worst[g], name_of(grades[g]),
                                  grades[g] == Grade::critical ? "" : " at most"));
  }
  if (without > 0) parts.push_back(fmt::format("{} without findings", without));
  return text + fmt::format("\n{} files: {}", files.size(), fmt::join(parts, ", "));
}

nlohmann::ordered_json json_of(std::span<const CheckedFile> files) {
  Json all = Json::array();
  for (const CheckedFile& file : files)
    all.push_back(file.result ? result_json(*file.result, file.bars) : error_json(file));
  return {{"version", SILL_VERSION}, {"worst", name_of(worst_of(files))}, {"files", all}};
}

}  // namespace sill::cli
