#include "sill/survey/select/seek_traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "sill/base/diagnostic.hpp"
#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill {
namespace {

constexpr std::int64_t looks_per_line = 3;
constexpr std::int64_t headers_per_task = 128;
// Number of bytes that the system prefetches, twice: while the headers of one batch are read, the next batch is
// fetched.
constexpr std::int64_t fetched_bytes = 32 << 20;
// Approximate space in the system's cache for an isolated header.
constexpr std::int64_t cached_bytes_per_header = 8 << 10;
// The minimum number of trace numbers for which a condition may hold, independent of the memory of the rank.
constexpr std::int64_t min_numbers = std::int64_t{1} << 17;

using HeaderBytes = std::array<std::byte, segy::trace_header_bytes>;

// Returns the traces of a line whose headers are read, in ascending order.
std::array<std::int64_t, looks_per_line> places_looked_at(std::int64_t line) { return {0, line / 2, line - 1}; }

}  // namespace

void look_at_headers(const SurveyReader& reader, std::span<const std::int64_t> traces, bool read_whole, int threads,
                     const std::function<void(std::int64_t trace, const segy::HeaderView& header, int thread)>& visit) {
  const std::int64_t bytes_per_trace = read_whole ? reader.longest_trace_bytes() : cached_bytes_per_header;
  const auto part_traces = static_cast<std::size_t>(std::max(headers_per_task, fetched_bytes / bytes_per_trace));
  const auto part = [&](std::size_t first) {
    first = std::min(first, traces.size());
    return traces.subspan(first, std::min(part_traces, traces.size() - first));
  };
  const auto fetch = [&](std::span<const std::int64_t> needed) {
    read_whole ? reader.will_need(needed) : reader.will_need_headers(needed);
  };
  std::vector<std::vector<std::byte>> buffers(static_cast<std::size_t>(threads));
  fetch(part(0));
  for (std::size_t begin = 0; begin < traces.size(); begin += part_traces) {
    fetch(part(begin + part_traces));
    const auto now = part(begin);
    parallel_for(threads, (std::ssize(now) + headers_per_task - 1) / headers_per_task,
                 [&](std::int64_t task, int thread) {
                   const auto first = static_cast<std::size_t>(task * headers_per_task);
                   const auto own = now.subspan(first, std::min<std::size_t>(headers_per_task, now.size() - first));
                   std::vector<std::byte>& headers = buffers[static_cast<std::size_t>(thread)];
                   headers.resize(own.size() * segy::trace_header_bytes);
                   reader.read_own_headers(own, headers);
                   for (std::size_t i = 0; i < own.size(); ++i) {
                     try {
                       visit(own[i], reader.view(own[i], headers.data() + i * segy::trace_header_bytes), thread);
                     } catch (const Error& error) {
                       rethrow_at(error, reader, own[i]);
                     }
                   }
                 });
  }
}

SeekTraces::SeekTraces(const Resources& resources, const SurveyReader& reader, const segy::Expression& where,
                       ByteRange also, const HeadersRead& headers)
    : resources_(resources),
      reader_(reader),
      where_(where),
      needed_(joined(where.needed_bytes(), also)),
      headers_(headers) {}

std::optional<std::vector<std::int64_t>> SeekTraces::find() {
  if (!can_seek() || !find_numbers()) return std::nullopt;
  look_at_lines();
  if (!all_confirmed()) return std::nullopt;
  std::optional<std::vector<std::int64_t>> found = evaluate();
  if (!found) return found;
  const std::vector<std::int64_t> beside = neighbours_of(*found);
  const std::int64_t all = all_reduce(resources_.comm, std::ssize(*found), Reduction::sum);
  const std::int64_t all_beside = all_reduce(resources_.comm, std::ssize(beside), Reduction::sum);
  if (all == 0) {
    search_.why_not = "the search by regular numbers found no trace";
  } else if (!inputs_.words.empty() &&
             (search_.headers_read + all + all_beside) * headers_.min_traces_per_look > reader_.traces()) {
    search_.why_not = "the condition holds for too many traces to seek them";
  } else {
    run_and_agree(resources_.comm, [&] { look_at(beside); });
    if (all_confirmed()) return found;
  }
  return std::nullopt;
}

bool SeekTraces::confirms(std::int64_t trace, const segy::HeaderView& header) {
  looked_at_.fetch_add(1, std::memory_order_relaxed);
  if (numbers_->hold(trace, header.header, header.order)) return true;
  std::int64_t first = first_misfit_.load();
  while (trace < first && !first_misfit_.compare_exchange_weak(first, trace)) {
  }
  return false;
}

bool SeekTraces::all_confirmed() {
  search_.headers_read += all_reduce(resources_.comm, looked_at_.exchange(0), Reduction::sum);
  const std::int64_t misfit = all_reduce(resources_.comm, first_misfit_.load(), Reduction::min);
  if (misfit == std::numeric_limits<std::int64_t>::max()) return true;
  search_.why_not = fmt::format("trace {} has other numbers than a regular survey would", format_count(misfit + 1));
  return false;
}

bool SeekTraces::can_seek() {
  const std::optional<segy::WholeNumbers> inputs = where_.whole_numbers();
  const bool has_findings = std::ranges::any_of(reader_.files(), [](const segy::FileDescription& file) {
    return std::ranges::any_of(file.diagnostics, [](const Diagnostic& found) { return found.grade >= Grade::major; });
  });
  if (!inputs) {
    search_.why_not = "the condition contains more than integer words";
  } else if (!reader_.is_uniform()) {
    search_.why_not = "the traces differ in length";
  } else if (reader_.traces() < (inputs->words.empty() ? 1 : headers_.min_traces_to_seek)) {
    search_.why_not = "there are few traces";
  } else if (has_findings) {
    search_.why_not = "a file has findings of grade major";
  } else if (needed_.end() > segy::trace_header_bytes) {
    search_.why_not = "the condition uses words of additional trace headers";
  } else {
    inputs_ = *inputs;
    return true;
  }
  return false;
}

bool SeekTraces::find_numbers() {
  std::vector<Counting> countings(inputs_.words.size());
  std::int64_t headers = 0;
  run_on_rank(resources_.comm, 0, [&] {
    for (std::size_t w = 0; w < countings.size(); ++w) {
      const auto value_of = [&](std::int64_t trace) {
        HeaderBytes header;
        reader_.read_own_headers({&trace, 1}, header);
        ++headers;
        return integer_of(inputs_.words[w], header.data(), reader_.view(trace, header.data()).order);
      };
      const std::optional<Counting> found = counting_of(
          reader_.traces(), value_of, [&](std::span<const std::int64_t> traces) { reader_.will_need_headers(traces); });
      if (!found) break;  // this word and the following ones have no values
      countings[w] = *found;
    }
  });
  resources_.comm.broadcast(std::as_writable_bytes(std::span(countings)), 0);
  resources_.comm.broadcast(std::as_writable_bytes(std::span(&headers, 1)), 0);
  search_.headers_read += headers;
  for (std::size_t w = 0; w < countings.size(); ++w) {
    if (countings[w].values == 0) {
      search_.why_not = fmt::format("{} does not increase regularly", inputs_.words[w].name);
      return false;
    }
    search_.words += (w == 0 ? "" : ", ") + inputs_.words[w].name;
  }
  numbers_.emplace(reader_.traces(), inputs_.words, std::move(countings));
  if (inputs_.words.empty() || numbers_->line() >= looks_per_line * headers_.min_traces_per_look) return true;
  search_.why_not = fmt::format("too few traces per line to seek in: {}", numbers_->line());
  return false;
}

// Reads the first, the middle and the last trace of every line. Each rank reads its block of the lines.
void SeekTraces::look_at_lines() {
  if (inputs_.words.empty()) return;
  resources_.begin_stage("reading lines", 0);
  run_and_agree(resources_.comm, [&] {
    const std::int64_t line = numbers_->line();
    const ItemRange lines = block_of(reader_.traces() / line, resources_.comm.size(), resources_.comm.rank());
    std::vector<std::int64_t> traces;
    traces.reserve(static_cast<std::size_t>(looks_per_line * lines.count));
    // In order, so that the last trace of a line and the first of the next are read together.
    for (std::int64_t i = lines.first; i < lines.end(); ++i)
      for (const std::int64_t place : places_looked_at(line)) traces.push_back(i * line + place);
    look_at(traces);
  });
}

void SeekTraces::look_at(std::span<const std::int64_t> traces) {
  look_at_headers(
      reader_, traces, false, resources_.threads(),
      [&](std::int64_t trace, const segy::HeaderView& header, int /*thread*/) { (void)confirms(trace, header); });
}

// Returns the traces before and after each run of found traces, except those that were read with their lines: if a line
// has an extra trace, it is most likely next to the others. Each trace is returned on one rank, for any number of
// ranks.
std::vector<std::int64_t> SeekTraces::neighbours_of(std::span<const std::int64_t> found) const {
  if (inputs_.words.empty()) return {};
  constexpr std::int64_t none = -9;  // not next to any trace
  const auto ends =
      all_gather(resources_.comm, found.empty() ? std::array{none, none} : std::array{found.front(), found.back()});
  return run_and_agree(resources_.comm, [&] {
    // Ranks follow each other, so of other ranks only the ends can be next to traces found by this rank.
    const auto is_found = [&](std::int64_t trace) {
      return std::ranges::binary_search(found, trace) ||
             std::ranges::any_of(ends, [&](const auto& of_rank) { return std::ranges::count(of_rank, trace) > 0; });
    };
    std::vector<std::int64_t> beside;
    const auto add = [&](std::int64_t trace) {
      if (trace < 0 || trace >= reader_.traces()) return;
      const std::int64_t line = numbers_->line();
      if (std::ranges::count(places_looked_at(line), trace % line) == 0) beside.push_back(trace);
    };
    for (const std::int64_t trace : found) {
      // A trace that is next to two runs is added once, after the first of them.
      if (!is_found(trace - 1) && !is_found(trace - 2)) add(trace - 1);
      if (!is_found(trace + 1)) add(trace + 1);
    }
    return beside;
  });
}

// Evaluates the condition on headers that contain only the expected words.
std::optional<std::vector<std::int64_t>> SeekTraces::evaluate() {
  const std::int64_t run = inputs_.position ? 1 : numbers_->run();
  const std::int64_t period = inputs_.position ? reader_.traces() : numbers_->period();
  const ItemRange block = block_of(reader_.traces(), resources_.comm.size(), resources_.comm.rank());
  // If the numbers repeat with a period, every rank evaluates one period. The period is a multiple of `run`.
  ItemRange runs{0, period / run};
  if (period == reader_.traces()) runs = {block.first / run, (block.end() + run - 1) / run - block.first / run};
  const int threads = resources_.threads();
  std::vector<std::vector<std::int64_t>> held(static_cast<std::size_t>(threads));
  std::vector<std::int64_t> found;
  // The buffers are not yet in use; a growing array exists twice.
  const std::int64_t max_numbers =
      std::max(resources_.memory() / 4 / static_cast<std::int64_t>(sizeof(std::int64_t)), min_numbers);
  std::atomic<std::int64_t> numbers{0};
  const std::optional<Error> failed = attempt([&] {
    run_on_threads(threads, [&](int thread) {
      const ItemRange own = block_of(runs, threads, thread);
      HeaderBytes header{};
      for (std::int64_t i = own.first; i < own.end(); ++i) {
        const std::int64_t trace = i * run;
        const segy::HeaderView view = reader_.view(trace, header.data());
        numbers_->put(trace, header.data(), view.order);
        if (!where_.holds(view)) continue;
        if (numbers.fetch_add(1, std::memory_order_relaxed) >= max_numbers) return;
        held[static_cast<std::size_t>(thread)].push_back(trace);
      }
    });
    for (std::int64_t again = block.first / period; again * period < block.end(); ++again) {
      for (const std::vector<std::int64_t>& of_thread : held) {
        for (const std::int64_t first : of_thread) {
          const ItemRange of_run = intersection({again * period + first, run}, block);
          numbers += of_run.count;
          if (numbers > max_numbers) return;
          for (std::int64_t trace = of_run.first; trace < of_run.end(); ++trace) found.push_back(trace);
        }
      }
    }
  });
  // After any failure all headers are read, which shows the position of the error, if it persists.
  const std::int64_t hindrance = failed ? 2 : numbers > max_numbers ? 1 : 0;
  const std::int64_t worst = all_reduce(resources_.comm, hindrance, Reduction::max);
  if (worst == 0) return found;
  search_.why_not = worst == 2 ? "the condition has no value for some trace"
                               : "the condition holds for too many traces to seek them in this memory";
  return std::nullopt;
}

}  // namespace sill
