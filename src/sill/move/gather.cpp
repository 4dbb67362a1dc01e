#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/move/item_runs.hpp"
#include "sill/move/permutation.hpp"

namespace sill {
namespace {

// A thread's buffer is not cleared: that would touch all of it once for nothing.
struct Worker {
  Worker(const Permutation& job, std::int64_t bytes)
      : reader(job.inputs, job.inputs_after), buffer(new std::byte[static_cast<std::size_t>(bytes)]) {}
  ChunkReader reader;
  std::unique_ptr<std::byte[]> buffer;
  std::vector<const std::byte*> items;
};

}  // namespace

std::int64_t items_a_thread(std::int64_t memory_bytes, std::int64_t item_bytes, int& threads) {
  const std::int64_t cost_an_item = item_bytes + bytes_beside_an_item;
  if (memory_bytes < cost_an_item) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("{} bytes of memory do not hold one item of {} bytes",
                                        std::max<std::int64_t>(0, memory_bytes), item_bytes),
                 .action = fmt::format("give at least {} bytes more", cost_an_item - memory_bytes)});
  }
  threads = static_cast<int>(std::clamp<std::int64_t>(memory_bytes / cost_an_item, 1, threads));
  return memory_bytes / threads / cost_an_item;
}

void permute_by_gather(const Permutation& job) {
  const std::int64_t item_bytes = job.output_items.item_bytes;
  const auto positions = static_cast<std::int64_t>(job.sources.size());
  int threads = job.threads;
  std::int64_t chunk_items = items_a_thread(job.memory_bytes, item_bytes, threads);
  if (job.chunk_bytes > 0) chunk_items = std::min(chunk_items, std::max<std::int64_t>(1, job.chunk_bytes / item_bytes));
  chunk_items = std::min(chunk_items, std::max<std::int64_t>(1, positions));
  const std::int64_t chunks = (positions + chunk_items - 1) / chunk_items;

  std::vector<std::unique_ptr<Worker>> workers(static_cast<std::size_t>(threads));
  hand_out(threads, chunks, [&](std::int64_t chunk, int thread) {
    auto& worker = workers[static_cast<std::size_t>(thread)];
    if (!worker) worker = std::make_unique<Worker>(job, chunk_items * item_bytes);
    const std::int64_t first = chunk * chunk_items;
    const std::int64_t count = std::min(chunk_items, positions - first);
    const auto sources = job.sources.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    std::byte* const buffer = worker->buffer.get();
    worker->reader.read(sources, buffer);
    if (job.inspect) {
      worker->items.resize(sources.size());
      for (std::size_t i = 0; i < sources.size(); ++i) {
        worker->items[i] = buffer + i * static_cast<std::size_t>(item_bytes);
      }
      job.inspect(job.first_position + first, sources, worker->items);
    }
    const ByteRange bytes = job.output_items.bytes_of({job.first_position + first, count});
    write_at(*job.output, bytes.offset, {buffer, static_cast<std::size_t>(bytes.length)});
    if (job.progress != nullptr) job.progress->done_bytes += bytes.length;
  });
}

}  // namespace sill
