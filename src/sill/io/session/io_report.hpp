// What input and output cost: how much, in how many requests of which sizes, how long, and how evenly over ranks.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/choose/policy_log.hpp"
#include "sill/comm/communicator.hpp"
#include "sill/store/meter_store.hpp"
#include "sill/store/mpiio/mpiio_hint_report.hpp"
#include "sill/store/striping.hpp"
#include "sill/store/time_line.hpp"

namespace sill {

/// The least, the median and the greatest of a figure over all ranks. Of ranks with equal figures the lowest is named.
struct RankSpread {
  double min = 0;
  int min_rank = 0;
  double median = 0;  ///< of an even number of ranks the mean of the middle two
  double max = 0;
  int max_rank = 0;
};

/// Local. The spread of the figures of all ranks, at least one.
[[nodiscard]] RankSpread spread_of(std::span<const double> of_ranks);

/// Requests of a class of sizes (SizeHistogram).
struct SizeClass {
  std::int64_t from_bytes = 0;
  std::int64_t to_bytes = 0;  ///< inclusive
  std::int64_t requests = 0;
};

/// What one output cost, or all of them. Counts are sums over ranks, times sums over ranks and threads, but for
/// `phases`.
struct IoFigures {
  std::int64_t phases = 0;  ///< of output, each counted once: the most of any rank
  std::int64_t opens = 0;
  std::int64_t read_requests = 0;
  std::int64_t read_bytes = 0;
  std::int64_t write_requests = 0;
  std::int64_t written_bytes = 0;
  std::int64_t syncs = 0;
  double calls_s = 0;                 ///< that calls for output took of the program's time
  std::int64_t burst_bytes = 0;       ///< that went to logs first (Policy::burst)
  std::int64_t past_burst_bytes = 0;  ///< that logs could not take: their folder was full, slow or gone
  double burst_s = 0;                 ///< appending to logs
  double prepare_s = 0;  ///< making bytes: text, other number formats, copies to where they are written from
  double open_s = 0;
  double read_s = 0;
  double write_s = 0;
  double sync_s = 0;
  double close_s = 0;
  std::vector<SizeClass> read_sizes;  ///< ascending, without empty ones
  std::vector<SizeClass> write_sizes;
  RankSpread of_read_requests;
  RankSpread of_read_bytes;
  RankSpread of_write_requests;
  RankSpread of_written_bytes;
  RankSpread of_file_s;  ///< opening, reading, writing, syncing and closing
  RankSpread of_calls_s;

  /// Local. Whether there was anything.
  [[nodiscard]] bool has_any() const { return opens > 0 || read_requests > 0 || write_requests > 0 || phases > 0; }
};

/// What one output of a program cost (IoSession).
struct OutputFigures {
  std::string name;
  std::string policy;  ///< with every axis
  int threads = 1;     ///< of rank 0
  IoFigures figures;
  /// What was chosen for automatic axes, as this rank knows it: of collective accesses the same on all ranks.
  std::vector<ChosenPolicy> chosen = {};
};

/// When ranks were busy with input and output.
struct RankTimes {
  int first_rank = 0;
  int end_rank = 0;       ///< behind the last
  IntervalTimes times{};  ///< the mean of these ranks
};

/// What a program's input and output cost, the same on all ranks. docs/io-report.md describes its three forms.
struct IoReport {
  int ranks = 1;
  int nodes = 1;
  int threads = 1;     ///< of rank 0, for outputs whose policy does not say
  double seconds = 0;  ///< since the session began
  std::string policy;  ///< of all outputs, as a text of a PolicySet
  IoFigures total = {};
  std::vector<RankTimes> times = {};                    ///< ascending by ranks, at most 64, in intervals of one length
  std::vector<OutputFigures> outputs = {};              ///< those for which anything was done
  std::vector<StripingReport::Line> striping = {};      ///< what became of stripes that were asked for
  std::vector<std::string> notes = {};                  ///< why profiles of file systems are not used; of outputs
  std::vector<MpiioHintReport::Line> mpiio_hints = {};  ///< what MPI-IO reports of hints, for all ranks' files

  /// Local. One JSON object.
  [[nodiscard]] std::string json() const;
  /// Local. Tables for people, each line ended.
  [[nodiscard]] std::string table() const;
  /// Local. A page for the browser: when ranks were busy with what, requests by their sizes, policies and why, and
  /// `tables`, of which `table()` is a part.
  [[nodiscard]] std::string page(const std::string& title, const std::string& tables) const;
};

/// Local. Reads what `IoReport::json` wrote, also with further keys, but leaves out stripes, hints, times of
/// ranks and what was chosen. `name` is what messages call it. Errors: input for what is no such report.
[[nodiscard]] IoReport parse_report(std::string_view json, const std::string& name);

/// Collective. What the meters of all ranks counted, in the order of `meters`, and at last their sum. Precondition: the
/// same number of meters on all ranks.
[[nodiscard]] std::vector<IoFigures> gathered_figures(Communicator& comm, std::span<const Meter* const> meters);

/// Collective. When ranks were busy with what their meters counted: of up to 64 ranks each, of more the mean of groups
/// of equally many neighbours, but the last.
[[nodiscard]] std::vector<RankTimes> gathered_times(Communicator& comm, std::span<const Meter* const> meters);

/// Collective. The lines of all ranks, equal ones joined.
[[nodiscard]] std::vector<StripingReport::Line> gathered_striping(Communicator& comm, const StripingReport& report);
[[nodiscard]] std::vector<MpiioHintReport::Line> gathered_hints(Communicator& comm, const MpiioHintReport& report);

}  // namespace sill
