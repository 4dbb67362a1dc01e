// One run of a command: its ranks, its resources, its progress line, its log and its report.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/progress_line.hpp"
#include "sill/comm/launch.hpp"
#include "sill/io/reader.hpp"
#include "sill/io/resources.hpp"
#include "sill/store/meter_store.hpp"

namespace sill::cli {

/// What a command did, for `--report`.
struct Done {
  std::int64_t traces_in = 0;
  std::int64_t traces_out = 0;
  std::vector<std::string> words_changed;
  nlohmann::json more = nlohmann::json::object();  ///< what only this command tells
};

class Session {
 public:
  /// Collective. Errors: usage for a wrong policy.
  Session(Communicator& comm, const CommonOptions& options, std::vector<std::string> arguments);

  [[nodiscard]] Resources& resources() { return resources_; }
  [[nodiscard]] Communicator& comm() { return resources_.comm; }
  [[nodiscard]] bool is_first_rank() const { return resources_.comm.rank() == 0; }
  [[nodiscard]] double seconds() const;

  /// Collective. Call before anything is written: makes sure that no output, side outputs (log, report) included, is
  /// an input or another output. Opens the log. Errors: usage; io.
  void claim(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

  /// Local. Prints to standard output, on rank 0 only, and into the log. Errors: io if it cannot be written.
  void print(const std::string& text);
  /// Local. Into the log only, on rank 0.
  void log(const std::string& text);
  /// Local. Prints what is noteworthy about the inputs, from grade minor up, to standard error, and all of it into the
  /// log; on rank 0.
  void tell_diagnostics(std::span<const segy::FileDescription> files);

  /// Collective. Ends the progress line and writes the report. Errors: io.
  void finish(const Done& done);

 private:
  Meter meter_;
  Progress progress_;
  Resources resources_;
  CommonOptions options_;
  std::vector<std::string> arguments_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  ProgressLine line_;
};

}  // namespace sill::cli
