#include "sill/io/output_file.hpp"

#include "sill/comm/exchange.hpp"
#include "sill/move/execute.hpp"

namespace sill {

OutputFile::OutputFile(const Resources& resources, const std::string& target, std::int64_t size_bytes)
    : resources_(resources) {
  Communicator& comm = resources_.comm;
  on_rank(comm, 0, [&] {
    part_.emplace(target);
    path_ = part_->path();
    if (size_bytes > 0) store().allocate(size_bytes);
  });
  std::int64_t length = static_cast<std::int64_t>(path_.size());
  comm.broadcast(std::as_writable_bytes(std::span(&length, 1)), 0);
  path_.resize(static_cast<std::size_t>(length));
  comm.broadcast(std::as_writable_bytes(std::span(path_)), 0);
}

Store& OutputFile::store() {
  if (!store_) store_ = resources_.open(path_, OpenMode::write);
  return *store_;
}

void OutputFile::write(std::vector<Extent> extents, std::span<const std::byte> memory) {
  Communicator& comm = resources_.comm;
  const AccessPlan mine = together(comm, [&] { return AccessPlan::for_writing(std::move(extents)); });
  const std::vector<std::int64_t> counts = all_gather(comm, static_cast<std::int64_t>(mine.extents().size()));
  const std::vector<Extent> all = all_gather_all(comm, mine.extents());
  const Schedule own = together(comm, [&] {
    std::vector<AccessPlan> plans;
    auto begin = all.begin();
    for (const std::int64_t count : counts) {
      plans.push_back(AccessPlan::for_writing({begin, begin + count}));
      begin += count;
    }
    return schedule(plans, resources_.policy, Operation::write, comm.rank());
  });
  execute_write(comm, own, memory, [&](int /*file*/) -> Store& { return store(); });
}

void OutputFile::share() {
  if (resources_.comm.size() == 1) return;
  together(resources_.comm, [&] {
    if (store_) store_->close();
    store_.reset();
  });
}

void OutputFile::finish() {
  Communicator& comm = resources_.comm;
  const bool durable = resources_.policy.sync == Policy::Sync::close;
  together(comm, [&] {
    if (!store_) return;
    if (durable) store_->sync();
    store_->close();
    store_.reset();
  });
  on_rank(comm, 0, [&] { part_->commit(durable); });
}

}  // namespace sill
