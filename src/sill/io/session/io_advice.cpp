#include "sill/io/session/io_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sill/base/units.hpp"
#include "sill/choose/file_system_costs.hpp"
#include "sill/move/policy/policy.hpp"

namespace sill {
namespace {

using Writers = Policy::Writers;

constexpr std::int64_t small_request_bytes = 64 << 10;
constexpr std::int64_t stage_bytes = 512 << 10;  // typical size of a request from a stage
constexpr double min_gain = 0.1;                 // minimum gain of an advice, relative to the time of the output
constexpr double min_formatting = 0.3;
constexpr std::int64_t steps_factor = 10;
constexpr int phases_in_flight = 2;

// The known facts about an output; times are means over all ranks.
struct Facts {
  const OutputFigures& output;
  Policy policy;
  int ranks = 1;
  double output_s = 0;     // the program's time spent in output
  double shown = 1;        // fraction of the times below that was time of the program
  double computing_s = 0;  // time outside all outputs, of the rank with the least
  double files_s = 0;      // opening, reading, writing, syncing, closing
  double prepare_s = 0;
  double requests_s = 0;  // the time of writing that does not depend on the number of bytes

  [[nodiscard]] const IoFigures& figures() const { return output.figures; }
  [[nodiscard]] bool is_text() const { return output.name == "stations" || output.name == "solutions"; }
  [[nodiscard]] bool has_small_requests() const {
    return figures().written_bytes / figures().write_requests < small_request_bytes;
  }
  // Returns the number of files written. If all ranks write, each rank opens the files that they share.
  [[nodiscard]] std::int64_t files() const {
    const bool are_shared = policy.writers == Writers::all && !is_text();
    return std::max<std::int64_t>(1, are_shared ? figures().opens / ranks : figures().opens);
  }
  // Returns the number of writes that every policy needs: one per file. For stations each phase writes a header and
  // records to each file.
  [[nodiscard]] std::int64_t requests_of_files() const {
    return output.name == "stations" ? 2 * files() * std::max<std::int64_t>(1, figures().phases) : files();
  }
};

Facts facts_of(const OutputFigures& output, const IoReport& report) {
  const IoFigures& figures = output.figures;
  const double ranks = report.ranks;
  Facts facts{.output = output, .policy = Policy::parse(output.policy), .ranks = report.ranks};
  facts.files_s = (figures.open_s + figures.read_s + figures.write_s + figures.sync_s + figures.close_s) / ranks;
  facts.prepare_s = figures.prepare_s / ranks;
  const double work_s = facts.files_s + facts.prepare_s;
  facts.output_s = figures.calls_s > 0 ? figures.calls_s / ranks : work_s;
  if (figures.calls_s > 0) facts.computing_s = std::max(0.0, report.seconds - report.total.of_calls_s.max);
  // Threads work in parallel, and with `async` in the background.
  if (work_s > facts.output_s) facts.shown = facts.output_s / work_s;
  const double bytes_s = built_in_costs(FileSystemKind::local).byte_s * static_cast<double>(figures.written_bytes);
  facts.requests_s = std::max(0.0, figures.write_s - bytes_s) / ranks;
  return facts;
}

std::vector<TimeShare> shares_of(const Facts& facts) {
  const IoFigures& figures = facts.figures();
  const auto of_rank = [&](double seconds) { return facts.shown * seconds / facts.ranks; };
  const double opening_s = figures.open_s + figures.close_s;
  std::vector<TimeShare> shares{
      {"opening files", of_rank(opening_s),
       fmt::format("{} times, {} each with closing", format_count(figures.opens),
                   format_short_time(opening_s / static_cast<double>(std::max<std::int64_t>(1, figures.opens))))},
      {"reading", of_rank(figures.read_s),
       fmt::format("{} in {} requests", format_bytes(figures.read_bytes), format_count(figures.read_requests))},
      {"syncing", of_rank(figures.sync_s), fmt::format("{} times", format_count(figures.syncs))},
      {facts.is_text() ? "formatting" : "copying", of_rank(figures.prepare_s), ""},
      {facts.has_small_requests() ? "small requests" : "writing", of_rank(figures.write_s),
       fmt::format("{} in {} requests", format_bytes(figures.written_bytes), format_count(figures.write_requests))},
      {facts.ranks > 1 ? "messages, waiting, other" : "other work",
       facts.output_s - facts.shown * (facts.files_s + facts.prepare_s), ""}};
  std::erase_if(shares, [](const TimeShare& share) { return share.seconds <= 0; });
  std::ranges::stable_sort(shares, std::ranges::greater{}, &TimeShare::seconds);
  return shares;
}

// Collects advice with a sufficient gain.
class Advice {
 public:
  explicit Advice(const Facts& facts) : facts_(facts) {}

  // `gain_s` is relative to the times of `facts`.
  void add(const char* limit, std::string change, double gain_s, const std::optional<Policy>& policy = {},
           std::optional<std::int64_t> min_requests = {}) {
    IoAdvice made{limit, std::move(change), {}, min_requests, std::min(facts_.shown * gain_s, facts_.output_s)};
    if (policy) made.policy = policy->short_text();
    if (made.gain_s >= min_gain * facts_.output_s && made.gain_s > 0) all_.push_back(std::move(made));
  }
  [[nodiscard]] std::vector<IoAdvice> sorted() && {
    std::ranges::stable_sort(all_, std::ranges::greater{}, &IoAdvice::gain_s);
    return std::move(all_);
  }

 private:
  const Facts& facts_;
  std::vector<IoAdvice> all_;
};

// Advises fewer, larger requests: other writers and buffers, or longer phases.
void advise_on_requests(const Facts& facts, Advice& advice) {
  if (!facts.has_small_requests()) return;
  const char* const limit = "small requests";
  const std::int64_t now = facts.figures().write_requests;
  const auto gain_of = [&](std::int64_t left) {
    return facts.requests_s * (1 - static_cast<double>(left) / static_cast<double>(now));
  };
  const std::int64_t min = std::max(facts.requests_of_files(), facts.figures().written_bytes / stage_bytes);
  if (now > 2 * min) {
    Policy chosen = facts.policy;
    chosen.writers = Writers::automatic;
    chosen.domains = 0;
    chosen.stage_bytes = Policy::automatic_stage;
    chosen.align = Policy::Align::automatic;
    chosen.align_bytes = 0;
    chosen.call = Policy::Call::posix;
    if (chosen == facts.policy) {
      advice.add(limit, "run `sill tune` on this file system: requests take longer than estimated", gain_of(min), {},
                 min);
    } else {
      advice.add(limit, "let Sill choose writers and stages: the pieces of the ranks are combined into fewer requests",
                 gain_of(min), chosen, min);
    }
  }
  const char* const longer = facts.output.name == "stations"  ? "more steps per phase (steps_per_phase)"
                             : facts.output.name == "volumes" ? "more samples per file (samples_per_file)"
                                                              : nullptr;
  if (longer == nullptr || facts.figures().phases < 2 * steps_factor) return;
  // The requests that each phase needs become fewer; the others may be pieces of every step.
  const std::int64_t of_phases = std::min(now, facts.requests_of_files());
  const std::int64_t left = now - of_phases + of_phases / steps_factor;
  advice.add(limit,
             fmt::format("{}: {} times as many reduce the number of phases by the same factor", longer, steps_factor),
             gain_of(left), {}, left);
}

void advise_on_writers(const Facts& facts, Advice& advice) {
  const Writers writers = facts.policy.writers;
  const RankSpread& bytes = facts.figures().of_written_bytes;
  const bool has_one = facts.ranks > 1 && bytes.max > 0.9 * static_cast<double>(facts.figures().written_bytes);
  const double file_s = facts.figures().of_file_s.max;
  if (!has_one || writers == Writers::automatic || writers == Writers::all || file_s < 0.5 * facts.output_s) return;
  Policy chosen = facts.policy;
  chosen.writers = Writers::automatic;
  chosen.domains = 0;
  advice.add("one writer",
             fmt::format("use more writers: rank {} wrote {} while the other ranks waited", bytes.max_rank,
                         format_bytes(static_cast<std::int64_t>(bytes.max))),
             file_s * (1 - 1.0 / facts.ranks), chosen);
}

// Requests to files, and for solutions the conversion to text, can run in the background.
void advise_on_async(const Facts& facts, Advice& advice) {
  if (facts.policy.async > 0 || facts.policy.call != Policy::Call::posix || facts.figures().phases < 2) return;
  const double behind_s = facts.files_s + (facts.output.name == "solutions" ? facts.prepare_s : 0);
  Policy chosen = facts.policy;
  chosen.async = phases_in_flight;
  advice.add("files",
             fmt::format("write in the background of the computation, which takes {} of a rank's time",
                         format_short_time(facts.computing_s)),
             std::min(facts.computing_s / facts.shown, behind_s), chosen);
}

void advise_on_formatting(const Facts& facts, Advice& advice) {
  if (!facts.is_text() || facts.output.threads > 1 || facts.prepare_s < min_formatting * facts.output_s) return;
  Policy chosen = facts.policy;
  chosen.threads = 2;
  advice.add("formatting", "use two threads per rank, if there is a core for each", facts.prepare_s / 2, chosen);
}

// Ranks that spend more time in calls are waiting for late ranks.
void advise_on_waiting(const Facts& facts, Advice& advice) {
  const RankSpread& calls = facts.figures().of_calls_s;
  const double waiting_s = facts.figures().calls_s / facts.ranks - calls.min;
  advice.add("waiting for other ranks",
             fmt::format("balance the work of the ranks, with one core per rank, so that they begin output at the same "
                         "time: rank {} spent {} in output, rank {} {}",
                         calls.min_rank, format_short_time(calls.min), calls.max_rank, format_short_time(calls.max)),
             waiting_s / facts.shown);
}

void advise_on_syncs(const Facts& facts, Advice& advice) {
  const auto phases = static_cast<double>(facts.figures().phases);
  if (facts.policy.sync != Policy::Sync::phase || phases < 2) return;
  Policy chosen = facts.policy;
  chosen.sync = Policy::Sync::close;
  advice.add("syncing", "sync only when files are closed, if the loss of phases in a machine failure is acceptable",
             facts.figures().sync_s / facts.ranks * (1 - 1 / phases), chosen);
}

}  // namespace

std::vector<OutputAdvice> advice_on(const IoReport& report) {
  std::vector<OutputAdvice> all;
  for (const OutputFigures& output : report.outputs) {
    if (output.figures.write_requests == 0) continue;
    const Facts facts = facts_of(output, report);
    if (facts.output_s <= 0) continue;
    Advice advice(facts);
    advise_on_requests(facts, advice);
    advise_on_writers(facts, advice);
    advise_on_async(facts, advice);
    advise_on_formatting(facts, advice);
    advise_on_waiting(facts, advice);
    advise_on_syncs(facts, advice);
    all.push_back({output.name, facts.output_s, shares_of(facts), std::move(advice).sorted()});
  }
  return all;
}

}  // namespace sill
