#include "sill/survey/sort/sort.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "sill/base/threads.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/key_sort.hpp"
#include "sill/io/survey/index_file.hpp"
#include "sill/io/survey/same_file.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/io/survey/survey_writer.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/permute/permutation.hpp"
#include "sill/permute/push.hpp"
#include "sill/store/posix/free_space.hpp"
#include "sill/survey/edit/renumbering.hpp"
#include "sill/survey/edit/text_history.hpp"
#include "sill/survey/geometry/gather_count.hpp"
#include "sill/survey/output/file_ends.hpp"
#include "sill/survey/output/finish_output.hpp"
#include "sill/survey/output/length_check.hpp"
#include "sill/survey/sort/key_table.hpp"
#include "sill/survey/sort/order_proof.hpp"
#include "sill/survey/sort/runs_file.hpp"
#include "sill/survey/sort/sort_memory.hpp"
#include "sill/survey/sort/sort_probe.hpp"

namespace sill {
namespace {

// Sorts one survey by keys that fit into `Words` words.
template <std::size_t Words>
class Sort {
 public:
  Sort(const Resources& resources, const SortOptions& options, const SurveyReader& reader)
      : resources_(resources),
        comm_(resources.comm),
        options_(options),
        reader_(reader),
        memory_(resources, reader, record_bytes, Words == 1 || resources.comm.size() > 1),
        proof_(reader, options.keys),
        lengths_(reader) {}

  SortResult run() {
    result_.traces = reader_.traces();
    result_.first_input = reader_.files()[0];
    result_.trace_bytes = memory_.all_bytes();
    result_.sorting_code_before = result_.first_input.sorting_code;
    result_.sorting_code_after = options_.keep_sorting_code || result_.first_input.kind != segy::FileKind::segy
                                     ? result_.sorting_code_before
                                     : segy::sorting_code_of(options_.keys, result_.sorting_code_before);
    const PermutationFacts known =
        facts_of(resources_, reader_.traces(), memory_.mean_bytes(), memory_.for_buffers() / memory_.parts());
    stays_cached_ = stays_cached(known);
    result_.choice = choose(known);
    memory_.require_for_keys();
    memory_.require_for_traces(result_.choice.method);
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

  PermutationChoice choose(PermutationFacts facts) {
    if (!reader_.is_uniform()) return choose_for_many_lengths(facts);
    if (options_.method) return chosen_by_user(facts, *options_.method);
    look_at<Words>(resources_, reader_, options_.keys, chunk_bytes(), facts);
    PermutationChoice choice = choose_permutation(facts);
    // Equal facts give equal choices, unless ranks round differently: then rank 0's choice is used.
    std::array<std::int64_t, 3> right{static_cast<std::int64_t>(choice.method), choice.memory_bytes,
                                      choice.bridge_bytes};
    comm_.broadcast(std::as_writable_bytes(std::span(right)), 0);
    choice.method = static_cast<PermutationMethod>(right[0]);
    choice.memory_bytes = right[1];
    choice.bridge_bytes = right[2];
    return choice;
  }

  PermutationChoice choose_for_many_lengths(const PermutationFacts& facts) {
    constexpr const char* why = "the traces differ in length, which only method gather supports";
    run_and_agree(comm_, [&] {
      if (options_.method.value_or(PermutationMethod::gather) == PermutationMethod::gather) return;
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("no {}: {}", name_of(*options_.method), why),
                   .action = "use --method gather or auto"});
    });
    PermutationChoice choice = chosen_by_user(facts, PermutationMethod::gather);
    if (!options_.method) choice.why = why;
    choice.read_bytes = choice.write_bytes = memory_.all_bytes();
    return choice;
  }

  [[nodiscard]] ItemRange own_block() const { return block_of(reader_.traces(), comm_.size(), comm_.rank()); }

  // Returns the numbers of the traces that this rank writes, in their final order, from the headers only.
  std::vector<std::int64_t> order_by_headers() {
    resources_.begin_stage("reading keys", own_block().count * needed_bytes(options_.keys).length);
    return final_order(run_and_agree(
        comm_, [&] { return read_keys<Words>(reader_, own_block(), options_.keys, resources_.threads()); }));
  }

  [[nodiscard]] std::int64_t chunk_bytes() const { return resources_.policy.stage_or(pull_chunk_bytes); }

  void by_gather() {
    const std::vector<std::int64_t> sources = order_by_headers();
    const std::vector<std::int64_t> starts = starts_of(sources);
    Permutation job;
    job.inputs = reader_.inputs();
    job.sources = sources;
    job.starts = starts;
    job.chunk_bytes = chunk_bytes();
    write(job, sources, SurveyWriter::Space::at_once, 0, [&] { permute_by_pull(comm_, job); });
  }

  // If traces differ in length, returns the start byte in the output of each of `sources`, then the end of the last.
  std::vector<std::int64_t> starts_of(std::span<const std::int64_t> sources) {
    if (reader_.is_uniform()) return {};
    const std::int64_t sample_bytes = segy::bytes_of(reader_.files()[0].sample_format);
    std::vector<std::int64_t> starts =
        run_and_agree(comm_, [&] { return std::vector<std::int64_t>(sources.size() + 1); });
    run_and_agree(comm_, [&] {
      run_on_threads(resources_.threads(), [&](int thread) {
        const ItemRange own = block_of(std::ssize(sources), resources_.threads(), thread);
        for (auto i = static_cast<std::size_t>(own.first); i < static_cast<std::size_t>(own.end()); ++i) {
          const segy::TraceShape shape = reader_.shape_of(sources[i]);
          starts[i + 1] = shape.bytes(sample_bytes);
        }
      });
    });
    std::inclusive_scan(starts.begin(), starts.end(), starts.begin());
    const std::int64_t first = result_.first_input.first_trace_byte + exclusive_sum(comm_, starts.back()).before;
    for (std::int64_t& start : starts) start += first;
    return starts;
  }

  void by_scatter() {
    const std::vector<std::int64_t> sources = order_by_headers();
    Permutation job;
    job.inputs = reader_.inputs();
    job.sources = sources;
    job.chunk_bytes = chunk_bytes();
    job.bridge_bytes = result_.choice.bridge_bytes;
    write(job, sources, SurveyWriter::Space::at_once, own_block().count, [&] { permute_by_push(comm_, job); });
  }

  void by_buckets() {
    const ItemRange own = own_block();
    resources_.begin_stage("sorting in memory", own.count * reader_.trace_bytes());
    Records records = run_and_agree(comm_, [&] { return Records(static_cast<std::size_t>(own.count)); });
    // If the input exceeds the cache, it would only evict the runs, which are needed again.
    RunsFile runs(resources_, reader_, options_.output, memory_.for_buffers_beside_keys(),
                  stays_cached_ ? AfterReading::keep : AfterReading::drop_cache,
                  [&](ItemRange traces, std::span<const std::byte> bytes, std::span<std::uint32_t> order) {
                    sort_run(
                        std::span(records).subspan(static_cast<std::size_t>(traces.first - own.first), order.size()),
                        traces, bytes, order);
                  });
    const std::vector<std::int64_t> sources = final_order(std::move(records));
    const std::vector<std::int64_t> places = runs.locate(sources);
    Permutation job;
    job.inputs = {&runs.items(), 1};
    job.sources = places;
    job.chunk_bytes = runs.run_bytes();
    // Releasing space piece by piece costs the file system more than releasing all of it at the end.
    const bool both_fit = has_room_for_output();
    job.inputs_after = both_fit ? AfterReading::drop_cache : AfterReading::punch_hole;
    write(job, sources, both_fit ? SurveyWriter::Space::at_once : SurveyWriter::Space::as_written, 0,
          [&] { permute_by_pull(comm_, job); });
  }

  // Returns true if there is space for the output in addition to all existing files.
  bool has_room_for_output() {
    const std::int64_t bytes = result_.first_input.first_trace_byte + memory_.all_bytes();
    return value_from_rank(comm_, 0, [&] { return free_space_bytes(options_.output) - bytes > bytes / 64; });
  }

  // Extracts the keys of a run's traces, which are read only once here, and sorts the run.
  void sort_run(std::span<KeyRecord<Words>> in_run, ItemRange traces, std::span<const std::byte> bytes,
                std::span<std::uint32_t> order) const {
    const KeyPacker<Words> packer(options_.keys);
    const auto trace_bytes = static_cast<std::size_t>(reader_.trace_bytes());
    for_each_trace(reader_, traces.first, traces.count, [&](std::int64_t i) {
      const std::int64_t trace = traces.first + i;
      const std::byte* const header = bytes.data() + static_cast<std::size_t>(i) * trace_bytes;
      in_run[static_cast<std::size_t>(i)] = {packer.pack(reader_.view(trace, header)), trace};
    });
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return in_run[a] < in_run[b]; });
  }

  // Sorts the records of all ranks, reports the gathers, and returns the numbers of the traces that this rank writes,
  // in their final order.
  std::vector<std::int64_t> final_order(Records records) {
    resources_.begin_stage("sorting keys", 0);
    sort_distributed(comm_, records);
    const GatherCount count =
        count_gathers(comm_, std::span<const KeyRecord<Words>>(records), options_.keys.front().packed_bytes());
    result_.gathers = count.gathers;
    result_.smallest_gather = count.smallest;
    result_.largest_gather = count.largest;
    std::vector<std::int64_t> traces = run_and_agree(comm_, [&] { return std::vector<std::int64_t>(records.size()); });
    std::transform(records.begin(), records.end(), traces.begin(), [](const auto& record) { return record.item; });
    Records().swap(records);
    return traces;
  }

  // Writes the output. `job` defines where the traces `sources` of this rank are read, `permute` performs it, after
  // reading `read` traces that other ranks may write.
  template <class Permute>
  void write(Permutation& job, std::span<const std::int64_t> sources, SurveyWriter::Space space, std::int64_t read,
             Permute&& permute) {
    const segy::FileDescription& first_input = result_.first_input;
    // Traces of different lengths are one item to the writer: `job` knows their positions.
    const ItemList traces = reader_.is_uniform()
                                ? ItemList{first_input.first_trace_byte, reader_.trace_bytes(), reader_.traces()}
                                : ItemList{first_input.first_trace_byte, memory_.all_bytes(), 1};
    const FileEnds around = ends();
    SurveyWriter writer(resources_, options_.output, traces, space,
                        first_input.trailers * std::int64_t{segy::text_header_bytes});
    writer.write_header(around.header);

    job.first_position = exclusive_sum(comm_, std::ssize(sources)).before;
    if (reader_.is_uniform()) job.output_items = traces;
    job.memory_bytes = memory_.parts() * result_.choice.memory_bytes;
    job.threads = resources_.threads();
    job.progress = resources_.progress;
    job.inspect = [&](std::int64_t first, std::span<const std::int64_t> items, std::span<std::byte* const> bytes) {
      const auto traces_seen = sources.subspan(static_cast<std::size_t>(first - job.first_position), items.size());
      proof_.see(first, traces_seen, bytes);
      lengths_.see(traces_seen, bytes);
    };
    resources_.begin_stage("writing traces", job.bytes_of({0, std::ssize(sources)}).length +
                                                 (read > 0 ? read * reader_.trace_bytes() : 0));
    job.sink = sink_of(writer.mover());
    std::forward<Permute>(permute)();
    proof_.conclude(comm_, reader_.traces());
    result_.deviating_traces = all_reduce(comm_, lengths_.deviating(), Reduction::sum);
    writer.write_trailer(around.trailer);
    if (options_.renumber)
      renumber_written(
          resources_, writer, {job.first_position, std::ssize(sources)},
          [&]() -> TraceStarts {
            return [&](ItemRange range, std::span<std::int64_t> into) {
              for (std::int64_t i = 0; i < range.count; ++i)
                into[static_cast<std::size_t>(i)] =
                    reader_.is_uniform() ? traces.bytes_of({range.first + i, 1}).offset
                                         : job.starts[static_cast<std::size_t>(range.first - job.first_position + i)];
            };
          },
          first_input.byte_order);
    finish_output(resources_, reader_, writer, options_.output, read_as_input(reader_));
  }

  // Returns the bytes before and after the traces of the output, on rank 0.
  FileEnds ends() {
    for (const segy::FileDescription& file : reader_.files().subspan(1)) result_.trailers_left_away += file.trailers;
    EndsChange change;
    if (result_.sorting_code_after != result_.sorting_code_before) change.sorting_code = result_.sorting_code_after;
    // The number of traces that a single file states is left unchanged, even if it is wrong.
    if (reader_.files().size() > 1) change.traces = reader_.traces();
    change.history = options_.history;
    FileEnds ends = file_ends(comm_, reader_, change);
    result_.stated_traces_before = ends.stated_traces_before;
    result_.stated_traces_after = ends.stated_traces_after;
    return ends;
  }

  const Resources& resources_;
  Communicator& comm_;
  const SortOptions& options_;
  const SurveyReader& reader_;
  SortMemory memory_;
  OrderProof<Words> proof_;
  LengthCheck lengths_;
  bool stays_cached_ = false;  // the input, in addition to the output
  SortResult result_;
};

}  // namespace

SortResult sort(const Resources& resources, const SurveyReader& reader, const SortOptions& options) {
  Communicator& comm = resources.comm;
  run_and_agree(comm, [&] {
    if (options.keys.empty()) throw Error({.code = ErrorCode::usage, .problem = "no keys to sort by are given"});
    with_key_words(packed_bytes(options.keys), []<std::size_t Words>() {});
  });
  require_other_file(resources, options.output, with_kept_beside(reader.paths()));
  require_text_header(resources.comm, options.history, reader.files().front().kind);
  run_and_agree(comm, [&] {
    if (reader.traces() > 0) return;
    throw Error({.code = ErrorCode::input,
                 .problem = "the input has no traces",
                 .where = {.file = reader.paths().front()},
                 .action = "the file contains only headers: check that it is complete"});
  });
  return with_key_words(packed_bytes(options.keys),
                        [&]<std::size_t Words>() { return Sort<Words>(resources, options, reader).run(); });
}

}  // namespace sill
