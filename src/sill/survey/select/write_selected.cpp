#include "sill/survey/select/write_selected.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sill/base/error.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/io/survey/survey_writer.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/permute/permutation.hpp"
#include "sill/survey/edit/renumbering.hpp"
#include "sill/survey/edit/text_history.hpp"
#include "sill/survey/output/finish_output.hpp"
#include "sill/survey/output/length_check.hpp"

namespace sill {
namespace {

// Memory for a trace of a batch, in addition to its bytes.
constexpr std::int64_t bytes_per_batched_trace = 128;
constexpr std::int64_t min_batch_traces = 1 << 10;
constexpr std::int64_t max_batch_traces = 1 << 18;

// With a window, a trace is divided into items, some of them empty: headers (and the window, if it begins with the
// first sample), samples before the window, the window, samples after the window. Their numbers are in file order.
constexpr std::int64_t parts_per_trace = 4;
constexpr std::int64_t window_part = 2;

// One file being written.
class ChosenFile {
 public:
  ChosenFile(const Resources& resources, const SurveyReader& reader, const TraceList& chosen,
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

  /// Writes the file. With `part`, the complete file remains in it without its final name.
  WrittenTraces write(const std::string& output, PartFile* part) {
    WrittenTraces written;
    written.traces = all_reduce(comm_, chosen_.count(), Reduction::sum);
    std::int64_t longest = 0;
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
    TraceList::Cursor cursor(chosen_);
    for (std::int64_t i = 0; i < chosen_.count(); ++i) {
      const SelectedTrace trace = cursor.next();
      longest = std::max(longest, trace.samples.count);
      shortest = std::min(shortest, trace.samples.count);
      own_bytes_ += bytes_of(trace);
    }
    longest = written.samples = all_reduce(comm_, longest, Reduction::max);
    shortest = all_reduce(comm_, shortest, Reduction::min);
    const FileEnds ends = ends_of_file(written);
    const std::int64_t trailer_bytes = reader_.files().front().trailers * std::int64_t{segy::text_header_bytes};
    const std::int64_t first_byte = reader_.files().front().first_trace_byte;
    const ExclusiveSum bytes = exclusive_sum(comm_, own_bytes_);
    own_byte_ = first_byte + bytes.before;
    SurveyWriter writer(resources_, output, {first_byte, bytes.all, bytes.all > 0 ? 1 : 0},
                        SurveyWriter::Space::at_once, trailer_bytes, part);
    writer.write_header(ends.header);
    resources_.begin_stage("writing traces", own_bytes_);
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
    if (delay_) meant.assume.samples.reset();  // the headers state the number of samples in the window
    return meant;
  }

  FileEnds ends_of_file(WrittenTraces& written) {
    EndsChange change{.traces = written.traces};
    if (delay_ && reader_.is_uniform()) change.samples = written.samples;
    change.history = marks_.history;
    FileEnds ends = file_ends(comm_, reader_, change);
    written.stated_traces_before = ends.stated_traces_before;
    written.stated_traces_after = ends.stated_traces_after;
    return ends;
  }

  [[nodiscard]] std::int64_t header_bytes(std::int64_t trace) const { return reader_.shape_of(trace).header_bytes(); }

  [[nodiscard]] std::int64_t bytes_of(const SelectedTrace& trace) const {
    return header_bytes(trace.trace) + trace.samples.count * sample_bytes_;
  }

  // Takes the next traces of this rank: their items, and the start of each in the output, the first at `byte`.
  void take_batch(TraceList::Cursor& cursor, std::int64_t count, std::int64_t byte) {
    batch_.clear();
    sources_.clear();
    starts_.assign(1, byte);
    const auto add = [&](std::int64_t item, std::int64_t bytes) {
      sources_.push_back(item);
      starts_.push_back(starts_.back() + bytes);
    };
    for (std::int64_t i = 0; i < count; ++i) {
      const SelectedTrace trace = cursor.next();
      batch_.push_back(trace);
      const std::int64_t window = trace.samples.count * sample_bytes_;
      if (!delay_) {
        add(trace.trace, bytes_of(trace));
      } else if (trace.samples.first == 0) {
        add(trace.trace * parts_per_trace, bytes_of(trace));
      } else {
        add(trace.trace * parts_per_trace, bytes_of(trace) - window);
        add(trace.trace * parts_per_trace + window_part, window);
      }
    }
  }

  // Returns the position of items of a file (from 0) when traces are divided.
  [[nodiscard]] ByteRange place_of(int file, std::int64_t first_trace, ItemRange items) const {
    const auto begin_of = [&](std::int64_t item) {
      const std::int64_t trace = item / parts_per_trace;
      const segy::TraceTable& table = reader_.table(file);
      const std::int64_t at = table.bytes_of({trace, 0}).offset;
      const std::int64_t part = item % parts_per_trace;
      if (part == 0) return at;
      const segy::SampleRange samples = window_of(first_trace + trace);
      const std::int64_t headers = header_bytes(first_trace + trace);
      if (part == window_part) return at + headers + samples.first * sample_bytes_;
      // Item 1 begins after the headers, or after the window if that is in one item with them; item 3 after the window.
      const bool follows_headers = part == 1 && samples.first > 0;
      return at + headers + (follows_headers ? 0 : (samples.first + samples.count) * sample_bytes_);
    };
    const std::int64_t begin = begin_of(items.first);
    return {begin, begin_of(items.end()) - begin};
  }

  // Preconditions: the trace is in the batch, whose traces ascend.
  [[nodiscard]] std::vector<SelectedTrace>::const_iterator in_batch(std::int64_t trace) const {
    return std::ranges::lower_bound(batch_, trace, {}, &SelectedTrace::trace);
  }

  [[nodiscard]] segy::SampleRange window_of(std::int64_t trace) const { return in_batch(trace)->samples; }

  void gather(SurveyWriter& writer) {
    std::vector<InputItems> inputs(reader_.inputs().begin(), reader_.inputs().end());
    if (delay_) {
      for (std::size_t f = 0; f < inputs.size(); ++f) {
        const std::int64_t first_trace = inputs[f].first_item;
        inputs[f].first_item *= parts_per_trace;
        inputs[f].items.count *= parts_per_trace;
        inputs[f].place_of = [this, f, first_trace](ItemRange items) {
          return place_of(static_cast<int>(f), first_trace, items);
        };
      }
    }
    Permutation job;
    job.inputs = inputs;
    job.memory_bytes = resources_.memory();
    job.chunk_bytes = resources_.policy.stage_or(pull_chunk_bytes);
    job.threads = resources_.threads();
    job.progress = resources_.progress;
    std::int64_t first_of_batch = 0;
    job.inspect = [&](std::int64_t first, std::span<const std::int64_t> items, std::span<std::byte* const> bytes) {
      for (std::size_t i = 0; i < items.size(); ++i) {
        if (delay_ && items[i] % parts_per_trace != 0) continue;  // samples only
        pass(items[i], bytes[i]);
        const std::int64_t place =
            delay_ ? in_batch(items[i] / parts_per_trace) - batch_.begin() : first + static_cast<std::int64_t>(i);
        if (marks_.change) marks_.change(first_of_batch + place, bytes[i]);
      }
    };
    // Batch by batch, so that the data of each trace take little memory. All ranks take part in each batch.
    const std::int64_t batch_traces =
        std::clamp(resources_.memory() / 8 / bytes_per_batched_trace, min_batch_traces, max_batch_traces);
    const std::int64_t batches = all_reduce(comm_, (chosen_.count() + batch_traces - 1) / batch_traces, Reduction::max);
    job.sink = sink_of(writer.mover());
    TraceList::Cursor cursor(chosen_);
    std::int64_t byte = own_byte_;
    for (std::int64_t batch = 0; batch < batches; ++batch) {
      const std::int64_t first = std::min(batch * batch_traces, chosen_.count());
      run_and_agree(comm_, [&] { take_batch(cursor, std::min(batch_traces, chosen_.count() - first), byte); });
      byte = starts_.back();
      first_of_batch = first;
      job.sources = sources_;
      job.starts = starts_;
      permute_by_pull(comm_, job);
    }
  }

  void renumber_traces(SurveyWriter& writer) {
    const std::int64_t first = exclusive_sum(comm_, chosen_.count()).before;
    const auto starts_from_first = [&]() -> TraceStarts {
      return [this, cursor = TraceList::Cursor(chosen_), byte = own_byte_](ItemRange,
                                                                           std::span<std::int64_t> starts) mutable {
        for (std::int64_t& start : starts) {
          start = byte;
          byte += bytes_of(cursor.next());
        }
      };
    };
    renumber_written(resources_, writer, {first, chosen_.count()}, starts_from_first,
                     reader_.files().front().byte_order);
  }

  // Checks the trace whose headers are in `item`, and sets them to state the selected samples.
  void pass(std::int64_t item, std::byte* bytes) {
    const std::int64_t trace = delay_ ? item / parts_per_trace : item;
    const std::byte* const header = bytes;
    lengths_.see(trace, header);
    if (!delay_) return;
    const segy::SampleRange samples = window_of(trace);
    const segy::FileDescription& file = reader_.files()[static_cast<std::size_t>(reader_.file_of(trace))];
    try {
      segy::set_samples_stated(bytes, reader_.shape_of(trace).headers, file.byte_order, samples.count,
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
  const SurveyReader& reader_;
  const TraceList& chosen_;
  const OutputMarks& marks_;
  std::int64_t sample_bytes_;
  LengthCheck lengths_;
  std::optional<segy::DelayWord> delay_;  // with a window
  std::int64_t own_bytes_ = 0;            // of this rank's traces; and their position
  std::int64_t own_byte_ = 0;
  std::vector<SelectedTrace> batch_;  // the traces being written
  std::vector<std::int64_t> sources_;
  std::vector<std::int64_t> starts_;
};

}  // namespace

WrittenTraces write_selected(const Resources& resources, const SurveyReader& reader, const std::string& output,
                             const TraceList& chosen, const segy::TimeWindow* window, const OutputMarks& marks,
                             PartFile* part) {
  require_text_header(resources.comm, marks.history, reader.files().front().kind);
  return ChosenFile(resources, reader, chosen, window, marks).write(output, part);
}

}  // namespace sill
