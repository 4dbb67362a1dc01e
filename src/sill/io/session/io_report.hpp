// The cost of input and output: bytes, requests by size, times, and their distribution over ranks.
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

/// The minimum, median and maximum of a figure over all ranks. Of ranks with equal figures the lowest is named.
struct RankSpread {
  double min = 0;
  int min_rank = 0;
  double median = 0;  ///< with an even number of ranks: the mean of the middle two
  double max = 0;
  int max_rank = 0;
};

/// Local. Returns the spread of the figures of all ranks. Precondition: there is at least one.
[[nodiscard]] RankSpread spread_of(std::span<const double> of_ranks);

/// The number of requests in a range of sizes (SizeHistogram).
struct SizeClass {
  std::int64_t from_bytes = 0;
  std::int64_t to_bytes = 0;  ///< inclusive
  std::int64_t requests = 0;
};

/// The cost of one output, or of all outputs. Counts are sums over ranks; times are sums over ranks and threads, except
/// as stated.
struct IoFigures {
  std::int64_t phases = 0;  ///< output phases, each counted once: the maximum over ranks
  std::int64_t opens = 0;
  std::int64_t read_requests = 0;
  std::int64_t read_bytes = 0;
  std::int64_t write_requests = 0;
  std::int64_t written_bytes = 0;
  std::int64_t syncs = 0;
  double calls_s = 0;                 ///< the program's time spent in calls for output
  std::int64_t burst_bytes = 0;       ///< bytes written to logs first (Policy::burst)
  std::int64_t past_burst_bytes = 0;  ///< bytes not written to logs, because the folder of the logs was full, slow or
                                      ///< missing
  double burst_s = 0;                 ///< time of appending to logs
  double prepare_s = 0;  ///< time of preparing bytes: text, conversion of numbers, copies to output buffers
  double open_s = 0;
  double read_s = 0;
  double write_s = 0;
  double sync_s = 0;
  double close_s = 0;
  std::vector<SizeClass> read_sizes;  ///< ascending, without empty classes
  std::vector<SizeClass> write_sizes;
  RankSpread of_read_requests;
  RankSpread of_read_bytes;
  RankSpread of_write_requests;
  RankSpread of_written_bytes;
  RankSpread of_file_s;  ///< opening, reading, writing, syncing and closing
  RankSpread of_calls_s;

  /// Local. Returns true if the output opened a file, made a request or wrote a phase.
  [[nodiscard]] bool has_any() const { return opens > 0 || read_requests > 0 || write_requests > 0 || phases > 0; }
};

/// The cost of one output of a program (IoSession).
struct OutputFigures {
  std::string name;
  std::string policy;  ///< policy of the output, with all axes
  int threads = 1;     ///< threads of rank 0
  IoFigures figures;
  /// The choices for automatic axes, as this rank knows them: the same on all ranks for collective accesses.
  std::vector<ChosenPolicy> chosen = {};
};

/// The times at which ranks were busy with input and output.
struct RankTimes {
  int first_rank = 0;
  int end_rank = 0;       ///< one after the last rank
  IntervalTimes times{};  ///< mean over these ranks
};

/// The cost of a program's input and output, the same on all ranks. docs/io-report.md describes its three forms.
struct IoReport {
  int ranks = 1;
  int nodes = 1;
  int threads = 1;     ///< threads of rank 0, for outputs whose policy states no number
  double seconds = 0;  ///< since the session began
  std::string policy;  ///< policies of all outputs, in the text form of a PolicySet
  IoFigures total = {};
  std::vector<RankTimes> times = {};                    ///< ascending by ranks, at most 64 entries, with intervals of
                                                        ///< equal length
  std::vector<OutputFigures> outputs = {};              ///< outputs that did anything
  std::vector<StripingReport::Line> striping = {};      ///< the result of requests for stripes
  std::vector<std::string> notes = {};                  ///< why profiles of file systems are not used; notes of outputs
  std::vector<MpiioHintReport::Line> mpiio_hints = {};  ///< reports of MPI-IO about hints, for files shared by all
                                                        ///< ranks

  /// Local. Returns the report as one JSON object.
  [[nodiscard]] std::string json() const;
  /// Local. Returns the report as tables of text; each line ends with a newline.
  [[nodiscard]] std::string table() const;
  /// Local. Returns an HTML page: the times at which ranks were busy, by activity; requests by size; policies and the
  /// reasons for them; and `tables`, which contains `table()`.
  [[nodiscard]] std::string page(const std::string& title, const std::string& tables) const;
};

/// Local. Parses the output of `IoReport::json`, which may have further keys. Stripes, hints, times of ranks and
/// choices for automatic axes are not read. Error messages use `name` for the report. Errors: input if the text is not
/// such a report.
[[nodiscard]] IoReport parse_report(std::string_view json, const std::string& name);

/// Collective. Returns the counts of the meters of all ranks, in the order of `meters`, and their sum as the last
/// element. Precondition: all ranks have the same number of meters.
[[nodiscard]] std::vector<IoFigures> gathered_figures(Communicator& comm, std::span<const Meter* const> meters);

/// Collective. Returns the times at which ranks were busy, as their meters counted them. For more than 64 ranks each
/// element is the mean over a group of neighbouring ranks; all groups except the last have the same size.
[[nodiscard]] std::vector<RankTimes> gathered_times(Communicator& comm, std::span<const Meter* const> meters);

/// Collective. Return the lines of all ranks; equal lines are merged.
[[nodiscard]] std::vector<StripingReport::Line> gathered_striping(Communicator& comm, const StripingReport& report);
[[nodiscard]] std::vector<MpiioHintReport::Line> gathered_hints(Communicator& comm, const MpiioHintReport& report);

}  // namespace sill
