// sill advise: what limited the output that a report describes, and what would change it.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/files/small_text.hpp"
#include "sill/io/session/io_advice.hpp"

namespace sill::cli {
namespace {

struct AdviseArguments {
  std::string report;
  bool json = false;
};

constexpr std::int64_t max_report_bytes = 64 << 20;

IoReport read_report(const std::string& path) {
  const std::optional<std::string> text = read_small_text(path, max_report_bytes);
  if (text) return parse_report(*text, path);
  throw Error({.code = ErrorCode::input,
               .problem = "longer than any report: more than " + format_bytes(max_report_bytes),
               .where = {.file = path}});
}

std::string advice_text(const OutputAdvice& output, int ranks) {
  std::string text = fmt::format("{}: {} of the time of a rank ({} rank{})\n", output.name,
                                 format_short_time(output.seconds), ranks, ranks == 1 ? "" : "s");
  for (const IoPart& part : output.parts) {
    text += fmt::format("  {:<24}{:>12}{:>7}  {}\n", part.name, format_short_time(part.seconds),
                        fmt::format("{:.0f} %", 100 * part.seconds / output.seconds), part.measured);
  }
  if (output.advice.empty()) {
    return text +
           "  nothing is known that would be faster: the file system and the program's own work take this time\n";
  }
  for (const IoAdvice& advice : output.advice) {
    text += fmt::format("  {}: {}; at most {} less", advice.limit, advice.change, format_short_time(advice.gain_s));
    if (advice.least_requests) text += fmt::format(", {} requests at the least", format_count(*advice.least_requests));
    text += "\n";
    if (advice.policy) text += fmt::format("    SILL_POLICY=\"{}:{}\"\n", output.name, *advice.policy);
  }
  return text;
}

nlohmann::ordered_json advice_json(const OutputAdvice& output) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const IoPart& part : output.parts) {
    parts.push_back({{"part", part.name}, {"seconds", part.seconds}, {"measured", part.measured}});
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const IoAdvice& advice : output.advice) {
    nlohmann::ordered_json each{{"limit", advice.limit}, {"change", advice.change}, {"gain_s", advice.gain_s}};
    if (advice.policy) each["policy"] = *advice.policy;
    if (advice.least_requests) each["least_requests"] = *advice.least_requests;
    list.push_back(std::move(each));
  }
  return {{"output", output.name}, {"seconds", output.seconds}, {"parts", parts}, {"advice", list}};
}

int run_advise(Session& session, const AdviseArguments& options) {
  session.reserve_files({options.report}, {});
  std::string text;
  run_on_rank(session.comm(), 0, [&] {
    const IoReport report = read_report(options.report);
    const std::vector<OutputAdvice> outputs = advice_on(report);
    if (options.json) {
      nlohmann::ordered_json all = nlohmann::ordered_json::array();
      for (const OutputAdvice& output : outputs) all.push_back(advice_json(output));
      text = all.dump(2);
      return;
    }
    if (outputs.empty()) text = options.report + ": nothing was written\n";
    for (const OutputAdvice& output : outputs) text += advice_text(output, report.ranks);
    text.pop_back();
  });
  session.print(text);
  session.finish({});
  return 0;
}

}  // namespace

void add_advise(CLI::App& program, Commands& commands) {
  const auto [parser, command] = add_command(
      program, commands, "advise",
      "Says what limited the output that a report describes, what to change, and how much that may save (docs/auto.md)",
      "  mpiexec -n 4 sill kernel grid-rows --policy direct --report r.json\n"
      "  sill advise r.json\n");
  auto options = std::make_shared<AdviseArguments>();
  parser.add_option("REPORT", options->report, "What --report wrote, or a program's session, as JSON")->required();
  parser.add_flag("--json", options->json, "Print JSON");
  command.output = "files";
  command.run = [options](Session& session) { return run_advise(session, *options); };
}

}  // namespace sill::cli
