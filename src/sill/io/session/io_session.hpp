// The session of a program: its options in force, the resources of each output, and what input and output cost.
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

/// Options, policies and counts of a program's outputs. What writes them is given the resources of its output:
///
///     const auto comm = make_mpi_communicator(MPI_COMM_WORLD);
///     IoSession io(*comm, {.policies = PolicySet::parse("elected")});
///     SurfaceWriter surfaces(io.resources("surfaces"), grid, options);
///     ... surfaces.close();
///     io.finish();
///
/// The environment of rank 0 may change the options (docs/options.md). MPI is neither initialized nor finalized, unless
/// a program without MPI takes MPI-IO (`start_mpi_alone`).
class IoSession {
 public:
  /// Collective. `comm` outlives it. Begins the report file, if one is named. Errors: as `settled`; io for the report.
  explicit IoSession(Communicator& comm, const IoOptions& options = {});
  IoSession(const IoSession&) = delete;
  IoSession& operator=(const IoSession&) = delete;

  /// Local. The options in force.
  [[nodiscard]] const IoOptions& options() const { return options_; }
  [[nodiscard]] Communicator& comm() { return comm_; }
  /// Local. What the writers and readers of an output may use, with its policy; stores opened by it are counted. It
  /// lives as long as the session. Errors: usage if `output` is none of io_outputs().
  [[nodiscard]] Resources& resources(std::string_view output);
  /// Local. The same for an output of another policy, counted in `meter` alone, which outlives what it opens: to
  /// compare policies. Threads and memory are those of the options. The result must not outlive the session. What is
  /// chosen for automatic axes is not reported.
  [[nodiscard]] Resources resources_with(const Policy& policy, Meter& meter);
  /// Local. Counts what is done for an output; programs that read or write by themselves may count into it. Errors: as
  /// `resources`.
  [[nodiscard]] Meter& meter(std::string_view output);

  /// Local. Why profiles of file systems are not used, a line each.
  [[nodiscard]] const std::vector<std::string>& notes() const { return profiles_.notes; }

  /// Collective. What all outputs cost so far. Files that are still open may have more to come. The times of ranks are
  /// gathered for a page alone, as `form` of rank 0 says.
  [[nodiscard]] IoReport report(ReportForm form = ReportForm::json);
  /// Collective. Writes the report, if a file is named: to be called when all outputs are closed. Without it that file
  /// stays as it was. Errors: io; usage if it was called before.
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
  std::vector<std::string> notes_;  // on rank 0, of outputs
  std::map<std::string, Output, std::less<>> outputs_;
  std::optional<WholeTextFile> report_file_;  // on rank 0, if named
  bool is_finished_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Local. Returns the form of a report file by its name: a table if it ends with .txt, a page if with .html, else JSON.
[[nodiscard]] ReportForm form_of_report(std::string_view report_file);

}  // namespace sill
