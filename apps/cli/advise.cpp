// sill advise: what limited the output in a report or a Darshan log, and what would improve it; sill report: tables of
// the report.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/json_text.hpp"
#include "cli/session.hpp"
#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/files/small_text.hpp"
#include "sill/io/session/darshan_log.hpp"
#include "sill/io/session/io_advice.hpp"
#include "sill/move/policy/policy_set.hpp"

namespace sill::cli {
namespace {

struct AdviseArguments {
  std::string report;
  bool json = false;
};

constexpr std::int64_t max_report_bytes = 64 << 20;

[[noreturn]] void refuse_report(const std::string& path, std::string problem, std::string action) {
  throw Error(
      {.code = ErrorCode::input, .problem = std::move(problem), .where = {.file = path}, .action = std::move(action)});
}

std::string text_of_report(const std::string& path) {
  std::optional<std::string> text = read_small_text(path, max_report_bytes);
  if (!text)
    refuse_report(path, "longer than the largest possible report: more than " + format_bytes(max_report_bytes),
                  "name a file that --report FILE wrote");
  return *std::move(text);
}

// Reads a report of a run that another policy could change.
IoReport read_report_to_advise(const std::string& path) {
  if (is_darshan_log(path)) return darshan_report(path);
  const std::string text = text_of_report(path);
  IoReport report = parse_report(text, path);
  const nlohmann::json json = nlohmann::json::parse(text);
  const auto original = json.find("original");
  if (original != json.end() && !original->is_boolean()) {
    refuse_report(path, fmt::format("not a report of input and output: `original` is {}", original->dump()),
                  "name a file that --report FILE wrote; its name must not end with .txt or .html");
  }
  if (original != json.end() && *original == true) {
    refuse_report(path, "this is the report of an original program, which no policy changes",
                  "run the kernel without --original");
  }
  if (json.contains("ways")) {
    refuse_report(path, "this is the report of several ways to write, each of which was run several times",
                  "run the kernel with --policy instead of --against");
  }
  return report;
}

std::string advice_text(const OutputAdvice& output, int ranks) {
  std::string text = fmt::format("{}: {} of the time of a rank ({} rank{})\n", output.name,
                                 format_short_time(output.seconds), ranks, ranks == 1 ? "" : "s");
  for (const TimeShare& share : output.shares) {
    text += fmt::format("  {:<24}{:>12}{:>7}  {}\n", share.name, format_short_time(share.seconds),
                        fmt::format("{:.0f} %", 100 * share.seconds / output.seconds), share.measured);
  }
  if (output.advice.empty()) return text + "  no known change would save a tenth of this time\n";
  for (const IoAdvice& advice : output.advice) {
    text += fmt::format("  {}: {}; saves at most {}", advice.limit, advice.change, format_short_time(advice.gain_s));
    if (advice.min_requests) text += fmt::format(", at least {} requests", format_count(*advice.min_requests));
    if (advice.policy) text += fmt::format(": {}", *advice.policy);
    text += "\n";
  }
  return text;
}

// Returns the run's policies, for each output with the change that may save most time.
std::string advised_policies(const std::string& policies, const std::vector<OutputAdvice>& outputs) {
  const PolicySet before = PolicySet::parse(policies);
  PolicySet made = before;
  for (const OutputAdvice& output : outputs) {
    const auto found =
        std::ranges::find_if(output.advice, [](const IoAdvice& each) { return each.policy.has_value(); });
    if (found != output.advice.end()) made = PolicySet::parse_over(output.name + ":" + *found->policy, made);
  }
  if (made == before) return "";
  std::string text = made.others() == Policy::automatic() ? "" : made.others().short_text();
  for (const auto& [name, policy] : made.named()) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : "; ", name, policy.short_text());
  }
  return text;
}

nlohmann::ordered_json advice_json(const OutputAdvice& output) {
  nlohmann::ordered_json shares = nlohmann::ordered_json::array();
  for (const TimeShare& share : output.shares) {
    shares.push_back({{"name", share.name}, {"seconds", share.seconds}, {"measured", share.measured}});
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const IoAdvice& advice : output.advice) {
    nlohmann::ordered_json each{{"limit", advice.limit}, {"change", advice.change}, {"gain_s", advice.gain_s}};
    if (advice.policy) each["policy"] = *advice.policy;
    if (advice.min_requests) each["min_requests"] = *advice.min_requests;
    list.push_back(std::move(each));
  }
  return {{"output", output.name}, {"seconds", output.seconds}, {"shares", shares}, {"advice", list}};
}

int run_advise(Session& session, const AdviseArguments& options) {
  session.reserve_files({options.report}, {});
  session.print_from_first_rank([&]() -> std::string {
    const IoReport report = read_report_to_advise(options.report);
    const std::vector<OutputAdvice> outputs = advice_on(report);
    if (options.json) {
      nlohmann::ordered_json all = nlohmann::ordered_json::array();
      for (const OutputAdvice& output : outputs) all.push_back(advice_json(output));
      return json_text(all);
    }
    std::string text;
    if (outputs.empty()) text = options.report + ": nothing was written\n";
    for (const OutputAdvice& output : outputs) text += advice_text(output, report.ranks);
    // Outputs of other programs have no names to which a policy could apply.
    const std::string policies = is_darshan_log(options.report) ? "" : advised_policies(report.policy, outputs);
    if (!policies.empty()) text += fmt::format("SILL_POLICY=\"{}\"\n", policies);
    text.pop_back();
    return text;
  });
  return session.finish();
}

int run_report(Session& session, const AdviseArguments& options) {
  session.reserve_files({options.report}, {});
  session.print_from_first_rank([&] {
    const IoReport report = is_darshan_log(options.report)
                                ? darshan_report(options.report)
                                : parse_report(text_of_report(options.report), options.report);
    return options.json ? report.json() : report.table();
  });
  return session.finish();
}

void add_options_of_report(const CommandOf<AdviseArguments>& made) {
  remove_mover_options(made.parser);
  made.parser
      .add_option(
          "REPORT", made.options->report,
          "JSON report, written by --report or by a program that uses the Sill library; or NAME.darshan, a Darshan log")
      ->required();
  made.parser.add_flag("--json", made.options->json, "Print JSON");
  made.command.output = "files";
}

}  // namespace

void add_advise(CLI::App& program, Commands& commands) {
  add_options_of_report(add_command(program, commands, "advise",
                                    "Show what limited the I/O of a run, and what to change\nReads a report or a "
                                    "Darshan log, and estimates how much time each change saves (docs/auto.md).",
                                    "  mpiexec -n 4 sill kernel grid-rows --policy direct --report r.json\n"
                                    "  sill advise r.json\n"
                                    "  sill advise program.darshan --json\n",
                                    run_advise));
}

void add_report(CLI::App& program, Commands& commands) {
  add_options_of_report(add_command(
      program, commands, "report",
      "Show what the I/O of a run cost\nReads a report written by --report, or a Darshan log (docs/io-report.md).",
      "  sill report r.json\n"
      "  sill report r.json --json\n"
      "  sill report program.darshan\n",
      run_report));
}

}  // namespace sill::cli
