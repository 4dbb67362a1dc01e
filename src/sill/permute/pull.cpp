#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/permute/chunks.hpp"
#include "sill/permute/item_runs.hpp"
#include "sill/permute/permutation.hpp"

namespace sill {
namespace {

// The buffer of a thread is not cleared, because clearing would touch all its pages needlessly.
struct Worker {
  Worker(const Permutation& job, std::int64_t bytes)
      : reader(job.inputs, job.inputs_after), buffer(new std::byte[static_cast<std::size_t>(bytes)]) {}
  ChunkReader reader;
  std::unique_ptr<std::byte[]> buffer;
  std::vector<std::byte*> items;
};

// Pulls round by round, one chunk per rank.
void pull_together(Communicator& comm, const Permutation& job) {
  const std::int64_t memory_bytes = job.memory_bytes / 2;
  int threads = job.threads;
  std::unique_ptr<std::byte[]> buffer;
  std::vector<ChunkReader> readers;
  const Chunks chunks = run_and_agree(comm, [&] {
    (void)items_per_thread(memory_bytes, longest_item_bytes(job), threads);
    Chunks of_rank(job, memory_bytes, job.chunk_bytes * threads);
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
    job.sink.together->write(plan);
    count_done(job.progress, written.length);
  }
  job.sink.together->wait();
}

}  // namespace

std::int64_t items_per_thread(std::int64_t memory_bytes, std::int64_t item_bytes, int& threads) {
  const std::int64_t cost_per_item = item_bytes + overhead_bytes_per_item;
  if (memory_bytes < cost_per_item) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("{} bytes of memory are not enough for one item of {} bytes",
                                        std::max<std::int64_t>(0, memory_bytes), item_bytes),
                 .action = fmt::format("give at least {} bytes more", cost_per_item - memory_bytes)});
  }
  threads = static_cast<int>(std::clamp<std::int64_t>(memory_bytes / cost_per_item, 1, threads));
  return memory_bytes / threads / cost_per_item;
}

void permute_by_pull(const Permutation& job) {
  if (job.sources.empty()) return;
  int threads = job.threads;
  (void)items_per_thread(job.memory_bytes, longest_item_bytes(job), threads);
  const Chunks chunks(job, job.memory_bytes / threads, job.chunk_bytes);

  std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(threads));
  parallel_for(threads, chunks.count(), [&](std::int64_t chunk, int thread) {
    auto& worker = workers[static_cast<std::size_t>(thread)];
    if (!worker) worker = std::make_unique<Worker>(job, chunks.longest_bytes());
    const ItemRange own = chunks[chunk];
    std::byte* const buffer = worker->buffer.get();
    worker->reader.read(job.sources_of(own), buffer, job.starts_of(own));
    if (job.inspect) {
      worker->items.resize(static_cast<std::size_t>(own.count));
      show_items(job, own, buffer, worker->items);
    }
    const ByteRange bytes = job.bytes_of(own);
    job.sink.take(bytes.offset, {buffer, static_cast<std::size_t>(bytes.length)});
    count_done(job.progress, bytes.length);
  });
}

void permute_by_pull(Communicator& comm, const Permutation& job) {
  if (job.sink.together != nullptr) return pull_together(comm, job);
  run_and_agree(comm, [&] { permute_by_pull(job); });
}

}  // namespace sill
