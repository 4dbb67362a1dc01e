// The session of a program: its options in force, the resources of each output, and the cost of input and output.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/io/files/whole_text_file.hpp"
#include "sill/io/profile/profile_files.hpp"
#include "sill/io/session/io_options.hpp"
#include "sill/io/session/io_report.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/store/meter_store.hpp"
#include "sill/store/mpiio/mpiio_hint_report.hpp"
#include "sill/store/striping.hpp"

namespace sill {

enum class ReportForm { json, table, page };

/// Local. Checks that this build can do what `policy` asks. Errors: usage for MPI-IO in a build without MPI.
void require_available(const Policy& policy);

/// Options, policies and counts of a program's outputs. A writer is constructed with the resources of its output:
///
///     const auto comm = make_mpi_communicator(MPI_COMM_WORLD);
///     IoSession io(*comm, {.policies = PolicySet::parse("elected")});
///     SurfaceWriter surfaces(io.resources("surfaces"), grid, options);
///     ... surfaces.close();
///     io.finish();
///
/// The environment of rank 0 may change the options (docs/options.md). The session neither initializes nor finalizes
/// MPI, except in a program without MPI that uses MPI-IO (`start_mpi_alone`).
class IoSession {
 public:
  /// Collective. Opens a session. `comm` outlives it. Creates the report file, if one is named. Errors: as `settled`;
  /// io for the report.
  explicit IoSession(Communicator& comm, const IoOptions& options = {});
  IoSession(const IoSession&) = delete;
  IoSession& operator=(const IoSession&) = delete;

  /// Local. Returns the options in force.
  [[nodiscard]] const IoOptions& options() const { return options_; }
  [[nodiscard]] Communicator& comm() { return comm_; }
  /// Local. Returns the resources for the writers and readers of an output, with its policy. Requests of stores opened
  /// with these resources are counted. The resources exist as long as the session. Errors: usage if `output` is not in
  /// io_outputs().
  [[nodiscard]] Resources& resources(std::string_view output);
  /// Local. Returns resources with another policy, which are counted only in `meter`, to compare policies. `meter` must
  /// outlive all files opened with them. Threads and memory are the same as in the options. The result must not outlive
  /// the session. Choices for automatic axes are not reported.
  [[nodiscard]] Resources resources_with(const Policy& policy, Meter& meter);
  /// Local. Returns the meter of an output. Programs that read or write without Sill may count into it. Errors: as
  /// `resources`.
  [[nodiscard]] Meter& meter(std::string_view output);

  /// Local. Returns the reasons why profiles of file systems are not used, one line each.
  [[nodiscard]] const std::vector<std::string>& notes() const { return profiles_.notes; }

  /// Collective. Returns the cost of all outputs so far; files that are still open may add to it. The times of ranks
  /// are collected only if `form` of rank 0 is a page.
  [[nodiscard]] IoReport report(ReportForm form = ReportForm::json);
  /// Collective. Writes the report, if a file is named. Must be called when all outputs are closed. If `finish` is not
  /// called, the report file is unchanged. Errors: io; usage if it was called before.
  void finish();

 private:
  struct Output {
    Meter meter;
    PolicyLog chosen;
    std::optional<Resources> resources;
  };
  [[nodiscard]] Output& output(std::string_view name);

  Communicator& comm_;
  IoOptions options_;
  StripingReport striping_;
  MpiioHintReport hints_;
  FoundProfiles profiles_;
  std::vector<std::string> notes_;  // notes of outputs, on rank 0
  std::map<std::string, Output, std::less<>> outputs_;
  std::optional<WholeTextFile> report_file_;  // on rank 0, if a file is named
  bool is_finished_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Local. Returns the form of a report file by its name: a table if it ends with .txt, a page if it ends with .html,
/// otherwise JSON.
[[nodiscard]] ReportForm form_of_report(std::string_view report_file);

}  // namespace sill
