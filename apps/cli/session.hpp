// One run of a command: its ranks, its resources, its progress line, its log and its report.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/progress_line.hpp"
#include "cli/streams.hpp"
#include "cli/text_file.hpp"
#include "sill/comm/launch.hpp"
#include "sill/io/files/whole_text_file.hpp"
#include "sill/io/session/io_session.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill::cli {

/// What a command did, for `--report`.
struct Done {
  std::int64_t traces_in = 0;
  std::int64_t traces_out = 0;
  std::vector<std::string> words_changed;
  nlohmann::json more = nlohmann::json::object();  ///< what only this command reports
};

class Session {
 public:
  /// Collective. `output` is what the command reads and writes, one of io_outputs(). Errors: usage for a wrong policy,
  /// assumption or header map; io for a map that cannot be read; as IoSession.
  Session(Communicator& comm, const CommonOptions& options, const std::string& output,
          std::vector<std::string> arguments);

  [[nodiscard]] Resources& resources() { return resources_; }
  /// Local. Takes the value of `--memory` as the bound of what a rank holds; nothing if `text` is empty. Errors: usage.
  void bound_memory(const std::string& text);
  /// Local. Counts what the command does with files, for the report.
  [[nodiscard]] Meter& meter() { return *resources_.meter; }
  [[nodiscard]] Communicator& comm() { return resources_.comm; }
  /// Local. The same with another policy, counted in `meter`, which outlives what is made with them.
  [[nodiscard]] Resources resources_with(const Policy& policy, Meter& meter);
  [[nodiscard]] bool is_first_rank() const { return resources_.comm.rank() == 0; }
  [[nodiscard]] double seconds() const;
  /// What `--map` says that words mean, or nullptr.
  [[nodiscard]] const segy::HeaderMap* map() const { return map_ ? &*map_ : nullptr; }

  /// Collective. The files that the user means by `given`: patterns, lists and standard input (cli/inputs.hpp,
  /// cli/streams.hpp).
  [[nodiscard]] std::vector<std::string> inputs(const std::vector<std::string>& given);
  /// Collective. The same of one name, which is no pattern or list.
  [[nodiscard]] std::string input(const std::string& given);
  /// Collective. The survey to write for the output `given`: of "-" a file that `finish` sends to standard output.
  /// Errors: usage for a name of another format.
  [[nodiscard]] std::string output(const std::string& given);
  /// Local. The log and the report, as far as they were asked for.
  [[nodiscard]] std::vector<std::string> side_outputs() const;
  /// Local. Whether an input is standard input.
  [[nodiscard]] bool takes_input() const { return streams_.takes_input(); }
  /// Local. `error` with standard streams called so.
  [[nodiscard]] Error shown(const Error& error) const;
  /// What `--assume` and `--strict` say of the inputs.
  [[nodiscard]] const InputRules& rules() const { return rules_; }
  /// Local. Errors: input, if `--strict` refuses a file with these findings.
  void refuse_if_strict(const segy::FileDescription& file) const;

  /// Collective. Call before anything is written: makes sure that no output, side outputs (log, report) included, is
  /// an input, what is kept beside one, the header map, or another output. Begins the log and the report. Errors:
  /// usage; io.
  void reserve_files(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);
  /// Local. All that was claimed, with the map, and what is kept beside inputs: no further output may replace it.
  [[nodiscard]] const std::vector<std::string>& reserved() const { return reserved_; }

  /// Collective. Rank 0 prints to standard output (to standard error, if the output goes there) and into the log.
  /// Errors: io if it cannot be written.
  void print(const std::string& text);
  /// Local. Rank 0 writes a line to standard error and into the log.
  void warn(const std::string& text);
  /// Local. Rank 0 warns, likewise, of traces of the output whose headers state a different length than counts, if any
  /// do.
  void warn_of_lengths(std::int64_t deviating_traces);
  /// Local. Rank 0 prints, likewise, why the command ends without success.
  void print_error(const Error& error) { warn(fmt::format("error: {}", error.what())); }
  /// Local. Into the log only, on rank 0. Errors: io.
  void log(const std::string& text);
  /// Local. Prints what is noteworthy about the inputs, from grade minor up, to standard error, and all of it into the
  /// log; on rank 0.
  void report_diagnostics(std::span<const segy::FileDescription> files);

  /// Collective. Ends the progress line, sends what goes to standard output, and writes the report. Errors: io.
  void finish(const Done& done);

 private:
  CommonOptions options_;
  IoSession io_;
  Resources& resources_;  // of the command's output
  Progress progress_;
  Streams streams_;
  std::optional<segy::HeaderMap> map_;
  InputRules rules_;
  std::vector<std::string> lists_;  // of input files, which no output replaces
  std::vector<std::string> reserved_;
  std::vector<std::string> escaped_names_;  // of files, which messages show in another way
  std::vector<std::string> arguments_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  void note_names(std::span<const std::string> names);
  [[nodiscard]] std::string shown_text(std::string text) const;
  [[nodiscard]] std::string json_of(const Done& done, const IoReport& stated) const;
  [[nodiscard]] std::string table_of(const Done& done, const IoReport& stated) const;

  std::optional<AppendedFile> log_;      // of rank 0, once it is known to be no input
  std::optional<WholeTextFile> report_;  // on rank 0, if asked for
  ProgressLine line_;
};

}  // namespace sill::cli
