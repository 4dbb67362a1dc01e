#include "sill/io/session/io_session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/nearest_names.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/launcher.hpp"
#include "sill/comm/node.hpp"

namespace sill {

void require_available(const Policy& policy) {
  if (policy.call == Policy::Call::posix || has_mpi()) return;
  throw Error(
      {.code = ErrorCode::usage,
       .problem = fmt::format("the policy {} calls MPI-IO, but this build of Sill is without MPI", policy.text()),
       .action = "use a policy with call=posix, or a build of Sill with MPI"});
}

IoSession::IoSession(Communicator& comm, const IoOptions& options)
    : comm_(comm), options_(settled(comm, options)), profiles_(find_profiles(comm)) {
  run_and_agree(comm_, [&] {
    for (const std::string_view name : io_outputs()) {
      require_available(options_.policies.of(name));
      Output& made = outputs_[std::string(name)];
      made.resources.emplace(resources_with(options_.policies.of(name), made.meter));
      made.resources->chosen = &made.chosen;
    }
  });
  run_on_rank(comm_, 0, [&] {
    if (!options_.report.empty()) report_file_.emplace(Resources{.comm = comm_}, options_.report);
  });
}

Resources IoSession::resources_with(const Policy& policy, Meter& meter) {
  Resources made{
      .comm = comm_,
      .open = metered(opener_for(policy.call, &hints_), meter),
      .open_together =
          [this, &meter](Communicator& of, std::span<const int> ranks, const std::string& path, OpenMode mode) {
            const auto open = [&] { return open_mpiio_together(of, ranks, path, mode, {}, &hints_); };
            return open_metered(open, meter);
          },
      .policy = policy,
      .memory_bytes = options_.memory_bytes,
      .striping = &striping_,
      .meter = &meter,
      .measured = profiles_.costs,
      .hints = &hints_,
      .layouts = &options_.layouts,
      .notes = &notes_};
  if (policy.threads == 0) made.policy.threads = options_.threads;
  return made;
}

IoSession::Output& IoSession::output(std::string_view name) {
  const auto found = outputs_.find(name);
  if (found != outputs_.end()) return found->second;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("unknown output `{}`", name),
               .action = did_you_mean(nearest_names(name, io_outputs())) +
                         fmt::format("outputs are: {}", fmt::join(io_outputs(), ", "))});
}

Resources& IoSession::resources(std::string_view name) { return *output(name).resources; }

Meter& IoSession::meter(std::string_view name) { return output(name).meter; }

IoReport IoSession::report(ReportForm form) {
  std::vector<const Meter*> meters;
  std::vector<std::int64_t> threads;  // threads of each output; the last element: of outputs whose policy does not set
                                      // them
  IoReport report;
  run_and_agree(comm_, [&] {
    for (const auto& [name, each] : outputs_) {
      meters.push_back(&each.meter);
      threads.push_back(each.resources->threads());
    }
    threads.push_back(Resources{.comm = comm_, .policy = {.threads = options_.threads}}.threads());
    report.ranks = comm_.size();
    report.nodes = node_count(comm_);
    report.policy = options_.policies.text();
    report.notes = profiles_.notes;
  });
  std::string of_outputs = fmt::format("{}", fmt::join(notes_, "\n"));
  broadcast_all(comm_, of_outputs, 0);
  for (std::size_t at = 0; at < of_outputs.size();) {
    const std::size_t end = std::min(of_outputs.find('\n', at), of_outputs.size());
    report.notes.push_back(of_outputs.substr(at, end - at));
    at = end + 1;
  }
  std::vector<IoFigures> figures = gathered_figures(comm_, meters);
  report.mpiio_hints = gathered_hints(comm_, hints_);
  // Broadcasts stripes, threads and time, which rank 0 knows.
  comm_.broadcast(std::as_writable_bytes(std::span(threads)), 0);
  struct {
    double seconds = 0;
    std::int64_t is_page = 0;
  } of_root{std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(),
            form == ReportForm::page ? 1 : 0};
  comm_.broadcast(std::as_writable_bytes(std::span(&of_root, 1)), 0);
  report.seconds = of_root.seconds;
  if (of_root.is_page != 0) report.times = gathered_times(comm_, meters);
  report.threads = static_cast<int>(threads.back());
  report.striping = gathered_striping(comm_, striping_);
  run_and_agree(comm_, [&] {
    auto of_output = figures.begin();
    auto its_threads = threads.begin();
    for (const auto& [name, each] : outputs_) {
      if (of_output->has_any()) {
        report.outputs.push_back({name, each.resources->policy.text(), static_cast<int>(*its_threads),
                                  std::move(*of_output), each.chosen.lines()});
      }
      ++of_output;
      ++its_threads;
    }
    report.total = std::move(figures.back());
    if (report.total.past_burst_bytes > 0) {
      report.notes.push_back(fmt::format(
          "{} were written directly to the files, because the folder of the burst buffer was full, slow or missing",
          format_bytes(report.total.past_burst_bytes)));
    }
  });
  return report;
}

void IoSession::finish() {
  const ReportForm form = form_of_report(options_.report);
  const IoReport of_all = report(form);
  run_and_agree(comm_, [&] {
    if (!std::exchange(is_finished_, true)) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = "the report of a session is written a second time",
                 .action = "finish a session once, when all outputs are closed"});
  });
  run_on_rank(comm_, 0, [&] {
    if (!report_file_) return;
    switch (form) {
      case ReportForm::table: report_file_->write(of_all.table()); break;
      case ReportForm::page: report_file_->write(of_all.page("Input and output", of_all.table())); break;
      case ReportForm::json: report_file_->write(of_all.json() + "\n"); break;
    }
    report_file_->finish();
  });
}

ReportForm form_of_report(std::string_view report_file) {
  if (report_file.ends_with(".txt")) return ReportForm::table;
  return report_file.ends_with(".html") ? ReportForm::page : ReportForm::json;
}

}  // namespace sill
