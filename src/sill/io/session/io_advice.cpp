#include "sill/io/session/io_advice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sill/base/units.hpp"
#include "sill/choose/file_system_costs.hpp"
#include "sill/move/policy/policy.hpp"

namespace sill {
namespace {

using Writers = Policy::Writers;

constexpr std::int64_t small_request_bytes = 64 << 10;
constexpr std::int64_t stage_bytes = 512 << 10;  // what requests from a stage may have
// Of the time of the output.
constexpr double matters = 0.1;
constexpr double much = 0.3;
constexpr std::int64_t longer_phases = 10;
constexpr int phases_in_flight = 2;

// What is known of an output, times as the mean of a rank.
struct Facts {
  const OutputFigures& output;
  Policy policy;
  int ranks = 1;
  double files_s = 0;      // opening, reading, writing, syncing, closing
  double prepare_s = 0;    // making bytes
  double output_s = 0;     // what output took of the program's time
  double computing_s = 0;  // what it left, of the rank for which that is least
  double requests_s = 0;   // of writing, what does not come from the number of bytes
  double waiting_s = 0;

  [[nodiscard]] const IoFigures& figures() const { return output.figures; }
  [[nodiscard]] bool is_text() const { return output.name == "stations" || output.name == "solutions"; }
  [[nodiscard]] const char* preparing() const { return is_text() ? "formatting" : "copying"; }
  [[nodiscard]] bool has_small_requests() const {
    return figures().written_bytes / figures().write_requests < small_request_bytes;
  }
  // Writes that no policy can do without: one a file, which each rank may have opened. Files of stations stay open, and
  // a phase writes a header and records into each.
  [[nodiscard]] std::int64_t least_requests() const {
    const std::int64_t of_files =
        output.name == "stations" ? 2 * figures().opens * figures().phases : (figures().opens + ranks - 1) / ranks;
    return std::max({of_files, figures().written_bytes / stage_bytes, std::int64_t{1}});
  }
  [[nodiscard]] bool has_one_writer() const {
    return ranks > 1 && figures().of_written_bytes.max > 0.9 * static_cast<double>(figures().written_bytes);
  }
};

Facts facts_of(const OutputFigures& output, const IoReport& report) {
  const IoFigures& figures = output.figures;
  const double ranks = report.ranks;
  Facts facts{.output = output, .policy = Policy::parse(output.policy), .ranks = report.ranks};
  facts.files_s = (figures.open_s + figures.read_s + figures.write_s + figures.sync_s + figures.close_s) / ranks;
  facts.prepare_s = figures.prepare_s / ranks;
  facts.output_s = facts.files_s + facts.prepare_s;
  if (figures.calls_s > 0) {
    facts.output_s = figures.calls_s / ranks;
    facts.computing_s = std::max(0.0, report.seconds - figures.of_calls_s.max);
    if (facts.policy.async == 0) facts.waiting_s = std::max(0.0, facts.output_s - facts.files_s - facts.prepare_s);
  }
  const double bytes_s = built_in_costs(FileSystemKind::local).byte_s * static_cast<double>(figures.written_bytes);
  facts.requests_s = std::max(0.0, figures.write_s - bytes_s) / ranks;
  return facts;
}

// As one would write it.
std::string text_of_policy(const Policy& policy) {
  const bool chooses = policy.is_automatic();
  const std::string changes = policy.changes_from(chooses ? Policy::automatic() : Policy{});
  if (chooses) return changes.empty() ? "auto" : changes;
  return changes.empty() ? "direct" : "direct," + changes;
}

std::vector<IoPart> parts_of(const Facts& facts) {
  const IoFigures& figures = facts.figures();
  const double ranks = facts.ranks;
  const bool small = facts.has_small_requests();
  const double writing_s = figures.write_s / ranks;
  std::vector<IoPart> parts{
      {"opening files", (figures.open_s + figures.close_s) / ranks,
       fmt::format("{} times, {} each with closing", format_count(figures.opens),
                   format_short_time((figures.open_s + figures.close_s) /
                                     static_cast<double>(std::max<std::int64_t>(1, figures.opens))))},
      {"reading", figures.read_s / ranks,
       fmt::format("{} in {} requests", format_bytes(figures.read_bytes), format_count(figures.read_requests))},
      {"syncing", figures.sync_s / ranks, fmt::format("{} times", format_count(figures.syncs))},
      {facts.preparing(), facts.prepare_s, ""},
      {"waiting for other ranks", facts.waiting_s, "messages included"},
      {small ? "small requests" : "writing", writing_s,
       fmt::format("{} in {} requests", format_bytes(figures.written_bytes), format_count(figures.write_requests))}};
  std::erase_if(parts, [](const IoPart& part) { return part.seconds <= 0; });
  std::ranges::stable_sort(parts, std::ranges::greater{}, &IoPart::seconds);
  return parts;
}

// Fewer, longer requests: by who writes through which buffer, or by longer phases.
void advise_on_requests(const Facts& facts, std::vector<IoAdvice>& advice) {
  if (!facts.has_small_requests() || facts.requests_s < matters * facts.output_s) return;
  const std::int64_t now = facts.figures().write_requests;
  const auto add = [&](std::string change, std::optional<std::string> policy, std::int64_t least) {
    const double gain_s = facts.requests_s * (1 - static_cast<double>(least) / static_cast<double>(now));
    advice.push_back({"small requests", std::move(change), std::move(policy), least, gain_s});
  };
  if (now > 2 * facts.least_requests()) {
    Policy chosen = facts.policy;
    chosen.writers = Writers::automatic;
    chosen.domains = 0;
    chosen.stage_bytes = Policy::automatic_stage;
    chosen.align = Policy::Align::automatic;
    chosen.align_bytes = 0;
    chosen.call = Policy::Call::posix;
    if (chosen == facts.policy) {
      add("run `sill tune` on this file system: requests were estimated to take less than they do", {},
          facts.least_requests());
    } else {
      add("let writers and stages be chosen: ranks' pieces are put together into fewer requests",
          text_of_policy(chosen), facts.least_requests());
    }
  }
  const char* const longer = facts.output.name == "stations"  ? "more steps a phase (steps_per_phase)"
                             : facts.output.name == "volumes" ? "more samples a file (samples_per_file)"
                                                              : nullptr;
  if (longer == nullptr || facts.figures().phases < 2 * longer_phases) return;
  // Those that each phase needs become fewer; others may be pieces of every step.
  const std::int64_t of_phases = std::min(now, facts.least_requests());
  add(fmt::format("{}: with {} times as many there are as many times fewer phases", longer, longer_phases), {},
      now - of_phases + of_phases / longer_phases);
}

void advise_on_writers(const Facts& facts, std::vector<IoAdvice>& advice) {
  const Writers writers = facts.policy.writers;
  if (!facts.has_one_writer() || writers == Writers::automatic || writers == Writers::all) return;
  const double file_s = facts.figures().of_file_s.max;
  if (file_s < 0.5 * facts.output_s) return;
  Policy chosen = facts.policy;
  chosen.writers = Writers::automatic;
  chosen.domains = 0;
  const RankSpread& bytes = facts.figures().of_written_bytes;
  advice.push_back({.limit = "one writer",
                    .change = fmt::format("let more ranks write: rank {} wrote {}, and the others waited for it",
                                          bytes.max_rank, format_bytes(static_cast<std::int64_t>(bytes.max))),
                    .policy = text_of_policy(chosen),
                    .gain_s = file_s * (1 - 1.0 / facts.ranks)});
}

// What is in files, and of solutions their text, can go on behind the computation.
void advise_on_async(const Facts& facts, std::vector<IoAdvice>& advice) {
  if (facts.policy.async > 0 || facts.policy.call != Policy::Call::posix || facts.figures().phases < 2) return;
  const double behind_s = facts.files_s + (facts.output.name == "solutions" ? facts.prepare_s : 0);
  const double gain_s = std::min(facts.computing_s, behind_s);
  if (gain_s < matters * facts.output_s) return;
  Policy chosen = facts.policy;
  chosen.async = phases_in_flight;
  advice.push_back({.limit = "files",
                    .change = fmt::format("write behind the computation, for which there are {} of a rank's time",
                                          format_short_time(facts.computing_s)),
                    .policy = text_of_policy(chosen),
                    .gain_s = gain_s});
}

void advise_on_formatting(const Facts& facts, std::vector<IoAdvice>& advice) {
  if (!facts.is_text() || facts.output.threads > 1 || facts.prepare_s < much * facts.output_s) return;
  Policy chosen = facts.policy;
  chosen.threads = 2;
  advice.push_back({.limit = "formatting",
                    .change = "use two threads a rank, if there is a core for each",
                    .policy = text_of_policy(chosen),
                    .gain_s = facts.prepare_s / 2});
}

void advise_on_waiting(const Facts& facts, std::vector<IoAdvice>& advice) {
  if (facts.ranks == 1 || facts.waiting_s < much * facts.output_s) return;
  const RankSpread& calls = facts.figures().of_calls_s;
  advice.push_back({.limit = "waiting for other ranks",
                    .change = fmt::format("let ranks come to output together, each with a core of its own and as much "
                                          "to compute: rank {} spent {} there, rank {} {}",
                                          calls.min_rank, format_short_time(calls.min), calls.max_rank,
                                          format_short_time(calls.max)),
                    .gain_s = facts.waiting_s});
}

void advise_on_syncs(const Facts& facts, std::vector<IoAdvice>& advice) {
  const double sync_s = facts.figures().sync_s / facts.ranks;
  const auto phases = static_cast<double>(facts.figures().phases);
  if (facts.policy.sync != Policy::Sync::phase || phases < 2 || sync_s < matters * facts.output_s) return;
  Policy chosen = facts.policy;
  chosen.sync = Policy::Sync::close;
  advice.push_back({.limit = "syncing",
                    .change = "sync when files are closed, if phases may be lost when a machine fails",
                    .policy = text_of_policy(chosen),
                    .gain_s = sync_s * (1 - 1 / phases)});
}

}  // namespace

std::vector<OutputAdvice> advice_on(const IoReport& report) {
  std::vector<OutputAdvice> all;
  for (const OutputFigures& output : report.outputs) {
    if (output.figures.write_requests == 0) continue;
    const Facts facts = facts_of(output, report);
    OutputAdvice found{output.name, facts.output_s, parts_of(facts), {}};
    advise_on_requests(facts, found.advice);
    advise_on_writers(facts, found.advice);
    advise_on_async(facts, found.advice);
    advise_on_formatting(facts, found.advice);
    advise_on_waiting(facts, found.advice);
    advise_on_syncs(facts, found.advice);
    std::ranges::stable_sort(found.advice, std::ranges::greater{}, &IoAdvice::gain_s);
    all.push_back(std::move(found));
  }
  return all;
}

}  // namespace sill
