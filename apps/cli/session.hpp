// One run of a command: its ranks, its resources, its progress line, its log and its report.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/streams.hpp"
#include "cli/text_file.hpp"
#include "sill/base/progress.hpp"
#include "sill/comm/launch.hpp"
#include "sill/io/files/whole_text_file.hpp"
#include "sill/io/session/io_session.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/store/ranged/ranged_store.hpp"

namespace sill::cli {

/// The place to which a command prints: standard output and standard error, or functions of the program that runs it.
struct Console {
  std::function<void(std::string_view)> print = print_text;  ///< receives results
  std::function<void(std::string_view)> warn = warn_text;    ///< receives notes, warnings and errors
  /// Receives the results of the command in JSON, with the I/O costs of `--report` as `cost`, when it ends without an
  /// error; may be empty.
  std::function<void(std::string_view)> results = {};
  Progress* progress = nullptr;  ///< the progress of the command; null: shown on a terminal
  /// The error that ends the command is thrown; otherwise it is printed. Errors of single inputs are printed, and the
  /// last one is thrown when the command has processed the others.
  bool throws_errors = false;
  std::string program = {};             ///< path of the program `sill`; empty in other programs
  const RangedFiles* remote = nullptr;  ///< opens URLs; null: the program reads no URLs
};

/// The results of a command, for `--report`.
struct Done {
  std::int64_t traces_in = 0;
  std::int64_t traces_out = 0;
  std::vector<std::string> words_changed = {};
  nlohmann::json more = nlohmann::json::object();  ///< values that only this command reports
};

/// Shows stage, fraction done, rate and remaining time on standard error while the object lives, if `wanted` and if
/// standard error is a terminal. Shows nothing in the first second, so that short commands print nothing.
class ProgressLine {
 public:
  ProgressLine(const Progress& progress, bool wanted);

  /// Removes the line permanently.
  void stop() { thread_ = {}; }

 private:
  std::jthread thread_;
};

class Session {
 public:
  /// Collective. Starts the command. `output`: data that the command reads and writes, one of io_outputs(). Errors:
  /// usage for an invalid policy, assumption or header map; io for a map that cannot be read; as IoSession.
  Session(Communicator& comm, const CommonOptions& options, const std::string& output,
          std::vector<std::string> arguments, const Console& console = {});

  [[nodiscard]] Resources& resources() { return resources_; }
  /// Local. Sets the memory limit per rank to the value of `--memory`; does nothing if `text` is empty. Errors: usage.
  void bound_memory(const std::string& text);
  /// Local. Returns the meter that counts the file operations of the command, for the report.
  [[nodiscard]] Meter& meter() { return *resources_.meter; }
  [[nodiscard]] Communicator& comm() { return resources_.comm; }
  /// Local. Returns resources with another policy, counted in `meter`. Precondition: `meter` outlives all objects made
  /// with them.
  [[nodiscard]] Resources resources_with(const Policy& policy, Meter& meter);
  /// Local. Returns the path of the program `sill`; "" in other programs.
  [[nodiscard]] const std::string& program() const { return console_.program; }
  [[nodiscard]] bool is_first_rank() const { return resources_.comm.rank() == 0; }
  [[nodiscard]] double seconds() const;
  /// Local. Returns the header map of `--map`, or nullptr.
  [[nodiscard]] const segy::HeaderMap* map() const { return map_ ? &*map_ : nullptr; }

  /// Collective. Returns the files that `given` names: patterns, lists and standard input (cli/inputs.hpp,
  /// cli/streams.hpp).
  [[nodiscard]] std::vector<std::string> inputs(const std::vector<std::string>& given);
  /// Collective. Returns the file that `given` names; `given` is a single name, not a pattern or a list.
  [[nodiscard]] std::string input(const std::string& given);
  /// Collective. Returns the single file that `given` names, after reserving it and `outputs`. Errors: as `input` and
  /// `reserve_files`.
  [[nodiscard]] std::string reserved_input(const std::string& given, const std::vector<std::string>& outputs);
  /// Collective. Returns the path of the survey to write for the output `given`; for "-", a file that `finish` sends to
  /// standard output. Errors: usage for a name of another format.
  [[nodiscard]] std::string output(const std::string& given);
  /// Local. Returns the paths of the log and the report, if requested.
  [[nodiscard]] std::vector<std::string> side_outputs() const;
  /// Local. Returns true if an input is standard input.
  [[nodiscard]] bool takes_input() const { return streams_.takes_input(); }
  /// Local. Returns `error` with the names of standard streams in place of their paths.
  [[nodiscard]] Error shown(const Error& error) const;
  /// Local. Returns the rules of `--assume` and `--strict`.
  [[nodiscard]] const InputRules& rules() const { return rules_; }
  /// Local. Throws if `--strict` rejects `file` because of its findings. Errors: input.
  void refuse_if_strict(const segy::FileDescription& file) const;

  /// Collective. Makes sure that no output, including side outputs (log, report), is an input, a file stored next to an
  /// input, the header map, or another output. Starts the log and the report. Must be called before anything is
  /// written. Errors: usage; io.
  void reserve_files(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);
  /// Local. Returns all reserved files, the map, and the files stored next to inputs. No further output may replace
  /// them.
  [[nodiscard]] const std::vector<std::string>& reserved() const { return reserved_; }

  /// Collective. Prints `text` to the log, and to standard output or, if standard output receives the survey, to
  /// standard error; on rank 0. Errors: io if `text` cannot be written.
  void print(const std::string& text);
  /// Collective. Prints the text that `make` returns on rank 0. Errors: as `print`; those of `make`.
  void print_from_first_rank(const std::function<std::string()>& make);
  /// Local. Writes a line to standard error and to the log, on rank 0.
  void warn(const std::string& text);
  /// Local. Warns about output traces whose headers state a different length than the one used, if there are any, on
  /// rank 0.
  void warn_of_lengths(std::int64_t deviating_traces);
  /// Local. Writes `text` to standard output unchanged, and not to the log. Errors: io.
  void write(std::string_view text) { console_.print(text); }
  /// Local. Writes `text` to standard error unchanged, and not to the log.
  void write_to_error(std::string_view text) { console_.warn(text); }
  /// Collective. Prints the error of one of several inputs, on rank 0, so that the others are still processed. Returns
  /// its exit code. Errors: `error` itself, if other ranks do not know of it, or if the command is cancelled.
  int continue_after(const Error& error);
  /// Collective. Calls `work` for each of `all` in turn, and finishes the command with the values that `work` returns
  /// for the report, and with the results that it adds. If there are several outputs, prints errors and continues.
  /// Returns the exit code of the last one that failed, or 0. Errors: errors of `work` if there is only one; as
  /// `finish`.
  int finish_each_output(const std::vector<InputsOfOutput>& all,
                         const std::function<nlohmann::json(const InputsOfOutput& one, Done& done)>& work);
  /// Local. Prints the error that ends the command, to standard error and to the log, on rank 0. A console that throws
  /// errors receives it in another way.
  void print_last_error(const Error& error);
  /// Local. Returns the error that was printed last, if any.
  [[nodiscard]] const std::optional<Error>& printed_error() const { return printed_error_; }
  /// Local. Prints an error to standard error and to the log, on rank 0.
  void print_error(const Error& error);
  /// Local. Writes only to the log, on rank 0. Errors: io.
  void log(const std::string& text);
  /// Local. Prints findings about the inputs of grade minor or worse to standard error, and all findings to the log, on
  /// rank 0.
  void report_diagnostics(std::span<const segy::FileDescription> files);

  /// Collective. Ends the progress line, sends the output to standard output if requested, and writes the report.
  /// Returns `exit_code`. Errors: io.
  int finish(const Done& done = {}, int exit_code = 0);

 private:
  void read_urls(Resources& resources) const;

  CommonOptions options_;
  Console console_;
  IoSession io_;
  Resources& resources_;  // resources of the command's output
  Progress own_progress_;
  Progress& progress_;
  Streams streams_;
  std::optional<segy::HeaderMap> map_;
  InputRules rules_;
  std::vector<std::string> lists_;  // lists of input files, which no output may replace
  std::vector<std::string> reserved_;
  std::vector<std::string> escaped_names_;  // names of files that messages show in escaped form
  std::vector<std::string> arguments_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  void note_names(std::span<const std::string> names);
  [[nodiscard]] std::string shown_text(std::string text) const;
  [[nodiscard]] nlohmann::json results_of(const Done& done) const;
  [[nodiscard]] std::string json_of(const Done& done, const IoReport& stated) const;
  [[nodiscard]] std::string table_of(const Done& done, const IoReport& stated) const;

  std::optional<Error> printed_error_;
  std::optional<AppendedFile> log_;      // on rank 0, after the check that it is not an input
  std::optional<WholeTextFile> report_;  // on rank 0, if requested
  ProgressLine line_;
};

/// Files opened as one survey, with the header map of the command, whose findings are reported.
struct InputSurvey : SurveyReader {
  /// Collective. Errors: as SurveyReader.
  InputSurvey(Session& session, const std::vector<std::string>& paths, const InputRules& rules)
      : SurveyReader(session.resources(), paths, session.map(), rules) {
    session.report_diagnostics(files());
  }
  InputSurvey(Session& session, const std::vector<std::string>& paths) : InputSurvey(session, paths, session.rules()) {}
};

}  // namespace sill::cli
