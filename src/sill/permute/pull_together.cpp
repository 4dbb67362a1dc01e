#include "sill/permute/pull_together.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/permute/chunks.hpp"
#include "sill/permute/item_runs.hpp"

namespace sill {

void permute_together(Communicator& comm, const Permutation& job, Mover& mover) {
  int threads = job.threads;
  std::unique_ptr<std::byte[]> buffer;
  std::vector<ChunkReader> readers;
  const Chunks chunks = run_and_agree(comm, [&] {
    (void)items_per_thread(job.memory_bytes, longest_item_bytes(job), threads);
    Chunks of_rank(job, job.memory_bytes, job.chunk_bytes * threads);
    buffer.reset(new std::byte[static_cast<std::size_t>(of_rank.longest_bytes())]);
    for (int i = 0; i < threads; ++i) readers.emplace_back(job.inputs, job.inputs_after);
    return of_rank;
  });
  const std::int64_t max_chunks = all_reduce(comm, chunks.count(), Reduction::max);
  for (std::int64_t chunk = 0; chunk < max_chunks; ++chunk) {
    const ItemRange all = chunks[chunk];
    const ByteRange written = job.bytes_of(all);
    const AccessPlan plan = run_and_agree(comm, [&] {
      parallel_for(threads, threads, [&](std::int64_t part, int thread) {
        const ItemRange own = block_of(all, threads, part);
        if (own.empty()) return;
        std::byte* const bytes = buffer.get() + (job.bytes_of(own).offset - written.offset);
        readers[static_cast<std::size_t>(thread)].read(job.sources_of(own), bytes, job.starts_of(own));
        if (!job.inspect) return;
        std::vector<std::byte*> items(static_cast<std::size_t>(own.count));
        show_items(job, own, bytes, items);
      });
      return AccessPlan::for_writing({contiguous(0, written, buffer.get())});
    });
    mover.write(plan);
    if (job.progress != nullptr) job.progress->done_bytes += written.length;
  }
  mover.wait();
}

}  // namespace sill
