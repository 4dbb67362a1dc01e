#include "sill/flow/run/pass_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/flow/run/failures.hpp"
#include "sill/flow/run/header_scan.hpp"
#include "sill/flow/run/pass_blocks.hpp"
#include "sill/flow/run/pass_tally.hpp"
#include "sill/flow/run/sorted_runs.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/permute/permutation.hpp"
#include "sill/store/posix/free_space.hpp"
#include "sill/survey/output/trace_stream.hpp"
#include "sill/survey/sort/sort_probe.hpp"

namespace sill::flow {
namespace {

// The memory of a thread per trace in flight, in multiples of the trace's bytes: as read, as floats, as written, and
// work space.
constexpr std::int64_t copies_in_flight = 6;

class PassRun {
 public:
  PassRun(const Resources& resources, const SurveyReader& reader, const BoundFlow& flow, const Pass& pass,
          const PassOptions& options)
      : resources_(resources), shared_{.reader = reader, .flow = flow, .pass = pass, .options = options} {}

  PassResult run() {
    if (pass_.needs_samples) reader_.require_sample_format();
    decide_order();
    throw_first_failure();
    write();
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool by_gathers() const { return pass_.has_gathers && !shared_.is_check(); }
  [[nodiscard]] std::int64_t halo() const { return shared_.is_check() ? 0 : pass_.halo; }

  void begin_stage(const char* what) const {
    // If only headers are read, each trace is counted twice: when it is read and when it has passed.
    resources_.begin_stage(lasting_name(options_.stage_prefix + what),
                           (shared_.reads_headers_alone ? 2 : 1) * order_.own.count * shared_.in_bytes);
  }

  // Operations that may stop must also see traces that leave the survey after them.
  void decide_order() {
    if (!pass_.scans()) {
      order_ = input_order(comm_, reader_.traces());
      return;
    }
    ScanResult scan = scan_headers(resources_, reader_, flow_, pass_, options_.nonfinite, failures_);
    const std::int64_t leaving = std::ssize(scan.leaving);
    if (all_reduce(comm_, leaving, Reduction::sum) > 0)
      check({.numbers = std::move(scan.leaving), .own = {0, leaving}}, pass_.block_operation);
    order_ = std::move(scan.order);
  }

  // Applies the operations before `end`, all of which process single traces, and writes nothing.
  void check(TraceOrder order, std::size_t end) {
    order_ = std::move(order);
    shared_.check_end = end;
    begin_stage("checking traces");
    stream(resources_, nullptr, own_items());
    shared_.check_end = 0;
  }

  // The first error found may differ from the first error of operations executed one after another: these process
  // traces in the order of the preceding sorts, and see each trace before it leaves. Therefore the operations up to the
  // failed one process the traces again, in the order in which the failed operation processes them, until its error is
  // the first one.
  void throw_first_failure() {
    std::optional<std::size_t> failed = failures_.first_operation(comm_);
    if (!failed) return;
    while (*failed < pass_.block_operation) {
      Pass before = part_of(flow_.planned, pass_, *failed);
      before.needs_samples |= flow_.planned[*failed].access.uses_samples();
      PassRun again(resources_, reader_, flow_, before, options_);
      again.decide_order();
      again.check(std::move(again.order_), *failed + 1);
      const std::optional<std::size_t> first = again.failures_.first_operation(comm_);
      if (!first || *first == *failed) again.failures_.agree(comm_);
      if (!first) break;  // the file has changed
      failed = first;
    }
    failures_.agree(comm_);
  }

  void write() {
    result_.traces_out = pass_.traces_per_gather > 0 ? order_.all_gathers * pass_.traces_per_gather : order_.all;
    const Resources resources = with_room_for_gathers();
    std::optional<FlowOutput> output;
    if (!options_.output.empty()) {
      output.emplace(resources, *options_.input, shared_.after, options_.output, options_.format, result_.traces_out,
                     options_.history, options_.part, options_.use);
      first_trace_byte_ = output->first_trace_byte();
    }
    sort_into_runs();
    begin_stage("processing traces");
    if (output && options_.resumed != nullptr) {
      stream_unfinished(resources, output->writer());
    } else {
      stream(resources, output ? &output->writer() : nullptr, own_items());
    }
    throw_first_failure();
    const PassTally tally = whole_tally();
    result_.samples = tally.encoded;
    result_.zeroed = tally.decoded.zeroed;
    report_pass(resources_, reader_, flow_, pass_, options_, tally, result_);
    for (const std::shared_ptr<const OtherSurvey>& other : flow_.others) other->reader().require_unchanged(comm_);
    if (!output) return;
    output->finish(result_.notes);
    result_.assume = output->assumptions();
    result_.bytes_out = output->writer().file_bytes();
  }

  // Neighbours are read from their positions, even if only headers are read.
  void sort_into_runs() {
    if (pass_.keys.empty() || shared_.reads_headers_alone || halo() > 0 || order_.all == 0) return;
    if (options_.sort_method == PermutationMethod::gather) return;
    const std::int64_t bytes = reader_.traces() * shared_.in_bytes;
    const std::string& target = options_.scratch_target;
    const PermutationFacts facts = facts_of(resources_, reader_.traces(), shared_.in_bytes, resources_.memory());
    if (!options_.sort_method) {
      const bool has_room = comm_.rank() != 0 || free_space_bytes(target) > bytes;
      if (all_reduce(comm_, has_room ? 1 : 0, Reduction::min) == 0 || !are_runs_faster(comm_, facts, order_)) return;
    }
    run_on_rank(comm_, 0, [&] {
      require_free_space(target, bytes,
                         "give --scratch DIR with more room, or --sort-method gather, which needs no scratch files");
    });
    resources_.begin_stage(lasting_name(options_.stage_prefix + "sorting in memory"),
                           block_of(reader_.traces(), comm_.size(), comm_.rank()).count * shared_.in_bytes);
    runs_ = std::make_unique<SortedRuns>(resources_, reader_, order_, target,
                                         stays_cached(facts) ? AfterReading::keep : AfterReading::drop_cache);
    result_.notes.push_back(fmt::format("traces were sorted with {} of runs in {}", format_bytes(bytes),
                                        std::filesystem::path(target).parent_path().string()));
  }

  // Returns the counts of all ranks, including those of a run that this run resumes.
  [[nodiscard]] PassTally whole_tally() const {
    PassTally own;
    for (const BlockWorker& worker : workers_) own.add(worker.tally);
    for (std::size_t k = pass_.first; k < pass_.end; ++k)
      for (const auto& [what, count] : flow_.operations[k]->counts()) own.counted.push_back(count);
    PassTally all = own.of_all(comm_);
    if (options_.resumed != nullptr && options_.resumed->finished_before() > 0)
      all.add(PassTally::from(options_.resumed->counts_before()));
    return all;
  }

  // Reserves memory for the longest gather, once per thread.
  Resources with_room_for_gathers() {
    Resources resources = resources_;
    if (!pass_.has_gathers) return resources;
    std::int64_t longest = 0;
    std::int64_t first = 0;  // trace of the longest gather
    for (std::size_t g = 0; g + 1 < order_.gathers.size(); ++g) {
      const std::int64_t traces = order_.gathers[g + 1] - order_.gathers[g];
      if (traces <= longest) continue;
      longest = traces;
      first = order_.gathers[g];
    }
    run_and_agree(comm_, [&] {
      std::int64_t needed = longest * shared_.in_bytes * copies_in_flight;
      for (std::size_t k = pass_.first; k < pass_.end; ++k) needed += flow_.operations[k]->memory_bytes(longest);
      const std::int64_t memory = resources_.memory();
      if (longest > 0 && needed > memory)
        throw Error({.code = ErrorCode::usage,
                     .problem = fmt::format("a gather of {} traces needs {} of memory, but a rank may use only {}",
                                            longest, format_bytes(needed), format_bytes(memory)),
                     .where = reader_.where(order_.number_of(first)),
                     .action = fmt::format("give --memory {}, or gather by more keys",
                                           exact_bytes((needed / (1 << 20) + 1) << 20))});
      resources.policy.threads = static_cast<int>(
          std::clamp<std::int64_t>(memory / std::max<std::int64_t>(1, needed), 1, resources_.threads()));
    });
    longest_gather_ = all_reduce(comm_, longest, Reduction::max);
    return resources;
  }

  // Returns all items of this rank: traces or gathers.
  [[nodiscard]] ItemRange own_items() const {
    return by_gathers() ? ItemRange{0, std::ssize(order_.gathers) - 1} : ItemRange{0, order_.own.count};
  }

  // Processes the items that an interrupted run has not finished, in pieces of a few seconds. Each piece is on stable
  // storage before the next begins. After a trace that fails, the remaining traces are still checked, so that the first
  // of all errors is found.
  void stream_unfinished(const Resources& resources, SurveyWriter& writer) {
    using Clock = std::chrono::steady_clock;
    constexpr double part_us = 10e6;
    constexpr double growth = 4.0;  // of a piece over the previous one
    constexpr std::int64_t first_part_bytes = 1 << 20;
    ResumableOutput& resumed = *options_.resumed;
    if (resumed.finished_before() > 0) workers_.clear();  // earlier counts include the counts of a check
    const std::int64_t before = by_gathers() ? order_.gathers_before : order_.before;
    const ItemRange own = own_items();
    const std::int64_t own_bytes = std::max(traces_of(own).count * shared_.in_bytes, place_of(own).length);
    std::int64_t max = std::max<std::int64_t>(1, first_part_bytes * own.count / std::max<std::int64_t>(1, own_bytes));
    std::vector<ItemRange> left = resumed.unfinished({before, own.count});
    std::int64_t finished_traces = traces_of(own).count;
    for (const ItemRange& range : left) finished_traces -= traces_of({range.first - before, range.count}).count;
    count_done(resources_.progress, finished_traces * shared_.in_bytes);
    for (std::size_t at = 0; all_reduce(comm_, at < left.size() ? 1 : 0, Reduction::max) == 1;) {
      ItemRange part{before, 0};
      if (at < left.size()) {
        part = {left[at].first, std::min(max, left[at].count)};
        left[at] = {part.end(), left[at].count - part.count};
        if (left[at].empty()) ++at;
      }
      const Clock::time_point begin = Clock::now();
      stream(resources, &writer, {part.first - before, part.count});
      writer.mover().close();
      if (!failures_.first_operation(comm_)) resumed.add(part, whole_tally().numbers());
      const std::int64_t elapsed_us = all_reduce(
          comm_, std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin).count(), Reduction::max);
      max = std::max<std::int64_t>(
          1, static_cast<std::int64_t>(static_cast<double>(max) *
                                       std::min(growth, part_us / static_cast<double>(elapsed_us))));
    }
  }

  void stream(const Resources& resources, SurveyWriter* writer, ItemRange own) {
    workers_.resize(static_cast<std::size_t>(std::max(resources_.threads(), stream_threads(resources))));
    TraceSource source;
    const bool gathers = by_gathers();
    source.own = own;
    source.traces = gathers ? order_.all_gathers : order_.all;
    source.longest_trace_bytes =
        (gathers ? std::max<std::int64_t>(1, longest_gather_) : 1 + 2 * halo()) * shared_.in_bytes;
    if (!pass_.keys.empty()) source.chunk_bytes = resources.policy.stage_or(pull_chunk_bytes);
    source.chunk_bytes =
        std::min(source.chunk_bytes, resources.memory() / (stream_threads(resources) * copies_in_flight));
    source.bytes_of = [this](ItemRange items) { return read_range(items).count * shared_.in_bytes; };
    source.read = [this](ItemRange items, std::span<std::byte> into) { read(read_range(items), into); };
    source.place_of = [this, writer](ItemRange items) { return writer != nullptr ? place_of(items) : ByteRange{}; };
    stream_traces(resources, source, writer,
                  [&](ItemRange items, std::span<const std::byte> in, std::span<std::byte> out, int thread) {
                    BlockWorker& worker = workers_[static_cast<std::size_t>(thread)];
                    const std::int64_t step = gathers ? 1 : items.count;
                    for (ItemRange block{items.first, step}; block.first < items.end(); block.first += step) {
                      const ItemRange traces = read_range(block);
                      const auto in_size = static_cast<std::size_t>(traces.count * shared_.in_bytes);
                      const auto out_size = static_cast<std::size_t>(writer != nullptr ? place_of(block).length : 0);
                      process_block(shared_, traces_of(block), traces, in.first(in_size), out.first(out_size), worker);
                      in = in.subspan(in_size);
                      out = out.subspan(out_size);
                    }
                  });
  }

  // Returns the traces of items, numbered from 0 on this rank.
  [[nodiscard]] ItemRange traces_of(ItemRange items) const {
    if (!by_gathers()) return items;
    const std::int64_t first = order_.gathers[static_cast<std::size_t>(items.first)];
    return {first, order_.gathers[static_cast<std::size_t>(items.end())] - first};
  }

  // Returns the traces of `items`, with up to `halo()` neighbours on each side.
  [[nodiscard]] ItemRange read_range(ItemRange items) const {
    const ItemRange traces = traces_of(items);
    if (halo() == 0 || traces.empty()) return traces;
    const std::int64_t all_behind =
        order_.numbers.empty() ? order_.all - order_.own.end() : std::ssize(order_.numbers) - order_.own.end();
    const std::int64_t first = std::max(traces.first - halo(), -order_.own.first);
    return {first, std::min(traces.end() + halo(), order_.own.count + all_behind) - first};
  }

  void read(ItemRange traces, std::span<std::byte> into) const {
    if (runs_) return runs_->read(traces, into);
    if (shared_.reads_headers_alone) {
      std::vector<std::int64_t> numbers(static_cast<std::size_t>(traces.count));
      for (std::int64_t i = 0; i < traces.count; ++i)
        numbers[static_cast<std::size_t>(i)] = order_.number_of(traces.first + i);
      return reader_.read_own_headers(numbers, into, shared_.in_bytes);
    }
    if (order_.numbers.empty()) return reader_.read_own(ItemRange{order_.own.first + traces.first, traces.count}, into);
    reader_.read_own(
        std::span(order_.numbers)
            .subspan(static_cast<std::size_t>(order_.own.first + traces.first), static_cast<std::size_t>(traces.count)),
        into);
  }

  [[nodiscard]] ByteRange place_of(ItemRange items) const {
    const std::int64_t made = pass_.traces_per_gather;
    const ItemRange traces = made > 0 ? ItemRange{(order_.gathers_before + items.first) * made, items.count * made}
                                      : ItemRange{order_.before + traces_of(items).first, traces_of(items).count};
    return {first_trace_byte_ + traces.first * shared_.out_bytes, traces.count * shared_.out_bytes};
  }

  const Resources& resources_;
  Communicator& comm_ = resources_.comm;
  PassShared shared_;
  const SurveyReader& reader_ = shared_.reader;
  const BoundFlow& flow_ = shared_.flow;
  const Pass& pass_ = shared_.pass;
  const PassOptions& options_ = shared_.options;
  TraceOrder& order_ = shared_.order;
  Failures& failures_ = shared_.failures;
  std::int64_t first_trace_byte_ = 0;
  std::int64_t longest_gather_ = 0;   // traces
  std::unique_ptr<SortedRuns> runs_;  // from which traces are read, if they are not read from their positions
  std::vector<BlockWorker> workers_;
  PassResult result_;
};

}  // namespace

PassResult run_pass(const Resources& resources, const SurveyReader& reader, const BoundFlow& flow, const Pass& pass,
                    const PassOptions& options) {
  return PassRun(resources, reader, flow, pass, options).run();
}

}  // namespace sill::flow
