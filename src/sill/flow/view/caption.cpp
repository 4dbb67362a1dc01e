#include "sill/flow/view/caption.hpp"

#include <fmt/format.h>

#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"

namespace sill::flow::view {
namespace {

std::string traces_of(const Section& section) {
  std::string text = echoed(section.file, 200) + ": ";
  const std::int64_t first = section.traces.front().number + 1;
  const std::int64_t last = section.traces.back().number + 1;
  if (section.selected == 1)
    text += fmt::format("trace {} of {}", format_count(first), format_count(section.all_traces));
  else if (section.condition.empty())
    text += fmt::format("traces {} to {} of {}", format_count(first), format_count(first + section.selected - 1),
                        format_count(section.all_traces));
  else
    text += fmt::format("{} traces from {} to {}, of {}", format_count(section.selected), format_count(first),
                        format_count(last), format_count(section.all_traces));
  if (!section.condition.empty()) text += fmt::format(", where {}", echoed(section.condition, 200));
  return text;
}

std::string samples_of(const Section& section) {
  const bool is_depth = section.domain == segy::Domain::depth;
  std::string text = fmt::format("{} samples", format_count(section.samples));
  if (!(section.interval_us > 0.0)) return text + ", interval not known (0): shown by number";
  if (is_depth)
    text += fmt::format(", along depth, {:g} apart, first at {:g} (the file's numbers, of thousandths)",
                        section.interval_us / 1000.0, section.first_trace_us / 1000.0);
  else
    text += fmt::format(", dt {:g} ms, delay {:g} ms", section.interval_us / 1000.0, section.first_trace_us / 1000.0);
  if (section.delays_vary) text += " (of the first trace; delays differ)";
  return text;
}

std::string clip_of(const Section& section) {
  std::string gain = "no gain";
  if (section.gain == ViewGain::trace) gain = "gain: each trace divided by its rms";
  if (section.gain == ViewGain::agc) gain = fmt::format("gain: AGC, window {}", section.agc_window);
  if (!(section.clip > 0.0F)) return "no clip: all samples shown are 0; " + gain;
  const double share = section.shown_samples == 0 ? 0.0
                                                  : 100.0 * static_cast<double>(section.clipped_samples) /
                                                        static_cast<double>(section.shown_samples);
  return fmt::format("clip +-{:.6g} ({}){}, {:.2f}% of samples clipped; {}", section.clip,
                     section.clip_request.is_percentile
                         ? fmt::format("{:g}% of the non-zero |x| shown", section.clip_request.percent)
                         : "as given",
                     section.other_file.empty() ? "" : " for all, shares of the first file", share, gain);
}

std::string polarity_of(const Section& section, const PictureStyle& style) {
  std::string text = style.palette == Palette::grey ? "positive is black, negative white"
                                                    : "positive is red, negative blue, zero white";
  if (style.kind == PictureKind::wiggle) text = "positive is black, filled to the right";
  if (style.kind == PictureKind::both) text += "; wiggles filled to the right";
  text += ", as stored; ";
  if (!section.polarity_code) return text + "no polarity code (Seismic Unix)";
  text += fmt::format("polarity code {} (bytes 3257-3258)", *section.polarity_code);
  switch (*section.polarity_code) {
    case 0: return text + ": not stated";
    case 1: return text + ": pressure increase or upward motion is a negative number";
    case 2: return text + ": pressure increase or upward motion is a positive number";
    default: return text + ": not defined";
  }
}

std::string decimation_of(const Section& section) {
  std::string text = section.stride == 1 ? "every trace"
                                         : fmt::format("1 of {} traces ({} shown), none averaged", section.stride,
                                                       format_count(std::ssize(section.traces)));
  return text + (section.samples_per_row == 1 ? "; every sample"
                                              : fmt::format("; of {} samples the one of the largest |x|, with its sign",
                                                            section.samples_per_row));
}

std::string oddities_of(const Section& section, const Placement& placement, const PictureStyle& style) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (section.dead_traces > 0)
    add(fmt::format("{} dead trace{} (khaki)", section.dead_traces, section.dead_traces == 1 ? "" : "s"));
  if (section.nonfinite_samples > 0)
    add(fmt::format("{} sample{} NaN or infinite ({})", format_count(section.nonfinite_samples),
                    section.nonfinite_samples == 1 ? " is" : "s are",
                    style.palette == Palette::grey ? "red" : "green"));
  if (!placement.has_all_gaps) add(fmt::format("no gaps between gathers ({}): too many", section.gather_word));
  return text;
}

}  // namespace

std::vector<std::string> caption_of(const Section& section, const Placement& placement, const PictureStyle& style) {
  std::vector<std::string> lines{traces_of(section)};
  if (!section.other_file.empty())
    lines.push_back(fmt::format("second file: {}; right: first - second", echoed(section.other_file, 200)));
  lines.push_back(samples_of(section) + "; sample format " + section.sample_format +
                  (section.format_doubt.empty() ? "" : ", in doubt: " + echoed(section.format_doubt, 300)));
  lines.push_back(clip_of(section));
  lines.push_back(polarity_of(section, style));
  lines.push_back(decimation_of(section));
  if (const std::string oddities = oddities_of(section, placement, style); !oddities.empty()) lines.push_back(oddities);
  return lines;
}

}  // namespace sill::flow::view
