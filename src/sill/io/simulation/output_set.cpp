#include "sill/io/simulation/output_set.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/io/simulation/folder_syncs.hpp"
#include "sill/store/posix/folder.hpp"

namespace sill {

void require_folder_of(Communicator& comm, const std::string& prefix) {
  run_on_rank(comm, 0, [&] { require_writable_folder(std::filesystem::path(prefix).parent_path().string()); });
}

OutputSet::OutputSet(const Resources& resources, std::vector<std::string> targets, std::int64_t memory_bytes,
                     IoThreads* background)
    : resources_(resources) {
  Communicator& comm = resources_.comm;
  Policy policy = resources_.policy;
  if (policy.is_durable()) policy.sync = Policy::Sync::phase;  // of one write: behind the computation, as its requests
  std::string text;  // the paths, each with a zero behind it, which no path can hold
  run_on_rank(comm, 0, [&] {
    parts_.emplace(part_files_of(targets, {policy.stripe_count, policy.stripe_bytes}));
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const PartFile& part = (*parts_)[i];
      if (part.striping() && resources_.striping != nullptr) resources_.striping->add(targets[i], *part.striping());
      text += part.path() + '\0';
    }
  });
  broadcast_all(comm, text, 0);
  MoverFiles files = run_and_agree(comm, [&] {
    std::vector<std::string> paths;
    for (std::size_t at = 0; at < text.size(); at += paths.back().size() + 1) paths.emplace_back(text.c_str() + at);
    return resources_.files(std::move(paths), OpenMode::write);
  });
  const MoverLimits limits{std::max(memory_bytes, min_mover_memory_bytes), resources_.threads(), background};
  mover_.emplace(comm, std::move(files), policy, limits);
}

void OutputSet::write(const AccessPlan& mine, Memory memory) { mover_->write(mine, {}, memory); }

void OutputSet::finish(const std::string& told_by) {
  mover_->close();
  run_on_rank(resources_.comm, 0, [&] {
    const bool durable = resources_.policy.is_durable();
    if (!told_by.empty() && ::unlink(told_by.c_str()) == 0) {
      if (durable) sync_folder(std::filesystem::path(told_by).parent_path().string(), resources_.meter);
    } else if (!told_by.empty() && errno != ENOENT) {
      throw system_error(errno, "removing what tells of earlier files", {.file = told_by});
    }
    for (PartFile& part : *parts_) commit(part, durable, resources_.meter);
  });
}

}  // namespace sill
