#include "sill/flow/run/pass_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "sill/base/processors.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/flow/run/failures.hpp"
#include "sill/flow/run/flow_output.hpp"
#include "sill/flow/run/header_numbers.hpp"
#include "sill/flow/run/header_scan.hpp"
#include "sill/flow/run/pass_tally.hpp"
#include "sill/flow/run/shape_words.hpp"
#include "sill/flow/run/sorted_runs.hpp"
#include "sill/flow/run/stated_intervals.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/permute/permutation.hpp"
#include "sill/store/posix/free_space.hpp"
#include "sill/survey/convert/trace_conversion.hpp"
#include "sill/survey/output/trace_stream.hpp"
#include "sill/survey/sort/sort_probe.hpp"

namespace sill::flow {
namespace {

// The memory of a thread per trace in flight, in multiples of the trace's bytes: as read, as floats, as written, and
// work space.
constexpr std::int64_t copies_in_flight = 6;

SILL_FOR_PROCESSORS bool has_nonfinite(const float* row, std::int64_t count) {
  constexpr std::uint32_t exponent = 0x7F800000U;
  std::uint32_t largest = 0;
  for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, std::bit_cast<std::uint32_t>(row[i]) & exponent);
  return largest == exponent;
}
bool has_signal(std::span<const float> row) {
  return std::ranges::any_of(row, [](float x) { return x != 0.0F; });
}
bool has_nonfinite(std::span<const float> row) { return has_nonfinite(row.data(), std::ssize(row)); }

// The data of one thread.
struct Worker {
  TraceBlock block;
  Workspace workspace;
  std::vector<std::int64_t> kept;
  std::vector<std::byte> before;  // a header before an operation
  PassTally tally;
  segy::ConversionAccount neighbours;  // conversions of neighbours, which other blocks count
  std::vector<std::int64_t> set_aside = {};
};

class PassRun {
 public:
  PassRun(const Resources& resources, const SurveyReader& reader, const BoundFlow& flow, const Pass& pass,
          const PassOptions& options)
      : resources_(resources),
        comm_(resources.comm),
        reader_(reader),
        file_(reader.files().front()),
        flow_(flow),
        pass_(pass),
        options_(options),
        before_(flow.states[pass.first]),
        after_(flow.states[pass.end]),
        failures_(flow.operations.size() + 1),
        decode_(file_.sample_format, file_.byte_order, segy::SampleFormat::ieee_float, native_order, {}),
        encode_(segy::SampleFormat::ieee_float, native_order, options.format, file_.byte_order, options.rules),
        recode_(file_.sample_format, file_.byte_order, options.format, file_.byte_order, options.rules),
        shape_words_(before_.samples, before_.interval_us, after_),
        intervals_(before_),
        reads_headers_alone_(options.output.empty() && !pass.needs_samples),
        in_bytes_(reads_headers_alone_ ? before_.header_bytes : reader.trace_bytes()),
        out_bytes_(after_.header_bytes + after_.samples * segy::bytes_of(options.format)) {}

  PassResult run() {
    if (pass_.needs_samples) reader_.require_sample_format();
    decide_order();
    throw_first_failure();
    write();
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool is_check() const { return check_end_ > 0; }
  [[nodiscard]] bool by_gathers() const { return pass_.has_gathers && !is_check(); }
  [[nodiscard]] std::int64_t halo() const { return is_check() ? 0 : pass_.halo; }

  void begin_stage(const char* what) const {
    // If only headers are read, each trace is counted twice: when it is read and when it has passed.
    resources_.begin_stage(lasting_name(options_.stage_prefix + what),
                           (reads_headers_alone_ ? 2 : 1) * order_.own.count * in_bytes_);
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
    check_end_ = end;
    begin_stage("checking traces");
    stream(resources_, nullptr);
    check_end_ = 0;
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
      const Access& access = flow_.planned[*failed].access;
      before.needs_samples |= access.reads_samples || access.writes_samples;
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
    const std::int64_t traces_out =
        pass_.traces_per_gather > 0 ? order_.all_gathers * pass_.traces_per_gather : order_.all;
    result_.traces_out = traces_out;
    const Resources resources = with_room_for_gathers();
    if (options_.output.empty()) {
      sort_into_runs();
      begin_stage("processing traces");
      stream(resources, nullptr);
      throw_first_failure();
      conclude();
      return;
    }
    FlowOutput output(resources, *options_.input, after_, options_.output, options_.format, traces_out,
                      options_.history, options_.part, options_.use);
    sort_into_runs();
    begin_stage("processing traces");
    first_trace_byte_ = output.first_trace_byte();
    if (options_.resumed != nullptr) {
      stream_unfinished(resources, output.writer());
    } else {
      stream(resources, &output.writer());
    }
    throw_first_failure();
    conclude();
    output.finish(result_.notes);
    result_.assume = output.assumptions();
    result_.bytes_out = output.writer().file_bytes();
  }

  // Neighbours are read from their positions, even if only headers are read.
  void sort_into_runs() {
    if (pass_.keys.empty() || reads_headers_alone_ || halo() > 0 || order_.all == 0) return;
    if (options_.sort_method == PermutationMethod::gather) return;
    const std::int64_t bytes = reader_.traces() * in_bytes_;
    const std::string& target = options_.scratch_target;
    const PermutationFacts facts = facts_of(resources_, reader_.traces(), in_bytes_, resources_.memory());
    if (!options_.sort_method) {
      const bool has_room = comm_.rank() != 0 || free_space_bytes(target) > bytes;
      if (all_reduce(comm_, has_room ? 1 : 0, Reduction::min) == 0 || !are_runs_faster(comm_, facts, order_)) return;
    }
    run_on_rank(comm_, 0, [&] {
      require_free_space(target, bytes,
                         "give --scratch DIR with more room, or --sort-method gather, which needs no scratch files");
    });
    resources_.begin_stage(lasting_name(options_.stage_prefix + "sorting in memory"),
                           block_of(reader_.traces(), comm_.size(), comm_.rank()).count * in_bytes_);
    runs_ = std::make_unique<SortedRuns>(resources_, reader_, order_, target,
                                         stays_cached(facts) ? AfterReading::keep : AfterReading::drop_cache);
    result_.notes.push_back(fmt::format("traces were sorted with {} of runs in {}", format_bytes(bytes),
                                        std::filesystem::path(target).parent_path().string()));
  }

  // Returns the counts of this rank.
  [[nodiscard]] PassTally own_tally() const {
    PassTally tally;
    for (const Worker& worker : workers_) tally.add(worker.tally);
    for (std::size_t k = pass_.first; k < pass_.end; ++k)
      for (const auto& [what, count] : flow_.operations[k]->counts()) tally.counted.push_back(count);
    return tally;
  }

  // Returns the counts of all ranks, including those of a run that this run resumes.
  [[nodiscard]] PassTally whole_tally() const {
    PassTally tally = own_tally().of_all(comm_);
    if (options_.resumed != nullptr && options_.resumed->finished_before() > 0)
      tally.add(PassTally::from(options_.resumed->counts_before()));
    return tally;
  }

  void conclude() {
    const PassTally tally = whole_tally();
    result_.samples = tally.encoded;
    result_.zeroed = tally.decoded.zeroed;
    if (tally.other_intervals.traces > 0) result_.notes.push_back(intervals_.word().note(tally.other_intervals));
    if (tally.cleared_mutes > 0)
      result_.notes.push_back(
          fmt::format("the mute times (muts, mute) of {} were set to 0, because samples were moved to other times",
                      format_count(tally.cleared_mutes, "trace")));
    if (tally.decoded.lost > 0) result_.notes.push_back(note_of_lost(tally.decoded.lost));
    if (tally.zeroed_words > 0)
      result_.notes.push_back(
          fmt::format("{} header words that were not finite were set to 0", format_count(tally.zeroed_words)));
    if (tally.nonfinite_traces > 0)
      result_.notes.push_back(
          fmt::format("{} traces were written with samples that are not finite", format_count(tally.nonfinite_traces)));
    run_and_agree(comm_, [&] {
      require_signal(result_.samples, options_.rules, options_.format, options_.output,
                     "give --scale fit, which uses the range of the format, or --scale FACTOR");
    });
    // Unsuitable velocities or times often result in zeros only.
    if (!options_.output.empty() && pass_.needs_samples && tally.met_signal && !tally.wrote_signal &&
        result_.traces_out > 0)
      result_.notes.emplace_back("all samples of the output are 0, but those of the input are not");
    report_auxiliary(tally);
    report(tally);
    for (const std::shared_ptr<const OtherSurvey>& other : flow_.others) other->reader().require_unchanged(comm_);
  }

  // Reports traces that operations skipped. It is an error if an operation processed none.
  void report_auxiliary(const PassTally& tally) {
    TraceCodes max;
    for (std::size_t k = pass_.first; k < std::min(pass_.end, tally.auxiliary.size()); ++k) {
      if (flow_.planned[k].access.takes_auxiliary) continue;
      const TraceCodes& codes = tally.auxiliary[k];
      if (codes.traces() > max.traces()) max = codes;
      if (tally.taken[k] > 0 || codes.empty()) continue;
      run_and_agree(comm_, [&] {
        const Error error(
            {.code = ErrorCode::input,
             .problem = fmt::format(
                 "no trace is seismic data according to the trace identification (bytes 29-30), which is {}",
                 codes.text()),
             .action = "give --auxiliary process, which treats all traces as seismic data"});
        throw error_of_operation(error, k, flow_.planned[k].name, {.file = reader_.paths().front()});
      });
    }
    if (!max.empty())
      result_.notes.push_back(
          fmt::format("{} traces are not seismic data, and passed operations on samples unchanged: trace "
                      "identification {} (--auxiliary process processes them)",
                      format_count(max.traces()), max.text()));
  }

  // Adds the counts and reports of operations to the notes.
  void report(const PassTally& tally) {
    std::vector<std::string> lines;
    std::span<const std::int64_t> left = tally.counted;
    for (std::size_t k = pass_.first; k < pass_.end; ++k) {
      const Operation& operation = *flow_.operations[k];
      const auto names = operation.counts();
      const std::span<const std::int64_t> counts = left.first(names.size());
      left = left.subspan(names.size());
      for (std::size_t i = 0; i < counts.size(); ++i)
        if (counts[i] > 0 && !names[i].first.empty())
          result_.notes.push_back(
              fmt::format("{}: {} {}", flow_.planned[k].name, format_count(counts[i]), names[i].first));
      for (const std::string& line : operation.report(resources_, counts))
        lines.push_back(fmt::format("{}: {}", flow_.planned[k].name, line));
    }
    std::ranges::move(lines, std::back_inserter(result_.notes));
  }

  // Reserves memory for the longest gather, once per thread.
  Resources with_room_for_gathers() {
    Resources resources = resources_;
    if (!pass_.has_gathers) return resources;
    std::int64_t longest = 0;
    std::int64_t gather = 0;
    for (std::size_t g = 0; g + 1 < order_.gathers.size(); ++g) {
      const std::int64_t traces = order_.gathers[g + 1] - order_.gathers[g];
      if (traces <= longest) continue;
      longest = traces;
      gather = static_cast<std::int64_t>(g);
    }
    run_and_agree(comm_, [&] {
      std::int64_t needed = longest * in_bytes_ * copies_in_flight;
      for (std::size_t k = pass_.first; k < pass_.end; ++k) needed += flow_.operations[k]->memory_bytes(longest);
      const std::int64_t memory = resources_.memory();
      if (longest > 0 && needed > memory) {
        const std::int64_t trace =
            order_
                .numbers[static_cast<std::size_t>(order_.own.first + order_.gathers[static_cast<std::size_t>(gather)])];
        throw Error({.code = ErrorCode::usage,
                     .problem = fmt::format("a gather of {} traces needs {} of memory, but a rank may use only {}",
                                            longest, format_bytes(needed), format_bytes(memory)),
                     .where = reader_.where(trace),
                     .action = fmt::format("give --memory {}, or gather by more keys",
                                           exact_bytes((needed / (1 << 20) + 1) << 20))});
      }
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

  void stream(const Resources& resources, SurveyWriter* writer) { stream(resources, writer, own_items()); }

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
    const std::int64_t own_bytes = std::max(traces_of(own).count * in_bytes_, place_of(own).length);
    std::int64_t max = std::max<std::int64_t>(1, first_part_bytes * own.count / std::max<std::int64_t>(1, own_bytes));
    std::vector<ItemRange> left = resumed.unfinished({before, own.count});
    std::int64_t finished_traces = traces_of(own).count;
    for (const ItemRange& range : left) finished_traces -= traces_of({range.first - before, range.count}).count;
    count_done(resources_.progress, finished_traces * in_bytes_);
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
        gathers ? std::max<std::int64_t>(1, longest_gather_) * in_bytes_ : (1 + 2 * halo()) * in_bytes_;
    if (!pass_.keys.empty()) source.chunk_bytes = resources.policy.stage_or(pull_chunk_bytes);
    source.chunk_bytes =
        std::min(source.chunk_bytes, resources.memory() / (stream_threads(resources) * copies_in_flight));
    source.bytes_of = [this](ItemRange items) { return read_range(items).count * in_bytes_; };
    source.read = [this](ItemRange items, std::span<std::byte> into) { read(read_range(items), into); };
    source.place_of = [this, writer](ItemRange items) { return writer != nullptr ? place_of(items) : ByteRange{}; };
    stream_traces(resources, source, writer,
                  [&](ItemRange items, std::span<const std::byte> in, std::span<std::byte> out, int thread) {
                    Worker& worker = workers_[static_cast<std::size_t>(thread)];
                    if (!gathers) return pass_traces(items, read_range(items), in, out, worker);
                    for (std::int64_t g = items.first; g < items.end(); ++g) {
                      const ItemRange traces = traces_of({g, 1});
                      const auto in_size = static_cast<std::size_t>(traces.count * in_bytes_);
                      const auto out_size = static_cast<std::size_t>(writer != nullptr ? place_of({g, 1}).length : 0);
                      pass_traces(traces, traces, in.first(in_size), out.first(out_size), worker);
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
    if (reads_headers_alone_) {
      std::vector<std::int64_t> numbers(static_cast<std::size_t>(traces.count));
      for (std::int64_t i = 0; i < traces.count; ++i)
        numbers[static_cast<std::size_t>(i)] = number_of(traces.first + i);
      return reader_.read_own_headers(numbers, into, in_bytes_);
    }
    if (order_.numbers.empty()) return reader_.read_own(ItemRange{order_.own.first + traces.first, traces.count}, into);
    reader_.read_own(numbers_of(traces), into);
  }

  [[nodiscard]] std::span<const std::int64_t> numbers_of(ItemRange traces) const {
    return std::span(order_.numbers)
        .subspan(static_cast<std::size_t>(order_.own.first + traces.first), static_cast<std::size_t>(traces.count));
  }
  [[nodiscard]] std::int64_t number_of(std::int64_t trace) const {
    const std::int64_t at = order_.own.first + trace;
    return order_.numbers.empty() ? at : order_.numbers[static_cast<std::size_t>(at)];
  }

  [[nodiscard]] ByteRange place_of(ItemRange items) const {
    const std::int64_t made = pass_.traces_per_gather;
    const ItemRange traces = made > 0 ? ItemRange{(order_.gathers_before + items.first) * made, items.count * made}
                                      : ItemRange{order_.before + traces_of(items).first, traces_of(items).count};
    return {first_trace_byte_ + traces.first * out_bytes_, traces.count * out_bytes_};
  }

  // Returns true if any operation of the pass before `end` reads or writes samples.
  [[nodiscard]] bool need_samples(std::size_t end) const {
    return std::any_of(flow_.planned.begin() + static_cast<std::ptrdiff_t>(pass_.first),
                       flow_.planned.begin() + static_cast<std::ptrdiff_t>(end), [](const PlannedOperation& operation) {
                         return operation.access.reads_samples || operation.access.writes_samples;
                       });
  }

  // Processes consecutive traces, or a gather: `in` contains `read`, `out` receives the results of `wanted`.
  void pass_traces(ItemRange wanted, ItemRange read, std::span<const std::byte> in, std::span<std::byte> out,
                   Worker& worker) {
    TraceBlock& block = worker.block;
    const std::size_t end = is_check() ? check_end_ : pass_.end;
    const std::int64_t samples = need_samples(end) ? before_.samples : 0;
    block.reset(read.count, before_.header_bytes, samples, before_.order);
    for (std::int64_t i = 0; i < read.count; ++i) {
      std::memcpy(block.header(i).data(), trace_at(in, i), block.header(i).size());
      const std::int64_t number = number_of(read.first + i);
      const bool is_wanted = wanted.first <= read.first + i && read.first + i < wanted.end();
      block.origin(i) = {.trace = number, .file = reader_.file_of(number) + 1, .row = i, .is_neighbour = !is_wanted};
      // Later passes read the same words again.
      if (pass_.first > 0 || is_check() || !is_wanted) continue;
      intervals_.word().add_to(worker.tally.other_intervals, number + 1, block.header(i).data(), before_.order);
    }
    bool has_samples = false;
    for (std::size_t k = pass_.first; k < std::min(end, failures_.limit()); ++k) {
      const Access& access = flow_.planned[k].access;
      bool are_finite = true;
      if (!has_samples && (access.reads_samples || access.writes_samples)) {
        has_samples = true;
        are_finite = decode(k, read, in, worker);
      }
      are_finite = require_numbers(k, read, worker) && are_finite;
      if (access.reads_samples) are_finite = require_finite(k, read, worker) && are_finite;
      if (block.count() > 0 || are_finite)
        if (!execute(k, read, worker)) return;
      if (!are_finite) return;
    }
    if (is_check() || failures_.limit() <= flow_.operations.size()) return;
    encode(read, in, out, worker);
  }

  [[nodiscard]] const std::byte* trace_at(std::span<const std::byte> in, std::int64_t row) const {
    return in.data() + row * in_bytes_;
  }

  void fail(std::size_t operation, ItemRange read, TraceBlock& block, std::int64_t i, const Error& error) {
    const TraceBlock::Origin& origin =
        block.origin(std::clamp<std::int64_t>(i, 0, std::max<std::int64_t>(0, block.count() - 1)));
    const std::int64_t position = order_.before + read.first + origin.row;
    const std::string name = operation < flow_.planned.size() ? flow_.planned[operation].name : "output";
    failures_.add(operation, position, error_of_operation(error, operation, name, reader_.where(origin.trace)));
  }

  // Returns false if a sample exceeds the range of floats; traces from that one on are removed as by `require_finite`.
  bool decode(std::size_t operation, ItemRange read, std::span<const std::byte> in, Worker& worker) {
    TraceBlock& block = worker.block;
    std::int64_t i = 0;
    try {
      for (; i < block.count(); ++i)
        decode_samples(decode_,
                       {trace_at(in, block.origin(i).row) + before_.header_bytes,
                        static_cast<std::size_t>(before_.samples * segy::bytes_of(file_.sample_format))},
                       block.fill(i), block.origin(i).is_neighbour ? worker.neighbours : worker.tally.decoded);
    } catch (const Error& error) {
      fail(operation, read, block, i, error);
      block.set_count(flow_.planned[operation].access.scope == Scope::trace ? i : 0);
      return false;
    }
    for (i = 0; i < block.count() && !worker.tally.met_signal; ++i)
      worker.tally.met_signal = has_signal(block.trace(i));
    return true;
  }

  // Checks the header numbers that an operation needs. An operation on single traces still processes the traces before
  // the first one with an invalid number, as with samples.
  bool require_numbers(std::size_t operation, ItemRange read, Worker& worker) {
    TraceBlock& block = worker.block;
    const Access& access = flow_.planned[operation].access;
    if (access.numbers.empty()) return true;
    for (std::int64_t i = 0; i < block.count(); ++i) {
      try {
        const std::int64_t zeroed =
            make_usable(access.numbers, block.header(i).data(), before_.order, options_.nonfinite);
        if (!block.origin(i).is_neighbour) worker.tally.zeroed_words += zeroed;
      } catch (const Error& error) {
        fail(operation, read, block, i, error);
        block.set_count(access.scope == Scope::trace ? i : 0);
        return false;
      }
    }
    return true;
  }

  // Checks that samples are finite, unless non-finite samples are kept, for an operation that reads samples. An
  // operation on single traces still processes the traces before the first invalid one, because it may fail at them;
  // the other traces are removed from the block.
  bool require_finite(std::size_t operation, ItemRange read, Worker& worker) {
    TraceBlock& block = worker.block;
    if (options_.nonfinite == NonFinite::keep) return true;
    for (std::int64_t i = 0; i < block.count(); ++i) {
      try {
        if (has_nonfinite(block.fill(i)))
          (block.origin(i).is_neighbour ? worker.neighbours : worker.tally.decoded).zeroed +=
              make_finite(block.change(i), options_.nonfinite);
      } catch (const Error& error) {
        fail(operation, read, block, i, error);
        block.set_count(flow_.planned[operation].access.scope == Scope::trace ? i : 0);
        return false;
      }
    }
    return true;
  }

  // Checks that every trace has the keys of a sort; reports an error for a trace that does not.
  bool have_keys(std::size_t operation, ItemRange read, TraceBlock& block) {
    std::array<std::byte, 8> packed{};
    for (std::int64_t i = 0; i < block.count(); ++i) {
      try {
        for (const segy::TraceKey& key : flow_.planned[operation].keys) key.pack(block.view(i), packed.data());
      } catch (const Error& error) {
        fail(operation, read, block, i, error);
        return false;
      }
    }
    return true;
  }

  // Removes traces that are not seismic data from the block until the operation is done, unless the operation keeps
  // them.
  void set_auxiliary_aside(std::size_t operation, Worker& worker) const {
    TraceBlock& block = worker.block;
    const DeadTraces& kinds = flow_.kinds[operation];
    const bool is_kept = flow_.planned[operation].access.keeps_auxiliary;
    worker.tally.taken.resize(flow_.kinds.size());
    worker.tally.auxiliary.resize(flow_.kinds.size());
    worker.set_aside.clear();
    for (std::int64_t i = 0; i < block.count(); ++i) {
      const std::byte* const header = block.header(i).data();
      const bool is_seismic = kinds.is_seismic(header);
      if (!is_seismic && !is_kept) worker.set_aside.push_back(i);
      if (block.origin(i).is_neighbour) continue;
      if (is_seismic) {
        ++worker.tally.taken[operation];
      } else {
        worker.tally.auxiliary[operation].count(kinds.code(header));
      }
    }
    if (!worker.set_aside.empty()) block.set_aside(worker.set_aside);
  }

  bool execute(std::size_t operation, ItemRange read, Worker& worker) {
    worker.set_aside.clear();
    const bool has_run = execute_on_taken(operation, read, worker);
    if (has_run && !worker.set_aside.empty()) worker.block.put_back();
    return has_run;
  }

  bool execute_on_taken(std::size_t operation, ItemRange read, Worker& worker) {
    TraceBlock& block = worker.block;
    const Operation& work = *flow_.operations[operation];
    const Access& access = flow_.planned[operation].access;
    std::int64_t at = 0;
    bool has_run = true;
    if (is_check() && !have_keys(operation, read, block)) return false;
    if (!access.takes_auxiliary) set_auxiliary_aside(operation, worker);
    if (block.count() == 0 && !worker.set_aside.empty()) return true;
    try {
      intervals_.require_one(block, flow_.kinds[operation], access);
      work.run(block, worker.workspace);
    } catch (const Error& error) {
      const std::int64_t failed = error.parts().where.item.value_or(1) - 1;
      fail(operation, read, block, failed, error);
      if (access.scope != Scope::trace) return false;
      block.set_count(failed);  // the header of an earlier trace may fail
      has_run = false;
    }
    if (access.writes_words.empty() && !access.writes_membership) return has_run;
    const auto clear = [&](std::int64_t i) {
      if (access.clear_false_words(block.header(i).data()) && !is_check()) ++worker.tally.cleared_mutes;
    };
    if (access.scope != Scope::trace) {  // such an operation leaves headers complete
      for (std::int64_t i = 0; i < block.count(); ++i) clear(i);
      return true;
    }
    worker.kept.clear();
    try {
      for (; at < block.count(); ++at) {
        segy::HeaderView view = block.view(at);
        worker.before.assign(block.header(at).begin(), block.header(at).end());
        view.header = worker.before.data();
        if (work.edit_header(view, block.header(at).data())) worker.kept.push_back(at);
        clear(at);
      }
    } catch (const Error& error) {
      fail(operation, read, block, at, error);
      return false;
    }
    if (std::ssize(worker.kept) < block.count()) block.keep_only(worker.kept);
    return has_run;
  }

  void encode(ItemRange read, std::span<const std::byte> in, std::span<std::byte> out, Worker& worker) {
    TraceBlock& block = worker.block;
    const bool keeps_format = options_.format == file_.sample_format && after_.samples == before_.samples;
    std::byte* to = out.data();
    for (std::int64_t i = 0; i < block.count(); ++i) {
      const std::int64_t row = block.origin(i).row;
      if (block.origin(i).is_neighbour || to == nullptr) continue;
      const std::span<std::byte> header = block.header(i);
      shape_words_.set(header.data());
      std::memcpy(to, header.data(), header.size());
      std::byte* const samples = to + header.size();
      const auto out_size = static_cast<std::size_t>(out_bytes_) - header.size();
      const std::byte* const raw = trace_at(in, row) + before_.header_bytes;
      if (pass_.needs_samples && !worker.tally.wrote_signal) worker.tally.wrote_signal = has_signal(block.trace(i));
      try {
        if (pass_.needs_samples && (block.is_changed(i) || !keeps_format)) {
          encode_.convert(std::as_bytes(block.trace(i)), {samples, out_size}, worker.tally.encoded);
          if (has_nonfinite(block.trace(i))) ++worker.tally.nonfinite_traces;
        } else if (keeps_format) {
          std::memcpy(samples, raw, out_size);
        } else {
          recode_.convert({raw, static_cast<std::size_t>(in_bytes_ - before_.header_bytes)}, {samples, out_size},
                          worker.tally.encoded);
        }
      } catch (const Error& error) {
        return fail(flow_.operations.size(), read, block, i, error);
      }
      to += out_bytes_;
    }
  }

  const Resources& resources_;
  Communicator& comm_;
  const SurveyReader& reader_;
  const segy::FileDescription& file_;
  const BoundFlow& flow_;
  const Pass& pass_;
  const PassOptions& options_;
  const SurveyState& before_;
  const SurveyState& after_;
  Failures failures_;
  segy::SampleConversion decode_;
  segy::SampleConversion encode_;
  segy::SampleConversion recode_;  // for samples that no operation reads
  ShapeWords shape_words_;
  StatedIntervals intervals_;
  bool reads_headers_alone_;
  std::int64_t in_bytes_;  // per trace, of the bytes that are read
  std::int64_t out_bytes_;
  std::int64_t first_trace_byte_ = 0;
  std::int64_t longest_gather_ = 0;  // traces
  TraceOrder order_;
  std::unique_ptr<SortedRuns> runs_;  // from which traces are read, if they are not read from their positions
  std::size_t check_end_ = 0;         // for a check: operations before it are applied, and nothing is written
  std::vector<Worker> workers_;
  PassResult result_;
};

}  // namespace

PassResult run_pass(const Resources& resources, const SurveyReader& reader, const BoundFlow& flow, const Pass& pass,
                    const PassOptions& options) {
  return PassRun(resources, reader, flow, pass, options).run();
}

}  // namespace sill::flow
