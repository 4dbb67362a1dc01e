#include "sill/flow/run/pass_blocks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "sill/base/processors.hpp"
#include "sill/flow/run/header_numbers.hpp"

namespace sill::flow {
namespace {

SILL_FOR_PROCESSORS bool has_nonfinite(const float* row, std::int64_t count) {
  constexpr std::uint32_t exponent = 0x7F800000U;
  std::uint32_t largest = 0;
  for (std::int64_t i = 0; i < count; ++i) largest = std::max(largest, std::bit_cast<std::uint32_t>(row[i]) & exponent);
  return largest == exponent;
}
bool has_nonfinite(std::span<const float> row) { return has_nonfinite(row.data(), std::ssize(row)); }
bool has_signal(std::span<const float> row) {
  return std::ranges::any_of(row, [](float x) { return x != 0.0F; });
}

struct BlockRun {
  PassShared& shared;
  ItemRange read;  // the traces of `in`
  std::span<const std::byte> in;
  BlockWorker& worker;
  TraceBlock& block = worker.block;
  PassTally& tally = worker.tally;
  const BoundFlow& flow = shared.flow;
  const SurveyState& before = shared.before;
  segy::ConversionAccount of_neighbours = {};

  void run(ItemRange wanted, std::span<std::byte> out) {
    const std::size_t end = shared.is_check() ? shared.check_end : shared.pass.end;
    load_headers(wanted);
    const bool have_lengths = have_known_lengths();
    bool has_samples = false;
    for (std::size_t k = shared.pass.first; k < std::min(end, shared.failures.limit()); ++k) {
      const Access& access = flow.planned[k].access;
      const bool decodes = !has_samples && access.uses_samples();
      has_samples |= decodes;
      bool are_valid = !decodes || decode(k);
      are_valid = are_valid && have_lengths;
      are_valid = require_numbers(k) && are_valid;
      if (access.reads_samples) are_valid = require_finite(k) && are_valid;
      if (block.count() > 0 || are_valid)
        if (!execute(k)) return;
      if (!are_valid) return;
    }
    if (!out.empty() && shared.failures.limit() > flow.operations.size()) encode(out.data());
  }

  [[nodiscard]] const std::byte* raw_trace(std::int64_t row) const { return in.data() + row * shared.in_bytes; }
  [[nodiscard]] std::span<const std::byte> raw_samples(std::int64_t i) const {
    return {raw_trace(block.origin(i).row) + before.header_bytes,
            static_cast<std::size_t>(shared.in_bytes - before.header_bytes)};
  }
  // Returns the counts of the samples of a trace that are read. A neighbour is counted in its own block.
  [[nodiscard]] segy::ConversionAccount& decoded(std::int64_t i) {
    return block.origin(i).is_neighbour ? of_neighbours : tally.decoded;
  }

  void load_headers(ItemRange wanted) {
    block.reset(read.count, before.header_bytes, shared.pass.needs_samples ? before.samples : 0, before.order);
    for (std::int64_t i = 0; i < read.count; ++i) {
      const std::span<std::byte> header = block.header(i);
      std::memcpy(header.data(), raw_trace(i), header.size());
      const std::int64_t number = shared.order.number_of(read.first + i);
      const bool is_wanted = wanted.first <= read.first + i && read.first + i < wanted.end();
      block.origin(i) = {
          .trace = number, .file = shared.reader.file_of(number) + 1, .row = i, .is_neighbour = !is_wanted};
      // Later passes read the same words again.
      if (shared.pass.first > 0 || shared.is_check() || !is_wanted) continue;
      shared.intervals.word().add_to(tally.other_intervals, number + 1, header.data(), before.order);
    }
  }

  // Checks that the traces of the input state the length that they are read with.
  bool have_known_lengths() {
    return shared.pass.first > 0 || for_each_trace(shared.pass.first, [&](std::int64_t i) {
             shared.lengths.see(block.origin(i).trace, block.header(i).data());
           });
  }

  // Records an error at trace `i`. An operation on single traces still processes the traces before it, because it may
  // fail at them; the other traces are removed from the block.
  void fail(std::size_t operation, std::int64_t i, const Error& error) {
    const bool is_output = operation == flow.planned.size();
    const TraceBlock::Origin& origin =
        block.origin(std::clamp<std::int64_t>(i, 0, std::max<std::int64_t>(0, block.count() - 1)));
    shared.failures.add(operation, shared.order.before + read.first + origin.row,
                        error_of_operation(error, operation, is_output ? "output" : flow.planned[operation].name,
                                           shared.reader.where(origin.trace)));
    block.set_count(is_output || flow.planned[operation].access.scope == Scope::trace ? i : 0);
  }

  // Calls `work(i)` for each trace of the block. Returns false if it failed at one.
  template <class Work>
  bool for_each_trace(std::size_t operation, const Work& work) {
    std::int64_t i = 0;
    try {
      for (; i < block.count(); ++i) work(i);
    } catch (const Error& error) {
      fail(operation, i, error);
      return false;
    }
    return true;
  }

  // Returns false if a sample exceeds the range of floats.
  bool decode(std::size_t operation) {
    return for_each_trace(operation, [&](std::int64_t i) {
      decode_samples(shared.decode, raw_samples(i), block.fill(i), decoded(i));
      if (!tally.met_signal) tally.met_signal = has_signal(block.trace(i));
    });
  }

  // Checks the header numbers that an operation needs.
  bool require_numbers(std::size_t operation) {
    const std::vector<HeaderNumber>& numbers = flow.planned[operation].access.numbers;
    return numbers.empty() || for_each_trace(operation, [&](std::int64_t i) {
             const std::int64_t zeroed =
                 make_usable(numbers, block.header(i).data(), before.order, shared.options.nonfinite);
             if (!block.origin(i).is_neighbour) tally.zeroed_words += zeroed;
           });
  }

  // Checks that samples are finite, unless non-finite samples are kept, for an operation that reads samples.
  bool require_finite(std::size_t operation) {
    const NonFinite nonfinite = shared.options.nonfinite;
    return nonfinite == NonFinite::keep || for_each_trace(operation, [&](std::int64_t i) {
             if (has_nonfinite(block.trace(i))) decoded(i).zeroed += make_finite(block.change(i), nonfinite);
           });
  }

  // Checks that every trace has the keys of a sort.
  bool have_keys(std::size_t operation) {
    std::array<std::byte, 8> packed{};
    return for_each_trace(operation, [&](std::int64_t i) {
      for (const segy::TraceKey& key : flow.planned[operation].keys) key.pack(block.view(i), packed.data());
    });
  }

  // Removes traces that are not seismic data from the block until the operation is done, unless the operation keeps
  // them.
  void set_auxiliary_aside(std::size_t operation) {
    const DeadTraces& kinds = flow.kinds[operation];
    const bool is_kept = flow.planned[operation].access.keeps_auxiliary;
    tally.taken.resize(flow.kinds.size());
    tally.auxiliary.resize(flow.kinds.size());
    for (std::int64_t i = 0; i < block.count(); ++i) {
      const std::byte* const header = block.header(i).data();
      const bool is_seismic = kinds.is_seismic(header);
      if (!is_seismic && !is_kept) worker.set_aside.push_back(i);
      if (block.origin(i).is_neighbour) continue;
      if (is_seismic) {
        ++tally.taken[operation];
      } else {
        tally.auxiliary[operation].count(kinds.code(header));
      }
    }
    if (!worker.set_aside.empty()) block.set_aside(worker.set_aside);
  }

  bool execute(std::size_t operation) {
    worker.set_aside.clear();
    const bool has_run = execute_on_taken(operation);
    if (has_run && !worker.set_aside.empty()) block.put_back();
    return has_run;
  }

  bool execute_on_taken(std::size_t operation) {
    const Operation& work = *flow.operations[operation];
    const Access& access = flow.planned[operation].access;
    if (shared.is_check() && !have_keys(operation)) return false;
    if (!access.takes_auxiliary) set_auxiliary_aside(operation);
    if (block.count() == 0 && !worker.set_aside.empty()) return true;
    bool has_run = true;
    try {
      shared.intervals.require_one(block, flow.kinds[operation], access);
      work.run(block, worker.workspace);
    } catch (const Error& error) {
      fail(operation, error.parts().where.item.value_or(1) - 1, error);
      if (access.scope != Scope::trace) return false;
      has_run = false;  // the header of an earlier trace may fail
    }
    if (access.writes_words.empty() && !access.writes_membership) return has_run;
    worker.kept.clear();
    const auto edit = [&](std::int64_t i) {
      std::byte* const header = block.header(i).data();
      if (access.scope == Scope::trace) {  // other operations leave headers complete
        segy::HeaderView view = block.view(i);
        worker.before.assign(block.header(i).begin(), block.header(i).end());
        view.header = worker.before.data();
        if (work.edit_header(view, header)) worker.kept.push_back(i);
      }
      const bool is_cleared = access.clear_false_words(header);
      if (is_cleared && !shared.is_check() && !block.origin(i).is_neighbour) ++tally.cleared_mutes;
    };
    if (!for_each_trace(operation, edit)) return false;
    if (access.scope == Scope::trace && std::ssize(worker.kept) < block.count()) block.keep_only(worker.kept);
    return has_run;
  }

  void encode(std::byte* to) {
    const bool needs_samples = shared.pass.needs_samples;
    const bool keeps_format =
        shared.options.format == shared.file.sample_format && shared.after.samples == before.samples;
    for_each_trace(flow.operations.size(), [&](std::int64_t i) {
      if (block.origin(i).is_neighbour) return;
      const std::span<std::byte> header = block.header(i);
      shared.shape_words.set(header.data());
      std::memcpy(to, header.data(), header.size());
      const std::span<std::byte> samples(to + header.size(),
                                         static_cast<std::size_t>(shared.out_bytes) - header.size());
      if (needs_samples && !tally.wrote_signal) tally.wrote_signal = has_signal(block.trace(i));
      const bool converts = needs_samples && (block.is_changed(i) || !keeps_format);
      const bool keeps_nonfinite = !converts || !shared.options.rules.nonfinite_to_zero;
      if (needs_samples && keeps_nonfinite && has_nonfinite(block.trace(i))) ++tally.nonfinite_traces;
      if (converts) {
        shared.encode.convert(std::as_bytes(block.trace(i)), samples, tally.encoded);
      } else if (keeps_format) {
        std::memcpy(samples.data(), raw_samples(i).data(), samples.size());
      } else {
        shared.recode.convert(raw_samples(i), samples, tally.encoded);
      }
      to += shared.out_bytes;
    });
  }
};

}  // namespace

void process_block(PassShared& shared, ItemRange wanted, ItemRange read, std::span<const std::byte> in,
                   std::span<std::byte> out, BlockWorker& worker) {
  BlockRun{shared, read, in, worker}.run(wanted, out);
}

}  // namespace sill::flow
