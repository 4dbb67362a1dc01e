// The HTML page of an IoReport.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <string_view>
#include <utility>

#include "sill/base/html_text.hpp"
#include "sill/base/units.hpp"
#include "sill/io/session/io_report.hpp"

namespace sill {
namespace {

// Positions and sizes in units of the SVG. Each rank has two lanes: calls for output above, the resulting activities
// below.
constexpr double left = 110;
constexpr double plot_width = 768;
constexpr double lane_height = 10;
constexpr double row_height = 26;
constexpr double axis_height = 24;

struct Shown {
  IoActivity activity;
  std::string_view name;
  std::string_view color;
};
constexpr std::array shown_activities{
    Shown{IoActivity::output_call, "in calls for output", "#9aa5b1"}, Shown{IoActivity::write, "writing", "#1f6fb2"},
    Shown{IoActivity::read, "reading", "#3a9a5b"}, Shown{IoActivity::prepare, "preparing bytes", "#e0a100"},
    Shown{IoActivity::other, "opening, syncing, closing", "#b3483e"}};

std::string rect(double x, double y, double width, double height, std::string_view color) {
  return fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n", x, y, width,
                     height, color);
}

double share_of(const IntervalTimes& times, IoActivity activity, std::size_t interval) {
  return static_cast<double>(times.ns[static_cast<std::size_t>(activity)][interval]) /
         static_cast<double>(times.interval_ns);
}

// Returns the number of intervals to show: up to the last one in which any rank was active.
std::size_t used_intervals(std::span<const RankTimes> all) {
  std::size_t used = 0;
  for (const RankTimes& each : all) {
    for (const auto& of_activity : each.times.ns) {
      const auto last = std::find_if(of_activity.rbegin(), of_activity.rend(), [](std::int64_t ns) { return ns > 0; });
      used = std::max(used, static_cast<std::size_t>(of_activity.rend() - last));
    }
  }
  return used;
}

// Draws one rank, or a few: the height of an activity in each interval is its share of the time. Activities of several
// threads may add up to more than the time; they are then scaled to the lane.
std::string row_of_rank(const RankTimes& each, double y, double interval_width, std::size_t intervals) {
  std::string svg = svg_text(left - 8, y + lane_height + 4, "end",
                             each.end_rank - each.first_rank == 1
                                 ? fmt::format("rank {}", each.first_rank)
                                 : fmt::format("ranks {} to {}", each.first_rank, each.end_rank - 1));
  svg += rect(left, y, plot_width, 2 * lane_height, "#f3f3f0");
  for (std::size_t i = 0; i < intervals; ++i) {
    const double x = left + static_cast<double>(i) * interval_width;
    const double in_calls = std::min(1.0, share_of(each.times, IoActivity::output_call, i));
    if (in_calls > 0) {
      const double height = in_calls * lane_height;
      svg += rect(x, y + lane_height - height, interval_width, height, shown_activities[0].color);
    }
    double sum = 0;
    for (const Shown& shown : std::span(shown_activities).subspan(1)) sum += share_of(each.times, shown.activity, i);
    double bottom = y + 2 * lane_height;
    for (const Shown& shown : std::span(shown_activities).subspan(1)) {
      const double height = share_of(each.times, shown.activity, i) / std::max(1.0, sum) * lane_height;
      if (height <= 0) continue;
      bottom -= height;
      svg += rect(x, bottom, interval_width, height, shown.color);
    }
  }
  return svg;
}

std::string time_line(std::span<const RankTimes> all) {
  const std::size_t intervals = used_intervals(all);
  if (intervals == 0) return "<p>No time was measured.</p>\n";
  const double interval_width = plot_width / static_cast<double>(intervals);
  const double rows_height = row_height * static_cast<double>(all.size());
  std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"times of ranks\">\n",
                                left + plot_width + 40, rows_height + axis_height);
  double y = 0;
  for (const RankTimes& each : all) {
    svg += row_of_rank(each, y, interval_width, intervals);
    y += row_height;
  }
  const double seconds = 1e-9 * static_cast<double>(all.front().times.interval_ns) * static_cast<double>(intervals);
  constexpr int ticks = 4;
  for (int tick = 0; tick <= ticks; ++tick) {
    svg += svg_text(left + plot_width * tick / ticks, y + 14, tick == 0 ? "start" : "middle",
                    fmt::format("{:.3g} s", seconds * tick / ticks));
  }
  svg += "</svg>\n<p>";
  for (const Shown& shown : shown_activities) {
    svg += fmt::format("<span style=\"color: {}\">&#9632;</span> {} &nbsp; ", shown.color, shown.name);
  }
  return svg + fmt::format(
                   "<br/>Each interval is {}. Heights are shares of the time; the lower lane shows all threads.</p>\n",
                   format_short_time(1e-9 * static_cast<double>(all.front().times.interval_ns)));
}

// Draws bars of reads and writes by request size.
std::string size_table(const IoFigures& figures) {
  std::map<std::int64_t, std::pair<std::int64_t, std::array<std::int64_t, 2>>> sizes;  // key: smallest size; value:
                                                                                       // largest size, number of reads
                                                                                       // and of writes
  std::int64_t longest = 1;
  const auto add = [&](const std::vector<SizeClass>& classes, std::size_t place) {
    for (const SizeClass& each : classes) {
      sizes[each.from_bytes].first = each.to_bytes;
      sizes[each.from_bytes].second[place] = each.requests;
      longest = std::max(longest, each.requests);
    }
  };
  add(figures.read_sizes, 0);
  add(figures.write_sizes, 1);
  if (sizes.empty()) return "<p>There were no requests.</p>\n";
  std::string table =
      "<table>\n<tr><th>bytes per request</th><th class=\"number\">reads</th><th></th>"
      "<th class=\"number\">writes</th><th></th></tr>\n";
  for (const auto& [from, rest] : sizes) {
    const auto& [to, requests] = rest;
    table += fmt::format("<tr><td>{} to {}</td>", format_count(from), format_count(to));
    for (std::size_t place = 0; place < 2; ++place) {
      const double width = 100.0 * static_cast<double>(requests[place]) / static_cast<double>(longest);
      table += fmt::format(
          "<td class=\"number\">{}</td><td style=\"width: 30%\"><div style=\"height: .8em; width: {:.1f}%; "
          "background: {}\"></div></td>",
          format_count(requests[place]), width, shown_activities[place == 0 ? 2 : 1].color);
    }
    table += "</tr>\n";
  }
  return table + "</table>\n";
}

std::string policies(const IoReport& report) {
  std::string table = "<table>\n<tr><th>output</th><th>policy</th><th>why</th></tr>\n";
  for (const OutputFigures& output : report.outputs) {
    table += fmt::format("<tr><td>{}</td><td><code>{}</code></td><td>{}</td></tr>\n", escaped(output.name),
                         escaped(output.policy), output.chosen.empty() ? "as requested" : "automatic, see below");
    for (const ChosenPolicy& each : output.chosen) {
      table += fmt::format("<tr><td>{} {} to {}</td><td><code>{}</code></td><td>{}</td></tr>\n",
                           each.operation == Operation::write ? "writes" : "reads", each.first, each.last(),
                           escaped(each.policy.text()), escaped(each.why));
    }
  }
  return table + "</table>\n";
}

}  // namespace

std::string IoReport::page(const std::string& title, const std::string& tables) const {
  std::string html = page_begin("Cost of input and output");
  html += fmt::format("<h1>Cost of input and output</h1>\n<p><code>{}</code></p>\n<table>\n", escaped(title));
  html += row_of("ranks", fmt::format("{} on {} node{}", ranks, nodes, nodes == 1 ? "" : "s"));
  html += row_of("time", format_duration(seconds));
  html += row_of("read",
                 fmt::format("{} in {} requests", format_bytes(total.read_bytes), format_count(total.read_requests)));
  html += row_of("written", fmt::format("{} in {} requests", format_bytes(total.written_bytes),
                                        format_count(total.write_requests)));
  html += "</table>\n<h2>When ranks were busy</h2>\n" + time_line(times);
  html += "<h2>Sizes of requests</h2>\n" + size_table(total);
  html += "<h2>Policies, and why</h2>\n" + policies(*this);
  html += "<h2>Tables</h2>\n<pre>";
  for (const auto line : std::views::split(tables, '\n')) html += escaped({line.begin(), line.end()}) + '\n';
  return html + "</pre>\n</body>\n</html>\n";
}

}  // namespace sill
