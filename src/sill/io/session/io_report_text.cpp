// Two forms of an IoReport: JSON for programs, tables for people.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/io/session/io_report.hpp"
#include "sill/move/policy/policy_set.hpp"

namespace sill {
namespace {

using ReportJson = nlohmann::json;

const char* name_of(Operation operation) { return operation == Operation::write ? "write" : "read"; }

ReportJson json_of(const RankSpread& spread) {
  return {{"min", spread.min},
          {"min_rank", spread.min_rank},
          {"median", spread.median},
          {"max", spread.max},
          {"max_rank", spread.max_rank}};
}

// Converts a spread of counts: integers, except for a median between two.
ReportJson json_of_counts(const RankSpread& spread) {
  ReportJson counts = json_of(spread);
  for (const char* key : {"min", "max"}) counts[key] = static_cast<std::int64_t>(counts[key].get<double>());
  return counts;
}

ReportJson json_of(const std::vector<SizeClass>& classes) {
  ReportJson list = ReportJson::array();
  for (const SizeClass& each : classes) {
    list.push_back({{"from_bytes", each.from_bytes}, {"to_bytes", each.to_bytes}, {"requests", each.requests}});
  }
  return list;
}

ReportJson json_of(const IoFigures& figures) {
  return {{"phases", figures.phases},
          {"opens", figures.opens},
          {"requests_read", figures.read_requests},
          {"bytes_read", figures.read_bytes},
          {"requests_written", figures.write_requests},
          {"bytes_written", figures.written_bytes},
          {"syncs", figures.syncs},
          {"bytes_burst", figures.burst_bytes},
          {"bytes_past_burst", figures.past_burst_bytes},
          {"burst_s", figures.burst_s},
          {"output_calls_s", figures.calls_s},
          {"prepare_s", figures.prepare_s},
          {"open_s", figures.open_s},
          {"read_s", figures.read_s},
          {"write_s", figures.write_s},
          {"sync_s", figures.sync_s},
          {"close_s", figures.close_s},
          {"sizes_read", json_of(figures.read_sizes)},
          {"sizes_written", json_of(figures.write_sizes)},
          {"over_ranks",
           {{"requests_read", json_of_counts(figures.of_read_requests)},
            {"bytes_read", json_of_counts(figures.of_read_bytes)},
            {"requests_written", json_of_counts(figures.of_write_requests)},
            {"bytes_written", json_of_counts(figures.of_written_bytes)},
            {"file_s", json_of(figures.of_file_s)},
            {"output_calls_s", json_of(figures.of_calls_s)}}}};
}

ReportJson json_of(const MpiioHintReport::Line& line) {
  ReportJson hints = ReportJson::object();
  for (const MpiioHint& hint : line.hints.hints) {
    const bool is_known = !line.hints.is_echo && !hint.in_effect.empty();
    hints[hint.name] = {{"asked", hint.asked}, {"in_effect", is_known ? ReportJson(hint.in_effect) : ReportJson()}};
  }
  return {{"file", line.first}, {"files", line.files}, {"is_echo", line.hints.is_echo}, {"hints", hints}};
}

// Returns a number of a report. No number is below 0, and no sum over ranks, threads and phases is near the largest
// number.
template <class Number>
Number number_in(const ReportJson& json, const char* key) {
  constexpr double max = 1e15;
  const double number = json.at(key).is_number() ? json.at(key).get<double>() : -1;
  if (!(number >= 0 && number <= max)) {
    throw Error({.code = ErrorCode::input, .problem = fmt::format("`{}` is {}", key, json.at(key).dump())});
  }
  return json.at(key);
}

std::string text_in(const ReportJson& json, const char* key) {
  if (json.at(key).is_string()) return json.at(key);
  throw Error({.code = ErrorCode::input, .problem = fmt::format("`{}` is {}", key, json.at(key).dump())});
}

RankSpread spread_in(const ReportJson& json) {
  return {number_in<double>(json, "min"), number_in<int>(json, "min_rank"), number_in<double>(json, "median"),
          number_in<double>(json, "max"), number_in<int>(json, "max_rank")};
}

std::vector<SizeClass> sizes_in(const ReportJson& json) {
  std::vector<SizeClass> classes;
  for (const ReportJson& each : json) {
    classes.push_back({number_in<std::int64_t>(each, "from_bytes"), number_in<std::int64_t>(each, "to_bytes"),
                       number_in<std::int64_t>(each, "requests")});
  }
  return classes;
}

IoFigures figures_in(const ReportJson& json) {
  IoFigures figures;
  const std::pair<const char*, std::int64_t*> counts[]{{"phases", &figures.phases},
                                                       {"opens", &figures.opens},
                                                       {"requests_read", &figures.read_requests},
                                                       {"bytes_read", &figures.read_bytes},
                                                       {"requests_written", &figures.write_requests},
                                                       {"bytes_written", &figures.written_bytes},
                                                       {"syncs", &figures.syncs}};
  for (const auto& [key, count] : counts) *count = number_in<std::int64_t>(json, key);
  if (json.contains("bytes_burst")) {  // missing in older reports
    figures.burst_bytes = number_in<std::int64_t>(json, "bytes_burst");
    figures.past_burst_bytes = number_in<std::int64_t>(json, "bytes_past_burst");
    figures.burst_s = number_in<double>(json, "burst_s");
  }
  const std::pair<const char*, double*> times[]{{"output_calls_s", &figures.calls_s}, {"prepare_s", &figures.prepare_s},
                                                {"open_s", &figures.open_s},          {"read_s", &figures.read_s},
                                                {"write_s", &figures.write_s},        {"sync_s", &figures.sync_s},
                                                {"close_s", &figures.close_s}};
  for (const auto& [key, time] : times) *time = number_in<double>(json, key);
  const std::pair<const char*, RankSpread*> spreads[]{{"requests_read", &figures.of_read_requests},
                                                      {"bytes_read", &figures.of_read_bytes},
                                                      {"requests_written", &figures.of_write_requests},
                                                      {"bytes_written", &figures.of_written_bytes},
                                                      {"file_s", &figures.of_file_s},
                                                      {"output_calls_s", &figures.of_calls_s}};
  for (const auto& [key, spread] : spreads) *spread = spread_in(json.at("over_ranks").at(key));
  figures.read_sizes = sizes_in(json.at("sizes_read"));
  figures.write_sizes = sizes_in(json.at("sizes_written"));
  return figures;
}

// With microseconds, because requests can be that short.
std::string time_text(double seconds) { return fmt::format("{:.6f} s", seconds); }

std::string plural(std::int64_t count, const char* one) {
  return fmt::format("{} {}{}", format_count(count), one, count == 1 ? "" : "s");
}

void add_table(std::string& text, const std::string& title, const IoFigures& figures) {
  text += fmt::format("\n{}\n", title);
  if (figures.phases > 0 || figures.calls_s > 0) {
    text += fmt::format("  {} of output, {} in calls for it (all ranks)\n", plural(figures.phases, "phase"),
                        time_text(figures.calls_s));
  }
  const auto row = [&](const char* what, const std::string& count, const std::string& bytes, const std::string& time) {
    text += fmt::format("  {:<8}{:>16}{:>14}{:>18}\n", what, count, bytes, time);
  };
  row("", "requests", "bytes", "time, all threads");
  row("prepare", "", "", time_text(figures.prepare_s));
  if (figures.burst_bytes > 0) row("burst", "", format_bytes(figures.burst_bytes), time_text(figures.burst_s));
  row("open", format_count(figures.opens), "", time_text(figures.open_s));
  row("read", format_count(figures.read_requests), format_bytes(figures.read_bytes), time_text(figures.read_s));
  row("write", format_count(figures.write_requests), format_bytes(figures.written_bytes), time_text(figures.write_s));
  row("sync", format_count(figures.syncs), "", time_text(figures.sync_s));
  row("close", "", "", time_text(figures.close_s));

  std::map<std::pair<std::int64_t, std::int64_t>, std::pair<std::int64_t, std::int64_t>> sizes;
  for (const SizeClass& each : figures.read_sizes) sizes[{each.from_bytes, each.to_bytes}].first = each.requests;
  for (const SizeClass& each : figures.write_sizes) sizes[{each.from_bytes, each.to_bytes}].second = each.requests;
  if (!sizes.empty()) text += fmt::format("\n  {:<28}{:>16}{:>16}\n", "bytes per request", "reads", "writes");
  for (const auto& [range, requests] : sizes) {
    const std::string bytes = range.first == range.second
                                  ? format_count(range.first)
                                  : fmt::format("{} to {}", format_count(range.first), format_count(range.second));
    text += fmt::format("  {:<28}{:>16}{:>16}\n", bytes, format_count(requests.first), format_count(requests.second));
  }

  text += fmt::format("\n  {:<20}{:>24}{:>14}{:>24}\n", "over ranks", "min (rank)", "median", "max (rank)");
  const auto spread = [&](const char* what, const RankSpread& of, auto&& shown) {
    text += fmt::format("  {:<20}{:>24}{:>14}{:>24}\n", what, fmt::format("{} ({})", shown(of.min), of.min_rank),
                        shown(of.median), fmt::format("{} ({})", shown(of.max), of.max_rank));
  };
  const auto count = [](double value) { return format_count(static_cast<std::int64_t>(value)); };
  const auto bytes = [](double value) { return format_bytes(static_cast<std::int64_t>(value)); };
  spread("bytes read", figures.of_read_bytes, bytes);
  spread("bytes written", figures.of_written_bytes, bytes);
  spread("reads", figures.of_read_requests, count);
  spread("writes", figures.of_write_requests, count);
  spread("time in files", figures.of_file_s, time_text);
  spread("time in output calls", figures.of_calls_s, time_text);
}

}  // namespace

std::string IoReport::json() const {
  ReportJson report = json_of(total);
  report.update({{"ranks", ranks}, {"nodes", nodes}, {"threads", threads}, {"seconds", seconds}, {"policy", policy}});
  ReportJson of_outputs = ReportJson::object();
  for (const OutputFigures& output : outputs) {
    of_outputs[output.name] = json_of(output.figures);
    of_outputs[output.name]["policy"] = output.policy;
    of_outputs[output.name]["threads"] = output.threads;
    ReportJson& chosen = of_outputs[output.name]["chosen"] = ReportJson::array();
    for (const ChosenPolicy& each : output.chosen) {
      chosen.push_back({{"operation", name_of(each.operation)},
                        {"first", each.first},
                        {"last", each.last()},
                        {"policy", each.policy.text()},
                        {"why", each.why}});
    }
  }
  report["outputs"] = of_outputs;
  report["striping"] = ReportJson::array();
  for (const StripingReport::Line& line : striping) {
    report["striping"].push_back({{"file", line.first}, {"files", line.files}, {"stripes", line.text}});
  }
  report["notes"] = notes;
  report["mpiio_hints"] = ReportJson::array();
  for (const MpiioHintReport::Line& line : mpiio_hints) report["mpiio_hints"].push_back(json_of(line));
  return report.dump(2, ' ', false, ReportJson::error_handler_t::replace);
}

std::string IoReport::table() const {
  std::string text = nodes == 0 ? fmt::format("{}, {}\n", plural(ranks, "rank"), format_short_time(seconds))
                                : fmt::format("{} on {}, {} each\n", plural(ranks, "rank"), plural(nodes, "node"),
                                              plural(threads, "thread"));
  if (outputs.size() != 1) add_table(text, "all together", total);
  for (const OutputFigures& output : outputs) {
    const std::string how = fmt::format(": {}; {} per rank", output.policy, plural(output.threads, "thread"));
    add_table(text, output.name + (nodes == 0 ? "" : how), output.figures);
    if (!output.chosen.empty()) text += "\n  chosen\n";
    for (const ChosenPolicy& each : output.chosen) {
      text += fmt::format("  {} {} to {}: {}\n    {}\n", name_of(each.operation), each.first, each.last(),
                          each.policy.text(), each.why);
    }
  }
  if (!notes.empty()) text += "\nnotes\n";
  for (const std::string& note : notes) text += fmt::format("  {}\n", note);
  const auto others = [](std::int64_t files) {
    return files > 1 ? fmt::format(" and {} more", format_count(files - 1)) : std::string();
  };
  if (!striping.empty()) text += "\nstripes\n";
  for (const StripingReport::Line& line : striping) {
    text += fmt::format("  {}{}: {}\n", line.first, others(line.files), line.text);
  }
  if (!mpiio_hints.empty()) text += "\nhints of MPI-IO\n";
  for (const MpiioHintReport::Line& line : mpiio_hints) {
    text += fmt::format("  {}{}: {}\n", line.first, others(line.files), text_of(line.hints));
  }
  return text;
}

IoReport parse_report(std::string_view json, const std::string& name) {
  const auto refuse = [&](const std::string& why) {
    return Error({.code = ErrorCode::input,
                  .problem = "not a report of input and output in JSON, of this version: " + why,
                  .where = {.file = name},
                  .action = "name a file that --report FILE wrote; its name must not end with .txt or .html"});
  };
  try {
    const ReportJson whole = ReportJson::parse(json);
    IoReport report{.ranks = number_in<int>(whole, "ranks"),
                    .nodes = number_in<int>(whole, "nodes"),
                    .threads = number_in<int>(whole, "threads"),
                    .seconds = number_in<double>(whole, "seconds"),
                    .policy = text_in(whole, "policy"),
                    .total = figures_in(whole)};
    if (report.ranks < 1) throw Error({.code = ErrorCode::input, .problem = "it contains no rank"});
    (void)PolicySet::parse(report.policy);
    for (const auto& [output, figures] : whole.at("outputs").items()) {
      const std::string policy = text_in(figures, "policy");
      (void)PolicySet::parse(output + ":" + policy);
      report.outputs.push_back({output, policy, number_in<int>(figures, "threads"), figures_in(figures)});
    }
    for (const ReportJson& each : whole.at("notes")) report.notes.push_back(each.get<std::string>());
    return report;
  } catch (const ReportJson::exception& failure) {
    throw refuse(failure.what());
  } catch (const Error& failure) {
    throw refuse(failure.parts().problem);
  }
}

}  // namespace sill
