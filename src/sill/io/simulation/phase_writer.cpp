#include "sill/io/simulation/phase_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <span>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/io/files/folder_syncs.hpp"
#include "sill/store/part/part_file.hpp"
#include "sill/store/posix/folder.hpp"

namespace sill {
namespace {

// Splits a text of paths, each of which ends with a zero byte.
std::vector<std::string> paths_in(const std::string& text) {
  std::vector<std::string> paths;
  for (std::size_t at = 0; at < text.size(); at += paths.back().size() + 1) paths.emplace_back(text.c_str() + at);
  return paths;
}

}  // namespace

// The part files, on rank 0, of a phase whose files appear when they are complete. They are removed after `holds` is
// destroyed.
struct PhaseWriter::Whole {
  std::deque<PartFile> parts;
  std::string paths;
  std::shared_ptr<void> holds;
};

void require_folder_of(Communicator& comm, const std::string& prefix) {
  run_on_rank(comm, 0, [&] { require_writable_folder(std::filesystem::path(prefix).parent_path().string()); });
}

void refuse_output(const char* output, std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("{} output: {}", output, problem),
               .action = std::move(action)});
}

std::function<Error(std::int64_t min, std::int64_t max)> unequal_steps_of(const char* output) {
  return [output](std::int64_t min, std::int64_t max) {
    return Error({.code = ErrorCode::usage,
                  .problem = fmt::format("{} output: some ranks are at step {}, others at {}", output, min, max),
                  .action = "write the same phase on all ranks"});
  };
}

PhaseWriter::PhaseWriter(const Resources& resources, const std::string& prefix, std::int64_t memory_bytes, Opener open,
                         std::int64_t max_open)
    : resources_(resources), memory_bytes_(std::max(memory_bytes, min_mover_memory_bytes)) {
  MoverFiles files = run_and_agree(resources.comm, [&] { return resources.files({prefix}, OpenMode::write); });
  if (open) files.open = std::move(open);
  files.max_open = max_open;
  files.is_per_call = true;
  mover_.emplace(resources.comm, std::move(files), resources.policy, limits());
}

std::shared_ptr<PhaseWriter::Whole> PhaseWriter::make_part_files(const OutputPhase& phase) const {
  auto whole = std::make_shared<Whole>();
  whole->holds = phase.holds;
  if (resources_.comm.rank() != 0) return whole;
  const Policy& policy = resources_.policy;
  whole->parts = part_files_of(phase.paths, {policy.stripe_count, policy.stripe_bytes});
  for (std::size_t i = 0; i < phase.paths.size(); ++i) {
    const PartFile& part = whole->parts[i];
    if (part.striping() && resources_.striping != nullptr) resources_.striping->add(phase.paths[i], *part.striping());
    whole->paths += part.path() + '\0';
  }
  return whole;
}

void PhaseWriter::write(OutputCall& call, const Common& common, const std::function<OutputPhase()>& prepare,
                        Memory memory) {
  // An error of earlier phases does not prevent this phase.
  std::optional<Error> first = mover_->use(resources_.policy, limits());
  OutputPhase phase;
  std::shared_ptr<Whole> whole;
  Opening opening{.equal = common.value, .unequal = common.unequal};
  opening.error = attempt([&] {
    phase = prepare();
    opening.is_unchanged = !common.is_unchanged || common.is_unchanged();
    if (phase.files != OutputPhase::Files::whole) return;
    whole = make_part_files(phase);
    opening.of_root = static_cast<std::int64_t>(whole->paths.size());
  });
  const auto files_of_phase = [&](const Agreed& agreed) {
    if (!agreed.is_unchanged) common.changed();
    if (phase.begun) phase.begun();
    PhaseFiles files{.closed = std::move(phase.closed)};
    if (!whole) {
      files.paths = std::move(phase.paths);
      files.mode = OpenMode::write_or_create;
      files.publish = [accept = phase.accept, publish = phase.publish] {
        if (accept) accept();
        if (publish) publish();
      };
      files.holds = std::move(phase.holds);
      return files;
    }
    whole->paths.resize(static_cast<std::size_t>(agreed.of_root));
    resources_.comm.broadcast(std::as_writable_bytes(std::span(whole->paths)), 0);
    files.paths = paths_in(whole->paths);
    files.publish = [this, parts = whole.get(), accept = phase.accept, publish = phase.publish] {
      if (accept) accept();
      for (PartFile& part : parts->parts) commit(part, resources_.policy.is_durable(), resources_.meter);
      if (publish) publish();
    };
    files.holds = std::move(whole);
    return files;
  };
  const bool is_of_rank = phase.files == OutputPhase::Files::of_rank;
  std::optional<Error> of_phases;
  if (mover_->write_phase(phase.plan, opening, is_of_rank, files_of_phase, memory, of_phases, phase.plan_of_rank))
    call.completes_phase();
  keep_first(first, of_phases);
  if (!first) return;
  whole = nullptr;
  phase = {};
  leave(*first);
}

void PhaseWriter::wait() {
  const std::optional<Error> error = attempt_together(resources_.comm, [&] { mover_->wait(); });
  if (error) leave(*error);
}

void PhaseWriter::leave(const Error& error) const {
  require_known_to_all(resources_.comm, error);
  resources_.comm.barrier();
  throw Error(error);
}

}  // namespace sill
