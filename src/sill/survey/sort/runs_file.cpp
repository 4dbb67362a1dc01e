#include "sill/survey/sort/runs_file.hpp"

#include <functional>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"

namespace sill {
namespace {

Resources not_synced(Resources resources) {
  resources.policy.sync = Policy::Sync::never;
  return resources;
}

std::int64_t traces_per_run(const Resources& resources, const SurveyReader& reader, std::int64_t memory_bytes) {
  const std::int64_t room = run_and_agree(resources.comm, [&] {
    int threads = resources.threads();
    (void)items_per_thread(memory_bytes, reader.trace_bytes(), threads);
    return items_per_run(reader.traces(), reader.trace_bytes(), resources.comm.size(), memory_bytes, threads);
  });
  return all_reduce(resources.comm, room, Reduction::min);
}

}  // namespace

RunsFile::RunsFile(const Resources& resources, const SurveyReader& reader, const std::string& target,
                   std::int64_t memory_bytes, AfterReading inputs_after, const RunOrder& order)
    : resources_(not_synced(resources)),
      trace_bytes_(reader.trace_bytes()),
      run_traces_(traces_per_run(resources, reader, memory_bytes)),
      file_(resources_, target, reader.traces() * trace_bytes_),
      layout_(reader.traces(), resources.comm.size(), run_traces_),
      items_{nullptr, {0, trace_bytes_, reader.traces()}, 0} {
  const int rank = resources.comm.rank();
  run_and_agree(resources.comm, [&] {
    const std::shared_ptr<Store> handle = layout_.items_of(rank).empty() ? nullptr : file_.handle();
    RunJob job;
    job.inputs = reader.inputs();
    job.inputs_after = inputs_after;
    job.file = handle.get();
    job.order = std::cref(order);  // by reference: its state is not copied
    job.threads = resources.threads();
    (void)items_per_thread(memory_bytes, trace_bytes_, job.threads);
    job.progress = resources.progress;
    write_runs(layout_, rank, job);
  });
  file_.share();
}

std::vector<std::int64_t> RunsFile::locate(std::span<const std::int64_t> sources) {
  std::vector<std::int64_t> places = locate_in_runs(resources_.comm, layout_, sources);
  handle_ = run_and_agree(resources_.comm, [&] { return file_.handle(); });
  items_.store = handle_.get();
  return places;
}

}  // namespace sill
