#include "sill/flow/sort.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sill/comm/agree.hpp"
#include "sill/comm/key_sort.hpp"
#include "sill/flow/key_table.hpp"
#include "sill/flow/order_proof.hpp"
#include "sill/io/reader.hpp"
#include "sill/io/same_file.hpp"
#include "sill/io/writer.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/move/item_runs.hpp"
#include "sill/move/permutation.hpp"

namespace sill {
namespace {

// What a thread of a gather writes at once. Larger chunks gained nothing, smaller ones cost more calls.
constexpr std::int64_t gather_chunk_bytes = 2 << 20;

// Key bytes a trace that are not charged to the memory for buffers: two words of key, their item, and what sorting
// needs beside them.
constexpr std::int64_t free_bytes_a_trace = 32;

// What is left of this rank's memory for buffers when the keys of its `traces` take more than is free.
std::int64_t memory_for_buffers(const Resources& resources, std::size_t key_words, std::int64_t traces) {
  const auto record_bytes = static_cast<std::int64_t>(key_words + 1) * 8;
  return resources.memory() - std::max<std::int64_t>(0, record_bytes - free_bytes_a_trace) * traces;
}

constexpr std::size_t sorting_code_at = 3228;  // bytes 3229-3230, counted from 0

struct Gathers {
  std::int64_t count = 0;
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  std::int64_t largest = 0;

  void add(std::int64_t traces) {
    ++count;
    smallest = std::min(smallest, traces);
    largest = std::max(largest, traces);
  }
};

// The runs of equal first key over all ranks. A run may span ranks, so each rank tells its first and last run, and
// what lies between them.
struct GatherEdges {
  std::uint64_t first_key = 0;
  std::uint64_t last_key = 0;
  std::int64_t first_traces = 0;  // of the first run; 0: the rank has no traces
  std::int64_t last_traces = 0;   // of the last run; 0: it is the first
  Gathers inner;
};

template <std::size_t Words>
Gathers count_gathers(Communicator& comm, std::span<const KeyRecord<Words>> records, int first_key_bytes) {
  const int unused_bits = 64 - 8 * first_key_bytes;
  const auto first_key = [&](const KeyRecord<Words>& record) { return record.key[0] >> unused_bits; };
  GatherEdges mine;
  for (std::size_t begin = 0; begin < records.size();) {
    std::size_t end = begin + 1;
    while (end < records.size() && first_key(records[end]) == first_key(records[begin])) ++end;
    const auto traces = static_cast<std::int64_t>(end - begin);
    if (begin == 0) {
      mine.first_key = first_key(records[begin]);
      mine.first_traces = traces;
    } else if (end == records.size()) {
      mine.last_traces = traces;
    } else {
      mine.inner.add(traces);
    }
    mine.last_key = first_key(records[begin]);
    begin = end;
  }
  Gathers all;
  std::uint64_t open_key = 0;
  std::int64_t open_traces = 0;
  for (const GatherEdges& edges : all_gather(comm, mine)) {
    if (edges.first_traces == 0) continue;
    if (open_traces > 0 && edges.first_key != open_key) {
      all.add(open_traces);
      open_traces = 0;
    }
    open_key = edges.last_key;
    open_traces += edges.first_traces;
    if (edges.last_traces > 0) {
      all.add(open_traces);
      open_traces = edges.last_traces;
    }
    all.count += edges.inner.count;
    all.smallest = std::min(all.smallest, edges.inner.smallest);
    all.largest = std::max(all.largest, edges.inner.largest);
  }
  if (open_traces > 0) all.add(open_traces);
  return all;
}

// The sorted traces of this rank, or of all ranks on the first if that is to write them all.
std::vector<std::int64_t> sources_by_writer(Communicator& comm, const Policy& policy, std::vector<std::int64_t> mine) {
  if (policy.writers == Policy::Writers::all || comm.size() == 1) return mine;
  std::vector<std::span<const std::int64_t>> parts(static_cast<std::size_t>(comm.size()));
  parts[0] = mine;
  return all_to_all(comm, std::span<const std::span<const std::int64_t>>(parts));
}

// How many requests a gather would read with, over all ranks.
std::int64_t count_runs(Communicator& comm, const Permutation& job) {
  std::int64_t runs = 0;
  const auto chunk = static_cast<std::size_t>(std::max<std::int64_t>(1, job.chunk_bytes / job.output_items.item_bytes));
  std::vector<std::size_t> order;
  for (std::size_t first = 0; first < job.sources.size(); first += chunk) {
    const auto sources = job.sources.subspan(first, std::min(chunk, job.sources.size() - first));
    runs += static_cast<std::int64_t>(runs_in_file_order(sources, job.inputs, order).size());
  }
  return all_reduce(comm, runs, Reduction::sum);
}

PermutationChoice choose(Communicator& comm, const Permutation& job, const SortOptions& options) {
  PermutationFacts facts;
  facts.items = job.output_items.count;
  facts.item_bytes = job.output_items.item_bytes;
  if (options.method) return chosen_by_user(facts, *options.method);
  facts.cacheable_bytes = all_reduce(comm, cacheable_bytes(), Reduction::min);
  if (job.output_items.total_bytes() > facts.cacheable_bytes) facts.runs = count_runs(comm, job);
  return choose_permutation(facts);
}

// The first input's file header with the sorting code as it is after the sort.
std::vector<std::byte> output_header(const Reader& reader, int sorting_code) {
  std::vector<std::byte> header = reader.file_header(0);
  store<std::int16_t>(header.data() + sorting_code_at, static_cast<std::int16_t>(sorting_code),
                      reader.files()[0].byte_order);
  return header;
}

// Reads the keys, sorts them, and tells about the gathers; the numbers of this rank's traces in their final order.
template <std::size_t Words>
std::vector<std::int64_t> sorted_traces(const Resources& resources, const SortOptions& options, const Reader& reader,
                                        SortResult& result) {
  Communicator& comm = resources.comm;
  const ItemRange block = block_of(reader.traces(), comm.size(), comm.rank());
  resources.begin_stage("reading keys", 0);
  std::vector<KeyRecord<Words>> records =
      together(comm, [&] { return read_keys<Words>(reader, block, options.keys, resources.threads()); });
  resources.begin_stage("sorting keys", 0);
  sort_distributed(comm, records);
  const Gathers gathers =
      count_gathers(comm, std::span<const KeyRecord<Words>>(records), options.keys.front().packed_bytes());
  result.gathers = gathers.count;
  result.smallest_gather = gathers.smallest;
  result.largest_gather = gathers.largest;
  std::vector<std::int64_t> traces(records.size());
  std::transform(records.begin(), records.end(), traces.begin(), [](const auto& record) { return record.item; });
  return traces;
}

template <std::size_t Words>
SortResult sort_with(const Resources& resources, const SortOptions& options, const Reader& reader) {
  Communicator& comm = resources.comm;
  SortResult result;
  result.traces = reader.traces();
  result.first_input = reader.files()[0];
  result.sorting_code_before = reader.files()[0].sorting_code;
  result.sorting_code_after =
      options.keep_sorting_code ? result.sorting_code_before : segy::sorting_code_of(options.keys);

  const std::vector<std::int64_t> sources =
      sources_by_writer(comm, resources.policy, sorted_traces<Words>(resources, options, reader, result));

  const std::int64_t header_bytes = reader.files()[0].first_trace_byte;
  Permutation job;
  job.inputs = reader.inputs();
  job.output_items = {header_bytes, reader.trace_bytes(), reader.traces()};
  job.sources = sources;
  const std::vector<std::int64_t> counts = all_gather(comm, static_cast<std::int64_t>(sources.size()));
  for (int r = 0; r < comm.rank(); ++r) job.first_position += counts[static_cast<std::size_t>(r)];
  job.memory_bytes = memory_for_buffers(resources, Words, block_of(reader.traces(), comm.size(), 0).count);
  job.chunk_bytes = resources.policy.stage_bytes > 0 ? resources.policy.stage_bytes : gather_chunk_bytes;
  job.threads = resources.threads();
  job.progress = resources.progress;
  OrderProof<Words> proof(reader, options.keys);
  job.inspect = [&](std::int64_t first_position, std::span<const std::int64_t> items,
                    std::span<const std::byte* const> traces) { proof.see(first_position, items, traces); };

  result.choice = choose(comm, job, options);
  if (options.explain) options.explain(result.choice);

  Writer writer(resources, options.output, header_bytes, reader.trace_bytes(), reader.traces());
  std::vector<std::byte> header;
  on_rank(comm, 0, [&] { header = output_header(reader, result.sorting_code_after); });
  writer.write_header(header);
  together(comm, [&] { job.output = sources.empty() && result.choice.method == PermutationMethod::gather
                                        ? nullptr
                                        : &writer.store(); });
  const auto own_bytes = static_cast<std::int64_t>(sources.size()) * reader.trace_bytes();
  if (result.choice.method == PermutationMethod::gather) {
    resources.begin_stage("sorting traces", own_bytes);
    together(comm, [&] { permute_by_gather(job); });
  } else {
    resources.begin_stage("sorting traces in two passes", 2 * own_bytes);
    permute_by_buckets(comm, job);
  }
  proof.conclude(comm, reader.traces());
  writer.finish();
  return result;
}

}  // namespace

SortResult sort(const Resources& resources, const SortOptions& options) {
  Communicator& comm = resources.comm;
  together(comm, [&] {
    if (options.keys.empty()) throw Error({.code = ErrorCode::usage, .problem = "no key to sort by is named"});
  });
  require_other_file(resources, options.output, options.inputs);
  const Reader reader(resources, options.inputs);
  if (options.opened) options.opened(reader.files());
  together(comm, [&] {
    if (reader.traces() > 0) return;
    throw Error({.code = ErrorCode::input,
                 .problem = "there is no trace to sort",
                 .where = {.file = options.inputs.front()},
                 .action = "the file holds headers only: check that it is complete"});
  });
  const auto work = [&]<std::size_t Words>() { return sort_with<Words>(resources, options, reader); };
  together(comm, [&] { with_key_words(packed_bytes(options.keys), []<std::size_t Words>() {}); });
  return with_key_words(packed_bytes(options.keys), work);
}

}  // namespace sill
