#include "sill/view/caption.hpp"

#include <fmt/format.h>

#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"

namespace sill::view {
namespace {

std::string samples_of(const Section& section) {
  const bool is_depth = section.domain == segy::Domain::depth;
  std::string text = fmt::format("{} samples per trace", format_count(section.samples));
  if (!(section.interval_us > 0.0)) return text + ", interval not stated (0): shown by number";
  if (is_depth)
    text += fmt::format(", along depth, {:g} apart, first at {:g} (the file's numbers, of thousandths)",
                        section.interval_us / 1000.0, section.first_trace_us / 1000.0);
  else
    text += fmt::format(", dt {:g} ms, delay {:g} ms", section.interval_us / 1000.0, section.first_trace_us / 1000.0);
  if (section.delays_vary) text += " (of the first trace; delays differ)";
  return text;
}

std::string clip_of(const Section& section) {
  if (!(section.clip > 0.0F)) return "no clip: all samples shown are 0";
  const double share = section.shown_samples == 0 ? 0.0
                                                  : 100.0 * static_cast<double>(section.clipped_samples) /
                                                        static_cast<double>(section.shown_samples);
  return fmt::format("clip \u00b1{:.6g} ({}{}), {:.2f}% of samples clipped", section.clip,
                     section.clip_request.is_percentile
                         ? fmt::format("{:g}% of the non-zero |x| shown", section.clip_request.percent)
                         : "as given",
                     section.other_file.empty() ? "" : ", of the first file, for all", share);
}

std::string gain_of(const Section& section) {
  if (section.gain == ViewGain::trace) return "gain: each trace divided by its rms";
  if (section.gain == ViewGain::agc) return fmt::format("gain: AGC, window {}", section.agc_window);
  return "no gain";
}

std::string polarity_of(const Section& section, const PictureStyle& style) {
  const std::string& colours = style.colours.name();
  std::string text = colours == "grey"      ? "positive is black"
                     : colours == "redblue" ? "positive is red"
                                            : "positive has the upper colors";
  if (style.colours.is_reversed()) text = colours == "grey" ? "positive is white" : "positive has the upper colors";
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

std::string decimation_of(const Section& section, const PictureStyle& style) {
  std::string text = section.stride == 1 ? "every trace"
                                         : fmt::format("1 of {} traces ({} shown), none averaged", section.stride,
                                                       format_count(std::ssize(section.traces)));
  text +=
      section.samples_per_row == 1
          ? ", every sample"
          : fmt::format(", of every {} samples the one with the largest |x|, with its sign", section.samples_per_row);
  if (style.kind == PictureKind::wiggle || style.interpolation == Interpolation::none) return text;
  return text + (style.interpolation == Interpolation::linear ? ", linear between them" : ", cubic between them");
}

std::string oddities_of(const Section& section, const Placement& placement, const PictureStyle& style) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (section.dead_traces > 0)
    add(fmt::format("{} dead trace{} (khaki)", section.dead_traces, section.dead_traces == 1 ? "" : "s"));
  if (section.nonfinite_samples > 0)
    add(fmt::format("{} sample{} NaN or infinite ({})", format_count(section.nonfinite_samples),
                    section.nonfinite_samples == 1 ? " is" : "s are", style.colours.nonfinite()));
  if (!placement.has_all_gaps) add(fmt::format("no gaps between gathers ({}): too many", section.gather_word));
  return text;
}

}  // namespace

std::string shown_traces_text(const Section& section) {
  const std::int64_t first = section.traces.front().number + 1;
  if (!section.condition.empty())
    return fmt::format("{}, {} of {} traces", echoed(section.condition, 200), format_count(section.selected),
                       format_count(section.all_traces));
  if (section.selected == 1)
    return fmt::format("trace {} of {}", format_count(first), format_count(section.all_traces));
  return fmt::format("traces {} to {} of {}", format_count(first), format_count(first + section.selected - 1),
                     format_count(section.all_traces));
}

std::string amplitude_name(const Section& section) {
  return section.gain == ViewGain::none ? "amplitude" : "amplitude after gain";
}

std::vector<std::string> caption_of(const Section& section, const Placement& placement, const PictureStyle& style) {
  std::vector<std::string> notes{decimation_of(section, style), clip_of(section)};
  if (const std::string oddities = oddities_of(section, placement, style); !oddities.empty()) notes.push_back(oddities);
  if (!section.format_doubt.empty()) notes.push_back("sample format in doubt: " + echoed(section.format_doubt, 300));
  notes.push_back(gain_of(section));
  notes.push_back(polarity_of(section, style));
  notes.push_back(samples_of(section));
  notes.push_back("sample format " + section.sample_format);
  return notes;
}

}  // namespace sill::view
