#include "sill/move/gather_together.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/move/item_runs.hpp"

namespace sill {

void permute_together(Communicator& comm, const Permutation& job, Mover& mover) {
  const std::int64_t item_bytes = job.output_items.item_bytes;
  const auto positions = static_cast<std::int64_t>(job.sources.size());
  int threads = job.threads;
  std::int64_t chunk_items = 0;
  std::unique_ptr<std::byte[]> buffer;
  std::vector<ChunkReader> readers;
  together(comm, [&] {
    chunk_items = items_a_thread(job.memory_bytes, item_bytes, threads) * threads;
    const std::int64_t wanted_bytes = job.chunk_bytes * threads;
    if (wanted_bytes > 0) chunk_items = std::min(chunk_items, std::max<std::int64_t>(1, wanted_bytes / item_bytes));
    chunk_items = std::min(chunk_items, std::max<std::int64_t>(1, positions));
    buffer.reset(new std::byte[static_cast<std::size_t>(chunk_items * item_bytes)]);
    for (int i = 0; i < threads; ++i) readers.emplace_back(job.inputs, job.inputs_after);
  });
  const std::int64_t chunks = all_reduce(comm, (positions + chunk_items - 1) / chunk_items, Reduction::max);
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    const std::int64_t first = std::min(chunk * chunk_items, positions);
    const std::int64_t count = std::min(chunk_items, positions - first);
    const ByteRange written = job.output_items.bytes_of({job.first_position + first, count});
    const AccessPlan plan = together(comm, [&] {
      hand_out(threads, threads, [&](std::int64_t part, int thread) {
        const ItemRange own = block_of({first, count}, threads, part);
        if (own.empty()) return;
        const auto sources =
            job.sources.subspan(static_cast<std::size_t>(own.first), static_cast<std::size_t>(own.count));
        std::byte* const bytes = buffer.get() + (own.first - first) * item_bytes;
        readers[static_cast<std::size_t>(thread)].read(sources, bytes);
        if (!job.inspect) return;
        std::vector<const std::byte*> items(sources.size());
        for (std::size_t i = 0; i < items.size(); ++i) items[i] = bytes + i * static_cast<std::size_t>(item_bytes);
        job.inspect(job.first_position + own.first, sources, items);
      });
      return AccessPlan::for_writing({contiguous(0, written, buffer.get())});
    });
    mover.write(plan);
    if (job.progress != nullptr) job.progress->done_bytes += written.length;
  }
  mover.wait();
}

}  // namespace sill
