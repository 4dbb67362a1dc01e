#include "sill/flow/sort.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "sill/comm/exchange.hpp"
#include "sill/comm/key_sort.hpp"
#include "sill/flow/gather_count.hpp"
#include "sill/flow/key_table.hpp"
#include "sill/flow/order_proof.hpp"
#include "sill/flow/sort_probe.hpp"
#include "sill/io/reader.hpp"
#include "sill/io/same_file.hpp"
#include "sill/io/writer.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/move/gather_together.hpp"
#include "sill/move/permutation.hpp"
#include "sill/move/runs.hpp"
#include "sill/move/scatter.hpp"
#include "sill/store/free_space.hpp"

namespace sill {
namespace {

// What a thread of a gather writes at once. Larger chunks gained nothing, smaller ones cost more calls.
constexpr std::int64_t gather_chunk_bytes = 2 << 20;

// Key bytes a trace that are not charged to the memory for buffers: up to three words of key and the trace's number.
constexpr std::int64_t free_bytes_a_trace = 32;

// With its final order known, a trace takes its number and its place in the file of runs.
constexpr std::int64_t bytes_a_place = 16;

constexpr std::size_t sorting_code_at = 3228;  // bytes 3229-3230 of the file, counted from 0, a tape label apart
constexpr std::size_t trace_count_at = 3512;   // bytes 3513-3520, from revision 2
constexpr std::size_t trace_samples_at = 114;  // bytes 115-116 of a trace header, counted from 0

// How many ranks bring traces into their final places: all, or rank 0 where it alone writes.
int writing_ranks(const Resources& resources) {
  switch (resources.policy.writers) {
    case Policy::Writers::root:
    case Policy::Writers::first:
    case Policy::Writers::elected: return 1;
    case Policy::Writers::all:
    case Policy::Writers::node:
    case Policy::Writers::number: break;
  }
  return resources.comm.size();
}

// Whether a mover writes what the ranks bring. Elsewhere every thread writes its own chunks.
bool writes_together(const Policy& policy) {
  return policy.writers == Policy::Writers::node || policy.writers == Policy::Writers::number ||
         policy.call == Policy::Call::mpiio_collective || policy.align != Policy::Align::none || policy.async > 0;
}

// Sorts one survey by keys that fit into `Words` words.
template <std::size_t Words>
class Sort {
 public:
  Sort(const Resources& resources, const SortOptions& options, const Reader& reader)
      : resources_(resources),
        comm_(resources.comm),
        options_(options),
        reader_(reader),
        proof_(reader, options.keys) {}

  SortResult run() {
    result_.traces = reader_.traces();
    result_.first_input = reader_.files()[0];
    result_.sorting_code_before = result_.first_input.sorting_code;
    const bool keeps = options_.keep_sorting_code || result_.first_input.kind == segy::FileKind::seismic_unix;
    result_.sorting_code_after = keeps ? result_.sorting_code_before : segy::sorting_code_of(options_.keys);
    const PermutationFacts known = facts();
    stays_cached_ = stays_cached(known);
    result_.choice = choose(known);
    require_memory_for_keys();
    require_memory_for_traces();
    if (options_.explain) options_.explain(result_.choice);
    switch (result_.choice.method) {
      case PermutationMethod::gather: by_gather(); break;
      case PermutationMethod::scatter: by_scatter(); break;
      case PermutationMethod::buckets: by_buckets(); break;
    }
    return std::move(result_);
  }

 private:
  using Records = std::vector<KeyRecord<Words>>;
  static constexpr auto record_bytes = static_cast<std::int64_t>(sizeof(KeyRecord<Words>));

  // What is the same on all ranks and known before any key is.
  PermutationFacts facts() {
    PermutationFacts facts;
    facts.items = reader_.traces();
    facts.item_bytes = reader_.trace_bytes();
    facts.ranks = comm_.size();
    facts.writers = writing_ranks(resources_);
    facts.threads = static_cast<int>(all_reduce(comm_, resources_.threads(), Reduction::min));
    const bool writes = comm_.rank() < facts.writers;
    facts.memory_bytes = all_reduce(comm_, writes ? memory_for_buffers() : resources_.memory(), Reduction::min);
    const int nodes = (comm_.size() + comm_.ranks_on_node() - 1) / comm_.ranks_on_node();
    facts.nodes = static_cast<int>(all_reduce(comm_, nodes, Reduction::min));
    facts.cacheable_bytes = all_reduce(comm_, cacheable_bytes() * nodes, Reduction::min);
    facts.may_scatter = !writes_together(resources_.policy);
    return facts;
  }

  PermutationChoice choose(PermutationFacts facts) {
    if (options_.method) {
      together(comm_, [&] { require_possible(facts, *options_.method); });
      return chosen_by_user(facts, *options_.method);
    }
    look_at<Words>(resources_, reader_, options_.keys, chunk_bytes(), facts);
    PermutationChoice choice = choose_permutation(facts);
    // Equal facts give equal choices, unless ranks reckon differently: then rank 0 is right.
    comm_.broadcast(std::as_writable_bytes(std::span(&choice.method, 1)), 0);
    return choice;
  }

  void require_possible(const PermutationFacts& facts, PermutationMethod method) const {
    if (method != PermutationMethod::scatter || facts.may_scatter) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("scatter writes what each rank holds, the policy {} lets ranks write together",
                                        resources_.policy.text()),
                 .action = "take --method gather, or a policy with writers=all, no align and no async"});
  }

  // A rank's share of the traces, and what it holds when it is the one that writes for all.
  [[nodiscard]] std::int64_t traces_a_rank() const { return (reader_.traces() + comm_.size() - 1) / comm_.size(); }
  [[nodiscard]] std::int64_t traces_held() const {
    return comm_.rank() < writing_ranks(resources_)
               ? (reader_.traces() + writing_ranks(resources_) - 1) / writing_ranks(resources_)
               : traces_a_rank();
  }

  // What of the memory is left when `bytes_a_trace` are held for `traces` traces and what is free of that is taken off.
  [[nodiscard]] std::int64_t memory_beside(std::int64_t bytes_a_trace, std::int64_t traces) const {
    return resources_.memory() -
           std::max<std::int64_t>(0, bytes_a_trace * traces - free_bytes_a_trace * traces_a_rank());
  }

  // For buffers while traces are written.
  [[nodiscard]] std::int64_t memory_for_buffers() const { return memory_beside(bytes_a_place, traces_held()); }

  // Before buffers are needed, keys may take their room as well; long keys of many traces still can be too much.
  void require_memory_for_keys() {
    const std::int64_t read = result_.choice.method == PermutationMethod::buckets ? traces_held() : traces_a_rank();
    // Sorting needs a second array for keys of one word, and for what comes from other ranks.
    const std::int64_t arrays = Words == 1 || comm_.size() > 1 ? 2 : 1;
    const std::int64_t room = memory_beside(arrays * record_bytes, read);
    together(comm_, [&] {
      if (room >= 0) return;
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("the keys of {} traces take {} bytes more than the memory of a rank",
                                          reader_.traces(), -room),
                   .action = fmt::format("give at least --memory {}, use more ranks, or name fewer or shorter keys",
                                         resources_.memory() - room)});
    });
  }

  // The parts of the library that move traces know what they lack of their part of the memory, not of the whole.
  void require_memory_for_traces() {
    const PermutationMethod method = result_.choice.method;
    const std::int64_t of_gather = reader_.trace_bytes() + bytes_beside_an_item;
    const std::int64_t least = method == PermutationMethod::scatter
                                   ? divide_scatter_memory(0, reader_.trace_bytes(), comm_.size(), 1, 0).least_bytes
                                   : of_gather * (writes_together(resources_.policy) ? 2 : 1);
    std::int64_t room = memory_for_buffers();
    if (method == PermutationMethod::buckets) room = std::min(room, memory_beside(record_bytes, traces_held()));
    together(comm_, [&] {
      if (room >= least) return;
      throw Error(
          {.code = ErrorCode::usage,
           .problem = fmt::format("{} bytes of memory beside the keys are too few for a {} of traces of {} bytes",
                                  std::max<std::int64_t>(0, room), name_of(method), reader_.trace_bytes()),
           .action = fmt::format("give at least --memory {}", resources_.memory() + least - room)});
    });
  }

  [[nodiscard]] ItemRange own_block() const { return block_of(reader_.traces(), comm_.size(), comm_.rank()); }

  // The numbers of the traces that this rank writes, in their final order, from the headers alone.
  std::vector<std::int64_t> order_by_headers() {
    resources_.begin_stage("reading keys", own_block().count * needed_bytes(options_.keys).length);
    return final_order(
        together(comm_, [&] { return read_keys<Words>(reader_, own_block(), options_.keys, resources_.threads()); }));
  }

  [[nodiscard]] std::int64_t chunk_bytes() const {
    return resources_.policy.stage_bytes > 0 ? resources_.policy.stage_bytes : gather_chunk_bytes;
  }

  // Half of the memory is the mover's, where one writes.
  void gather(Permutation& job, Writer& writer) {
    if (!writes_together(resources_.policy)) {
      together(comm_, [&] { permute_by_gather(job); });
      return;
    }
    job.memory_bytes /= 2;
    permute_together(comm_, job, writer.mover());
  }

  void by_gather() {
    const std::vector<std::int64_t> sources = order_by_headers();
    Permutation job;
    job.inputs = reader_.inputs();
    job.sources = sources;
    job.chunk_bytes = chunk_bytes();
    write(job, sources, Writer::Space::at_once, 0, [&](Writer& writer) { gather(job, writer); });
  }

  void by_scatter() {
    const std::vector<std::int64_t> sources = order_by_headers();
    Permutation job;
    job.inputs = reader_.inputs();
    job.sources = sources;
    job.chunk_bytes = chunk_bytes();
    job.bridge_bytes = result_.choice.bridge_bytes;
    write(job, sources, Writer::Space::at_once, own_block().count, [&](Writer&) { permute_by_scatter(comm_, job); });
  }

  void by_buckets() {
    int threads = resources_.threads();
    const std::int64_t memory = memory_beside(record_bytes, traces_held());
    const std::int64_t room = together(comm_, [&] {
      (void)items_a_thread(memory, reader_.trace_bytes(), threads);
      return items_a_run(reader_.traces(), reader_.trace_bytes(), writing_ranks(resources_), memory, threads);
    });
    const RunLayout layout(reader_.traces(), writing_ranks(resources_), all_reduce(comm_, room, Reduction::min));
    // Beside the output, never given its name, and removed with everything else that is unfinished.
    OutputFile runs(resources_, options_.output, reader_.traces() * reader_.trace_bytes());
    resources_.begin_stage("sorting in memory", layout.items_of(comm_.rank()).count * reader_.trace_bytes());
    const std::vector<std::int64_t> sources =
        final_order(together(comm_, [&] { return write_sorted_runs(layout, runs, threads); }));
    runs.share();
    const std::vector<std::int64_t> places = locate_in_runs(comm_, layout, sources);
    together(comm_, [&] { (void)runs.store(); });

    const InputItems all_runs{&runs.store(), {0, reader_.trace_bytes(), reader_.traces()}, 0};
    Permutation job;
    job.inputs = {&all_runs, 1};
    job.sources = places;
    job.chunk_bytes = room * reader_.trace_bytes();
    // Giving space back piece by piece costs the file system more than letting go of all of it in the end.
    const bool both_fit = has_room_for_output();
    job.inputs_after = both_fit ? AfterReading::forget : AfterReading::discard;
    write(job, sources, both_fit ? Writer::Space::at_once : Writer::Space::as_written, 0,
          [&](Writer& writer) { gather(job, writer); });
  }

  // Whether the output has room beside everything that is there now.
  bool has_room_for_output() {
    const std::int64_t bytes = reader_.files()[0].first_trace_byte + reader_.traces() * reader_.trace_bytes();
    std::int64_t has = 0;
    on_rank(comm_, 0, [&] { has = free_space_bytes(options_.output) - bytes > bytes / 64 ? 1 : 0; });
    comm_.broadcast(std::as_writable_bytes(std::span(&has, 1)), 0);
    return has == 1;
  }

  // Writes the runs of this rank and returns the keys of its traces, which pass by.
  Records write_sorted_runs(const RunLayout& layout, OutputFile& file, int threads) {
    const ItemRange own = layout.items_of(comm_.rank());
    Records records(static_cast<std::size_t>(own.count));
    const KeyPacker<Words> packer(options_.keys);
    const auto trace_bytes = static_cast<std::size_t>(reader_.trace_bytes());
    RunJob job;
    job.inputs = reader_.inputs();
    // What exceeds the cache would only push out what is needed again, the runs.
    job.inputs_after = stays_cached_ ? AfterReading::keep : AfterReading::forget;
    job.file = own.empty() ? nullptr : &file.store();
    job.threads = threads;
    job.progress = resources_.progress;
    job.order = [&](ItemRange traces, std::span<const std::byte> bytes, std::span<std::uint32_t> order) {
      const auto in_run = std::span(records).subspan(static_cast<std::size_t>(traces.first - own.first), order.size());
      for_each_trace(reader_, traces.first, traces.count, [&](std::int64_t i) {
        const int file_index = reader_.file_of(traces.first + i);
        const ByteOrder byte_order = reader_.files()[static_cast<std::size_t>(file_index)].byte_order;
        in_run[static_cast<std::size_t>(i)] = {
            packer.pack(bytes.data() + static_cast<std::size_t>(i) * trace_bytes, byte_order, file_index),
            traces.first + i};
      });
      std::iota(order.begin(), order.end(), std::uint32_t{0});
      std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return in_run[a] < in_run[b]; });
    };
    write_runs(layout, comm_.rank(), job);
    return records;
  }

  // Sorts the records of all ranks, tells about the gathers, and returns the numbers of the traces that this rank
  // writes, in their final order.
  std::vector<std::int64_t> final_order(Records records) {
    resources_.begin_stage("sorting keys", 0);
    sort_distributed(comm_, records);
    const GatherCount count =
        count_gathers(comm_, std::span<const KeyRecord<Words>>(records), options_.keys.front().packed_bytes());
    result_.gathers = count.gathers;
    result_.smallest_gather = count.smallest;
    result_.largest_gather = count.largest;
    std::vector<std::int64_t> traces = together(comm_, [&] { return std::vector<std::int64_t>(records.size()); });
    std::transform(records.begin(), records.end(), traces.begin(), [](const auto& record) { return record.item; });
    Records().swap(records);
    if (writing_ranks(resources_) == comm_.size()) return traces;
    std::vector<std::span<const std::int64_t>> parts(static_cast<std::size_t>(comm_.size()));
    parts[0] = traces;
    return all_to_all(comm_, std::span<const std::span<const std::int64_t>>(parts));
  }

  // Writes the output: `job` says where the traces `sources` of this rank are to be read, `permute` performs it, after
  // reading `read` traces that others may write.
  template <class Permute>
  void write(Permutation& job, std::span<const std::int64_t> sources, Writer::Space space, std::int64_t read,
             Permute&& permute) {
    const ItemList traces{reader_.files()[0].first_trace_byte, reader_.trace_bytes(), reader_.traces()};
    std::vector<std::byte> header;
    std::vector<std::byte> trailer;
    on_rank(comm_, 0, [&] {
      header = file_header();
      trailer = reader_.file_trailer(0);
    });
    const segy::FileDescription& file = result_.first_input;
    Writer writer(resources_, options_.output, traces, space, file.file_bytes - file.traces_end_byte());
    writer.write_header(header);
    writer.write_trailer(trailer);

    const std::vector<std::int64_t> counts = all_gather(comm_, static_cast<std::int64_t>(sources.size()));
    job.first_position = std::accumulate(counts.begin(), counts.begin() + comm_.rank(), std::int64_t{0});
    job.output_items = traces;
    job.memory_bytes = memory_for_buffers();
    job.threads = resources_.threads();
    job.progress = resources_.progress;
    job.inspect = [&](std::int64_t first, std::span<const std::int64_t> items,
                      std::span<const std::byte* const> bytes) {
      const auto traces_seen = sources.subspan(static_cast<std::size_t>(first - job.first_position), items.size());
      proof_.see(first, traces_seen, bytes);
      check_lengths(traces_seen, bytes);
    };
    resources_.begin_stage("writing traces",
                           (static_cast<std::int64_t>(sources.size()) + read) * reader_.trace_bytes());
    together(comm_, [&] {
      if (!sources.empty() && !writes_together(resources_.policy)) job.output = &writer.store();
    });
    std::forward<Permute>(permute)(writer);
    proof_.conclude(comm_, reader_.traces());
    result_.deviating_traces = all_reduce(comm_, deviating_traces_.load(), Reduction::sum);
    writer.finish();
  }

  // The bytes before the first trace; Seismic Unix data has none.
  [[nodiscard]] std::vector<std::byte> file_header() const {
    const segy::FileDescription& file = result_.first_input;
    std::vector<std::byte> header = reader_.file_header(0);
    if (file.kind == segy::FileKind::seismic_unix) return header;
    std::byte* const from_text = header.data() + file.label_bytes;
    store<std::int16_t>(from_text + sorting_code_at, static_cast<std::int16_t>(result_.sorting_code_after),
                        file.byte_order);
    // Of several inputs the first one's count is not the output's.
    if (file.revision >= 2 && load<std::uint64_t>(from_text + trace_count_at, file.byte_order) != 0)
      store<std::uint64_t>(from_text + trace_count_at, static_cast<std::uint64_t>(reader_.traces()), file.byte_order);
    return header;
  }

  // Counts traces whose own header tells of another length. Where the file does not promise one length, and they
  // contradict one another, their bytes cannot be told apart: nothing is written then.
  void check_lengths(std::span<const std::int64_t> traces, std::span<const std::byte* const> bytes) {
    std::int64_t deviating = 0;
    for (std::size_t i = 0; i < traces.size(); ++i) {
      const segy::FileDescription& file = reader_.files()[static_cast<std::size_t>(reader_.file_of(traces[i]))];
      const int samples = load<std::uint16_t>(bytes[i] + trace_samples_at, file.byte_order);
      if (samples == 0 || samples == file.samples) continue;
      ++deviating;
      if (!file.may_vary_in_length || samples == file.samples_told_by_traces) continue;
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format("the traces differ in length, which is not supported yet: this one says {} "
                                          "samples, the binary header {}",
                                          samples, file.samples),
                   .where = reader_.where(traces[i]),
                   .clause = "SEG-Y rev 1, bytes 3503-3504 and trace header bytes 115-116",
                   .action = "write the file with traces of one length"});
    }
    deviating_traces_ += deviating;
  }

  const Resources& resources_;
  Communicator& comm_;
  const SortOptions& options_;
  const Reader& reader_;
  OrderProof<Words> proof_;
  bool stays_cached_ = false;  // the input, beside the output
  std::atomic<std::int64_t> deviating_traces_{0};
  SortResult result_;
};

}  // namespace

SortResult sort(const Resources& resources, const Reader& reader, const SortOptions& options) {
  Communicator& comm = resources.comm;
  together(comm, [&] {
    if (options.keys.empty()) throw Error({.code = ErrorCode::usage, .problem = "no key to sort by is named"});
    with_key_words(packed_bytes(options.keys), []<std::size_t Words>() {});
  });
  std::vector<std::string> inputs;
  for (const segy::FileDescription& file : reader.files()) inputs.push_back(file.path);
  require_other_file(resources, options.output, inputs);
  together(comm, [&] {
    if (reader.traces() > 0) return;
    throw Error({.code = ErrorCode::input,
                 .problem = "there is no trace to sort",
                 .where = {.file = inputs.front()},
                 .action = "the file holds headers only: check that it is complete"});
  });
  together(comm, [&] {
    if (reader.is_uniform()) return;
    throw Error({.code = ErrorCode::input,
                 .problem = "the traces differ in length; sorting such files is not supported yet",
                 .where = {.file = inputs.front()},
                 .clause = "SEG-Y rev 1, bytes 3503-3504 and trace header bytes 115-116",
                 .action = "write the file with traces of one length"});
  });
  return with_key_words(packed_bytes(options.keys),
                        [&]<std::size_t Words>() { return Sort<Words>(resources, options, reader).run(); });
}

}  // namespace sill
