#include "sill/flow/chosen_traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "sill/base/error.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/flow/finish_output.hpp"
#include "sill/flow/length_check.hpp"
#include "sill/flow/renumbering.hpp"
#include "sill/flow/text_history.hpp"
#include "sill/flow/who_writes.hpp"
#include "sill/io/writer.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/move/gather_together.hpp"
#include "sill/move/permutation.hpp"

namespace sill {
namespace {

// What a thread of a gather writes at once.
constexpr std::int64_t gathered_chunk_bytes = 2 << 20;

// A trace as the items that a window makes of it, some of them empty: headers (and the window, if it begins with the
// first sample), samples before the window, the window, samples after it. Their numbers follow each other as they lie
// in the file.
constexpr std::int64_t parts_a_trace = 4;
constexpr std::int64_t window_part = 2;

// One file being written.
class ChosenFile {
 public:
  ChosenFile(const Resources& resources, const Reader& reader, std::span<const ChosenTrace> chosen,
             const segy::TimeWindow* window, const OutputMarks& marks)
      : resources_(resources),
        comm_(resources.comm),
        reader_(reader),
        chosen_(chosen),
        marks_(marks),
        sample_bytes_(segy::bytes_of(reader.files().front().sample_format)),
        lengths_(reader) {
    if (window != nullptr) delay_.emplace(reader.words());
  }

  WrittenTraces write(const std::string& output) {
    WrittenTraces written;
    written.traces = all_reduce(comm_, std::ssize(chosen_), Reduction::sum);
    std::int64_t longest = 0;
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
    for (const ChosenTrace& trace : chosen_) {
      longest = std::max(longest, trace.samples.count);
      shortest = std::min(shortest, trace.samples.count);
    }
    longest = written.samples = all_reduce(comm_, longest, Reduction::max);
    shortest = all_reduce(comm_, shortest, Reduction::min);
    const FileEnds ends = ends_of_file(written);
    const std::int64_t trailer_bytes = reader_.files().front().trailers * std::int64_t{segy::text_header_bytes};
    place_items(reader_.files().front().first_trace_byte);
    Writer writer(resources_, output, {first_byte_, traces_bytes_, traces_bytes_ > 0 ? 1 : 0}, Writer::Space::at_once,
                  trailer_bytes);
    writer.write_header(ends.header);
    resources_.begin_stage("writing traces", starts_.back() - starts_.front());
    gather(writer);
    if (!delay_) written.deviating_traces = all_reduce(comm_, lengths_.deviating(), Reduction::sum);
    writer.write_trailer(ends.trailer);
    if (marks_.renumber) renumber_traces(writer);
    finish_output(resources_, reader_, writer, output, meant(written.traces, longest, shortest));
    written.bytes = writer.file_bytes();
    return written;
  }

 private:
  [[nodiscard]] MeantReading meant(std::int64_t traces, std::int64_t longest, std::int64_t shortest) const {
    MeantReading meant = read_as_input(reader_);
    meant.file.samples = longest;
    meant.file.traces = traces;
    meant.has_one_length = longest == shortest;
    if (delay_) meant.assume.samples.reset();  // the headers say how many are in the window
    return meant;
  }

  FileEnds ends_of_file(WrittenTraces& written) {
    EndsChange change{.traces = written.traces};
    if (delay_ && reader_.is_uniform()) change.samples = written.samples;
    change.history = marks_.history;
    FileEnds ends = file_ends(comm_, reader_, change);
    written.told_traces_before = ends.told_traces_before;
    written.told_traces_after = ends.told_traces_after;
    return ends;
  }

  [[nodiscard]] std::int64_t header_bytes(std::int64_t trace) const { return reader_.shape_of(trace).header_bytes(); }

  // Which items this rank writes, and where each begins in the output.
  void place_items(std::int64_t first_byte) {
    together(comm_, [&] {
      const std::size_t most = chosen_.size() * (delay_ ? 2 : 1);
      sources_.reserve(most);
      starts_.reserve(most + 1);
      starts_.push_back(0);
      const auto add = [&](std::int64_t item, std::int64_t bytes) {
        sources_.push_back(item);
        starts_.push_back(starts_.back() + bytes);
      };
      for (const ChosenTrace& trace : chosen_) {
        const std::int64_t headers = header_bytes(trace.trace);
        const std::int64_t window = trace.samples.count * sample_bytes_;
        if (!delay_) {
          add(trace.trace, headers + window);
        } else if (trace.samples.first == 0) {
          add(trace.trace * parts_a_trace, headers + window);
        } else {
          add(trace.trace * parts_a_trace, headers);
          add(trace.trace * parts_a_trace + window_part, window);
        }
      }
    });
    const std::vector<std::int64_t> bytes = all_gather(comm_, starts_.back());
    const std::vector<std::int64_t> items = all_gather(comm_, std::ssize(sources_));
    traces_bytes_ = std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
    first_position_ = std::accumulate(items.begin(), items.begin() + comm_.rank(), std::int64_t{0});
    first_byte_ = first_byte;
    const std::int64_t mine = std::accumulate(bytes.begin(), bytes.begin() + comm_.rank(), first_byte);
    for (std::int64_t& start : starts_) start += mine;
  }

  // Where items of a file (from 0) lie in it, when traces are cut into parts.
  [[nodiscard]] ByteRange place_of(int file, std::int64_t first_trace, ItemRange items) const {
    const auto begin_of = [&](std::int64_t item) {
      const std::int64_t trace = item / parts_a_trace;
      const segy::TraceTable& table = reader_.table(file);
      const std::int64_t at = table.bytes_of({trace, 0}).offset;
      const std::int64_t part = item % parts_a_trace;
      if (part == 0) return at;
      const segy::SampleRange samples = window_of(first_trace + trace);
      const std::int64_t headers = header_bytes(first_trace + trace);
      if (part == window_part) return at + headers + samples.first * sample_bytes_;
      // Item 1 begins after the headers, or after the window that they are one item with; item 3 after the window.
      const bool follows_headers = part == 1 && samples.first > 0;
      return at + headers + (follows_headers ? 0 : (samples.first + samples.count) * sample_bytes_);
    };
    const std::int64_t begin = begin_of(items.first);
    return {begin, begin_of(items.end()) - begin};
  }

  // Only of traces that are chosen.
  [[nodiscard]] segy::SampleRange window_of(std::int64_t trace) const {
    return std::ranges::lower_bound(by_trace_, trace, {}, &ChosenTrace::trace)->samples;
  }

  void gather(Writer& writer) {
    std::vector<InputItems> inputs(reader_.inputs().begin(), reader_.inputs().end());
    if (delay_) {
      together(comm_, [&] {
        by_trace_.assign(chosen_.begin(), chosen_.end());
        std::ranges::sort(by_trace_, {}, &ChosenTrace::trace);
      });
      for (std::size_t f = 0; f < inputs.size(); ++f) {
        const std::int64_t first_trace = inputs[f].first_item;
        inputs[f].first_item *= parts_a_trace;
        inputs[f].items.count *= parts_a_trace;
        inputs[f].place_of = [this, f, first_trace](ItemRange items) {
          return place_of(static_cast<int>(f), first_trace, items);
        };
      }
    }
    Permutation job;
    job.inputs = inputs;
    job.sources = sources_;
    job.starts = starts_;
    job.first_position = first_position_;
    job.memory_bytes = resources_.memory();
    job.chunk_bytes = resources_.policy.stage_bytes > 0 ? resources_.policy.stage_bytes : gathered_chunk_bytes;
    job.threads = resources_.threads();
    job.progress = resources_.progress;
    job.inspect = [&](std::int64_t, std::span<const std::int64_t> items, std::span<std::byte* const> bytes) {
      for (std::size_t i = 0; i < items.size(); ++i) pass(items[i], bytes[i]);
    };
    if (writes_together(resources_.policy)) {
      job.memory_bytes /= 2;
      permute_together(comm_, job, writer.mover());
      return;
    }
    together(comm_, [&] {
      if (sources_.empty()) return;
      job.output = &writer.store();
      permute_by_gather(job);
    });
  }

  void renumber_traces(Writer& writer) {
    const std::vector<std::int64_t> counts = all_gather(comm_, std::ssize(chosen_));
    const std::int64_t first = std::accumulate(counts.begin(), counts.begin() + comm_.rank(), std::int64_t{0});
    // Where the traces begin: items that begin a trace, if some are its second part.
    std::vector<std::int64_t> begins = together(comm_, [&] {
      std::vector<std::int64_t> bytes;
      bytes.reserve(chosen_.size());
      for (std::size_t i = 0; i < sources_.size(); ++i)
        if (!delay_ || sources_[i] % parts_a_trace == 0) bytes.push_back(starts_[i]);
      return bytes;
    });
    renumber_written(
        resources_, writer, {first, std::ssize(chosen_)},
        [&](std::int64_t trace) { return begins[static_cast<std::size_t>(trace - first)]; },
        reader_.files().front().byte_order);
  }

  // Looks at a trace, and lets its headers say what of it is taken.
  void pass(std::int64_t item, std::byte* bytes) {
    if (delay_ && item % parts_a_trace != 0) return;
    const std::int64_t trace = delay_ ? item / parts_a_trace : item;
    const std::byte* const header = bytes;
    lengths_.see({&trace, 1}, {&header, 1});
    if (!delay_) return;
    const segy::SampleRange samples = window_of(trace);
    const segy::FileDescription& file = reader_.files()[static_cast<std::size_t>(reader_.file_of(trace))];
    try {
      segy::set_samples_told(bytes, reader_.shape_of(trace).headers, file.byte_order, samples.count,
                             !reader_.is_uniform());
      if (samples.first == 0) return;
      delay_->set_start(
          bytes, file.byte_order,
          delay_->start_us(bytes, file.byte_order) + static_cast<double>(samples.first) * file.interval_us);
    } catch (const Error& error) {
      throw_at(error, reader_.where(trace));
    }
  }

  const Resources& resources_;
  Communicator& comm_;
  const Reader& reader_;
  std::span<const ChosenTrace> chosen_;
  const OutputMarks& marks_;
  std::int64_t sample_bytes_;
  LengthCheck lengths_;
  std::optional<segy::DelayWord> delay_;  // with a window
  std::vector<ChosenTrace> by_trace_;     // with a window
  std::vector<std::int64_t> sources_;
  std::vector<std::int64_t> starts_;
  std::int64_t first_byte_ = 0;
  std::int64_t traces_bytes_ = 0;
  std::int64_t first_position_ = 0;
};

}  // namespace

WrittenTraces write_chosen(const Resources& resources, const Reader& reader, const std::string& output,
                           std::span<const ChosenTrace> chosen, const segy::TimeWindow* window,
                           const OutputMarks& marks) {
  require_text_header(resources.comm, marks.history, reader.files().front().kind);
  return ChosenFile(resources, reader, chosen, window, marks).write(output);
}

}  // namespace sill
