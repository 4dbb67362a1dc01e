#include "sill/io/survey/output_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/io/edit/journal_finding.hpp"
#include "sill/io/files/folder_syncs.hpp"

namespace sill {
namespace {

// Every rank must see the part file before any work is done, even if it writes into it late or never.
void require_seen(const std::string& part) {
  struct stat status {};
  if (::stat(part.c_str(), &status) == 0) return;
  if (errno == ENOENT) refuse_unseen_part(part);
  throw system_error(errno, "stat", {.file = target_of_part(part)});
}

}  // namespace

OutputFile::OutputFile(const Resources& resources, const std::string& target, std::int64_t size_bytes, PartFile* part)
    : OutputFile(resources, target, size_bytes, part, nullptr) {}

OutputFile::OutputFile(const Resources& resources, const std::string& target, std::int64_t size_bytes,
                       const StoredBeside& beside)
    : OutputFile(resources, target, size_bytes, nullptr, &beside) {}

OutputFile::OutputFile(const Resources& resources, const std::string& target, std::int64_t size_bytes, PartFile* part,
                       const StoredBeside* beside)
    : resources_(resources) {
  Communicator& comm = resources_.comm;
  run_on_rank(comm, 0, [&] {
    if (has_journal(target))
      throw Error(
          {.code = ErrorCode::usage,
           .problem = fmt::format(
               "next to this output is {}, the journal of an interrupted edit, which would be applied to the new file",
               journal_path_of(target)),
           .where = {.file = target},
           .action = "undo the edit first (sill edit FILE --recover), or remove the journal"});
    const Policy& policy = resources_.policy;
    const Striping striping{policy.stripe_count, policy.stripe_bytes};
    if (part == nullptr)
      part = beside != nullptr ? &part_.emplace(target, striping, *beside) : &part_.emplace(target, striping);
    if (part->striping() && resources_.striping != nullptr) resources_.striping->add(target, *part->striping());
    path_ = part->path();
  });
  broadcast_all(comm, path_, 0);
  MoverLimits limits;
  MoverFiles files = run_and_agree(comm, [&] {
    require_seen(path_);
    limits = resources_.limits();
    return resources_.files({path_}, OpenMode::write);
  });
  mover_.emplace(comm, std::move(files), resources_.policy, limits);
  if (size_bytes == 0) return;
  run_on_rank(comm, 0, [&] { mover_->own_handle(0)->allocate(size_bytes); });
}

void OutputFile::write(std::vector<Extent> extents) {
  mover_->write(run_and_agree(resources_.comm, [&] { return AccessPlan::for_writing(std::move(extents)); }));
}

void OutputFile::share() { mover_->share(); }

void OutputFile::finish() {
  Communicator& comm = resources_.comm;
  const bool durable = resources_.policy.is_durable();
  mover_->close();
  run_on_rank(comm, 0, [&] {
    if (part_) commit(*part_, durable, resources_.meter);
  });
}

}  // namespace sill
